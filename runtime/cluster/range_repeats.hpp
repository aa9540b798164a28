// Loops in ranges that one thread of the driver's rank runs often. A call finds its repeat by the loop and
// its containers, without an allocation. Thread rule: main thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "runtime/loop/blocks/kept_ranges.hpp"
#include "runtime/loop/launch/launch_request.hpp"
#include "runtime/observe/run_stats.hpp"

namespace stradsap::rt {

class range_repeats {
 public:
  /// A loop over certain containers.
  struct repeat {
    const char* site;
    std::int64_t n;
    std::vector<container_id> containers;  // per capture, or none
    launch_record record;                  // of an earlier call
    loop_total* total;                     // in the statistics
    kept_ranges loop;
  };

  /// `keeps`: false to keep none.
  explicit range_repeats(bool keeps) : keeps_(keeps) {}

  [[nodiscard]] bool keeps() const { return keeps_; }
  /// The loop of the call if it is here and still holds, and the last call was short; else null. Longer ones
  /// show their progress block by block.
  [[nodiscard]] repeat* find(const launch_request& r) {
    repeat* const known = find_any(r);
    const bool serves = known != nullptr && is_short(known->loop.seconds_compute()) && known->loop.holds();
    return serves ? known : nullptr;
  }
  /// The same if it was long, or if sizes and cuts have changed.
  [[nodiscard]] repeat* find_any(const launch_request& r) {
    const auto of_entry = by_entry_.find(r.entry);
    if (of_entry == by_entry_.end()) return nullptr;
    for (const std::unique_ptr<repeat>& one : of_entry->second) {
      if (is_of(*one, r)) return one.get();
    }
    return nullptr;
  }
  void add(const launch_request& r, std::unique_ptr<repeat> made) {
    constexpr std::size_t most = 64;
    if (++count_ > most) clear();  // of containers that are gone
    by_entry_[r.entry].push_back(std::move(made));
  }
  void remove(const launch_request& r) {
    count_ -= std::erase_if(by_entry_[r.entry], [&](const auto& one) { return is_of(*one, r); });
  }
  [[nodiscard]] static bool is_short(double seconds) { return seconds < most_seconds; }

 private:
  static constexpr double most_seconds = 5e-3;

  static bool is_of(const repeat& one, const launch_request& r) {
    const std::string_view label = r.label == nullptr ? std::string_view() : r.label;
    if (one.n != r.n || one.site != r.site || one.record.label != label) return false;
    if (r.model.which() != ConsistencyModel::kind::async || r.dynamic || !r.relaxed.empty()) return false;
    for (std::size_t c = 0; c < r.containers.size(); ++c) {
      const bool has = r.containers[c] != nullptr;
      if (one.containers[c] != (has ? r.containers[c]->local().id() : container_id::none)) return false;
    }
    return true;
  }
  void clear() {
    by_entry_.clear();
    count_ = 1;
  }

  const bool keeps_;
  std::size_t count_ = 0;
  std::map<const abi::loop_entry*, std::vector<std::unique_ptr<repeat>>> by_entry_;
};

}  // namespace stradsap::rt
