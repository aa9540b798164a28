// Child processes, and how a signal ends them and removes temporary files. process_runner: one thread runs
// processes, any thread may stop them.
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
  /// Runs a program found on PATH and waits for it. Returns its exit status, 128 + signal if a signal killed
  /// it, or 127 if it could not be started.
  int run(const std::vector<std::string>& command);
  /// The same, with standard output written to a file.
  int run(const std::vector<std::string>& command, const std::string& output);
  /// Runs it and returns the first line of its output; empty if it fails.
  std::string first_line_of(const std::vector<std::string>& command);
  /// While the lock is held, no signal ends the driver. Code that makes files or processes holds it until
  /// they are recorded.
  [[nodiscard]] std::unique_lock<std::timed_mutex> not_now() { return std::unique_lock(busy_); }
  /// The same, or an empty lock after that time.
  [[nodiscard]] std::unique_lock<std::timed_mutex> not_now(std::chrono::seconds longest) {
    return std::unique_lock(busy_, longest);
  }
  /// Passes the signal on and waits up to 2 s for the process to end.
  void stop(int signal);
  /// From now on, prints the processor time of each process after its end, as g++ -time does.
  void print_times() { prints_times_ = true; }

 private:
  int start(const std::vector<std::string>& command, int output);
  int wait();
  int run_into(const std::vector<std::string>& command, int output);

  std::timed_mutex busy_;
  std::atomic<pid_t> child_{0};
  bool prints_times_ = false;
};

/// Prints `# NAME USER SYSTEM`: the seconds of processor time between two measurements.
void print_time(const std::string& name, const rusage& before, const rusage& after);

/// Owns the thread that waits for SIGINT, SIGTERM and SIGHUP. On such a signal it ends the child, removes
/// `folder` and ends this process by the same signal. All other files are then complete or absent. Construct
/// it before any other thread.
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
