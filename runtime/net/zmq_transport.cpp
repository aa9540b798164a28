// The mesh of processes over ZeroMQ, and the only file that uses ZeroMQ. Each rank binds one ROUTER, to which
// the higher ranks connect a DEALER, by ipc sockets in the private folder of the run.
// Any thread sends by itself; one thread receives. A socket is used by one thread at a time, under a mutex
// that no thread holds while it waits: the network thread waits for the sockets' file descriptors. A
// descriptor reports a change once, to the thread that touched the socket. So a sender that finds a received
// message wakes the network thread.
//
// Ranks that can open each other's memory also meet over the sockets, then write into each other's inboxes.
// "inbox in use" is the last message over a socket, except pings, and the receiver reads the inbox from then
// on. So messages keep their order over the change.
//
// A lost peer shows in one of three ways. The kernel closes its connection (the monitor of a DEALER reports
// it), a message to it has no route (ROUTER_MANDATORY), or it has been silent for too long.
//
// Thread rule: send() and the members of `deliverer` by any thread. Order of mutexes: receiving_, a peer's
// `sending`, sockets_.
#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <stradsap/serialize.hpp>
#include <zmq.hpp>

#include "runtime/base/check.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/mutex.hpp"
#include "runtime/net/inbox.hpp"
#include "runtime/net/meeting.hpp"
#include "runtime/net/outbox.hpp"
#include "runtime/net/scheduler_slice.hpp"
#include "runtime/net/transport.hpp"

namespace stradsap::rt {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds ping_interval{200};
constexpr std::chrono::milliseconds linger{1000};  // for unsent messages, when the transport ends

/// One other rank. The sockets and `next_out` are guarded by `sockets_`; members without a mutex belong to
/// the receiving role.
struct peer {
  std::optional<zmq::socket_t> dealer;   // to a lower rank
  std::optional<zmq::socket_t> monitor;  // reports the end of the dealer's connection
  std::uint64_t next_out = 0;            // sequence number, of the sockets
  std::uint64_t next_in = 0;
  std::uint64_t next_in_inbox = 0;
  clock::time_point heard = clock::now();
  bool met = false;
  std::atomic<bool> gone = false;  // gone; it is lost after its last messages are delivered
  std::atomic<bool> lost = false;
  doorbell its_doorbell;
  mutex sending;
  std::optional<outbox> out GUARDED_BY(sending);  // its inbox, if this rank writes there
  std::uint64_t next_out_inbox GUARDED_BY(sending) = 0;
};

/// The frame as a ZeroMQ message; a large frame is not copied.
zmq::message_t as_message(bytes frame) {
  constexpr std::size_t least_kept = 4096;
  if (frame.size() < least_kept) return zmq::message_t(frame.data(), frame.size());
  auto* const kept = new bytes(std::move(frame));
  const auto drop = [](void*, void* hint) { delete static_cast<bytes*>(hint); };
  return zmq::message_t(kept->data(), kept->size(), drop, kept);
}

/// Whether a thread waits for this kind of message, and so polls for it.
bool has_a_waiter(const message& m) {
  return std::holds_alternative<launch>(m) || std::holds_alternative<recall>(m) ||
         std::holds_alternative<part>(m) || std::holds_alternative<fetch_reply>(m) ||
         std::holds_alternative<done>(m);
}

/// ZeroMQ ends the process if descriptors run out, so this raises their limit first: two for each rank, and a
/// third for a doorbell.
bool has_descriptors_to_spare(int ranks) {
  const auto wanted = static_cast<rlim_t>(64 + 6 * ranks);
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return true;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur == wanted;
}

class zmq_transport final : public transport {
 public:
  zmq_transport(const options& o, network_listener& listener)
      : options_(o),
        listener_(listener),
        inbox_(o.shared_memory && has_descriptors_to_spare(o.world_size) ? inbox::make(o) : nullptr) {
    wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    STRADSAP_ASSERT(wake_ >= 0, "eventfd failed");
    const scheduler_slice of_its_threads;  // for `network` and ZeroMQ's, which start with the first socket
    open_sockets();
    thread_ = std::thread([this] { serve(); });
    pthread_setname_np(thread_.native_handle(), "network");
  }

  ~zmq_transport() override {
    stop_ = true;
    wake();
    thread_.join();
    ::close(wake_);
  }

  void send(rank_id to, message m) override {
    peer& p = peers_.at(to);
    bytes frame = framed(m);
    const bool can_wait = has_a_waiter(m);
    const lock_guard hold(p.sending);
    if (!p.out) return push(to, std::move(frame));
    if (p.lost || p.gone) return;
    const std::uint64_t number = p.next_out_inbox++;
    std::memcpy(frame.data(), &number, sizeof number);
    bytes_sent_ += frame.size();
    p.out->send(std::move(frame), can_wait);
  }

  void listen() override {
    listening_ = true;
    wake();
  }
  void expect_departures() override { leaving_ = true; }
  std::uint64_t bytes_sent() const override { return bytes_sent_; }
  std::uint64_t bytes_received() const override { return bytes_received_; }

  void begin_looking() override {
    if (inbox_ != nullptr) inbox_->begin_looking();
  }
  void look() override {
    if (inbox_ == nullptr || !listening_ || !inbox_->has_any() || !receiving_.try_lock()) return;
    receive_inbox();
    receiving_.unlock();
  }
  void end_looking() override {
    if (inbox_ == nullptr) return;
    inbox_->end_looking();
    if (!listening_ || !inbox_->has_any()) return;
    if (!receiving_.try_lock()) return wake();  // the receiving thread may be past the new frames
    receive_inbox();
    receiving_.unlock();
  }

  void begin_waiting() override {
    if (inbox_ != nullptr) inbox_->begin_waiting();
  }
  void end_waiting() override {
    if (inbox_ != nullptr) inbox_->end_waiting();
  }

  /// Blocks until every peer said hello. Throws error(errc::cluster) at the time-out or on a refusal.
  void meet() { meeting_.wait(address(options_.rank)); }

 private:
  [[nodiscard]] std::string address(rank_id r) const {
    return fmt::format("ipc://{}/rank.{}", options_.run_dir, r);
  }
  static std::string routing_id(rank_id r) { return fmt::format("rank {}", r); }

  void wake() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_, &one, sizeof one);
  }

  static void set_common(zmq::socket_t& socket) {
    socket.set(zmq::sockopt::linger, static_cast<int>(linger.count()));
    socket.set(zmq::sockopt::sndhwm, 0);  // never drop, never block: the runtime bounds the data in flight
    socket.set(zmq::sockopt::rcvhwm, 0);
  }

  void open_sockets() {
    struct stat folder{};
    if (::stat(options_.run_dir.c_str(), &folder) != 0 || (folder.st_mode & 0077) != 0) {
      throw error(errc::cluster, fmt::format("{} is not a private folder: others could join the job; "
                                             "stradsap-run makes one with mode 0700",
                                             options_.run_dir));
    }
    const lock_guard hold(sockets_);
    try {
      router_ = zmq::socket_t(context_, zmq::socket_type::router);
      set_common(router_);
      router_.set(zmq::sockopt::router_mandatory, true);
      router_.bind(address(options_.rank));
      for (rank_id r = 0; r < options_.rank; ++r) open_dealer(r);
      for (rank_id r = options_.rank + 1; r < options_.world_size; ++r) peers_[r];
    } catch (const zmq::error_t& e) {
      throw error(errc::cluster, fmt::format("cannot open {}: {}", address(options_.rank), e.what()));
    }
  }

  void open_dealer(rank_id to) {
    peer& p = peers_[to];
    p.dealer.emplace(context_, zmq::socket_type::dealer);
    set_common(*p.dealer);
    p.dealer->set(zmq::sockopt::routing_id, routing_id(options_.rank));
    p.dealer->set(zmq::sockopt::reconnect_ivl, 20);
    const std::string monitored = fmt::format("inproc://monitor.{}", to);
    zmq_socket_monitor(p.dealer->handle(), monitored.c_str(), ZMQ_EVENT_DISCONNECTED);
    p.monitor.emplace(context_, zmq::socket_type::pair);
    p.monitor->connect(monitored);
    p.dealer->connect(address(to));
  }

  // ---- the network thread ----

  void serve() {
    try {
      for (auto& [r, p] : peers_) {
        if (p.dealer) push(r, framed(meeting_.greeting()));
      }
      if (inbox_ != nullptr) inbox_->begin_looking();
      std::vector<pollfd> all = descriptors();
      auto next_ping = clock::now() + ping_interval;
      while (!stop_) {
        receive(wait_for_work(all, next_ping));
        if (clock::now() < next_ping) continue;
        check_peers();
        next_ping = clock::now() + ping_interval;
      }
      send_rest();
    } catch (const zmq::error_t& e) {
      die(1, fmt::format("rank {}: network failed: {}", options_.rank, e.what()));
    }
  }

  std::vector<pollfd> descriptors() {
    const lock_guard hold(sockets_);
    const int doorbell = inbox_ == nullptr ? -1 : inbox_->own_doorbell().descriptor();  // poll() skips -1
    std::vector<pollfd> all{
        {doorbell, POLLIN, 0}, {wake_, POLLIN, 0}, {router_.get(zmq::sockopt::fd), POLLIN, 0}};
    for (auto& [r, p] : peers_) {
      if (!p.dealer) continue;
      all.push_back({p.dealer->get(zmq::sockopt::fd), POLLIN, 0});
      all.push_back({p.monitor->get(zmq::sockopt::fd), POLLIN, 0});
    }
    return all;
  }

  /// Sleeps until an event or `until`. Returns whether the sockets or `wake_` have work; an inbox needs no
  /// answer.
  bool wait_for_work(std::vector<pollfd>& all, clock::time_point until) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - clock::now());
    int timeout = std::max(0, static_cast<int>(left.count()));
    if (inbox_ != nullptr) {
      inbox_->end_looking();
      if (listening_ && inbox_->has_any()) timeout = 0;
    }
    ::poll(all.data(), all.size(), timeout);
    if (inbox_ != nullptr) inbox_->begin_looking();
    if (all[0].revents != 0) {
      inbox_->own_doorbell().hush();
      send_waiting();
    }
    std::uint64_t rung = 0;
    [[maybe_unused]] const auto got = ::read(wake_, &rung, sizeof rung);
    return std::any_of(all.begin() + 1, all.end(), [](const pollfd& one) { return one.revents != 0; });
  }

  void receive(bool from_sockets) {
    const lock_guard hold(receiving_);
    std::vector<rank_id> gone;  // collected first, so their messages are delivered before the loss
    for (const auto& [r, p] : peers_) {
      if (p.gone && !p.lost) gone.push_back(r);
    }
    if (from_sockets || !gone.empty()) {
      receive_all();
      for (auto& [from, frame] : std::exchange(frames_, {})) accept(from, frame);
    }
    if (!listening_) return;
    receive_inbox();
    for (const rank_id r : gone) {
      if (inbox_ == nullptr || !inbox_->has_any(r)) lose(r, "its process has gone");
    }
    if (std::any_of(peers_.begin(), peers_.end(),
                    [](auto& one) { return one.second.gone && !one.second.lost; }))
      wake();
  }

  /// Receives until no frame is left, because a descriptor reports a change once.
  void receive_all() REQUIRES(receiving_) {
    const lock_guard hold(sockets_);
    zmq::message_t from;
    zmq::message_t frame;
    while (router_.recv(from, zmq::recv_flags::dontwait)) {
      if (!router_.recv(frame, zmq::recv_flags::dontwait)) break;
      const rank_id sender = sender_of(from.to_string_view());
      if (sender != options_.rank) frames_.emplace_back(sender, std::move(frame));
    }
    for (auto& [r, p] : peers_) {
      if (!p.dealer) continue;
      while (p.monitor->recv(frame, zmq::recv_flags::dontwait)) {
        if (!frame.more() && p.met) p.gone = true;
      }
      // In this order: messages that a peer sent before it went are delivered before its loss.
      while (p.dealer->recv(frame, zmq::recv_flags::dontwait)) frames_.emplace_back(r, std::move(frame));
    }
  }

  /// The rank with this routing id; the own rank if there is none.
  rank_id sender_of(std::string_view id) const {
    for (const auto& [r, p] : peers_) {
      if (!p.dealer && id == routing_id(r)) return r;
    }
    return options_.rank;
  }

  void accept(rank_id from, const zmq::message_t& frame) REQUIRES(receiving_) {
    peer& p = peers_[from];
    if (p.lost) return;
    try {
      greet(from, p, unframe(p, p.next_in, {static_cast<const std::byte*>(frame.data()), frame.size()}));
    } catch (const error& e) {
      lose(from, e.what());
    }
  }

  /// Throws error(errc::decode) for a frame that is not a message, or not the next one.
  message unframe(peer& p, std::uint64_t& next, std::span<const std::byte> frame) REQUIRES(receiving_) {
    // Sends happen before their answers; this load shows it to a thread sanitizer, which sees one process.
    (void)bytes_sent_.load();
    bytes_received_ += frame.size();
    p.heard = clock::now();
    abi::reader in(frame.data(), frame.size());
    std::uint64_t sequence = 0;
    in(sequence);
    if (sequence != next) {
      throw error(errc::decode, fmt::format("message {} came where {} was expected", sequence, next));
    }
    ++next;
    return decode(frame.subspan(sizeof sequence));
  }

  /// Handles the messages of the transport itself; keeps all others for the listener.
  void greet(rank_id from, peer& p, message m) REQUIRES(receiving_) {
    if (std::holds_alternative<ping>(m)) return;
    if (const auto* greeting = std::get_if<hello>(&m)) {
      if (p.met) return;
      if (!p.dealer) push(from, framed(meeting_.greeting()));  // first: the other side may send after it
      p.met = meeting_.greeted(from, *greeting);
      if (p.met && inbox_ != nullptr) push(from, framed(inbox_->place()));
      return;
    }
    if (!p.met) throw error(errc::decode, "it spoke before it said hello");
    if (const auto* where = std::get_if<inbox_place>(&m)) return move_to_inbox(from, p, *where);
    if (std::holds_alternative<inbox_in_use>(m)) {
      if (inbox_ == nullptr || !inbox_->open(from)) {
        throw error(errc::decode, "it uses an inbox for which there are no addresses here");
      }
      return;
    }
    heard_.emplace_back(from, std::move(m));
  }

  /// Sends to the rank's inbox from now on, if that can be opened; else over the sockets.
  void move_to_inbox(rank_id to, peer& p, const inbox_place& where) REQUIRES(receiving_) {
    if (inbox_ == nullptr || !p.its_doorbell.open(options_.run_dir, to)) return;
    auto memory = opened_inbox_memory::open(where, options_.rank, options_.world_size);
    if (!memory) return;
    const lock_guard hold(p.sending);
    push(to, framed(inbox_in_use{}));
    p.out.emplace(std::move(*memory), p.its_doorbell);
  }

  /// Delivers messages of the sockets before those of inboxes.
  void receive_inbox() noexcept REQUIRES(receiving_) {
    for (auto& [from, m] : std::exchange(heard_, {})) hear(from, std::move(m));
    if (inbox_ == nullptr) return;
    for (auto& [r, p] : peers_) receive_from(r, p);
  }

  /// Bounded, so that other peers get their turn and pings go out.
  void receive_from(rank_id from, peer& p) REQUIRES(receiving_) {
    constexpr int most = 1000;
    try {
      for (int i = 0; i < most; ++i) {
        const auto frame = inbox_->next(from);
        std::optional<message> m;
        if (frame) {
          m = unframe(p, p.next_in_inbox, *frame);
          inbox_->take(from);
        }
        if (inbox_->made_room(from)) p.its_doorbell.ring();
        if (!m) return;
        hear(from, std::move(*m));
      }
    } catch (const error& e) {
      lose(from, e.what());
    }
  }

  void hear(rank_id from, message m) REQUIRES(receiving_) {
    try {
      if (!peers_[from].lost) listener_.received(from, std::move(m));
    } catch (const error& e) {
      lose(from, e.what());
    }
  }

  // ---- any thread ----

  static bytes framed(const message& m) { return encode(m, /*room=*/sizeof(std::uint64_t)); }

  /// Sends over the sockets.
  void push(rank_id to, bytes frame) {
    const lock_guard hold(sockets_);
    peer& p = peers_.at(to);
    if (p.lost || p.gone) return;
    std::memcpy(frame.data(), &p.next_out, sizeof p.next_out);
    bytes_sent_ += frame.size();
    zmq::message_t body = as_message(std::move(frame));
    try {
      if (p.dealer) {
        p.dealer->send(body, zmq::send_flags::dontwait);
      } else {
        router_.send(zmq::buffer(routing_id(to)), zmq::send_flags::sndmore | zmq::send_flags::dontwait);
        router_.send(body, zmq::send_flags::dontwait);
      }
      ++p.next_out;
      if ((p.dealer ? *p.dealer : router_).get(zmq::sockopt::events) & ZMQ_POLLIN) wake();
    } catch (const zmq::error_t& e) {
      if (e.num() != EHOSTUNREACH) throw;
      p.gone = true;
      wake();
    }
  }

  // ---- the network thread ----

  /// Writes the frames that wait for room in other inboxes; returns whether all are written.
  bool send_waiting() {
    bool is_all = true;
    for (auto& [r, p] : peers_) {
      const lock_guard hold(p.sending);
      if (!p.out || p.lost || p.gone) continue;
      p.out->flush();
      is_all = is_all && p.out->is_empty();
    }
    return is_all;
  }

  /// Sends the rest of the messages even if the transport ends, as ZeroMQ does.
  void send_rest() {
    if (inbox_ == nullptr) return;
    const auto until = clock::now() + linger;
    while (!send_waiting() && clock::now() < until) {
      pollfd doorbell{inbox_->own_doorbell().descriptor(), POLLIN, 0};
      ::poll(&doorbell, 1, /*milliseconds=*/10);
      inbox_->own_doorbell().hush();
    }
  }

  void check_peers() {
    const lock_guard hold(receiving_);
    for (auto& [r, p] : peers_) {
      if (!p.met || p.lost) continue;
      push(r, framed(ping{}));
      const auto silent = clock::now() - p.heard;
      if (options_.hang_timeout.count() > 0 && silent > options_.hang_timeout) {
        lose(r, fmt::format("it has been silent for {} s", options_.hang_timeout.count()));
      }
    }
  }

  void lose(rank_id r, const std::string& why) REQUIRES(receiving_) {
    peer& p = peers_[r];
    if (inbox_ != nullptr) inbox_->close(r);
    if (p.lost.exchange(true) || leaving_) return;
    listener_.peer_lost(r, why);
  }

  const options options_;
  network_listener& listener_;
  zmq::context_t context_{1};
  mutex sockets_;
  zmq::socket_t router_ GUARDED_BY(sockets_);
  std::map<rank_id, peer> peers_;  // no rank is added after the thread starts
  int wake_ = -1;
  std::atomic<bool> stop_{false};
  std::atomic<bool> leaving_{false};
  std::atomic<bool> listening_{false};
  const std::unique_ptr<inbox> inbox_;  // null: all messages use the sockets
  mutex receiving_;
  std::vector<std::pair<rank_id, zmq::message_t>> frames_ GUARDED_BY(receiving_);
  std::vector<std::pair<rank_id, message>> heard_ GUARDED_BY(receiving_);
  std::atomic<std::uint64_t> bytes_sent_{0};
  std::atomic<std::uint64_t> bytes_received_{0};
  meeting meeting_{options_};
  std::thread thread_;
};

}  // namespace

/// Messages of some hundred KiB are allocated and freed all the time. By default malloc returns the memory of
/// each to the system, which clears its pages again for the next: a third of the time of a bulk transfer.
static void keep_memory_of_messages() {
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 16 << 20);
}

std::unique_ptr<transport> connect_zmq(const options& o, network_listener& listener) {
  keep_memory_of_messages();
  auto mesh = std::make_unique<zmq_transport>(o, listener);
  mesh->meet();
  return mesh;
}

}  // namespace stradsap::rt
