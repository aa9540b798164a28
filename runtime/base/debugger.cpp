#include "runtime/base/debugger.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "runtime/base/log.hpp"
#include "runtime/base/mutex.hpp"

namespace stradsap::rt {

static bool is_traced() {
  std::ifstream status("/proc/self/status");
  const std::string field = "TracerPid:\t";
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return line.substr(field.size()) != "0";
  }
  return false;
}

void await_debugger(rank_id rank) {
  char host[256] = "";
  (void)::gethostname(host, sizeof host - 1);
  (void)::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);  // Yama permits only the parent otherwise
  inform(fmt::format("rank {} on host {} waits for a debugger: gdb -p {}", rank, host, ::getpid()));
  mutex guard;
  condition attached;  // nothing announces it
  const lock_guard hold(guard);
  while (!is_traced())
    (void)attached.wait_until(guard, std::chrono::steady_clock::now() + std::chrono::milliseconds(100));
}

}  // namespace stradsap::rt
