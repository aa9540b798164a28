// A child process that writes a checkpoint while the program goes on. fork() gives it the memory as it was;
// it works on this alone, with files that it opens itself, and starts no thread. Thread rule: one thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <sys/types.h>

namespace stradsap::rt {

class writing_process {
 public:
  writing_process() = default;
  ~writing_process() { (void)end(); }
  writing_process(const writing_process&) = delete;
  writing_process& operator=(const writing_process&) = delete;

  /// Runs `work`, which may throw, in a child. `kept`: a descriptor that stays open in it. Returns the reason
  /// if no child could be made.
  [[nodiscard]] std::optional<std::string> start(const std::function<void()>& work, int kept);
  [[nodiscard]] bool is_running() const { return child_ != 0; }
  /// If the child has ended, or within the time: its failure, empty for none.
  [[nodiscard]] std::optional<std::string> end_within(int milliseconds);
  /// Waits for it, up to an hour.
  [[nodiscard]] std::optional<std::string> end();

 private:
  pid_t child_ = 0;
  int result_ = -1;     // the read end of a pipe
  std::string report_;  // so far
};

}  // namespace stradsap::rt
