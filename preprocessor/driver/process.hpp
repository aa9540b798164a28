// Child processes, and what happens to them and to our files when we are told to stop.
// process_runner: one thread runs, any thread may stop it.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "driver/temporary_files.hpp"

namespace stradsap::pp {

class process_runner {
 public:
  /// Runs a program found on PATH and waits for it; its exit status, 128 + signal if one killed it, 127 if it
  /// could not be started.
  int run(const std::vector<std::string>& command);
  /// The same with its standard output written to a file.
  int run(const std::vector<std::string>& command, const std::string& output);
  /// Runs it and returns the first line that it prints; empty if it fails.
  std::string first_line_of(const std::vector<std::string>& command);
  /// While it is held, no signal ends us: whoever makes files or processes holds it until all is known.
  [[nodiscard]] std::unique_lock<std::timed_mutex> not_now() { return std::unique_lock(busy_); }
  /// The same, or an empty lock if it takes longer than that.
  [[nodiscard]] std::unique_lock<std::timed_mutex> not_now(std::chrono::seconds longest) {
    return std::unique_lock(busy_, longest);
  }
  /// Passes the signal on and gives the process a moment to end.
  void stop(int signal);
  /// Prints, after each process, the seconds of processor time that it took, as g++ -time does.
  void print_times() { prints_times_ = true; }

 private:
  int start(const std::vector<std::string>& command, int output);
  int wait();
  int run_into(const std::vector<std::string>& command, int output);

  std::timed_mutex busy_;
  std::atomic<pid_t> child_{0};
  bool prints_times_ = false;
};

/// Prints `# NAME USER SYSTEM`, the seconds of processor time in between two measurements.
void print_time(const std::string& name, const rusage& before, const rusage& after);

/// From construction on, SIGINT, SIGTERM and SIGHUP end the child, remove `folder` and end this process by
/// the same signal; all other files are whole by then or not there. Owns the thread that waits for them.
/// Construct it before any other thread.
class interruption {
 public:
  interruption(process_runner& runner, temporary_directory& folder);
  ~interruption();
  interruption(const interruption&) = delete;
  interruption& operator=(const interruption&) = delete;

 private:
  void wait_for_signal();

  process_runner& runner_;
  temporary_directory& folder_;
  std::thread waiter_;
};

}  // namespace stradsap::pp
