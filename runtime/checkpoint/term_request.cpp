#include "runtime/checkpoint/term_request.hpp"

#include <csignal>

#include <signal.h>

namespace stradsap::rt {

static volatile std::sig_atomic_t has_come = 0;

void note_term() {
  struct sigaction how{};
  how.sa_handler = [](int) { has_come = 1; };
  how.sa_flags = SA_RESTART;
  ::sigemptyset(&how.sa_mask);
  (void)::sigaction(SIGTERM, &how, nullptr);
}

bool has_noted_term() { return has_come != 0; }

}  // namespace stradsap::rt
