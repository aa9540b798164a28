// Sockets of ZeroMQ; the only file that uses it. Each rank binds a ROUTER, to which the higher ranks of its
// host connect a DEALER, and one for the higher ranks of other hosts if there are any. A closed connection is
// reported by a monitor. That of a ROUTER does not name the peer: there is no route to it then
// (ROUTER_MANDATORY).
//
// Connections between hosts are encrypted and authenticated in both directions by CURVE. Each rank makes a
// key pair that never leaves its process, and knows the public keys of all ranks by the rank table. It
// connects only to the owner of the right key, and admits no other keys. A key belongs to one rank: frames
// that name another sender are dropped.
//
// A socket is used by one thread at a time, under a mutex that no thread holds while it waits: threads wait
// for the sockets' descriptors. A descriptor reports a change once, to the thread that touched the socket. So
// a sender that finds a received frame rings `missed_`.
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <fmt/format.h>
#include <stradsap/error.hpp>
#include <zmq.hpp>

#include "runtime/base/log.hpp"
#include "runtime/base/mutex.hpp"
#include "runtime/net/rank_table.hpp"
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

/// False if none has come. zmq::socket_t::recv() fails on 2 GiB and more: it compares the size with an int.
bool take_message(zmq::socket_t& socket, zmq::message_t& message) {
  if (::zmq_msg_recv(message.handle(), socket.handle(), ZMQ_DONTWAIT) >= 0) return true;
  if (::zmq_errno() == EAGAIN) return false;
  throw zmq::error_t();
}

std::string routing_id(rank_id r) { return fmt::format("rank {}", r); }

/// The keys of this rank, and the handler that ZeroMQ asks (by ZAP, its RFC 27) whether to admit a key. Until
/// admit() the questions wait, and so do the ranks that connect.
class admission {
 public:
  admission(zmq::context_t& context, std::chrono::seconds start_timeout)
      : handshake_(start_timeout), handler_(context, zmq::socket_type::rep) {
    if (zmq_has("curve") == 0 || zmq_curve_keypair(public_key_.data(), secret_key_.data()) != 0) {
      throw error(errc::cluster,
                  "this libzmq has no CURVE, so connections with other hosts cannot be encrypted");
    }
    handler_.set(zmq::sockopt::linger, 0);
    handler_.bind("inproc://zeromq.zap.01");
  }
  ~admission() { explicit_bzero(secret_key_.data(), secret_key_.size()); }
  admission(const admission&) = delete;
  admission& operator=(const admission&) = delete;

  [[nodiscard]] std::string public_key() const { return public_key_.data(); }
  [[nodiscard]] int descriptor() const { return handler_.get(zmq::sockopt::fd); }

  void secure_server(zmq::socket_t& socket) const {
    socket.set(zmq::sockopt::curve_server, true);
    socket.set(zmq::sockopt::curve_secretkey, secret_key_.data());
    socket.set(zmq::sockopt::zap_domain, "stradsap");
    // A rank that has to wait longer connects again; a stranger that says nothing holds a descriptor for it.
    constexpr std::chrono::seconds longest{5};
    const auto least = std::chrono::milliseconds(std::min(handshake_, longest));
    socket.set(zmq::sockopt::handshake_ivl, static_cast<int>(least.count()));
  }
  void secure_client(zmq::socket_t& socket, const std::string& server_key) const {
    socket.set(zmq::sockopt::curve_serverkey, server_key);
    socket.set(zmq::sockopt::curve_publickey, public_key_.data());
    socket.set(zmq::sockopt::curve_secretkey, secret_key_.data());
    socket.set(zmq::sockopt::handshake_ivl, static_cast<int>(std::chrono::milliseconds(handshake_).count()));
  }

  /// From now on, admits the ranks with these keys.
  void admit(const std::vector<rank_entry>& table) {
    for (std::size_t r = 0; r < table.size(); ++r) {
      std::string key(raw_key_size, '\0');
      if (zmq_z85_decode(reinterpret_cast<std::uint8_t*>(key.data()), table[r].public_key.c_str()) == nullptr)
        throw error(errc::cluster, fmt::format("the public key of rank {} is none", r));
      ranks_[key] = static_cast<rank_id>(r);
    }
  }

  void answer_all() {
    std::vector<zmq::message_t> question;
    while (!ranks_.empty()) {
      question.clear();
      do {
        zmq::message_t part;
        if (!handler_.recv(part, zmq::recv_flags::dontwait)) return;
        question.push_back(std::move(part));
      } while (question.back().more());
      answer(question);
    }
  }

 private:
  static constexpr std::size_t raw_key_size = 32;
  static constexpr std::size_t text_key_size = 41;  // Z85 and a zero

  /// Version, number, domain, address, identity, mechanism and key of the question; version, number, status,
  /// text, user and metadata of the answer.
  void answer(const std::vector<zmq::message_t>& question) {
    const bool is_key = question.size() == 7 && question[5].to_string_view() == "CURVE";
    const auto found = is_key ? ranks_.find(question[6].to_string()) : ranks_.end();
    const bool admitted = found != ranks_.end();
    const std::string user = admitted ? routing_id(found->second) : "";
    const auto part = [&](std::string_view text) {
      handler_.send(zmq::buffer(text), zmq::send_flags::sndmore);
    };
    part("1.0");
    part(question.size() > 1 ? question[1].to_string_view() : "");
    part(admitted ? "200" : "400");
    part(admitted ? "OK" : "not a rank of this run");
    part(user);
    handler_.send(zmq::message_t(), zmq::send_flags::none);
  }

  const std::chrono::seconds handshake_;
  zmq::socket_t handler_;
  std::array<char, text_key_size> public_key_{};
  std::array<char, text_key_size> secret_key_{};
  std::map<std::string, rank_id> ranks_;
};

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
      open(o);
    } catch (const zmq::error_t& e) {
      throw error(errc::cluster, fmt::format("cannot open {}: {}", address(), e.what()));
    }
  }

  std::string address() const override { return address_of(self_); }

  std::string place_of(rank_id r) const override {
    if (table_.empty()) return {};
    const rank_entry& e = table_.at(static_cast<std::size_t>(r));
    return fmt::format("{} ({})", e.host_name, e.endpoint);
  }

  bool is_far(rank_id r) const override {
    const auto host_of = [&](rank_id one) { return table_.at(static_cast<std::size_t>(one)).host; };
    return !table_.empty() && host_of(r) != host_of(self_);
  }

  std::vector<int> descriptors() override {
    const lock_guard hold(sockets_);
    std::vector<int> all{missed_.descriptor(), router_.get(zmq::sockopt::fd)};
    if (far_router_) all.push_back(far_router_->get(zmq::sockopt::fd));
    for (zmq::socket_t& one : router_monitors_) all.push_back(one.get(zmq::sockopt::fd));
    if (admission_) all.push_back(admission_->descriptor());
    for (auto& [r, p] : peers_) {
      if (!p.dealer) continue;
      all.push_back(p.dealer->get(zmq::sockopt::fd));
      all.push_back(p.monitor->get(zmq::sockopt::fd));
    }
    return all;
  }

  /// Two retransmissions: one may be a matter of a full link. A peer whose window is full has acknowledged
  /// all that was sent.
  bool is_cut_off(rank_id r, std::chrono::milliseconds least) override {
    const lock_guard hold(sockets_);
    const int connection = peers_.at(r).connection;
    tcp_info about{};
    socklen_t size = sizeof about;
    if (connection < 0 || ::getsockopt(connection, IPPROTO_TCP, TCP_INFO, &about, &size) != 0) return false;
    return about.tcpi_unacked > 0 && about.tcpi_retransmits >= 2 && about.tcpi_last_ack_recv >= least.count();
  }

  bool send(rank_id to, bytes frame) override {
    const lock_guard hold(sockets_);
    peer& p = peers_.at(to);
    zmq::message_t body = as_message(std::move(frame));
    zmq::socket_t& router = is_far(to) ? *far_router_ : router_;
    zmq::socket_t& through = p.dealer ? *p.dealer : router;
    try {
      if (!p.dealer) {
        router.send(zmq::buffer(routing_id(to)), zmq::send_flags::sndmore | zmq::send_flags::dontwait);
      }
      through.send(body, zmq::send_flags::dontwait);
      if (through.get(zmq::sockopt::events) & ZMQ_POLLIN) note_missed();
    } catch (const zmq::error_t& e) {
      if (e.num() == EHOSTUNREACH) return false;
      fail(e);
    }
    return true;
  }

  std::uint64_t refused() const override { return refused_; }

  void receive(socket_listener& listener) override {
    std::vector<rank_id> closed;
    std::vector<std::pair<rank_id, zmq::message_t>> frames;
    bool some_closed = false;
    {
      const lock_guard hold(sockets_);
      try {
        receive_all(closed, frames);
        for (zmq::socket_t& one : router_monitors_) {
          const reported_events all = take_events(one);
          some_closed |= all.closed != 0;
          if (admission_ && &one != &router_monitors_.front()) note_strangers(all);
        }
      } catch (const zmq::error_t& e) {
        fail(e);
      }
    }
    for (const auto& [from, frame] : frames) {
      listener.frame_received(from, {static_cast<const std::byte*>(frame.data()), frame.size()});
    }
    for (const rank_id r : closed) listener.connection_closed(r);
    if (some_closed) listener.some_connection_closed();
  }

 private:
  static constexpr std::chrono::milliseconds linger{1000};  // for unsent frames, when the sockets close

  struct peer {
    std::optional<zmq::socket_t> dealer;   // to a lower rank
    std::optional<zmq::socket_t> monitor;  // reports the end of the dealer's connection
    int connection = -1;                   // the descriptor by which its first frame came, over tcp
  };

  [[nodiscard]] std::string address_of(rank_id r) const {
    return fmt::format("ipc://{}/rank.{}", run_dir_, r);
  }
  static void set_common(zmq::socket_t& socket) {
    socket.set(zmq::sockopt::linger, static_cast<int>(linger.count()));
    socket.set(zmq::sockopt::sndhwm, 0);  // never drop, never block: the runtime bounds the data in flight
    socket.set(zmq::sockopt::rcvhwm, 0);
  }

  void open(const options& o) REQUIRES(sockets_) {
    router_ = open_router();
    router_.bind(address());
    if (!o.address.empty()) open_to_other_hosts(o);
    for (rank_id r = 0; r < self_; ++r) open_dealer(r);
    for (rank_id r = self_ + 1; r < o.world_size; ++r) peers_[r];
  }

  zmq::socket_t open_router() REQUIRES(sockets_) {
    zmq::socket_t made(context_, zmq::socket_type::router);
    set_common(made);
    made.set(zmq::sockopt::router_mandatory, true);
    router_monitors_.push_back(monitor_of(made, fmt::format("router.{}", router_monitors_.size())));
    return made;
  }

  /// Listens for ranks of other hosts, and gets the table of all ranks. A rank that connects at once waits
  /// for its admission.
  void open_to_other_hosts(const options& o) REQUIRES(sockets_) {
    far_router_ = open_router();
    far_router_->set(zmq::sockopt::ipv6, o.address.find(':') != o.address.npos);
    if (o.encrypt) {
      admission_.emplace(context_, o.start_timeout);
      admission_->secure_server(*far_router_);
    }
    bind_in_range(o);
    const std::string key = admission_ ? admission_->public_key() : "";
    table_ = exchange_rank_table(o, far_router_->get(zmq::sockopt::last_endpoint), key);
    if (!admission_) return;
    (void)take_events(router_monitors_.back());  // ranks that came before the table may connect again
    admission_->admit(table_);
  }

  /// Ranks of one host begin at different ports of the range.
  void bind_in_range(const options& o) REQUIRES(sockets_) {
    const bool is_v6 = o.address.find(':') != o.address.npos;
    const std::string before =
        is_v6 ? fmt::format("tcp://[{}]:", o.address) : fmt::format("tcp://{}:", o.address);
    const int count = o.ports.first == 0 ? 1 : o.ports.last - o.ports.first + 1;
    for (int i = 0; i < count; ++i) {
      const int port = o.ports.first + (o.ports.first == 0 ? 0 : (self_ + i) % count);
      try {
        return far_router_->bind(before + (port == 0 ? "*" : std::to_string(port)));
      } catch (const zmq::error_t& e) {
        if (e.num() == EADDRINUSE && i + 1 < count) continue;
        const std::string all = o.ports.first == 0
                                    ? "a port of the system's choice"
                                    : fmt::format("ports {} to {}", o.ports.first, o.ports.last);
        throw error(errc::cluster, fmt::format("cannot listen at {} with {}: {}", o.address, all, e.what()));
      }
    }
  }

  void open_dealer(rank_id to) REQUIRES(sockets_) {
    peer& p = peers_[to];
    p.dealer.emplace(context_, zmq::socket_type::dealer);
    set_common(*p.dealer);
    p.dealer->set(zmq::sockopt::routing_id, routing_id(self_));
    p.dealer->set(zmq::sockopt::reconnect_ivl, 20);
    const bool far = is_far(to);
    const std::string there = far ? table_.at(static_cast<std::size_t>(to)).endpoint : address_of(to);
    p.dealer->set(zmq::sockopt::ipv6, far && there.find('[') != there.npos);
    if (far && admission_) {
      admission_->secure_client(*p.dealer, table_.at(static_cast<std::size_t>(to)).public_key);
    }
    p.monitor = monitor_of(*p.dealer, std::to_string(to));
    p.dealer->connect(there);
  }

  /// Reports closed connections of the socket, and handshakes that failed.
  zmq::socket_t monitor_of(zmq::socket_t& watched, const std::string& name) {
    const std::string place = "inproc://monitor." + name;
    constexpr int failures = ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                             ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
    zmq_socket_monitor(watched.handle(), place.c_str(), ZMQ_EVENT_DISCONNECTED | failures);
    zmq::socket_t monitor(context_, zmq::socket_type::pair);
    monitor.connect(place);
    return monitor;
  }

  struct reported_events {
    std::uint64_t closed = 0;  // connections, those of failed handshakes included
    std::uint64_t failed = 0;  // handshakes
  };

  /// Takes all that a monitor has reported. An event is two frames: its kind and value, and an endpoint.
  static reported_events take_events(zmq::socket_t& monitor) {
    reported_events all;
    for (zmq::message_t frame; monitor.recv(frame, zmq::recv_flags::dontwait);) {
      std::uint16_t kind = 0;
      if (!frame.more() || frame.size() < sizeof kind) continue;
      std::memcpy(&kind, frame.data(), sizeof kind);
      ++(kind == ZMQ_EVENT_DISCONNECTED ? all.closed : all.failed);
    }
    return all;
  }

  /// Each connection of a stranger is closed. ZeroMQ reports no failed handshake for bytes that are not of
  /// its protocol, and does not name the peer of a closed connection: the run ends when that is a rank.
  void note_strangers(const reported_events& all) REQUIRES(sockets_) {
    refused_ += all.closed;
    if (all.failed == 0) return;
    warn_once("stranger", fmt::format("rank {} has refused a connection to {}: it is not from a rank of this "
                                      "run; the statistics count such connections",
                                      self_, table_.at(static_cast<std::size_t>(self_)).endpoint));
  }

  /// Receives until no frame is left, because a descriptor reports a change once.
  void receive_all(std::vector<rank_id>& closed, std::vector<std::pair<rank_id, zmq::message_t>>& frames)
      REQUIRES(sockets_) {
    if (std::exchange(is_missed_, false)) missed_.hush();
    zmq::message_t frame;
    if (admission_) admission_->answer_all();
    receive_from(router_, /*far=*/false, frames);
    if (far_router_) receive_from(*far_router_, /*far=*/true, frames);
    for (auto& [r, p] : peers_) {
      if (!p.dealer) continue;
      if (take_events(*p.monitor).closed != 0) closed.push_back(r);
      // After the monitor: all frames that came before the close are in `frames`.
      while (take_message(*p.dealer, frame)) {
        note_connection(r, frame);
        frames.emplace_back(r, std::move(frame));
      }
    }
  }

  void receive_from(zmq::socket_t& router, bool far, std::vector<std::pair<rank_id, zmq::message_t>>& frames)
      REQUIRES(sockets_) {
    zmq::message_t from;
    zmq::message_t frame;
    while (take_message(router, from)) {
      if (!take_message(router, frame)) break;
      const bool is_known = !far || !admission_ || is_user(frame, from.to_string_view());
      const rank_id sender = is_known ? sender_of(from.to_string_view(), far) : self_;
      if (sender == self_) continue;
      note_connection(sender, frame);
      frames.emplace_back(sender, std::move(frame));
    }
  }

  void note_connection(rank_id from, zmq::message_t& frame) REQUIRES(sockets_) {
    peer& p = peers_.at(from);
    if (p.connection < 0 && is_far(from)) p.connection = zmq_msg_get(frame.handle(), ZMQ_SRCFD);
  }

  /// Whether admission gave the connection of this frame to the rank with this routing id.
  static bool is_user(zmq::message_t& frame, std::string_view id) {
    const char* const user = zmq_msg_gets(frame.handle(), "User-Id");
    return user != nullptr && id == user;
  }

  /// The rank with this routing id, on another host or on this one; the own rank if there is none.
  rank_id sender_of(std::string_view id, bool far) const REQUIRES(sockets_) {
    for (const auto& [r, p] : peers_) {
      if (!p.dealer && is_far(r) == far && id == routing_id(r)) return r;
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
  std::atomic<std::uint64_t> refused_{0};
  zmq::socket_t router_ GUARDED_BY(sockets_);
  std::optional<zmq::socket_t> far_router_ GUARDED_BY(sockets_);  // if there are other hosts
  std::vector<zmq::socket_t> router_monitors_ GUARDED_BY(sockets_);
  std::optional<admission> admission_ GUARDED_BY(sockets_);  // if connections with them are encrypted
  std::vector<rank_entry> table_;                            // empty without other hosts; then constant
  std::map<rank_id, peer> peers_ GUARDED_BY(sockets_);
};

}  // namespace

std::unique_ptr<sockets> open_zmq_sockets(const options& o) { return std::make_unique<zmq_sockets>(o); }

}  // namespace stradsap::rt
