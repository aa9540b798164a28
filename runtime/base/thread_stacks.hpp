// The call stacks of all threads of this process, for a report on a run that does not go on. A signal,
// SIGURG, makes each thread note its own return addresses; the calling thread finds their source lines.
// Thread rule: answer_stack_requests() once, before other threads start; stacks_of_threads() by one thread at
// a time.
#pragma once

#include <string>
#include <vector>

namespace stradsap::rt {

/// One thread, as of the request.
struct thread_stack {
  std::string name;                // `main thread`, or its own
  std::string within;              // the function that the innermost of `lines` has called; empty: none
  std::vector<std::string> lines;  // the user's, innermost first: FILE:LINE, without -g a function
  std::string silence;             // the reason why there are no lines: it did not answer; else empty
};

/// Installs the handler, unless the program handles the signal.
void answer_stack_requests();

/// The stacks of all threads but the calling one and those of libraries that block signals. Takes half a
/// second at most. The calls of threads that sleep() or poll() end early, as by any signal.
[[nodiscard]] std::vector<thread_stack> stacks_of_threads();

}  // namespace stradsap::rt
