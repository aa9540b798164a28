// Threads that have little to do and are waited for. A thread that is woken on a core where another one
// computes may wait there until that one's turn is over, milliseconds, though other cores are idle. From
// version 6.12 on Linux lets a thread take the core at once whose own turns are short.
// Thread rule: the thread that makes it.
#pragma once

namespace stradsap::rt {

/// Threads that this one begins while it lives have turns of 0.1 ms, where the kernel knows that.
class short_turns {
 public:
  short_turns();
  ~short_turns();
  short_turns(const short_turns&) = delete;
  short_turns& operator=(const short_turns&) = delete;

 private:
  bool changed_ = false;
};

}  // namespace stradsap::rt
