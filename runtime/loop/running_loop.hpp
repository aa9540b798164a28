// A loop that runs on this rank, as the network knows it. Thread rule: received() on the network's thread, or
// before anybody else is told of the loop.
#pragma once

#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

class running_loop {
 public:
  [[nodiscard]] virtual launch_id id() const = 0;
  /// Each throws error(errc::decode) for what this loop does not know.
  virtual void received(rank_id from, token t) = 0;
  virtual void received(rank_id from, moved_elements m) = 0;
  virtual void received(rank_id from, const cancel& c) = 0;

 protected:
  ~running_loop() = default;
};

}  // namespace stradsap::rt
