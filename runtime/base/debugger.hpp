// A rank that waits for a debugger, for --debug-rank. Thread rule: main thread.
#pragma once

#include "runtime/base/ids.hpp"

namespace stradsap::rt {

/// Prints a command that attaches a debugger to this process, and returns when one is attached.
void await_debugger(rank_id rank);

}  // namespace stradsap::rt
