#include "runtime/base/worker_signals.hpp"

#include <chrono>
#include <csignal>
#include <initializer_list>

#include <signal.h>

#include "runtime/base/mutex.hpp"

namespace stradsap::rt {

static volatile std::sig_atomic_t has_come = 0;

static void replace_default(int signal, void (*handler)(int)) {
  struct sigaction how{};
  if (::sigaction(signal, nullptr, &how) != 0 || how.sa_handler != SIG_DFL) return;
  how.sa_handler = handler;
  how.sa_flags = SA_RESTART;
  ::sigemptyset(&how.sa_mask);
  (void)::sigaction(signal, &how, nullptr);
}

void outlive_signals() {
  for (const int without_effect : {SIGUSR1, SIGUSR2}) replace_default(without_effect, SIG_IGN);
  for (const int noted : {SIGTERM, SIGINT, SIGHUP})
    replace_default(noted, [](int number) { has_come = number; });
}

bool is_told_to_end() {
  mutex guard;
  condition nothing;  // a handler announces nothing
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  const lock_guard hold(guard);
  while (has_come == 0 && std::chrono::steady_clock::now() < end)
    (void)nothing.wait_until(guard, std::chrono::steady_clock::now() + std::chrono::milliseconds(10));
  return has_come != 0;
}

void end_if_told() {
  if (has_come == 0) return;
  (void)std::signal(has_come, SIG_DFL);
  (void)std::raise(has_come);
}

}  // namespace stradsap::rt
