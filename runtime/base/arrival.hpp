// Tells a thread that something it waits for has come, on whatever thread it came.
// Thread rule: as the mutex that is handed to it says.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "runtime/base/mutex.hpp"
#include "runtime/base/patience.hpp"

namespace stradsap::rt {

class arrival {
 public:
  /// Under the mutex that waiters hold.
  void announce() {
    ++count_;
    condition_.notify_all();
  }
  /// Lets go of the mutex until the next announcement, or for a second: what was waited for has come or has
  /// not.
  void wait(mutex& m, patience waiting) REQUIRES(m) {
    const sleeper here(waiting.post);
    const std::uint64_t seen = count_;
    m.unlock();
    const bool came = waiting.spin([&] { return count_ != seen; });
    m.lock();
    if (!came && count_ == seen)
      condition_.wait_until(m, std::chrono::steady_clock::now() + std::chrono::seconds(1));
  }

 private:
  std::atomic<std::uint64_t> count_{0};
  condition condition_;
};

}  // namespace stradsap::rt
