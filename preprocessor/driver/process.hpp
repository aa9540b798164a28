// Child processes, and what happens to them and to our files when we are told to stop.
// process_runner: one thread runs, any thread may forward a signal.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace stradsap::pp {

class process_runner {
 public:
  /// Runs a program found on PATH and waits for it; its exit status, 128 + signal if one killed it, 127 if it
  /// could not be started.
  int run(const std::vector<std::string>& command);
  /// Runs it and returns the first line that it prints; empty if it fails.
  std::string first_line_of(const std::vector<std::string>& command);
  void forward(int signal);

 private:
  int start(const std::vector<std::string>& command, int output);
  int wait();

  std::atomic<pid_t> child_{0};
};

/// From construction on, SIGINT, SIGTERM and SIGHUP end the child, remove `folder` and end this process by
/// the same signal. Owns the thread that waits for them. Construct it before any other thread.
class interruption {
 public:
  interruption(process_runner& runner, std::filesystem::path folder);
  ~interruption();
  interruption(const interruption&) = delete;
  interruption& operator=(const interruption&) = delete;

 private:
  void wait_for_signal();

  process_runner& runner_;
  std::filesystem::path folder_;
  std::thread waiter_;
};

}  // namespace stradsap::pp
