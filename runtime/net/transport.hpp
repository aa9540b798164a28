// How frames get from one process to another, in order and without loss, or not at all and loudly.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/base/ids.hpp"
#include "runtime/base/options.hpp"
#include "runtime/base/patience.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

/// The exit status of a rank that ends because another one went: stradsap-run knows it as a consequence, and
/// reports the rank that went, whichever the kernel shows first.
inline constexpr int lost_peer_status = 75;

/// Hears from the network. Called by one thread at a time, the network's own or one that looks; must not
/// block, nor look.
class network_listener {
 public:
  virtual void received(rank_id from, message m) = 0;
  /// The peer's process has gone, is silent, or broke the protocol. Called at most once a peer.
  virtual void peer_lost(rank_id peer, const std::string& why) = 0;

 protected:
  ~network_listener() = default;
};

/// Frames between the ranks of one run. Thread-safe; who looks holds no mutex that the listener takes.
class transport : public deliverer {
 public:
  virtual ~transport() = default;
  /// Hands the message over and returns; messages to one peer arrive in the order they were sent. What was
  /// handed over is sent even if the transport ends.
  virtual void send(rank_id to, message m) = 0;
  /// The listener is ready: until then what peers say is kept. They may speak as soon as they have met us.
  virtual void listen() = 0;
  /// From now on a peer that goes is expected to.
  virtual void expect_departures() = 0;
  /// Where only the network's thread receives, there is nothing to look for.
  void begin_looking() override {}
  void look() override {}
  void end_looking() override {}
  void begin_waiting() override {}
  void end_waiting() override {}
  [[nodiscard]] virtual std::uint64_t bytes_sent() const = 0;
  [[nodiscard]] virtual std::uint64_t bytes_received() const = 0;
};

/// Meets all other ranks over ZeroMQ, talks to those of this machine through shared memory where it can, and
/// returns once everyone is there. Throws error(errc::cluster) that names who is missing at the start
/// time-out, or who is of another build. `listener` outlives the transport.
[[nodiscard]] std::unique_ptr<transport> connect_zmq(const options& o, network_listener& listener);

}  // namespace stradsap::rt
