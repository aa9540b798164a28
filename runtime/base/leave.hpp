// How a process ends that never returns from main: no destructor of the program's runs, but what tools count
// in it is written. Thread rule: leave() on main's thread, write_counts() on any.
#pragma once

namespace stradsap::rt {

/// Writes the counts of --coverage and of Clang's profiles, as the end of main would.
void write_counts();

/// Ends this process. Sanitizers say what they found, and may change the status for it.
[[noreturn]] void leave(int status);

}  // namespace stradsap::rt
