// The transport over sockets of ZeroMQ and shared memory. It composes three parts: the sessions over sockets,
// shared memory with the ranks of this machine, and the failure detector. Its own job is the choice between
// sockets and inbox, the network thread, and the receiving role.
//
// Any thread sends by itself; one thread receives. Ranks that can open each other's memory meet over the
// sockets, then write into each other's inboxes. "inbox in use" is the last message over a socket, except
// pings, and the receiver reads the inbox from then on. So messages keep their order over the change.
//
// Thread rule: send() and the members of `deliverer` by any thread. Order of mutexes: receiving_, a rank's in
// shared_memory, a session's, the sockets'.
#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <stradsap/error.hpp>

#include "runtime/base/log.hpp"
#include "runtime/base/mutex.hpp"
#include "runtime/net/failure_detector.hpp"
#include "runtime/net/meeting_point.hpp"
#include "runtime/net/run_folder.hpp"
#include "runtime/net/scheduler_slice.hpp"
#include "runtime/net/sessions.hpp"
#include "runtime/net/shared_memory.hpp"
#include "runtime/net/transport.hpp"
#include "runtime/net/wake_event.hpp"

namespace stradsap::rt {
namespace {

using clock = failure_detector::clock;

/// Whether a thread waits for this kind of message, and so polls for it.
bool has_a_waiter(const message& m) {
  return std::holds_alternative<launch>(m) || std::holds_alternative<recall>(m) ||
         std::holds_alternative<part>(m) || std::holds_alternative<part_taken>(m) ||
         std::holds_alternative<fetch_reply>(m) || std::holds_alternative<done>(m) ||
         std::holds_alternative<fold_clocks>(m);
}

class zmq_transport final : public transport, session_listener {
 public:
  zmq_transport(const options& o, network_listener& listener, std::unique_ptr<sockets> over,
                std::unique_ptr<run_folder> folder)
      : folder_(std::move(folder)),
        starter_(o.started_by && o.started_by->stays ? ::getppid() : 0),
        ranks_(o.world_size),
        may_restart_(o.may_restart),
        listener_(listener),
        failures_(o.world_size, o.hang_timeout, clock::now()),
        memory_(o, traffic_),
        sessions_(o, std::move(over), traffic_, *this),
        thread_([this] { serve(); }) {
    pthread_setname_np(thread_.native_handle(), "network");
  }

  ~zmq_transport() override {
    stop_ = true;
    wake_.ring();
    thread_.join();
  }

  void send(rank_id to, message m) override {
    bytes encoded = to_frame(m);
    if (!failures_.is_reachable(to)) return;
    memory_.send(to, std::move(encoded), has_a_waiter(m),
                 [&](bytes frame) { sessions_.send(to, std::move(frame)); });
  }

  void listen() override {
    listening_ = true;
    wake_.ring();
  }
  void expect_departures() override { failures_.expect_departures(); }
  std::uint64_t bytes_sent() const override { return traffic_.bytes_sent(); }
  std::uint64_t bytes_received() const override { return traffic_.bytes_received(); }
  bool is_far(rank_id r) const override { return sessions_.is_far(r); }
  std::uint64_t refused() const override { return sessions_.refused(); }
  bool shares_memory() const override {
    int others = 0;
    for (rank_id r = 0; r < ranks_; ++r) others += memory_.reads_from(r) ? 1 : 0;
    return others == ranks_ - 1;
  }

  void begin_looking() override { memory_.begin_looking(); }
  void look() override {
    if (!listening_ || !memory_.has_any() || !receiving_.try_lock()) return;
    deliver();
    receiving_.unlock();
  }
  void end_looking() override {
    memory_.end_looking();
    if (!listening_ || !memory_.has_any()) return;
    if (!receiving_.try_lock()) return wake_.ring();  // the receiving thread may be past the new frames
    deliver();
    receiving_.unlock();
  }
  void begin_waiting() override { memory_.begin_waiting(); }
  void end_waiting() override { memory_.end_waiting(); }

  /// Blocks until every peer said hello. Throws error(errc::cluster) at the time-out or on a refusal.
  void meet() { sessions_.wait(); }

 private:
  static constexpr std::chrono::milliseconds linger{1000};  // for frames without room, at the end
  /// Of the kernel of another host, if the run can begin again. It is asked at each ping.
  static constexpr std::chrono::milliseconds longest_silence{800};

  // ---- reports of the sessions

  void met(rank_id peer) override {
    failures_.met(peer, clock::now());
    if (const auto place = memory_.place()) sessions_.send(peer, to_frame(*place));
  }

  /// Handles the messages of the transport itself; keeps all others for the listener.
  void received(rank_id from, message m) override REQUIRES(receiving_) {
    failures_.heard(from, clock::now());
    if (failures_.is_lost(from) || std::holds_alternative<ping>(m)) return;
    if (const auto* const at = std::get_if<inbox_place>(&m)) {
      return memory_.open_outbox(from, *at, [&] { sessions_.send(from, to_frame(inbox_in_use{})); });
    }
    if (!std::holds_alternative<inbox_in_use>(m)) {
      heard_.emplace_back(from, std::move(m));
    } else if (!memory_.open_inbox(from)) {
      lose({from, "it uses an inbox for which there are no addresses here"});
    }
  }

  void failed(rank_id peer, const std::string& why) override REQUIRES(receiving_) { lose({peer, why}); }

  void disconnected(rank_id peer) override {
    if (failures_.disconnected(peer)) wake_.ring();
  }

  void some_disconnected() override { failures_.suspect(clock::now()); }

  // ---- the network thread

  void serve() {
    sessions_.begin();
    memory_.begin_looking();
    std::vector<pollfd> all = descriptors();
    while (!stop_) {
      receive(wait_for_work(all));
      if (failures_.is_ping_due(clock::now())) check_peers();
    }
    flush_all(clock::now() + linger);
  }

  std::vector<pollfd> descriptors() const {
    std::vector<pollfd> all{{memory_.descriptor(), POLLIN, 0}, {wake_.descriptor(), POLLIN, 0}};
    for (const int one : sessions_.descriptors()) all.push_back({one, POLLIN, 0});
    return all;
  }

  /// Sleeps until an event or the next ping. Returns whether the sockets or `wake_` have work; an inbox needs
  /// no answer.
  bool wait_for_work(std::vector<pollfd>& all) {
    using std::chrono::milliseconds;
    const auto left = std::chrono::duration_cast<milliseconds>(failures_.next_ping() - clock::now());
    memory_.end_looking();
    const bool has_any = listening_ && memory_.has_any();
    ::poll(all.data(), all.size(), has_any ? 0 : std::max(0, static_cast<int>(left.count())));
    memory_.begin_looking();
    if (all[0].revents != 0) {
      memory_.hush();
      (void)flush();
    }
    wake_.hush();
    return std::any_of(all.begin() + 1, all.end(), [](const pollfd& one) { return one.revents != 0; });
  }

  void receive(bool from_sockets) {
    const lock_guard hold(receiving_);
    // Collected first, so the last messages of these ranks are delivered before their loss.
    const std::vector<loss> departed = failures_.departed();
    if (from_sockets || !departed.empty()) sessions_.receive();
    if (!listening_) return;
    deliver();
    for (const loss& one : departed) {
      if (!memory_.has_any(one.rank)) lose(one);
    }
    if (!failures_.departed().empty()) wake_.ring();
  }

  /// Writes the frames that wait for room in other inboxes; returns whether all are written.
  bool flush() {
    bool is_all = true;
    for (rank_id r = 0; r < ranks_; ++r) is_all &= !failures_.is_reachable(r) || memory_.flush(r);
    return is_all;
  }

  /// Sends the rest of the messages even if the transport ends, as ZeroMQ does.
  void flush_all(clock::time_point until) {
    while (!flush() && clock::now() < until) {
      pollfd doorbell{memory_.descriptor(), POLLIN, 0};
      ::poll(&doorbell, 1, /*milliseconds=*/10);
      memory_.hush();
    }
  }

  void check_peers() {
    check_starter();
    const lock_guard hold(receiving_);
    for (const rank_id r : failures_.present()) sessions_.send(r, to_frame(ping{}));
    for (const loss& one : failures_.silent(clock::now())) lose(one);
    if (!may_restart_) return;
    for (const rank_id r : failures_.present()) {
      if (sessions_.is_cut_off(r, longest_silence)) lose({r, "its host does not answer"});
    }
  }

  // ---- the thread with the receiving role

  /// Delivers messages of the sockets before those of the inbox.
  void deliver() noexcept REQUIRES(receiving_) {
    for (auto& [from, m] : std::exchange(heard_, {})) hear(from, std::move(m));
    for (const loss& one : std::exchange(lost_early_, {})) listener_.peer_lost(one.rank, one.why);
    for (rank_id r = 0; r < ranks_; ++r) {
      if (memory_.reads_from(r)) deliver_inbox(r);
    }
  }

  /// Bounded, so that other peers get their turn and pings go out.
  void deliver_inbox(rank_id from) REQUIRES(receiving_) {
    constexpr int most = 1000;
    try {
      for (int i = 0; i < most; ++i) {
        auto m = memory_.next(from);
        if (!m) return;
        failures_.heard(from, clock::now());
        hear(from, std::move(*m));
      }
    } catch (const error& e) {
      lose({from, e.what()});
    }
  }

  void hear(rank_id from, message m) REQUIRES(receiving_) {
    try {
      if (!failures_.is_lost(from)) listener_.received(from, std::move(m));
    } catch (const error& e) {
      lose({from, e.what()});
    }
  }

  void lose(const loss& one) REQUIRES(receiving_) {
    memory_.close_inbox(one.rank);
    if (!failures_.lose(one.rank)) return;
    if (!listening_) return lost_early_.push_back(one);
    listener_.peer_lost(one.rank, one.why);
  }

  /// Ends the process if that which started it has gone: nobody else would, and nobody reads its output.
  void check_starter() const {
    if (starter_ != 0 && ::getppid() != starter_)
      die(lost_peer_status, "the process that started this rank has gone");
  }

  const std::unique_ptr<run_folder> folder_;  // of ranks that stradsap-run did not start
  const pid_t starter_;                       // 0: may end before this process
  const int ranks_;
  const bool may_restart_;
  network_listener& listener_;
  wake_event wake_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> listening_{false};
  traffic traffic_;
  failure_detector failures_;
  shared_memory memory_;
  sessions sessions_;
  mutex receiving_;
  std::vector<std::pair<rank_id, message>> heard_ GUARDED_BY(receiving_);  // over the sockets
  std::vector<loss> lost_early_ GUARDED_BY(receiving_);                    // before listen()
  std::thread thread_;
};

}  // namespace

/// ZeroMQ ends the process if descriptors run out, so this raises their limit first: two for each rank, and a
/// third for a doorbell.
static bool has_descriptors_to_spare(int ranks) {
  const auto wanted = static_cast<rlim_t>(64 + 6 * ranks);
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return true;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur == wanted;
}

static std::unique_ptr<transport> connect_in(std::unique_ptr<run_folder> folder, const socket_factory& open,
                                             const options& o, network_listener& listener) {
  options with_room = o;
  with_room.shared_memory = o.shared_memory && has_descriptors_to_spare(o.world_size);
  std::unique_ptr<zmq_transport> mesh;
  {
    const scheduler_slice of_its_threads;  // for `network` and ZeroMQ's, which start with the first socket
    mesh = std::make_unique<zmq_transport>(with_room, listener, open(o), std::move(folder));
  }
  mesh->meet();
  return mesh;
}

std::unique_ptr<transport> connect_over(const socket_factory& open, const options& o,
                                        network_listener& listener) {
  return connect_in(nullptr, open, o, listener);
}

std::unique_ptr<transport> connect_zmq(const options& o, network_listener& listener) {
  if (!o.started_by) return connect_over(open_zmq_sockets, o, listener);
  options ready = o;
  auto folder = std::make_unique<run_folder>(o);
  ready.run_dir = folder->path();
  if (!o.started_by->is_one_host()) ready.address = choose_own_address(ready);
  return connect_in(std::move(folder), open_zmq_sockets, ready, listener);
}

}  // namespace stradsap::rt
