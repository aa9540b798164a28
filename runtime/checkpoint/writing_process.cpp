#include "runtime/checkpoint/writing_process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "runtime/base/leave.hpp"

namespace stradsap::rt {

static constexpr const char* success = "written";

/// Peers notice the end of the driver by its closed connections, so the child must have none.
static void close_others(int one, int other) {
  const int nothing = ::open("/dev/null", O_RDWR);
  for (int standard = 0; standard <= 2; ++standard) (void)::dup2(nothing, standard);
  const auto low = static_cast<unsigned>(std::min(one, other));
  const auto high = static_cast<unsigned>(std::max(one, other));
  if (low > 3) (void)::close_range(3, low - 1, 0);
  if (high > low + 1) (void)::close_range(low + 1, high - 1, 0);
  (void)::close_range(high + 1, ~0U, 0);
}

/// The signals that end the program must not tear its last checkpoint. A limit of file sizes is an error.
static void ignore_signals() {
  for (const int one : {SIGTERM, SIGINT, SIGHUP, SIGXFSZ, SIGPIPE}) (void)std::signal(one, SIG_IGN);
}

[[noreturn]] static void be_the_child(const std::function<void()>& work, int report, int kept) {
  std::string text = success;
  ignore_signals();
  close_others(report, kept);
  try {
    work();
  } catch (const std::exception& e) {
    text = e.what();
  }
  [[maybe_unused]] const auto sent = ::write(report, text.data(), text.size());
  write_counts();
  _exit(0);  // without the destructors of the parent's objects
}

std::optional<std::string> writing_process::start(const std::function<void()>& work, int kept) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::strerror(errno);
  const pid_t made = ::fork();
  if (made == 0) be_the_child(work, ends[1], kept);
  const int reason = errno;
  ::close(ends[1]);
  if (made < 0) {
    ::close(ends[0]);
    return fmt::format("no process to write it could be made: {}", std::strerror(reason));
  }
  child_ = made;
  result_ = ends[0];
  report_.clear();
  return std::nullopt;
}

std::optional<std::string> writing_process::end_within(int milliseconds) {
  char piece[512];
  while (true) {
    pollfd wanted{result_, POLLIN, 0};
    const int ready = ::poll(&wanted, 1, milliseconds);
    if (ready == 0) return std::nullopt;
    if (ready < 0 && errno == EINTR) continue;
    const ssize_t got = ::read(result_, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    report_.append(piece, static_cast<std::size_t>(got));
  }
  ::close(std::exchange(result_, -1));
  int status = 0;
  const bool is_known = ::waitpid(child_, &status, 0) == child_;  // else the program has waited for it
  child_ = 0;
  if (report_ == success) return std::string();
  if (!report_.empty()) return report_;
  if (is_known && WIFSIGNALED(status))
    return fmt::format("the process that wrote it was killed by signal {}", WTERMSIG(status));
  return "the process that wrote it ended too early";
}

std::optional<std::string> writing_process::end() {
  constexpr int longest = 3600 * 1000;  // milliseconds
  if (!is_running()) return std::string();
  return end_within(longest);
}

}  // namespace stradsap::rt
