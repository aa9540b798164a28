// The executors of this rank: the threads that run bodies. Executor 0 is the thread that calls run(); this
// class owns the others. Thread rule: run() from one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "runtime/base/notification.hpp"

namespace stradsap::rt {

class executor_pool {
 public:
  explicit executor_pool(int size, wait_policy waiting = {});
  ~executor_pool();
  executor_pool(const executor_pool&) = delete;
  executor_pool& operator=(const executor_pool&) = delete;

  [[nodiscard]] int size() const { return size_; }
  /// Runs job(executor) on every executor, in the caller's floating-point mode, and returns when all are
  /// done. If jobs throw, rethrows one of the exceptions.
  void run(const std::function<void(int executor)>& job);

 private:
  void serve(int executor);
  void run_one(const std::function<void(int)>& job, int executor);

  const int size_;
  const wait_policy waiting_;
  mutex mutex_;
  notification jobs_;
  notification ends_;
  const std::function<void(int)>* job_ GUARDED_BY(mutex_) = nullptr;
  std::uint64_t generation_ GUARDED_BY(mutex_) = 0;
  int busy_ GUARDED_BY(mutex_) = 0;
  bool stop_ GUARDED_BY(mutex_) = false;
  std::uint32_t float_mode_ GUARDED_BY(mutex_) = 0;
  std::exception_ptr failure_ GUARDED_BY(mutex_);
  std::vector<std::thread> threads_;
};

/// The floating-point control bits of this thread, such as rounding and flush-to-zero. They change results.
[[nodiscard]] std::uint32_t float_mode();
void set_float_mode(std::uint32_t mode);

}  // namespace stradsap::rt
