// The sessions with the other ranks over sockets. A session begins with a hello in each direction, from the
// higher rank first; the two must be of one build and one run. Then it carries messages in numbered frames. A
// rank that breaks these rules has failed, and nothing more is taken from it.
//
// Thread rule: send() and wait() by any thread, begin() and receive() by one thread at a time. A session has
// a mutex for its sends; it precedes those of the sockets.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/mutex.hpp"
#include "runtime/net/frame.hpp"
#include "runtime/net/meeting.hpp"
#include "runtime/net/sockets.hpp"

namespace stradsap::rt {

/// The events of sessions. All but disconnected() are called in receive(), and may send.
class session_listener {
 public:
  /// Both hellos are on their way; messages of the rank follow.
  virtual void met(rank_id peer) = 0;
  virtual void received(rank_id from, message m) = 0;
  /// The rank has broken the protocol.
  virtual void failed(rank_id peer, const std::string& why) = 0;
  /// The connection to the rank has closed; its last messages may follow. Called by any thread, in send()
  /// too, and more than once. It must not send.
  virtual void disconnected(rank_id peer) = 0;
  /// The connection to some rank has closed: sends will tell which.
  virtual void some_disconnected() {}

 protected:
  ~session_listener() = default;
};

class sessions final : socket_listener {
 public:
  /// `counted` and `listener` outlive the sessions.
  sessions(const options& o, std::unique_ptr<sockets> over, traffic& counted, session_listener& listener);

  /// Says hello to the lower ranks.
  void begin();
  /// Blocks until every rank said hello. Throws error(errc::cluster) at the start time-out, or on a refusal.
  void wait() {
    meeting_.wait(sockets_->address(), [this](rank_id r) { return sockets_->place_of(r); });
  }
  /// Sends a frame from to_frame(). Frames to one rank arrive in the order of the calls.
  void send(rank_id to, bytes frame);
  /// See sockets::is_cut_off().
  [[nodiscard]] bool is_cut_off(rank_id peer, std::chrono::milliseconds least) {
    return sockets_->is_cut_off(peer, least);
  }
  [[nodiscard]] bool is_far(rank_id r) const { return sockets_->is_far(r); }
  [[nodiscard]] std::uint64_t refused() const { return sockets_->refused(); }
  /// Reports all that has come.
  void receive() { sockets_->receive(*this); }
  [[nodiscard]] std::vector<int> descriptors() const { return sockets_->descriptors(); }

 private:
  enum class phase { awaited, open, failed };
  struct session {
    phase at = phase::awaited;
    frame_sequence in;
    mutex sending;
    frame_sequence out GUARDED_BY(sending);
  };
  session& of(rank_id r) { return sessions_[static_cast<std::size_t>(r)]; }

  void frame_received(rank_id from, std::span<const std::byte> frame) override;
  void connection_closed(rank_id peer) override { listener_.disconnected(peer); }
  void some_connection_closed() override { listener_.some_disconnected(); }
  void accept(rank_id from, session& s, message m);
  void greet(rank_id from, session& s, const hello& h);

  const options options_;
  const std::unique_ptr<sockets> sockets_;
  traffic& traffic_;
  session_listener& listener_;
  meeting meeting_{options_};
  std::vector<session> sessions_;
};

}  // namespace stradsap::rt
