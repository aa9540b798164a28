// Delivers messages some time after they have come, in their order, as a slower network would: for
// measurements on one machine. Thread rule: thread-safe; it owns the thread `latency`, which delivers.
#pragma once

#include <chrono>
#include <deque>
#include <thread>

#include "runtime/base/mutex.hpp"
#include "runtime/net/transport.hpp"

namespace stradsap::rt {

class delayed_delivery final : public network_listener {
 public:
  /// `to` outlives it.
  delayed_delivery(network_listener& to, std::chrono::microseconds delay);
  /// Messages that are not due yet are dropped. No more may come.
  ~delayed_delivery();
  delayed_delivery(const delayed_delivery&) = delete;
  delayed_delivery& operator=(const delayed_delivery&) = delete;

  /// The end of the program comes at once, since peers leave after it.
  void received(rank_id from, message m) override;
  void peer_lost(rank_id peer, const std::string& why) override { to_.peer_lost(peer, why); }

 private:
  using clock = std::chrono::steady_clock;
  struct delayed {
    clock::time_point due;
    rank_id from;
    message what;
  };

  void serve();

  network_listener& to_;
  const std::chrono::microseconds delay_;
  mutex mutex_;
  condition changed_;
  std::deque<delayed> waiting_ GUARDED_BY(mutex_);
  bool stop_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace stradsap::rt
