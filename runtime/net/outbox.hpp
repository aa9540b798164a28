// The writing end of another rank's inbox. Frames without room wait here, in order, until that rank makes
// some; so a sender never blocks, and no frame is lost. Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "runtime/net/doorbell.hpp"
#include "runtime/net/inbox_memory.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

class outbox {
 public:
  /// `its` is the doorbell of the inbox's rank, and outlives this.
  outbox(opened_inbox_memory memory, const doorbell& its)
      : memory_(std::move(memory)), ring_(memory_.ring()), doorbell_(its) {}

  /// `can_wait`: a thread of the receiver will poll for the frame before it sleeps, so the doorbell rings
  /// only if a thread waits.
  void send(bytes frame, bool can_wait);
  /// Writes the waiting frames, as far as there is room.
  void flush();
  [[nodiscard]] bool is_empty() const { return waiting_.empty(); }

 private:
  [[nodiscard]] bool write(const bytes& frame, bool can_wait);
  void wake(bool can_wait);

  opened_inbox_memory memory_;
  ring_writer ring_;
  const doorbell& doorbell_;
  std::size_t written_ = 0;    // bytes of the first waiting frame
  std::deque<bytes> waiting_;  // frames not written whole
};

}  // namespace stradsap::rt
