// What other ranks of this machine have written for this one, frame by frame; and whether anybody looks. The
// network's thread sleeps by a bell, which a writer rings when nobody looks. Threads that wait for something
// may look in its place.
//
// Who stops looking says `asleep` and then looks once more; who writes moves the ring's end and then reads
// `asleep`: so one of them sees the other, whatever comes first (byte_ring.hpp). Likewise `waiting`, which a
// thread says before it looks for what it waits for: what can wait until one looks wakes nobody else.
// Thread rule: frames are taken by one thread at a time; looking and has_any() by any.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/base/options.hpp"
#include "runtime/net/bell.hpp"
#include "runtime/net/byte_ring.hpp"
#include "runtime/net/inbox_memory.hpp"

namespace stradsap::rt {

class inbox {
 public:
  /// Null where the system has no memory for it, or the run's folder no bell.
  [[nodiscard]] static std::unique_ptr<inbox> make(const options& o);

  [[nodiscard]] inbox_place place() const { return memory_.place(); }
  [[nodiscard]] const bell& own_bell() const { return bell_; }

  /// From now on the frames of that rank are taken. False where there are no addresses left for them.
  [[nodiscard]] bool open(rank_id from);
  /// Nothing more is taken of it.
  void close(rank_id from);
  /// The rank's next frame, if all of it is here; it stays until take(). Throws error(errc::decode) where
  /// the memory holds what nobody writes.
  [[nodiscard]] std::optional<std::span<const std::byte>> next(rank_id from);
  void take(rank_id from);
  /// Whether that rank waits for room, of which there now is some; says so once.
  [[nodiscard]] bool made_room(rank_id from);

  /// Whether something lies in any open ring.
  [[nodiscard]] bool has_any() const;
  [[nodiscard]] bool has_any(rank_id from) const;
  /// This thread looks, until end_looking(): nobody need ring.
  void begin_looking();
  /// Whoever calls it looks once more afterwards: from now on writers ring, if nobody else looks.
  void end_looking();
  /// Until end_waiting(), a thread sleeps or may: what it waits for wakes it.
  void begin_waiting() { memory_.head().waiting.fetch_add(1, std::memory_order_seq_cst); }
  void end_waiting() { memory_.head().waiting.fetch_sub(1, std::memory_order_seq_cst); }

 private:
  /// What one rank writes.
  struct source {
    std::atomic<bool> is_open{false};
    std::optional<ring_reader> ring;
    bytes begun;  // of a frame in several records
    bool made_room = false;
  };
  inbox(own_inbox_memory memory, int ranks)
      : memory_(std::move(memory)), sources_(static_cast<std::size_t>(ranks)) {}
  [[nodiscard]] static bool has_one(const source& s);
  source& of(rank_id r) { return sources_[static_cast<std::size_t>(r)]; }

  own_inbox_memory memory_;
  bell bell_;
  std::vector<source> sources_;
  std::atomic<int> lookers_{0};
};

}  // namespace stradsap::rt
