// The sockets of a rank: frames to and from each other rank, in order and without loss while the connection
// lasts. They know bytes and connections; sessions (sessions.hpp) know messages.
// Thread rule: send() and address() by any thread, the rest by one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/ids.hpp"
#include "runtime/base/options.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

/// The events in sockets::receive(). They may send.
class socket_listener {
 public:
  /// `frame` is valid during the call.
  virtual void frame_received(rank_id from, std::span<const std::byte> frame) = 0;
  /// The peer's end of the connection has closed. Frames that it sent before may still follow.
  virtual void connection_closed(rank_id peer) = 0;
  /// A rank that is not known has closed its connection: send() to it soon finds no way.
  virtual void some_connection_closed() {}

 protected:
  ~socket_listener() = default;
};

class sockets {
 public:
  virtual ~sockets() = default;
  /// Where other ranks find this one, for messages to people.
  [[nodiscard]] virtual std::string address() const = 0;
  /// Where this one finds another rank, for messages to people; empty if that is in the folder of the run.
  [[nodiscard]] virtual std::string place_of(rank_id) const { return {}; }
  /// Whether the rank is on another host. The two ranks agree.
  [[nodiscard]] virtual bool is_far(rank_id) const { return false; }
  /// They become readable when frames have come or a connection has closed.
  [[nodiscard]] virtual std::vector<int> descriptors() = 0;
  /// Whether the host of the rank has acknowledged nothing for so long, although frames are on their way to
  /// it. The kernel acknowledges for a stopped process too. False if this cannot be known.
  [[nodiscard]] virtual bool is_cut_off(rank_id, std::chrono::milliseconds) { return false; }
  /// Takes over the frame and returns; never blocks. False if there is no way to the rank: its process has
  /// gone.
  [[nodiscard]] virtual bool send(rank_id to, bytes frame) = 0;
  /// Connections of processes that are no rank of the run, which were closed. By any thread.
  [[nodiscard]] virtual std::uint64_t refused() const { return 0; }
  /// Hands over all that has come. A descriptor may report it only once, so the caller does not skip a call.
  virtual void receive(socket_listener& listener) = 0;
};

/// Opens sockets of ZeroMQ: ipc in the folder of the run for ranks of this host, tcp for those of other
/// hosts. Ranks of this host may come later. With other hosts, it blocks until the endpoints of all ranks are
/// known. Throws error(errc::cluster) if the folder is not private, a socket cannot be opened, or endpoints
/// are missing at the start time-out. An error of ZeroMQ afterwards ends the process.
[[nodiscard]] std::unique_ptr<sockets> open_zmq_sockets(const options& o);

}  // namespace stradsap::rt
