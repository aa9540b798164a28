// The blocks of one rank, or their pieces, that may run now: a queue for each executor. They leave the same
// bits in any order. An executor takes the most urgent block of its own queue. If it has none, it takes one
// from a queue that holds several, so a slow or overloaded executor delays no other. Thread rule:
// thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "runtime/base/mutex.hpp"
#include "runtime/base/wait_policy.hpp"

namespace stradsap::rt {

class ready_blocks {
 public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// `count`: the number of blocks to come.
  ready_blocks(int executors, std::size_t count, wait_policy waiting);

  /// Adds a block that may run. Of an executor's blocks, the one with the least `urgency` runs first.
  void add(std::uint32_t block, int executor, std::uint64_t urgency);
  /// Adds a block that any executor takes before all others.
  void add_urgent(std::uint32_t block);
  /// Takes a block for this executor, or `none` if all have been taken. Waits if necessary, and adds the time
  /// to `seconds_wait`.
  [[nodiscard]] std::uint32_t take(int executor, double& seconds_wait);
  /// Whether all executors wait for a block.
  [[nodiscard]] bool are_all_waiting() const { return sleepers_ == executors_; }

 private:
  struct entry {
    std::uint64_t urgency;
    std::uint32_t block;
    bool operator<(const entry& other) const { return urgency > other.urgency; }  // the top is most urgent
  };
  struct alignas(64) queue {
    mutex guard;
    std::vector<entry> heap GUARDED_BY(guard);
    std::atomic<std::uint32_t> size{0};
    std::atomic<bool> asleep{false};
    std::atomic<std::uint32_t> calls{0};  // wakes the executor
  };

  [[nodiscard]] std::uint32_t pop(queue& from, bool most_urgent);
  [[nodiscard]] std::uint32_t try_take(int executor);
  [[nodiscard]] bool may_take(int executor) const;
  void doze(int executor);
  void wake(queue& q);

  const int executors_;
  const wait_policy waiting_;
  std::unique_ptr<queue[]> queues_;  // by executor, then the urgent blocks
  std::atomic<std::size_t> left_;    // blocks not taken yet
  std::atomic<int> sleepers_{0};
};

}  // namespace stradsap::rt
