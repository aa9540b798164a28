// Sockets of ZeroMQ; the only file that uses it. Each rank binds one ROUTER, to which the higher ranks
// connect a DEALER. A closed connection is reported by the monitor of a DEALER; a ROUTER has no route to the
// peer then (ROUTER_MANDATORY).
//
// A socket is used by one thread at a time, under a mutex that no thread holds while it waits: threads wait
// for the sockets' descriptors. A descriptor reports a change once, to the thread that touched the socket. So
// a sender that finds a received frame rings `missed_`.
#include <cerrno>
#include <chrono>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <sys/stat.h>

#include <fmt/format.h>
#include <stradsap/error.hpp>
#include <zmq.hpp>

#include "runtime/base/log.hpp"
#include "runtime/base/mutex.hpp"
#include "runtime/net/sockets.hpp"
#include "runtime/net/wake_event.hpp"

namespace stradsap::rt {
namespace {

/// The frame as a ZeroMQ message; a large frame is not copied.
zmq::message_t as_message(bytes frame) {
  constexpr std::size_t least_kept = 4096;
  if (frame.size() < least_kept) return zmq::message_t(frame.data(), frame.size());
  auto* const kept = new bytes(std::move(frame));
  const auto drop = [](void*, void* hint) { delete static_cast<bytes*>(hint); };
  return zmq::message_t(kept->data(), kept->size(), drop, kept);
}

class zmq_sockets final : public sockets {
 public:
  explicit zmq_sockets(const options& o) : self_(o.rank), run_dir_(o.run_dir) {
    struct stat folder{};
    if (::stat(run_dir_.c_str(), &folder) != 0 || (folder.st_mode & 0077) != 0) {
      throw error(errc::cluster, fmt::format("{} is not a private folder: others could join the job; "
                                             "stradsap-run makes one with mode 0700",
                                             run_dir_));
    }
    const lock_guard hold(sockets_);
    try {
      open(o.world_size);
    } catch (const zmq::error_t& e) {
      throw error(errc::cluster, fmt::format("cannot open {}: {}", address(), e.what()));
    }
  }

  std::string address() const override { return address_of(self_); }

  std::vector<int> descriptors() override {
    const lock_guard hold(sockets_);
    std::vector<int> all{missed_.descriptor(), router_.get(zmq::sockopt::fd)};
    for (auto& [r, p] : peers_) {
      if (!p.dealer) continue;
      all.push_back(p.dealer->get(zmq::sockopt::fd));
      all.push_back(p.monitor->get(zmq::sockopt::fd));
    }
    return all;
  }

  bool send(rank_id to, bytes frame) override {
    const lock_guard hold(sockets_);
    peer& p = peers_.at(to);
    zmq::message_t body = as_message(std::move(frame));
    zmq::socket_t& through = p.dealer ? *p.dealer : router_;
    try {
      if (!p.dealer) {
        router_.send(zmq::buffer(routing_id(to)), zmq::send_flags::sndmore | zmq::send_flags::dontwait);
      }
      through.send(body, zmq::send_flags::dontwait);
      if (through.get(zmq::sockopt::events) & ZMQ_POLLIN) note_missed();
    } catch (const zmq::error_t& e) {
      if (e.num() == EHOSTUNREACH) return false;
      fail(e);
    }
    return true;
  }

  void receive(socket_listener& listener) override {
    std::vector<rank_id> closed;
    std::vector<std::pair<rank_id, zmq::message_t>> frames;
    {
      const lock_guard hold(sockets_);
      try {
        receive_all(closed, frames);
      } catch (const zmq::error_t& e) {
        fail(e);
      }
    }
    for (const auto& [from, frame] : frames) {
      listener.frame_received(from, {static_cast<const std::byte*>(frame.data()), frame.size()});
    }
    for (const rank_id r : closed) listener.connection_closed(r);
  }

 private:
  static constexpr std::chrono::milliseconds linger{1000};  // for unsent frames, when the sockets close

  struct peer {
    std::optional<zmq::socket_t> dealer;   // to a lower rank
    std::optional<zmq::socket_t> monitor;  // reports the end of the dealer's connection
  };

  [[nodiscard]] std::string address_of(rank_id r) const {
    return fmt::format("ipc://{}/rank.{}", run_dir_, r);
  }
  static std::string routing_id(rank_id r) { return fmt::format("rank {}", r); }

  static void set_common(zmq::socket_t& socket) {
    socket.set(zmq::sockopt::linger, static_cast<int>(linger.count()));
    socket.set(zmq::sockopt::sndhwm, 0);  // never drop, never block: the runtime bounds the data in flight
    socket.set(zmq::sockopt::rcvhwm, 0);
  }

  void open(int ranks) REQUIRES(sockets_) {
    router_ = zmq::socket_t(context_, zmq::socket_type::router);
    set_common(router_);
    router_.set(zmq::sockopt::router_mandatory, true);
    router_.bind(address());
    for (rank_id r = 0; r < self_; ++r) open_dealer(r);
    for (rank_id r = self_ + 1; r < ranks; ++r) peers_[r];
  }

  void open_dealer(rank_id to) REQUIRES(sockets_) {
    peer& p = peers_[to];
    p.dealer.emplace(context_, zmq::socket_type::dealer);
    set_common(*p.dealer);
    p.dealer->set(zmq::sockopt::routing_id, routing_id(self_));
    p.dealer->set(zmq::sockopt::reconnect_ivl, 20);
    const std::string monitored = fmt::format("inproc://monitor.{}", to);
    zmq_socket_monitor(p.dealer->handle(), monitored.c_str(), ZMQ_EVENT_DISCONNECTED);
    p.monitor.emplace(context_, zmq::socket_type::pair);
    p.monitor->connect(monitored);
    p.dealer->connect(address_of(to));
  }

  /// Receives until no frame is left, because a descriptor reports a change once.
  void receive_all(std::vector<rank_id>& closed, std::vector<std::pair<rank_id, zmq::message_t>>& frames)
      REQUIRES(sockets_) {
    if (std::exchange(is_missed_, false)) missed_.hush();
    zmq::message_t from;
    zmq::message_t frame;
    while (router_.recv(from, zmq::recv_flags::dontwait)) {
      if (!router_.recv(frame, zmq::recv_flags::dontwait)) break;
      const rank_id sender = sender_of(from.to_string_view());
      if (sender != self_) frames.emplace_back(sender, std::move(frame));
    }
    for (auto& [r, p] : peers_) {
      if (!p.dealer) continue;
      while (p.monitor->recv(frame, zmq::recv_flags::dontwait)) {
        if (!frame.more()) closed.push_back(r);
      }
      // After the monitor: all frames that came before the close are in `frames`.
      while (p.dealer->recv(frame, zmq::recv_flags::dontwait)) frames.emplace_back(r, std::move(frame));
    }
  }

  /// The rank with this routing id; the own rank if there is none.
  rank_id sender_of(std::string_view id) const REQUIRES(sockets_) {
    for (const auto& [r, p] : peers_) {
      if (!p.dealer && id == routing_id(r)) return r;
    }
    return self_;
  }

  void note_missed() REQUIRES(sockets_) {
    if (!std::exchange(is_missed_, true)) missed_.ring();
  }

  [[noreturn]] void fail(const zmq::error_t& e) const {
    die(1, fmt::format("rank {}: network failed: {}", self_, e.what()));
  }

  const rank_id self_;
  const std::string run_dir_;
  zmq::context_t context_{1};
  wake_event missed_;
  mutex sockets_;
  bool is_missed_ GUARDED_BY(sockets_) = false;  // `missed_` is rung
  zmq::socket_t router_ GUARDED_BY(sockets_);
  std::map<rank_id, peer> peers_ GUARDED_BY(sockets_);
};

}  // namespace

std::unique_ptr<sockets> open_zmq_sockets(const options& o) { return std::make_unique<zmq_sockets>(o); }

}  // namespace stradsap::rt
