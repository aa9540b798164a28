#include "runtime/dds/range_pool.hpp"

#include <cstring>
#include <utility>
#include <vector>

#include "runtime/base/mutex.hpp"
#include "runtime/dds/poison.hpp"

namespace stradsap::rt {

// Ranges of this size are on small pages, and alike.
static constexpr std::size_t most_kept_bytes = std::size_t{512} << 10;
static constexpr std::size_t most_kept = 16;

namespace {

class range_pool {
 public:
  address_range take(std::size_t size) {
    if (size == 0 || size > most_kept_bytes) return address_range(size);
    left one;
    {
      const lock_guard hold(mutex_);
      if (ranges_.empty()) return address_range(size);
      one = std::move(ranges_.back());
      ranges_.pop_back();
    }
    std::memset(one.range.base(), 0, one.used);
    return std::move(one.range);
  }
  void leave(address_range range, std::size_t used) {
    if (range.size() != small_size_ || used > most_kept_bytes || poison::is_possible()) return;
    const lock_guard hold(mutex_);
    if (ranges_.size() < most_kept) ranges_.push_back({std::move(range), used});
  }

 private:
  struct left {
    address_range range;
    std::size_t used = 0;
  };
  const std::size_t small_size_ = address_range(1).size();
  mutex mutex_;
  std::vector<left> ranges_ GUARDED_BY(mutex_);
};

/// Never destroyed: containers with static storage may end later than any object here.
range_pool& pool() {
  static range_pool& all = *new range_pool;
  return all;
}

}  // namespace

address_range range_for(std::size_t size) { return pool().take(size); }
void leave_range(address_range range, std::size_t used) { pool().leave(std::move(range), used); }

}  // namespace stradsap::rt
