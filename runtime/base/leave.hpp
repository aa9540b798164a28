// The end of a process that never returns from main. No destructor of the program runs, but coverage tools
// write their counts. Thread rule: leave() on the main thread, write_counts() on any.
#pragma once

namespace stradsap::rt {

/// Writes the counts of --coverage and of Clang's profiles, as the end of main would.
void write_counts();

/// Ends this process. Sanitizers report their findings first, and may change the status.
[[noreturn]] void leave(int status);

}  // namespace stradsap::rt
