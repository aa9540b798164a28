// Seconds of a piece of a program, and those of its threads. Thread rule: main thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

/// CPU seconds of each thread of this process.
inline std::map<std::string, double> seconds_of_threads() {
  std::map<std::string, double> seconds;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    double nanoseconds = 0;
    std::ifstream(thread.path() / "schedstat") >> nanoseconds;
    seconds[thread.path()] = nanoseconds * 1e-9;
  }
  return seconds;
}

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Usage {
  double seconds = 0, busiest = 0, all = 0;
};

/// Of `run`, on this rank.
inline Usage usage_of(auto run) {
  Usage usage;
  const auto cpu = seconds_of_threads();
  const double start = seconds_now();
  run();
  usage.seconds = seconds_now() - start;
  for (const auto& [thread, used] : seconds_of_threads()) {
    const auto before = cpu.find(thread);
    const double own = used - (before == cpu.end() ? 0 : before->second);
    usage.busiest = std::max(usage.busiest, own);
    usage.all += own;
  }
  return usage;
}
