// A run of several ranks in this process, each with a transport and a listener that keeps its messages.
// Thread rule: a listener is thread-safe, the rest belongs to the test's thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/base/mutex.hpp"
#include "runtime/net/exchange.hpp"
#include "runtime/net/sockets.hpp"
#include "runtime/net/transport.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/job_folder.hpp"
#include "tests/support/local_network.hpp"

/// Collects the messages that one rank receives.
class ear final : public stradsap::rt::network_listener {
 public:
  using message = stradsap::rt::message;
  using rank_id = stradsap::rt::rank_id;
  void received(rank_id from, message m) override {
    stradsap::rt::exchange* const steps = collectives;
    if (steps != nullptr && std::holds_alternative<stradsap::rt::part>(m)) {
      steps->received(from, std::move(std::get<stradsap::rt::part>(m)));
      return;
    }
    if (steps != nullptr && std::holds_alternative<stradsap::rt::part_taken>(m)) {
      steps->received(from, std::get<stradsap::rt::part_taken>(m));
      return;
    }
    const stradsap::rt::lock_guard hold(mutex_);
    heard_.emplace_back(from, std::move(m));
    changed_.notify_all();
  }
  void peer_lost(rank_id peer, const std::string& why) override {
    const stradsap::rt::lock_guard hold(mutex_);
    lost_.push_back(peer);
    why_ = why;
    changed_.notify_all();
  }
  /// The first n messages; fewer if they do not come within ten seconds.
  std::vector<std::pair<rank_id, message>> wait(std::size_t n) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    const stradsap::rt::lock_guard hold(mutex_);
    while (heard_.size() < n && changed_.wait_until(mutex_, until)) {
    }
    return heard_;
  }
  std::vector<rank_id> wait_for_loss() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    const stradsap::rt::lock_guard hold(mutex_);
    while (lost_.empty() && changed_.wait_until(mutex_, until)) {
    }
    return lost_;
  }
  std::vector<rank_id> lost_now() {
    const stradsap::rt::lock_guard hold(mutex_);
    return lost_;
  }
  std::string why_lost() {
    const stradsap::rt::lock_guard hold(mutex_);
    return why_;
  }
  std::atomic<stradsap::rt::exchange*> collectives = nullptr;

 private:
  stradsap::rt::mutex mutex_;
  stradsap::rt::condition changed_;
  std::vector<std::pair<rank_id, message>> heard_;
  std::vector<rank_id> lost_;
  std::string why_;
};

/// The way of messages between ranks.
struct medium {
  bool uses_zmq = true;                 // else a local network
  std::vector<bool> uses_memory{true};  // one value for each rank, or one for all
};

/// Sockets of ZeroMQ, and a local network. The thread sanitizer does not see how libzmq hands data from one
/// thread to another, so there it is the local network alone.
inline bool zmq_or_local() {
#ifdef __SANITIZE_THREAD__
  return false;
#else
  return GENERATE(true, false);
#endif
}

/// Each sockets with and without shared memory, and a run in which some ranks cannot use it.
inline medium any_medium() {
  const bool uses_zmq = zmq_or_local();
  return {uses_zmq,
          GENERATE(std::vector<bool>{true}, std::vector<bool>{false}, std::vector<bool>{true, true, false})};
}

/// All ranks of a run.
struct mesh {
  explicit mesh(int ranks, const medium& over = {}, bool listens = true)
      : ears(static_cast<std::size_t>(ranks)) {
    using stradsap::rt::rank_id;
    std::vector<std::future<std::unique_ptr<stradsap::rt::transport>>> meeting;
    for (rank_id r = 0; r < ranks; ++r) {
      stradsap::rt::options o = folder.of(r, ranks);
      o.shared_memory = over.uses_memory[static_cast<std::size_t>(r) % over.uses_memory.size()];
      meeting.push_back(std::async(std::launch::async, [this, o, &over, r] {
        ear& its = ears[static_cast<std::size_t>(r)];
        if (over.uses_zmq) return stradsap::rt::connect_zmq(o, its);
        return stradsap::rt::connect_over([this, r](const auto&) { return network.open(r); }, o, its);
      }));
    }
    for (auto& one : meeting) nets.push_back(one.get());
    for (auto& net : nets) {
      if (listens) net->listen();
    }
  }
  ~mesh() {
    for (auto& net : nets) {
      if (net != nullptr) net->expect_departures();
    }
  }
  job_folder folder;
  local_network network;
  std::vector<ear> ears;
  std::vector<std::unique_ptr<stradsap::rt::transport>> nets;
};

/// Mappings of inboxes in this process. For each of two ranks: the head of its own inbox and of the other's,
/// and two rings, each twice.
inline int inboxes_mapped() {
  std::ifstream maps("/proc/self/maps");
  int found = 0;
  for (std::string line; std::getline(maps, line);) found += line.find("/memfd:stradsap-inbox") != line.npos;
  return found;
}
inline constexpr int inboxes_of_two = 12;

inline stradsap::rt::token numbered(std::uint32_t number, std::size_t size) {
  stradsap::rt::token t;
  t.block = number;
  t.elements.resize(size, static_cast<std::byte>(number));
  return t;
}

/// Whether these are the tokens from 0 on, complete.
inline bool are_numbered(const std::vector<std::pair<stradsap::rt::rank_id, stradsap::rt::message>>& heard,
                         std::size_t (*size)(std::uint32_t)) {
  std::uint32_t next = 0;
  for (const auto& [from, m] : heard) {
    const auto* const t = std::get_if<stradsap::rt::token>(&m);
    if (t == nullptr || t->block != next++ || t->elements.size() != size(t->block)) return false;
    const auto is_of_it = [&](std::byte b) { return b == static_cast<std::byte>(t->block); };
    if (!std::all_of(t->elements.begin(), t->elements.end(), is_of_it)) return false;
  }
  return true;
}
