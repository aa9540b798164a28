#include "runtime/loop/launch/executor_pool.hpp"

#include <csignal>
#include <exception>
#include <string>
#include <utility>

#include "runtime/base/faults.hpp"

#include <pthread.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace stradsap::rt {

std::uint32_t float_mode() {
#if defined(__x86_64__)
  std::uint16_t x87 = 0;
  __asm__ volatile("fnstcw %0" : "=m"(x87));
  // operations set the low bits of MXCSR: status flags
  return (_mm_getcsr() & 0xffc0u) | static_cast<std::uint32_t>(x87) << 16;
#else
  return 0;
#endif
}

void set_float_mode([[maybe_unused]] std::uint32_t mode) {
#if defined(__x86_64__)
  if (mode == float_mode()) return;
  _mm_setcsr(mode & 0xffffu);
  const auto x87 = static_cast<std::uint16_t>(mode >> 16);
  __asm__ volatile("fldcw %0" : : "m"(x87));
#endif
}

executor_pool::executor_pool(int size, wait_policy waiting) : size_(size), waiting_(waiting) {
  // Blocked here, so that the kernel delivers asynchronous signals to the main thread.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  // SIGURG asks a thread for its stack.
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGURG}) sigdelset(&all, own);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (int executor = 1; executor < size; ++executor) {
    threads_.emplace_back([this, executor] { serve(executor); });
    pthread_setname_np(threads_.back().native_handle(), ("executor " + std::to_string(executor)).c_str());
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

executor_pool::~executor_pool() {
  {
    const lock_guard hold(mutex_);
    stop_ = true;
    jobs_.announce();
  }
  for (std::thread& t : threads_) t.join();
}

void executor_pool::run(const std::function<void(int)>& job) {
  {
    const lock_guard hold(mutex_);
    job_ = &job;
    busy_ = size_ - 1;
    float_mode_ = float_mode();
    failure_ = nullptr;
    ++generation_;
    jobs_.announce();
  }
  run_one(job, 0);
  const lock_guard hold(mutex_);
  while (busy_ > 0) ends_.wait(mutex_, waiting_);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void executor_pool::run_one(const std::function<void(int)>& job, int executor) {
  try {
    job(executor);
  } catch (...) {
    const lock_guard hold(mutex_);
    failure_ = std::current_exception();
  }
}

void executor_pool::serve(int executor) {
  const fault_stack of_this_thread;
  std::uint64_t seen = 0;
  while (true) {
    const std::function<void(int)>* job = nullptr;
    {
      const lock_guard hold(mutex_);
      while (generation_ == seen && !stop_) jobs_.wait(mutex_, waiting_);
      if (stop_) return;
      seen = generation_;
      job = job_;
      set_float_mode(float_mode_);
    }
    run_one(*job, executor);
    const lock_guard hold(mutex_);
    if (--busy_ == 0) ends_.announce();
  }
}

}  // namespace stradsap::rt
