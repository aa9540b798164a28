// Loops in ranges that one thread of the driver's rank runs often. A call finds its repeat by the loop and
// its containers, without an allocation. Containers of a repeat may be gone. Thread rule: main thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "runtime/cluster/recently_used.hpp"
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

  /// Whether another one may stay.
  [[nodiscard]] bool may_keep() const { return keeps_ && kept_.may_have_room(); }
  /// The loop of the call if it is here and still holds, and the last call was short; else null. Longer ones
  /// show their progress block by block.
  [[nodiscard]] repeat* find(const launch_request& r) {
    repeat* const known = find_any(r);
    const bool serves = known != nullptr && is_short(known->loop.seconds_compute()) && known->loop.holds();
    return serves ? known : nullptr;
  }
  /// The same if it was long, or if sizes and cuts have changed.
  [[nodiscard]] repeat* find_any(const launch_request& r) {
    const std::unique_ptr<repeat>* const one = kept_.find(key_of(r));
    return one != nullptr && is_of(**one, r) ? one->get() : nullptr;
  }
  /// Keeps it, if there is room.
  void add(const launch_request& r, std::unique_ptr<repeat> made) {
    const std::size_t size_bytes = sizeof(repeat) + made->loop.size_bytes();
    (void)kept_.add(key_of(r), std::move(made), size_bytes);
  }
  void remove(const launch_request& r) { kept_.erase(key_of(r)); }
  [[nodiscard]] static bool is_short(double seconds) { return seconds < most_seconds; }

 private:
  static constexpr double most_seconds = 5e-3;
  static constexpr std::size_t most_repeats = 1024;
  static constexpr std::size_t most_bytes = std::size_t{64} << 20;

  static std::uint64_t key_of(const launch_request& r) {
    std::uint64_t key = reinterpret_cast<std::uintptr_t>(r.entry);
    const auto add = [&key](std::uint64_t part) {
      key = (key ^ part) * 0x9e3779b97f4a7c15;
      key ^= key >> 32;
    };
    add(static_cast<std::uint64_t>(r.n));
    add(reinterpret_cast<std::uintptr_t>(r.site));
    if (r.label != nullptr) add(std::hash<std::string_view>()(r.label));
    for (const driver_handle* const handle : r.containers)
      add(handle == nullptr ? 0 : 1 + static_cast<std::uint64_t>(handle->local().id()));
    return key;
  }
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

  const bool keeps_;
  recently_used<std::unique_ptr<repeat>> kept_{most_repeats, most_bytes};
};

}  // namespace stradsap::rt
