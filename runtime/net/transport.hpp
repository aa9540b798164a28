// The transport of frames between processes: in order and without loss, or else an error that ends the run.
// Thread rule: thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "runtime/base/ids.hpp"
#include "runtime/base/options.hpp"
#include "runtime/base/wait_policy.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

/// The exit status of a rank that ends because another rank was lost. stradsap-run takes it for a consequence
/// and reports the lost rank, in whichever order the processes end.
inline constexpr int lost_peer_status = 75;

/// Receives messages. Called by one thread at a time: the network thread or a waiting thread that polls. A
/// call must not block or poll.
class network_listener {
 public:
  virtual void received(rank_id from, message m) = 0;
  /// The peer's process has gone, is silent, or broke the protocol. Called at most once for each peer.
  virtual void peer_lost(rank_id peer, const std::string& why) = 0;

 protected:
  ~network_listener() = default;
};

/// Frames between the ranks of one run. Thread-safe; a thread that polls holds no mutex that the listener
/// takes.
class transport : public deliverer {
 public:
  virtual ~transport() = default;
  /// Takes over the message and returns. Messages to one peer arrive in the order of their sends. They are
  /// sent even if the transport ends.
  virtual void send(rank_id to, message m) = 0;
  /// Starts deliveries to the listener. Messages that arrive before are kept: peers may send as soon as they
  /// have met this rank.
  virtual void listen() = 0;
  /// From now on the loss of a peer is not reported.
  virtual void expect_departures() = 0;
  /// Defaults for a transport without an inbox: the network thread alone receives, so a poll finds no
  /// message.
  void begin_looking() override {}
  void look() override {}
  void end_looking() override {}
  void begin_waiting() override {}
  void end_waiting() override {}
  /// Whether all other ranks have opened memory of this process, and so can open its files of memory.
  [[nodiscard]] virtual bool shares_memory() const { return false; }
  /// Whether the rank is on another host, so that bytes to it are worth packing. The two ranks agree.
  [[nodiscard]] virtual bool is_far(rank_id) const { return false; }
  [[nodiscard]] virtual std::uint64_t bytes_sent() const = 0;
  [[nodiscard]] virtual std::uint64_t bytes_received() const = 0;
  /// Connections of strangers that were closed, of those with other hosts.
  [[nodiscard]] virtual std::uint64_t refused() const { return 0; }
};

/// Makes the transport of one rank, as connect_zmq() does.
using connector = std::function<std::unique_ptr<transport>(const options&, network_listener&)>;

/// Meets all other ranks over ZeroMQ, and uses shared memory with ranks of this machine if possible. Returns
/// once all ranks are here. Throws error(errc::cluster) that names the ranks missing at the start time-out,
/// or a rank of another build. `listener` outlives the transport.
[[nodiscard]] std::unique_ptr<transport> connect_zmq(const options& o, network_listener& listener);

class sockets;
using socket_factory = std::function<std::unique_ptr<sockets>(const options&)>;
/// The same over other sockets: `open` makes those of this rank.
[[nodiscard]] std::unique_ptr<transport> connect_over(const socket_factory& open, const options& o,
                                                      network_listener& listener);

}  // namespace stradsap::rt
