// The common state of the executors in a round of transactions. The members of a round are consecutive
// iterations; one executor attempts each. Thread rule: executors take members concurrently and write to their
// own; the rest on one thread, while no executor runs.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/loop/transactions/transaction_log.hpp"

namespace stradsap::rt {

/// One run of one iteration on copies.
struct attempt {
  std::uint32_t executor = 0;  // the executor that ran it and has its touches
  std::uint32_t first = 0;     // its first touch, among that executor's
  std::uint32_t count = 0;
  bool is_void = false;  // it threw, or inserted a key: run it in place
};

class transaction_round {
 public:
  explicit transaction_round(const loop_frame& f) : versions(f.logs_accesses ? f.num_captures() : 0) {
    for (std::size_t c = 0; c < f.num_captures(); ++c) {
      partial_offsets.push_back(partials_size);
      partials_size += f.entry->captures[c].size;
      if (f.logs_accesses && f.replicas[c] != nullptr) versions[c].resize(f.replicas[c]->size());
    }
  }

  /// Begins with `count` iterations; executors take `at_once` of them.
  void begin(std::int64_t first, std::uint32_t count, std::uint32_t at_once) {
    begin_ = first;
    at_once_ = at_once;
    if (attempts_.size() < count) attempts_.resize(count);
    count_ = count;
    if (partials_.size() < count * partials_size) partials_.resize(count * partials_size);
    next_.store(0, std::memory_order_relaxed);
  }
  /// Takes members [first, second) for the caller. If they are equal, none is left.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> take() {
    const std::uint32_t first = std::min(count_, next_.fetch_add(at_once_, std::memory_order_relaxed));
    return {first, std::min(count_, first + at_once_)};
  }
  [[nodiscard]] std::uint32_t size() const { return count_; }
  [[nodiscard]] attempt& operator[](std::uint32_t member) { return attempts_[member]; }
  [[nodiscard]] std::int64_t iteration_of(std::uint32_t member) const { return begin_ + member; }
  /// The member's parts of reductions.
  [[nodiscard]] std::byte* partials_of(std::uint32_t member) {
    return partials_.data() + member * partials_size;
  }

  std::vector<std::size_t> partial_offsets;  // by capture, into a member's partials
  std::size_t partials_size = 0;
  attempt_versions versions;  // if accesses are logged

 private:
  std::int64_t begin_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t at_once_ = 1;
  std::atomic<std::uint32_t> next_{0};
  std::vector<attempt> attempts_;  // by member
  bytes partials_;                 // by member
};

}  // namespace stradsap::rt
