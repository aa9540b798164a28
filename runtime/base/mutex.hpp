// A mutex for Clang's thread safety analysis, which gives false warnings for std::mutex. Thread rule:
// thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#if defined(__clang__)
#define STRADSAP_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define STRADSAP_THREAD_ANNOTATION(x)
#endif
#define GUARDED_BY(x) STRADSAP_THREAD_ANNOTATION(guarded_by(x))
#define REQUIRES(x) STRADSAP_THREAD_ANNOTATION(requires_capability(x))

namespace stradsap::rt {

class STRADSAP_THREAD_ANNOTATION(capability("mutex")) mutex {
 public:
  void lock() STRADSAP_THREAD_ANNOTATION(acquire_capability()) { impl_.lock(); }
  [[nodiscard]] bool try_lock() STRADSAP_THREAD_ANNOTATION(try_acquire_capability(true)) {
    return impl_.try_lock();
  }
  void unlock() STRADSAP_THREAD_ANNOTATION(release_capability()) { impl_.unlock(); }

 private:
  std::mutex impl_;
};

/// Holds a mutex for a scope.
class STRADSAP_THREAD_ANNOTATION(scoped_lockable) lock_guard {
 public:
  explicit lock_guard(mutex& m) STRADSAP_THREAD_ANNOTATION(acquire_capability(m)) : mutex_(m) {
    mutex_.lock();
  }
  ~lock_guard() STRADSAP_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }
  lock_guard(const lock_guard&) = delete;
  lock_guard& operator=(const lock_guard&) = delete;

 private:
  mutex& mutex_;
};

/// Holds a mutex for a scope, if it gets it in a tenth of a second: for reports on threads that may be stuck.
/// The analysis takes the mutex as held, so ask has() before all else.
class STRADSAP_THREAD_ANNOTATION(scoped_lockable) patient_lock {
 public:
  explicit patient_lock(mutex& m) STRADSAP_THREAD_ANNOTATION(acquire_capability(m))
      STRADSAP_THREAD_ANNOTATION(no_thread_safety_analysis)
      : mutex_(m) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    while (!(has_ = m.try_lock()) && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  }
  ~patient_lock() STRADSAP_THREAD_ANNOTATION(release_capability())
      STRADSAP_THREAD_ANNOTATION(no_thread_safety_analysis) {
    if (has_) mutex_.unlock();
  }
  patient_lock(const patient_lock&) = delete;
  patient_lock& operator=(const patient_lock&) = delete;
  [[nodiscard]] bool has() const { return has_; }

 private:
  mutex& mutex_;
  bool has_ = false;
};

/// Waits under a mutex; every wait has a deadline.
class condition {
 public:
  void notify_all() { impl_.notify_all(); }
  /// Returns false at the deadline.
  template <class Clock, class Duration>
  bool wait_until(mutex& m, std::chrono::time_point<Clock, Duration> limit) REQUIRES(m) {
    return impl_.wait_until(m, limit) == std::cv_status::no_timeout;
  }

 private:
  std::condition_variable_any impl_;
};

}  // namespace stradsap::rt
