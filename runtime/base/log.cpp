#include "runtime/base/log.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <thread>

#include <sys/ioctl.h>
#include <unistd.h>

#include "runtime/base/check.hpp"
#include "runtime/base/leave.hpp"
#include "runtime/base/mutex.hpp"

namespace stradsap::rt {

static constexpr char to_an_empty_line[] = "\r\033[K";
static std::atomic<bool> line_is_shown{false};

static void put(const std::string& text) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

static void say(const std::string& line) {
  std::fflush(stdout);
  put(line_is_shown.exchange(false) ? to_an_empty_line + line : line);
}

void show_line(const std::string& text) {
  constexpr std::size_t usual_columns = 80;
  winsize terminal = {};
  const bool has_width = ioctl(STDERR_FILENO, TIOCGWINSZ, &terminal) == 0 && terminal.ws_col > 1;
  line_is_shown = true;
  put(to_an_empty_line + text.substr(0, (has_width ? terminal.ws_col : usual_columns) - 1));
}

void relay_line(const std::string& text) { put(to_an_empty_line + text + '\n'); }

void clear_line() {
  if (line_is_shown.exchange(false)) put(to_an_empty_line);
}

void inform(const std::string& text) { say("stradsap: " + text + "\n"); }

void warn(const std::string& text) { say("stradsap: warning: " + text + "\n"); }

void warn_once(const std::string& what, const std::string& text) {
  static mutex guard;
  static std::set<std::string> said;
  {
    const lock_guard lock(guard);
    if (!said.insert(what).second) return;
  }
  warn(text);
}

void complain(const std::string& text) { say("stradsap: error: " + text + "\n"); }

void die(int status, const std::string& text) {
  std::fflush(nullptr);  // the program's own output so far is not lost
  complain(text);
  write_counts();
  std::_Exit(status);
}

void tell_at_once(const std::string& text) {
  put(line_is_shown.exchange(false) ? to_an_empty_line + text : text);
}

void end_stuck(int status) {
  static mutex guard;
  static condition ended;
  static bool is_flushed = false;
  std::thread([] {
    std::fflush(nullptr);
    const lock_guard hold(guard);
    is_flushed = true;
    ended.notify_all();
  }).detach();
  {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    const lock_guard hold(guard);
    while (!is_flushed && ended.wait_until(guard, end)) {
    }
  }
  write_counts();
  std::_Exit(status);
}

void stop_check(const std::string& fault) {
  say(fault + "\n");
  std::abort();
}

void assertion_failed(const char* condition, const char* file, int line, const std::string& values) {
  say(fmt::format("stradsap: internal error: {}:{}: {} does not hold{}{}\n", file, line, condition,
                  values.empty() ? "" : ": ", values));
  std::abort();
}

}  // namespace stradsap::rt
