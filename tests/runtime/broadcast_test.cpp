// Broadcasts: copies that go to all ranks without a request.
#define STRADSAP_INSTRUMENTED
#include <string>
#include <vector>

#include <stradsap/abi/operations.hpp>

#include "runtime/dds/broadcast.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thread_ranks.hpp"

using namespace stradsap::rt;
using stradsap::test::num_ranks;
using stradsap::test::thread_ranks;

namespace {

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

TEST_CASE("a broadcast container is on all ranks, by one message from each to each, without a fetch",
          "[dds]") {
  thread_ranks c;
  std::vector<std::unique_ptr<part_of>> parts;
  for (rank_id r = 0; r < num_ranks; ++r) parts.push_back(std::make_unique<part_of>(r));
  c.run([&](rank_id r) {
    part_of& mine = *parts[static_cast<std::size_t>(r)];
    broadcast({&mine.local, &mine.local}, c.of(r));
    mine.local.hold_all();
  });
  for (rank_id r = 0; r < num_ranks; ++r) {
    part_of& mine = *parts[static_cast<std::size_t>(r)];
    std::string all;
    for (std::uint64_t i = 0; i < 6; ++i) all += mine.element(i);
    CHECK(all == "200122");
    CHECK(mine.fetched == 0);
    CHECK(c.sent(r) == num_ranks - 1);
  }
}

TEST_CASE("a container that changes after its broadcast is fetched again", "[dds]") {
  thread_ranks c;
  std::vector<int> fetched(num_ranks);
  c.run([&](rank_id r) {
    part_of mine(r);
    broadcast({&mine.local}, c.of(r));
    mine.local.drop_copies();
    mine.local.hold_all();
    fetched[static_cast<std::size_t>(r)] = mine.fetched;
  });
  CHECK(fetched == std::vector<int>{1, 1, 1});
}

TEST_CASE("a rank that cannot broadcast ends the others' wait", "[dds]") {
  thread_ranks c;
  std::vector<std::string> heard(num_ranks);
  c.run([&](rank_id r) {
    exchange& ranks = c.of(r);
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
