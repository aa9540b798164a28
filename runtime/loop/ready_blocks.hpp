// The blocks of one rank that may run now, or their pieces, a queue for each lane. Any order in which they
// run leaves the same bits, so a lane takes the most urgent of its own, and where it has none, one of a lane
// that has several: a lane that is slow, or got more than its share, holds up nobody. Thread rule:
// thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "runtime/base/mutex.hpp"
#include "runtime/base/patience.hpp"

namespace stradsap::rt {

class ready_blocks {
 public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// For `count` blocks in all.
  ready_blocks(int lanes, std::size_t count, patience waiting);

  /// A block may run; of those of a lane, the one with the least `urgency` runs first.
  void add(std::uint32_t block, int lane, std::uint64_t urgency);
  /// A block for this lane, which nobody else gets, or none once all have been taken. Waits, and adds how
  /// long.
  [[nodiscard]] std::uint32_t take(int lane, double& seconds_wait);

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
    std::atomic<std::uint32_t> calls{0};  // to wake up
  };

  [[nodiscard]] std::uint32_t pop(queue& from, bool most_urgent);
  [[nodiscard]] std::uint32_t try_take(int lane);
  [[nodiscard]] bool may_take(int lane) const;
  void doze(int lane);
  void wake(queue& q);

  const int lanes_;
  const patience waiting_;
  std::unique_ptr<queue[]> queues_;
  std::atomic<std::size_t> left_;  // blocks that nobody has taken
  std::atomic<int> sleepers_{0};
};

}  // namespace stradsap::rt
