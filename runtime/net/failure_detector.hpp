// The failure detector: decides which ranks are lost, and names the reason. It learns of frames and closed
// connections from others, and of the time by arguments; it neither sends nor waits.
//
// A rank is awaited until it has met this one, then present. It departs when its connection closes, and is
// lost once its last messages are delivered. It is also lost after silence for the hang time-out, or if it
// breaks the protocol.
// Thread rule: disconnected(), expect_departures(), is_reachable() and is_lost() by any thread, the rest by
// one thread at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "runtime/base/ids.hpp"

namespace stradsap::rt {

/// A rank to give up, and the reason.
struct loss {
  rank_id rank = 0;
  std::string why;
};

class failure_detector {
 public:
  using clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds ping_interval{200};
  /// After suspect(), for some pings: the sockets need a moment to know that there is no way to a rank.
  static constexpr std::chrono::milliseconds short_interval{10};
  static constexpr int short_pings = 5;

  /// `hang_timeout` 0: silence is no loss.
  failure_detector(int ranks, std::chrono::seconds hang_timeout, clock::time_point now);

  /// The rank has met this one.
  void met(rank_id peer, clock::time_point now);
  /// A frame of the rank has come.
  void heard(rank_id from, clock::time_point now) { of(from).heard = now; }
  /// The rank's connection has closed. True if it departs by this: before it has met this one, and after its
  /// loss, a closed connection is no news.
  [[nodiscard]] bool disconnected(rank_id peer);
  /// Some rank's connection has closed: the next pings, which find it, are due soon.
  void suspect(clock::time_point now);
  /// The rank is lost. True if this is to be reported: not again, and not if departures are expected.
  [[nodiscard]] bool lose(rank_id peer);
  /// From now on no loss is reported.
  void expect_departures() { departures_expected_ = true; }

  [[nodiscard]] bool is_reachable(rank_id peer) const { return of(peer).state < presence::departed; }
  [[nodiscard]] bool is_lost(rank_id peer) const { return of(peer).state == presence::lost; }

  [[nodiscard]] clock::time_point next_ping() const { return next_ping_; }
  /// Whether pings are due; then the next are due a ping interval after `now`.
  [[nodiscard]] bool is_ping_due(clock::time_point now);
  /// The ranks that get pings.
  [[nodiscard]] std::vector<rank_id> present() const;
  /// The ranks to lose once their last messages are delivered.
  [[nodiscard]] std::vector<loss> departed() const;
  /// The ranks to lose for their silence.
  [[nodiscard]] std::vector<loss> silent(clock::time_point now) const;

 private:
  enum class presence { awaited, present, departed, lost };
  struct peer_state {
    std::atomic<presence> state{presence::awaited};
    clock::time_point heard;
  };
  peer_state& of(rank_id r) { return peers_[static_cast<std::size_t>(r)]; }
  [[nodiscard]] const peer_state& of(rank_id r) const { return peers_[static_cast<std::size_t>(r)]; }

  const std::chrono::seconds hang_timeout_;
  clock::time_point next_ping_;
  int hasty_ = 0;  // pings left at the short interval
  std::vector<peer_state> peers_;
  std::atomic<bool> departures_expected_{false};
};

}  // namespace stradsap::rt
