// The inbox of a rank: the frames that other ranks of this machine have written for it, and the flags that
// say whether a thread polls. The network thread sleeps until its doorbell rings; a writer rings it if no
// thread polls. A thread that waits for an event may poll in its place.
//
// A thread that stops polling sets `asleep`, then polls once more. A writer moves the end of its ring, then
// reads `asleep`. So one of them always sees the other (byte_ring.hpp). In the same way a thread counts
// itself in `waiting` before it polls for its event, and messages that can wait for a poll wake no other
// thread.
// Thread rule: frames are taken by one thread at a time; begin_looking(), end_looking() and has_any() by any.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/base/options.hpp"
#include "runtime/net/byte_ring.hpp"
#include "runtime/net/doorbell.hpp"
#include "runtime/net/inbox_memory.hpp"

namespace stradsap::rt {

class inbox {
 public:
  /// Null if the system has no memory for it, or the folder of the run cannot hold a doorbell.
  [[nodiscard]] static std::unique_ptr<inbox> make(const options& o);

  [[nodiscard]] inbox_place place() const { return memory_.place(); }
  [[nodiscard]] const doorbell& own_doorbell() const { return doorbell_; }

  /// Takes the frames of that rank from now on. False if no addresses are left for its ring.
  [[nodiscard]] bool open(rank_id from);
  [[nodiscard]] bool is_open(rank_id from) const { return sources_[static_cast<std::size_t>(from)].is_open; }
  /// Takes no more frames of that rank.
  void close(rank_id from);
  /// The rank's next frame if all of it is here, valid until take(). Throws error(errc::decode) for bytes
  /// that no writer writes.
  [[nodiscard]] std::optional<std::span<const std::byte>> next(rank_id from);
  void take(rank_id from);
  /// Whether that rank waits for room and now has some; true once for each time.
  [[nodiscard]] bool made_room(rank_id from);

  /// Whether any open ring holds a record.
  [[nodiscard]] bool has_any() const;
  [[nodiscard]] bool has_any(rank_id from) const;
  /// This thread polls until end_looking(), so no writer need ring.
  void begin_looking();
  /// Writers ring from now on, if no other thread polls. The caller must poll once more afterwards.
  void end_looking();
  /// Until end_waiting(), a thread sleeps or may sleep; a message that it waits for wakes it.
  void begin_waiting() { memory_.head().waiting.fetch_add(1, std::memory_order_seq_cst); }
  void end_waiting() { memory_.head().waiting.fetch_sub(1, std::memory_order_seq_cst); }

 private:
  /// The ring of one writing rank.
  struct source {
    std::atomic<bool> is_open{false};
    std::optional<ring_reader> ring;
    bytes begun;  // the first records of a frame
    bool made_room = false;
  };
  inbox(own_inbox_memory memory, int ranks)
      : memory_(std::move(memory)), sources_(static_cast<std::size_t>(ranks)) {}
  [[nodiscard]] static bool has_one(const source& s);
  source& of(rank_id r) { return sources_[static_cast<std::size_t>(r)]; }

  own_inbox_memory memory_;
  doorbell doorbell_;
  std::vector<source> sources_;
  std::atomic<int> lookers_{0};
};

}  // namespace stradsap::rt
