// The shared memory between the ranks of one machine: the inbox of this rank, with a ring for each other
// rank, and the outboxes that end in the inboxes of others. Messages to a rank use it from the moment its
// inbox has been opened, in numbered frames.
//
// Thread rule: send(), flush() and the members that begin or end polling by any thread; the rest by one
// thread at a time. Each rank has a mutex for the sends to it, over sockets and here, so that a thread's
// messages keep their order when the inbox opens.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/base/mutex.hpp"
#include "runtime/base/options.hpp"
#include "runtime/net/doorbell.hpp"
#include "runtime/net/frame.hpp"
#include "runtime/net/inbox.hpp"
#include "runtime/net/outbox.hpp"

namespace stradsap::rt {

class shared_memory {
 public:
  /// Without an inbox, if the options forbid it or the system has no memory for it: then nothing arrives
  /// here. `counted` outlives this.
  shared_memory(const options& o, traffic& counted);

  /// The place of the own inbox, for the other ranks; nullopt without one.
  [[nodiscard]] std::optional<inbox_place> place() const;

  // ---- to other ranks

  /// Opens the inbox of a rank, if that is possible, and calls `announce`, which sends the last message over
  /// the sockets. Later messages use the inbox.
  template <class Announce> void open_outbox(rank_id to, const inbox_place& at, Announce announce);
  /// Sends a frame from to_frame() into the inbox of the rank; while that is not open, calls
  /// `by_sockets(frame)`. `can_wait` as in outbox::send().
  template <class BySockets> void send(rank_id to, bytes frame, bool can_wait, BySockets by_sockets);
  /// Writes frames that waited for room; returns whether all are written.
  bool flush(rank_id to);

  // ---- from other ranks

  /// The rank writes into the own inbox from now on. False if there is no inbox, or no addresses are left.
  [[nodiscard]] bool open_inbox(rank_id from);
  /// Takes no more messages of the rank.
  void close_inbox(rank_id from);
  [[nodiscard]] bool reads_from(rank_id from) const { return inbox_ != nullptr && inbox_->is_open(from); }
  /// The rank's next message if all of it is here. Throws error(errc::decode) for bytes that no rank writes.
  [[nodiscard]] std::optional<message> next(rank_id from);
  [[nodiscard]] bool has_any() const { return inbox_ != nullptr && inbox_->has_any(); }
  [[nodiscard]] bool has_any(rank_id from) const { return inbox_ != nullptr && inbox_->has_any(from); }

  // ---- polling: inbox.hpp

  void begin_looking() {
    if (inbox_ != nullptr) inbox_->begin_looking();
  }
  void end_looking() {
    if (inbox_ != nullptr) inbox_->end_looking();
  }
  void begin_waiting() {
    if (inbox_ != nullptr) inbox_->begin_waiting();
  }
  void end_waiting() {
    if (inbox_ != nullptr) inbox_->end_waiting();
  }
  /// The descriptor of the own doorbell; -1, which poll() skips, without an inbox.
  [[nodiscard]] int descriptor() const;
  /// Clears the own doorbell after a wake.
  void hush() const;

 private:
  /// Both directions between this rank and another one.
  struct link {
    doorbell its_doorbell;
    frame_sequence in;
    mutex sending;
    std::optional<outbox> out GUARDED_BY(sending);
    frame_sequence numbers GUARDED_BY(sending);
  };
  link& of(rank_id r) { return links_[static_cast<std::size_t>(r)]; }
  [[nodiscard]] std::optional<opened_inbox_memory> open_memory(rank_id of_rank, const inbox_place& at);

  const options options_;
  traffic& traffic_;
  const std::unique_ptr<inbox> inbox_;  // null: all messages use the sockets
  std::vector<link> links_;
};

template <class Announce>
void shared_memory::open_outbox(rank_id to, const inbox_place& at, Announce announce) {
  auto memory = open_memory(to, at);
  if (!memory) return;
  link& l = of(to);
  const lock_guard hold(l.sending);
  announce();
  l.out.emplace(std::move(*memory), l.its_doorbell);
}

template <class BySockets>
void shared_memory::send(rank_id to, bytes frame, bool can_wait, BySockets by_sockets) {
  link& l = of(to);
  const lock_guard hold(l.sending);
  if (!l.out) return by_sockets(std::move(frame));
  l.numbers.number(frame);
  traffic_.sent(frame.size());
  l.out->send(std::move(frame), can_wait);
}

}  // namespace stradsap::rt
