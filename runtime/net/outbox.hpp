// This rank's end of another one's inbox. Frames for which there is no room wait here, in order, until that
// rank has made some; so a sender neither waits nor loses. Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "runtime/net/bell.hpp"
#include "runtime/net/inbox_memory.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

class outbox {
 public:
  /// `its` is the bell of the inbox's rank, and outlives this.
  outbox(opened_inbox_memory memory, const bell& its)
      : memory_(std::move(memory)), ring_(memory_.ring()), bell_(its) {}

  /// `can_wait`: the receiver's threads look for it before they sleep, so nobody is woken where none waits.
  void send(bytes frame, bool can_wait);
  /// Writes what waits, as far as there is room.
  void flush();
  [[nodiscard]] bool is_empty() const { return waiting_.empty(); }

 private:
  [[nodiscard]] bool write(const bytes& frame, bool can_wait);
  void wake(bool can_wait);

  opened_inbox_memory memory_;
  ring_writer ring_;
  const bell& bell_;
  std::size_t written_ = 0;    // of the first frame that is not written whole
  std::deque<bytes> waiting_;  // that frame first
};

}  // namespace stradsap::rt
