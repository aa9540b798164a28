// A notification: wakes the threads that wait for a condition. Thread rule: under the mutex that waiters
// pass.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "runtime/base/mutex.hpp"
#include "runtime/base/wait_policy.hpp"

namespace stradsap::rt {

class notification {
 public:
  /// Wakes all waiting threads. Call it under the mutex that waiters pass to wait().
  void announce() {
    ++count_;
    condition_.notify_all();
  }
  /// Releases the mutex until the next announcement, for a second at most; then holds it again. The caller
  /// checks its condition anew.
  void wait(mutex& m, wait_policy waiting) REQUIRES(m) {
    const sleeper here(waiting.post);
    const std::uint64_t seen = count_;
    m.unlock();
    const bool came = waiting.spin([&] { return count_ != seen; });
    relock(m);
    if (!came && count_ == seen)
      condition_.wait_until(m, std::chrono::steady_clock::now() + std::chrono::seconds(1));
  }

 private:
  /// The announcing thread holds the mutex for an instant. Sleeping until it leaves would take longer.
  static void relock(mutex& m) STRADSAP_THREAD_ANNOTATION(acquire_capability(m)) {
    constexpr int tries = 100;
    for (int k = 0; k < tries; ++k) {
      if (m.try_lock()) return;
      __builtin_ia32_pause();
    }
    m.lock();
  }

  std::atomic<std::uint64_t> count_{0};
  condition condition_;
};

}  // namespace stradsap::rt
