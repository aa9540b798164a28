// The mesh of processes over ZeroMQ, and the only file that knows ZeroMQ. Each rank binds one ROUTER, to
// which the higher ranks connect a DEALER; ipc sockets in the job's private folder. Whoever sends does so
// itself; one thread receives. A socket is used by one thread at a time, under a mutex that nobody holds
// while it waits: the network's thread waits for the sockets' file descriptors. These tell of a change once,
// and to whoever touched the socket, so a sender that finds that something has come wakes it.
//
// A lost peer shows three ways: the kernel closes its connection (seen by the monitor of a DEALER), a message
// to it has no route (ROUTER_MANDATORY), or it has been silent for too long.
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
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <stradsap/serialize.hpp>
#include <zmq.hpp>

#include "runtime/base/check.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/mutex.hpp"
#include "runtime/net/build_id.hpp"
#include "runtime/net/short_turns.hpp"
#include "runtime/net/transport.hpp"

namespace stradsap::rt {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::uint32_t protocol = 1;
constexpr std::chrono::milliseconds ping_interval{200};

/// One other rank. The sockets and `next_out` belong to who holds the sockets' mutex, the rest to the
/// network's thread.
struct peer {
  std::optional<zmq::socket_t> dealer;   // to a lower rank
  std::optional<zmq::socket_t> monitor;  // tells when the dealer's connection breaks
  std::uint64_t next_out = 0;            // sequence numbers
  std::uint64_t next_in = 0;
  clock::time_point heard = clock::now();
  bool met = false;
  std::atomic<bool> gone = false;  // seen to have gone; lost once its last words were heard
  std::atomic<bool> lost = false;
};

/// The frame as ZeroMQ has it, which takes large ones as they are.
zmq::message_t as_message(bytes frame) {
  constexpr std::size_t least_kept = 4096;
  if (frame.size() < least_kept) return zmq::message_t(frame.data(), frame.size());
  auto* const kept = new bytes(std::move(frame));
  const auto drop = [](void*, void* hint) { delete static_cast<bytes*>(hint); };
  return zmq::message_t(kept->data(), kept->size(), drop, kept);
}

class zmq_transport final : public transport {
 public:
  zmq_transport(const options& o, network_listener& listener) : options_(o), listener_(listener) {
    wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    STRADSAP_ASSERT(wake_ >= 0, "eventfd failed");
    const short_turns of_its_threads;  // ZeroMQ's, which begin with the first socket, and ours
    open_sockets();
    thread_ = std::thread([this] { serve(); });
    pthread_setname_np(thread_.native_handle(), "network");
  }

  ~zmq_transport() override {
    stop_ = true;
    ring();
    thread_.join();
    ::close(wake_);
  }

  void send(rank_id to, message m) override { push(to, m); }

  void listen() override {
    listening_ = true;
    ring();
  }
  void expect_departures() override { leaving_ = true; }
  std::uint64_t bytes_sent() const override { return bytes_sent_; }
  std::uint64_t bytes_received() const override { return bytes_received_; }

  /// Blocks until every peer said hello. Throws error(errc::cluster) at the time-out or on a refusal.
  void meet() {
    const auto until = clock::now() + options_.start_timeout;
    const lock_guard hold(mutex_);
    while (num_met_ + 1 < options_.world_size && refusal_.empty()) {
      if (!meeting_.wait_until(mutex_, until) && clock::now() >= until) break;
    }
    if (!refusal_.empty()) throw error(errc::cluster, refusal_);
    if (num_met_ + 1 == options_.world_size) return;
    std::string missing;
    for (rank_id r = 0; r < options_.world_size; ++r) {
      if (r != options_.rank && std::find(met_.begin(), met_.end(), r) == met_.end()) {
        missing += fmt::format("{}{}", missing.empty() ? "" : ", ", r);
      }
    }
    throw error(errc::cluster, fmt::format("no hello from rank {} within {} s (socket {})", missing,
                                           options_.start_timeout.count(), address(options_.rank)));
  }

 private:
  [[nodiscard]] std::string address(rank_id r) const {
    return fmt::format("ipc://{}/rank.{}", options_.run_dir, r);
  }
  static std::string routing_id(rank_id r) { return fmt::format("rank {}", r); }

  void ring() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_, &one, sizeof one);
  }

  static void set_common(zmq::socket_t& socket) {
    socket.set(zmq::sockopt::linger, 1000);
    socket.set(zmq::sockopt::sndhwm, 0);  // never drop, never block: the runtime bounds what is under way
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
    auto next_ping = clock::now() + ping_interval;
    try {
      for (auto& [r, p] : peers_) {
        if (p.dealer) push(r, hello{protocol, build_id(), options_.world_size});
      }
      std::vector<pollfd> all = descriptors();
      while (!stop_) {
        wait_for_work(all, next_ping);
        receive_all();
        for (auto& [from, frame] : std::exchange(frames_, {})) accept(from, frame);
        if (listening_) {  // in this order: last words are heard before their speaker is lost
          pass_on_heard();
          lose_gone();
        }
        if (clock::now() >= next_ping) {
          check_peers();
          next_ping = clock::now() + ping_interval;
        }
      }
    } catch (const zmq::error_t& e) {
      die(1, fmt::format("rank {}: network failed: {}", options_.rank, e.what()));
    }
  }

  std::vector<pollfd> descriptors() {
    const lock_guard hold(sockets_);
    std::vector<pollfd> all{{wake_, POLLIN, 0}, {router_.get(zmq::sockopt::fd), POLLIN, 0}};
    for (auto& [r, p] : peers_) {
      if (!p.dealer) continue;
      all.push_back({p.dealer->get(zmq::sockopt::fd), POLLIN, 0});
      all.push_back({p.monitor->get(zmq::sockopt::fd), POLLIN, 0});
    }
    return all;
  }

  void wait_for_work(std::vector<pollfd>& all, clock::time_point until) const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - clock::now());
    ::poll(all.data(), all.size(), std::max(0, static_cast<int>(left.count())));
    std::uint64_t rung = 0;
    [[maybe_unused]] const auto got = ::read(wake_, &rung, sizeof rung);
  }

  /// Until nothing is left: a descriptor tells of it once.
  void receive_all() {
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
      // In this order: what a peer said before it went is heard before it is lost.
      while (p.dealer->recv(frame, zmq::recv_flags::dontwait)) frames_.emplace_back(r, std::move(frame));
    }
  }

  void lose_gone() {
    for (auto& [r, p] : peers_) {
      if (p.gone) lose(r, "its process has gone");
    }
  }

  /// The rank that a routing id names; our own where it names none.
  rank_id sender_of(std::string_view id) const {
    for (const auto& [r, p] : peers_) {
      if (!p.dealer && id == routing_id(r)) return r;
    }
    return options_.rank;
  }

  void accept(rank_id from, const zmq::message_t& frame) {
    peer& p = peers_[from];
    if (p.lost) return;
    bytes_received_ += frame.size();
    p.heard = clock::now();
    try {
      const auto* first = static_cast<const std::byte*>(frame.data());
      abi::reader in(first, frame.size());
      std::uint64_t sequence = 0;
      in(sequence);
      if (sequence != p.next_in++) {
        return lose(from, fmt::format("message {} came where {} was expected", sequence, p.next_in - 1));
      }
      deliver(from, p, decode({first + sizeof sequence, frame.size() - sizeof sequence}));
    } catch (const error& e) {
      lose(from, e.what());
    }
  }

  void deliver(rank_id from, peer& p, message m) {
    if (std::holds_alternative<ping>(m)) return;
    if (const auto* greeting = std::get_if<hello>(&m)) return greet(from, p, *greeting);
    if (!p.met) return lose(from, "it spoke before it said hello");
    heard_.emplace_back(from, std::move(m));
  }

  void pass_on_heard() {
    for (auto& [from, m] : std::exchange(heard_, {})) {
      try {
        if (!peers_[from].lost) listener_.received(from, std::move(m));
      } catch (const error& e) {
        lose(from, e.what());
      }
    }
  }

  void greet(rank_id from, peer& p, const hello& h) {
    const lock_guard hold(mutex_);
    if (h.protocol != protocol || h.build != build_id()) {
      refusal_ = fmt::format("rank {} is another build of the program: its build id is {}, ours {}", from,
                             h.build, build_id());
    } else if (h.world_size != options_.world_size) {
      refusal_ = fmt::format("rank {} expects {} ranks, rank {} expects {}", from, h.world_size,
                             options_.rank, options_.world_size);
    } else if (!p.met) {
      p.met = true;
      met_.push_back(from);
      ++num_met_;
      if (!p.dealer) push(from, hello{protocol, build_id(), options_.world_size});
    }
    meeting_.notify_all();
  }

  // ---- any thread ----

  void push(rank_id to, const message& m) {
    bytes frame = encode(m, /*room=*/sizeof(std::uint64_t));
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
      if ((p.dealer ? *p.dealer : router_).get(zmq::sockopt::events) & ZMQ_POLLIN) ring();
    } catch (const zmq::error_t& e) {
      if (e.num() != EHOSTUNREACH) throw;
      p.gone = true;
      ring();
    }
  }

  // ---- the network thread ----

  void check_peers() {
    for (auto& [r, p] : peers_) {
      if (!p.met || p.lost) continue;
      push(r, ping{});
      const auto silent = clock::now() - p.heard;
      if (options_.hang_timeout.count() > 0 && silent > options_.hang_timeout) {
        lose(r, fmt::format("it has been silent for {} s", options_.hang_timeout.count()));
      }
    }
  }

  void lose(rank_id r, const std::string& why) {
    peer& p = peers_[r];
    if (p.lost.exchange(true) || leaving_) return;
    listener_.peer_lost(r, why);
  }

  const options options_;
  network_listener& listener_;
  zmq::context_t context_{1};
  mutex sockets_;
  zmq::socket_t router_ GUARDED_BY(sockets_);
  std::map<rank_id, peer> peers_;  // which there are, is known before the thread starts
  int wake_ = -1;
  std::atomic<bool> stop_{false};
  std::atomic<bool> leaving_{false};
  std::atomic<bool> listening_{false};
  std::vector<std::pair<rank_id, zmq::message_t>> frames_;  // of the network thread, as the next
  std::vector<std::pair<rank_id, message>> heard_;
  std::atomic<std::uint64_t> bytes_sent_{0};
  std::atomic<std::uint64_t> bytes_received_{0};
  mutex mutex_;
  condition meeting_;
  int num_met_ GUARDED_BY(mutex_) = 0;
  std::vector<rank_id> met_ GUARDED_BY(mutex_);
  std::string refusal_ GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace

/// Messages of some hundred KiB come and go all the time. By itself malloc gives the memory of each back to
/// the system, which clears its pages again for the next: a third of the time that a bulk transfer takes.
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
