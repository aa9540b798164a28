// Reports a fault (SIGSEGV and its like) before it kills the process: rank, address, and the user's line if
// the program was compiled with -g. The process still ends by that signal.
// Thread rule: report_faults() once, on the main thread; fault_stack on the thread that owns it.
#pragma once

#include <cstddef>

#include "runtime/base/ids.hpp"

namespace stradsap::rt {

/// Installs the handlers, except for signals that the program or a sanitizer handles.
void report_faults(rank_id rank);

/// Writes an explanation of `address` to `text`, and returns its length, at most `size`; 0: none. Called in a
/// signal handler.
using fault_words = std::size_t (*)(const void* address, char* text, std::size_t size);
void explain_faults_by(fault_words words);

/// While it lives, faults of this thread are reported even if its stack is full.
class fault_stack {
 public:
  fault_stack();
  ~fault_stack();
  fault_stack(const fault_stack&) = delete;
  fault_stack& operator=(const fault_stack&) = delete;

 private:
  void* memory_ = nullptr;
};

/// While it lives, reports name the loop at `site` (FILE:LINE). The text must outlive it.
class running_site {
 public:
  explicit running_site(const char* site);
  ~running_site();
  running_site(const running_site&) = delete;
  running_site& operator=(const running_site&) = delete;
};

}  // namespace stradsap::rt
