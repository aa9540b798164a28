// What a process says that is about to be killed by a fault of its own (SIGSEGV and its like): rank, address,
// and the user's line, if the program was compiled with -g. It ends by that signal all the same.
// Thread rule: report_faults() once, on main's thread; a thread has its own fault_stack.
#pragma once

#include <cstddef>

#include "runtime/base/ids.hpp"

namespace stradsap::rt {

/// From now on faults are reported, unless the program, or a sanitizer, looks at that signal itself.
void report_faults(rank_id rank);

/// Writes what the program would say of `address` to `text`, and returns the length, at most `size`; 0:
/// nothing. Called in a signal handler.
using fault_words = std::size_t (*)(const void* address, char* text, std::size_t size);
void explain_faults_by(fault_words words);

/// While it lives, faults of this thread are reported even where its stack is full.
class fault_stack {
 public:
  fault_stack();
  ~fault_stack();
  fault_stack(const fault_stack&) = delete;
  fault_stack& operator=(const fault_stack&) = delete;

 private:
  void* memory_ = nullptr;
};

/// While it lives, this process runs the loop at `site` (FILE:LINE), which has to outlive it.
class running_site {
 public:
  explicit running_site(const char* site);
  ~running_site();
  running_site(const running_site&) = delete;
  running_site& operator=(const running_site&) = delete;
};

}  // namespace stradsap::rt
