// A frame that goes wrong: its receiver has lost the sender, or has all messages. A seed decides the fault;
// TEST_SEEDS is the number of seeds.
#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/error.hpp>

#include "runtime/net/transport.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/faulty_sockets.hpp"
#include "tests/support/job_folder.hpp"
#include "tests/support/local_network.hpp"
#include "tests/support/mesh.hpp"

using namespace stradsap::rt;

namespace {

constexpr int num_ranks = 3;
constexpr std::uint32_t num_messages = 100;

std::size_t size_of_message(std::uint32_t n) { return n % 7 * 100; }

/// The messages of each other rank, which have to be numbered, and the ranks that are lost.
class tally final : public network_listener {
 public:
  void received(rank_id from, message m) override {
    const lock_guard hold(mutex_);
    const auto* const t = std::get_if<token>(&m);
    std::uint32_t& next = next_[static_cast<std::size_t>(from)];
    is_wrong_ = is_wrong_ || t == nullptr || t->block != next ||
                t->elements != numbered(next, size_of_message(next)).elements;
    ++next;
  }
  void peer_lost(rank_id peer, const std::string& why) override {
    const lock_guard hold(mutex_);
    why_[static_cast<std::size_t>(peer)] = why;
  }
  bool is_wrong() {
    const lock_guard hold(mutex_);
    return is_wrong_;
  }
  bool has_all_of(rank_id peer) {
    const lock_guard hold(mutex_);
    return next_[static_cast<std::size_t>(peer)] == num_messages;
  }
  std::string why_lost(rank_id peer) {
    const lock_guard hold(mutex_);
    return why_[static_cast<std::size_t>(peer)];
  }

 private:
  mutex mutex_;
  bool is_wrong_ GUARDED_BY(mutex_) = false;
  std::uint32_t next_[num_ranks] GUARDED_BY(mutex_) = {};
  std::string why_[num_ranks] GUARDED_BY(mutex_);
};

/// Ranks of which one has faulty sockets.
class faulty_run {
 public:
  faulty_run(rank_id faulty, const frame_fault& fault, bool uses_memory) {
    std::vector<std::future<std::unique_ptr<transport>>> meeting;
    for (rank_id r = 0; r < num_ranks; ++r) {
      options o = folder_.of(r, num_ranks);
      o.shared_memory = uses_memory;
      o.start_timeout = std::chrono::seconds(1);
      meeting.push_back(std::async(std::launch::async, [this, o, r, faulty, fault] {
        return connect_over([&](const options&) { return open(r, r == faulty ? fault : frame_fault{}); }, o,
                            at(r));
      }));
    }
    for (auto& one : meeting) {
      try {
        nets_.push_back(one.get());
      } catch (const stradsap::error& e) {
        nets_.push_back(nullptr);
        refusals_ += std::string(e.what()) + "\n";
      }
    }
  }
  ~faulty_run() {
    for (auto& net : nets_) {
      if (net != nullptr) net->expect_departures();
    }
  }

  /// The reasons of ranks that could not meet all others, or an empty text.
  [[nodiscard]] const std::string& refusals() const { return refusals_; }

  void exchange_messages() {
    for (auto& net : nets_) net->listen();
    for (std::uint32_t n = 0; n < num_messages; ++n) {
      for (rank_id from = 0; from < num_ranks; ++from) {
        for (rank_id to = 0; to < num_ranks; ++to) {
          if (to != from) nets_[static_cast<std::size_t>(from)]->send(to, numbered(n, size_of_message(n)));
        }
      }
    }
  }

  /// Whether each rank gets to know of each other one that it has all its messages, or has lost it: within
  /// ten seconds.
  bool ends() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    for (rank_id r = 0; r < num_ranks; ++r) {
      for (rank_id other = 0; other < num_ranks; ++other) {
        const auto is_known = [&] {
          return r == other || at(r).has_all_of(other) || !at(r).why_lost(other).empty() ||
                 !at(other).why_lost(r).empty();
        };
        while (!is_known() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
        if (!is_known()) return false;
      }
    }
    return true;
  }
  [[nodiscard]] tally& at(rank_id r) { return heard_[static_cast<std::size_t>(r)]; }

 private:
  std::unique_ptr<sockets> open(rank_id self, const frame_fault& fault) {
    return std::make_unique<faulty_sockets>(network_.open(self), fault,
                                            [this, self](rank_id to) { network_.cut(self, to); });
  }

  job_folder folder_;
  local_network network_;
  tally heard_[num_ranks];
  std::string refusals_;
  std::vector<std::unique_ptr<transport>> nets_;
};

std::uint32_t number_of_seeds() {
  const char* const given = std::getenv("TEST_SEEDS");
  return given == nullptr ? 30 : static_cast<std::uint32_t>(std::atoi(given));
}

}  // namespace

TEST_CASE("a frame that goes wrong is harmless, or loses its sender; messages stay whole and in order",
          "[transport]") {
  for (std::uint32_t seed = 1; seed <= number_of_seeds(); ++seed) {
    std::mt19937 draw(seed);
    const auto below = [&](std::uint32_t n) { return draw() % n; };
    const auto faulty = static_cast<rank_id>(below(num_ranks));
    const auto to =
        static_cast<rank_id>((static_cast<std::uint32_t>(faulty) + 1 + below(num_ranks - 1)) % num_ranks);
    const auto kind = static_cast<fault_kind>(1 + below(5));
    const bool uses_memory = below(4) == 0;
    const frame_fault fault{kind, to, 1 + below(uses_memory ? 3 : num_messages), 1 + below(20)};
    faulty_run run(faulty, fault, uses_memory);
    INFO("seed " << seed << ", fault " << static_cast<int>(kind) << " of rank " << faulty << " at frame "
                 << fault.number << " to rank " << to << (uses_memory ? ", in memory" : ""));
    if (!run.refusals().empty()) {
      CHECK(run.refusals().find("rank") != std::string::npos);
      continue;
    }
    run.exchange_messages();
    REQUIRE(run.ends());
    for (rank_id r = 0; r < num_ranks; ++r) {
      CHECK(!run.at(r).is_wrong());
      for (rank_id other = 0; other < num_ranks; ++other) {
        const bool is_affected = (r == faulty && other == to) || (r == to && other == faulty);
        if (!is_affected || kind == fault_kind::late) CHECK(run.at(r).why_lost(other).empty());
      }
    }
    if (uses_memory) continue;  // pings are the only later frames, and the run may end before
    const std::string why = run.at(to).why_lost(faulty);
    if (kind == fault_kind::cut) CHECK(why == "its process has gone");
    if (kind == fault_kind::drop || kind == fault_kind::twice || kind == fault_kind::swap)
      CHECK(why.find("message ") == 0);
  }
}
