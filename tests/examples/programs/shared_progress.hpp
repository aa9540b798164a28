// Steps of iterations on all ranks, in a file that they share: so a body can wait for an iteration elsewhere.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/// The greatest step that an iteration has begun.
inline std::atomic<int64_t>* progress_in(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR);
  void* const at = ::mmap(nullptr, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  return static_cast<std::atomic<int64_t>*>(at);
}

inline void note_step(const std::string& path, int64_t step) {
  std::atomic<int64_t>* const to = progress_in(path);
  for (int64_t now = *to; now < step && !to->compare_exchange_weak(now, step);) {
  }
  ::munmap(to, 8);
}

/// Whether another iteration begins the step before the time is over.
inline bool meets(const std::string& path, int64_t step, double seconds) {
  std::atomic<int64_t>* const to = progress_in(path);
  const auto start = std::chrono::steady_clock::now();
  while (*to < step &&
         std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds)
    std::this_thread::yield();
  const bool met = *to >= step;
  ::munmap(to, 8);
  return met;
}
