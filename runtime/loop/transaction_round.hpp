// What the lanes share of a round of transactions: consecutive iterations, its members, each of which is
// attempted by one lane. Thread rule: lanes take members at the same time, and write to what is theirs; the
// rest on one thread, while lanes are at rest.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/loop/transaction_log.hpp"

namespace stradsap::rt {

/// One run of one iteration on copies.
struct attempt {
  std::uint32_t lane = 0;   // that ran it, and has its touches
  std::uint32_t first = 0;  // of them, among the lane's
  std::uint32_t count = 0;
  bool is_void = false;  // it threw, or made a key: that is done in place
};

class transaction_round {
 public:
  explicit transaction_round(const loop_frame& f) : versions(f.logs_accesses ? f.num_captures() : 0) {
    for (std::size_t c = 0; c < f.num_captures(); ++c) {
      partial_offsets.push_back(partials_size);
      partials_size += f.entry->captures[c].size;
      if (f.logs_accesses && f.stores[c] != nullptr) versions[c].resize(f.stores[c]->size());
    }
  }

  /// Begins with `count` iterations; lanes take `at_once` of them.
  void begin(std::int64_t first, std::uint32_t count, std::uint32_t at_once) {
    begin_ = first;
    at_once_ = at_once;
    if (attempts_.size() < count) attempts_.resize(count);
    count_ = count;
    if (partials_.size() < count * partials_size) partials_.resize(count * partials_size);
    next_.store(0, std::memory_order_relaxed);
  }
  /// Members [first, second) are the caller's; none are left where they are equal.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> take() {
    const std::uint32_t first = std::min(count_, next_.fetch_add(at_once_, std::memory_order_relaxed));
    return {first, std::min(count_, first + at_once_)};
  }
  [[nodiscard]] std::uint32_t size() const { return count_; }
  [[nodiscard]] attempt& operator[](std::uint32_t member) { return attempts_[member]; }
  [[nodiscard]] std::int64_t iteration_of(std::uint32_t member) const { return begin_ + member; }
  /// What the member has added up.
  [[nodiscard]] std::byte* partials_of(std::uint32_t member) {
    return partials_.data() + member * partials_size;
  }

  std::vector<std::size_t> partial_offsets;  // by capture, into a member's partials
  std::size_t partials_size = 0;
  attempt_versions versions;  // where accesses are logged

 private:
  std::int64_t begin_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t at_once_ = 1;
  std::atomic<std::uint32_t> next_{0};
  std::vector<attempt> attempts_;  // by member
  bytes partials_;                 // by member
};

}  // namespace stradsap::rt
