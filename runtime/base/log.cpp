#include "runtime/base/log.hpp"

#include <cstdio>
#include <cstdlib>
#include <set>

#include <unistd.h>

#include "runtime/base/check.hpp"
#include "runtime/base/leave.hpp"
#include "runtime/base/mutex.hpp"

namespace stradsap::rt {

static void say(const std::string& line) {
  std::fflush(stdout);
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
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
