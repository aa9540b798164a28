// Broadcasts: copies that go to all ranks without a request. Every rank is a thread, and messages arrive at
// once.
#define STRADSAP_INSTRUMENTED
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <stradsap/abi/operations.hpp>

#include "runtime/dds/broadcast.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

namespace {

constexpr rank_id num_ranks = 3;
using exchanges = std::vector<std::unique_ptr<exchange>>;

/// Delivers one rank's messages to the exchanges of the others.
class short_wire final : public transport {
 public:
  short_wire(rank_id self, exchanges& all) : self_(self), all_(all) {}
  void send(rank_id to, message m) override {
    ++sent;
    all_[static_cast<std::size_t>(to)]->received(self_, std::get<part>(std::move(m)));
  }
  void listen() override {}
  void expect_departures() override {}
  [[nodiscard]] std::uint64_t bytes_sent() const override { return 0; }
  [[nodiscard]] std::uint64_t bytes_received() const override { return 0; }
  int sent = 0;

 private:
  const rank_id self_;
  exchanges& all_;
};

struct cluster {
  cluster() {
    for (rank_id r = 0; r < num_ranks; ++r) {
      wires.push_back(std::make_unique<short_wire>(r, ranks));
      ranks.push_back(std::make_unique<exchange>(r, num_ranks, wires.back().get()));
    }
  }
  /// Calls work(rank) on all ranks at once.
  template <class Work> void run(const Work& work) {
    std::vector<std::thread> threads;
    for (rank_id r = 0; r < num_ranks; ++r) threads.emplace_back([&work, r] { work(r); });
    for (std::thread& one : threads) one.join();
  }
  exchanges ranks;
  std::vector<std::unique_ptr<short_wire>> wires;
};

/// Six elements in four groups. Each rank r sets the elements that it owns to "r".
struct part_of {
  explicit part_of(rank_id self)
      : local(container_id{1}, stradsap::abi::operations<std::string>::table, 6, nullptr, self,
              [this](replica&, const auto&) { ++fetched; }) {
    local.cut(partition({1, 3, 4, 6}, {2, 0, 1, 2}));
    for (std::uint64_t i = 0; i < 6; ++i) {
      if (local.groups().owner(local.groups().group_of(i)) == self) element(i) = std::to_string(self);
    }
  }
  std::string& element(std::uint64_t i) {
    return *static_cast<std::string*>(static_cast<void*>(local.at(i)));
  }

  int fetched = 0;
  replica local;
};

}  // namespace

TEST_CASE("what is handed out is on all ranks, in one message from each to each, and nobody fetches it",
          "[dds]") {
  cluster c;
  std::vector<std::unique_ptr<part_of>> parts;
  for (rank_id r = 0; r < num_ranks; ++r) parts.push_back(std::make_unique<part_of>(r));
  c.run([&](rank_id r) {
    part_of& mine = *parts[static_cast<std::size_t>(r)];
    broadcast({&mine.local, &mine.local}, *c.ranks[static_cast<std::size_t>(r)]);
    mine.local.hold_all();
  });
  for (rank_id r = 0; r < num_ranks; ++r) {
    part_of& mine = *parts[static_cast<std::size_t>(r)];
    std::string all;
    for (std::uint64_t i = 0; i < 6; ++i) all += mine.element(i);
    CHECK(all == "200122");
    CHECK(mine.fetched == 0);
    CHECK(c.wires[static_cast<std::size_t>(r)]->sent == num_ranks - 1);
  }
}

TEST_CASE("a container that changes after it was handed out is fetched again", "[dds]") {
  cluster c;
  std::vector<int> fetched(num_ranks);
  c.run([&](rank_id r) {
    part_of mine(r);
    broadcast({&mine.local}, *c.ranks[static_cast<std::size_t>(r)]);
    mine.local.drop_copies();
    mine.local.hold_all();
    fetched[static_cast<std::size_t>(r)] = mine.fetched;
  });
  CHECK(fetched == std::vector<int>{1, 1, 1});
}

TEST_CASE("a rank that cannot hand anything out ends the others' wait", "[dds]") {
  cluster c;
  std::vector<std::string> heard(num_ranks);
  c.run([&](rank_id r) {
    exchange& ranks = *c.ranks[static_cast<std::size_t>(r)];
    if (r == 1) return ranks.give_up("no memory");
    part_of mine(r);
    try {
      broadcast({&mine.local}, ranks);
    } catch (const stradsap::error& e) {
      heard[static_cast<std::size_t>(r)] = e.what();
    }
  });
  CHECK(heard[0].find("no memory") != std::string::npos);
  CHECK(heard[2].find("no memory") != std::string::npos);
}
