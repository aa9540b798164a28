// Ranks other than 0: serve launches until the program is over.
// Thread rule: main's thread; heard() as node::received().
#pragma once

#include <deque>

#include "runtime/cluster/node.hpp"

namespace stradsap::rt {

class worker final : public node {
 public:
  explicit worker(const options& o) : node(o) {}
  /// Returns when the driver says that the program is over.
  void serve();

 private:
  void serve(const recall& wanted);
  void heard(rank_id from, message m) override;
  void peer_lost(rank_id peer, const std::string& why) override;
  [[nodiscard]] message next();

  mutex mutex_;
  arrival arrival_;
  std::deque<message> orders_ GUARDED_BY(mutex_);
};

}  // namespace stradsap::rt
