// The ranks other than 0: serve launches until the end of the program. Thread rule: main thread; heard() as
// node::received().
#pragma once

#include <atomic>
#include <deque>
#include <string>
#include <vector>

#include "runtime/cluster/node.hpp"

namespace stradsap::rt {

class worker final : public node_listener {
 public:
  explicit worker(const options& o) : node_(o, *this) {}
  /// See node::join(), node::watch_for_hangs().
  void join() { node_.join(); }
  void watch_for_hangs() { node_.watch_for_hangs(); }
  /// Returns at the driver's shutdown message.
  void serve();

 private:
  void serve(const recall& wanted);
  void serve(const fold_clocks& folded);
  void heard(rank_id from, message m) override;
  void peer_lost(rank_id peer, const std::string& why) override;
  [[nodiscard]] message next();

  mutex mutex_;
  notification notification_;
  std::deque<message> orders_ GUARDED_BY(mutex_);
  std::atomic<bool> is_leaving_{false};  // the driver has ended the run
  std::vector<rank_id> lost_;            // before that; in calls by the transport
  node node_;                            // last: its network thread calls the rest
};

}  // namespace stradsap::rt
