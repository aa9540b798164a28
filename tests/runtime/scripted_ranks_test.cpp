// Every order of events that a few small launches on two and three ranks can have: each read is exactly the
// one that the consistency model promises, and the result is the same. The same orders over real transports.
#define STRADSAP_INSTRUMENTED
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/loop/dynamic/set_steps.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/mesh.hpp"
#include "tests/support/scripted_ranks.hpp"
#include "tests/support/small_loops.hpp"

using namespace stradsap::rt;
using namespace stradsap::test;
using namespace stradsap::test::small_loops;
using stradsap::ConsistencyModel;

namespace {

/// The same, and each iteration takes a group that was at the next accumulator in the round before.
small_loop with_rotating_groups(small_loop of) {
  of.groups = static_cast<std::uint32_t>(of.ranks.size());
  for (iteration& one : of.iterations)
    one.groups = {static_cast<std::uint32_t>((one.accumulator + one.round) % of.groups)};
  return of;
}

/// Blocks on two ranks that wait for each other's groups, and for two groups at a time.
small_loop tokens_of_two() {
  small_loop of;
  of.changes_relaxed = false;
  of.ranks = {0, 1};
  of.groups = 3;
  of.iterations = {{0, 0, {0}}, {1, 0, {1}}, {0, 0, {0, 1}}, {1, 0, {1, 2}},
                   {0, 0, {2}}, {1, 0, {0}}, {0, 0, {1, 2}}, {1, 0, {0, 2}}};
  return of;
}

}  // namespace

TEST_CASE("blocks see the groups of their serial order in any order of events", "[loop][scripted]") {
  explore_promised(tokens_of_two(), 150);
  small_loop of_three = with_rotating_groups(rounds_of_all({0, 1, 2}, 2, 0));
  of_three.changes_relaxed = false;
  explore_promised(of_three, 1000);
}

TEST_CASE("with a bound, each round sees exactly the folds that it may miss no more", "[loop][scripted]") {
  for (const std::size_t bound : {1, 2}) {
    INFO("bound " << bound);
    explore_promised(rounds_of_all({0, 1}, 3, bound), 700);
    explore_promised(rounds_of_all({0, 1}, 4, bound), 100, moves_groups, some_others);
    explore_promised(rounds_of_all({0, 1, 0}, 4, bound), 100, moves_groups, some_others);
    explore_promised(rounds_of_all({0, 1, 2}, 3, bound), 100, moves_groups, fewest_others);
  }
}

TEST_CASE("containers of one loop have bounds of their own, also 0", "[loop][scripted]") {
  for (const auto& [first, second] : {std::pair(0, 1), std::pair(2, 0), std::pair(1, 2)}) {
    INFO("bounds " << first << " and " << second);
    small_loop of = rounds_of_all({0, 1}, 4, 0);
    of.bounds[0] = static_cast<std::size_t>(first);
    of.bounds[1] = static_cast<std::size_t>(second);
    explore_promised(of, 50, moves_groups, some_others);
  }
}

TEST_CASE("groups travel while rounds of relaxed containers are folded", "[loop][scripted]") {
  explore_promised(with_rotating_groups(rounds_of_all({0, 1}, 2, 1)), 1200);
  explore_promised(with_rotating_groups(rounds_of_all({0, 1}, 4, 1)), 100, moves_groups, some_others);
  explore_promised(with_rotating_groups(rounds_of_all({0, 1, 2}, 4, 2)), 100, moves_groups, fewest_others);
}

TEST_CASE("copies of large relaxed containers, and of hottest elements, read as promised",
          "[loop][scripted]") {
  for (const std::size_t bound : {1, 2}) {
    small_loop large = rounds_of_all({0, 1}, 3, bound);
    large.size = 600;
    explore_promised(large, 50);
    small_loop hottest = rounds_of_all({0, 1}, 3, bound);
    hottest.only_hottest = true;
    explore_promised(hottest, 50);
  }
}

TEST_CASE("ranks without accumulators, or without some rounds, fold all rounds", "[loop][scripted]") {
  // The third accumulator has one iteration, in the middle round.
  small_loop of = rounds_of_all({0, 0, 1}, 3, 1);
  of.iterations = {{0, 0}, {0, 0}, {1, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 1},
                   {0, 1}, {1, 1}, {0, 2}, {1, 2}, {0, 2}, {1, 2}};
  explore_promised(of, 20, moves_groups, some_others);
  small_loop idle = rounds_of_all({0, 0}, 3, 1);
  idle.ranks = {0, 2};
  explore_promised(idle, 20, moves_groups, few_others);
}

TEST_CASE("without a bound, a round sees the folds of all earlier rounds", "[loop][scripted]") {
  explore_promised(rounds_of_all({0, 1}, 2, 0), 200, is_part);
  explore_promised(rounds_of_all({0, 1}, 4, 0), 20, is_part, some_others);
  explore_promised(rounds_of_all({0, 1, 2}, 3, 0), 100, is_part, few_others);
  small_loop hottest = rounds_of_all({0, 1, 0}, 2, 0);
  hottest.only_hottest = true;
  explore_promised(hottest, 20, is_part, some_others);
}

TEST_CASE("shards of a batch see its start and their own changes", "[loop][scripted]") {
  for (const auto& [ranks, batches] :
       {std::pair(std::vector<rank_id>{0, 1}, 2), std::pair(std::vector<rank_id>{0, 0, 1, 1}, 2),
        std::pair(std::vector<rank_id>{0, 1, 2}, 2)}) {
    const small_loop of = rounds_of_all(ranks, static_cast<std::size_t>(batches), 0);
    scripted_loop loop = loop_of(of);
    loop.call.model = static_cast<std::uint8_t>(ConsistencyModel::kind::sync);
    loop.call.batch = loop.call.shards = static_cast<std::int64_t>(ranks.size());
    const promise promised = promise_of(of);
    const auto fault_of = [&](const scripted_result& run) { return fault_in(run, promised); };
    explore_all(loop, is_part, 20, fault_of, ranks.size() == 2 ? limits().others : few_others);
  }
}

TEST_CASE("waves on two ranks keep program order in any order of events", "[loop][scripted]") {
  small_loop of;
  of.changes_relaxed = false;
  of.ranks = {0, 1};
  of.groups = 4;
  // levels of two iterations; from the third on, they use elements of both ranks
  of.iterations = {{0, 0, {0}},    {0, 0, {3}},    {0, 0, {0, 1}}, {0, 0, {3, 2}}, {0, 0, {1, 2}},
                   {0, 0, {0, 3}}, {0, 0, {1, 0}}, {0, 0, {2, 3}}, {0, 0, {0, 2}}, {0, 0, {1, 3}}};
  scripted_loop loop = loop_of(of);
  loop.make_plan = make_plan;
  loop.call.as_waves = true;
  loop.call.iteration_work = 1'000'000;
  const promise promised = promise_of(of);
  explore_all(loop, moves_groups, 30, [&](const scripted_result& run) {
    for (const done& end : run.ends) {
      if (end.work.iterations == 0) return std::string("a rank runs no iteration");
    }
    return fault_in(run, promised);
  });
}

TEST_CASE("the failure that the driver reports is the first in the serial order", "[loop][scripted]") {
  small_loop blocks = tokens_of_two();
  small_loop delayed = rounds_of_all({0, 1}, 3, 1);
  for (small_loop* const of : {&blocks, &delayed}) {
    of->throwing = 3;
    const scripted_loop loop = loop_of(*of);
    const promise promised = promise_of(*of);
    explore_all(loop, moves_groups, 20, [&](const scripted_result& run) {
      std::vector<std::int64_t> failed;
      for (const done& end : run.ends) {
        for (const failure& one : end.failures) failed.push_back(one.iteration);
      }
      if (failed != std::vector<std::int64_t>{3}) return std::string("another failure");
      for (std::size_t j = 0; j < promised.reads.size(); ++j) {
        if (run.reads[j].empty() && j > 3) continue;
        if (j != 3 && run.reads[j] != promised.reads[j]) return "reads of iteration " + std::to_string(j);
      }
      return std::string();
    });
  }
}

// ---- dynamic sets ----

/// Set k has the iterations of round k, and one shard on each rank. The driver's choice of sets is made by
/// hand.
static void order_sets(const small_loop& of, node& own, const stradsap::rt::launch& call) {
  own.begin_part(call);
  std::vector<replica*> replicas;
  for (const container_id id : call.containers) replicas.push_back(own.copies().find(id));
  captured_values none(num_containers);
  for (std::size_t c = 0; c < num_containers; ++c) none.add_none();
  const loop_frame frame = make_frame(scripted_entry(), call, 0, std::move(none), replicas);
  const written_captures written = written_by(frame, {});
  set_steps steps(own.ranks());
  set_execution here(frame, written, call.sets, driver_rank, num_ranks_of(of), own.pool());
  const auto shard_of = [&](rank_id r, std::uint64_t set) {
    rank_shards shard;
    shard.first = static_cast<std::uint64_t>(r);
    shard.members.resize(1);
    for (std::size_t j = 0; j < of.iterations.size(); ++j) {
      if (of.iterations[j].round == set && of.ranks[of.iterations[j].accumulator] == r)
        shard.members[0].push_back(static_cast<std::int64_t>(j));
    }
    return shard;
  };
  for (std::uint64_t set = 0; set < of.rounds; ++set) {
    const bool folds = set > call.sets.depth;
    if (folds) here.fold({}, steps.receive(set - call.sets.depth - 1));
    for (rank_id to = 1; to < num_ranks_of(of); ++to) {
      set_order order;
      order.shards = shard_of(to, set);
      if (folds) order.refused.emplace_back();
      steps.send(to, order, set);
    }
    here.run(shard_of(driver_rank, set));
    steps.send(set, here.message());
  }
  set_order last;
  last.is_end = true;
  for (rank_id to = 1; to < num_ranks_of(of); ++to) steps.send(to, last, of.rounds);
  for (std::uint64_t set = of.rounds - std::min(of.rounds, call.sets.depth + 1); set < of.rounds; ++set)
    here.fold({}, steps.receive(set));
  own.end_part(call.id);
}

TEST_CASE("a set sees the changes of all sets that its depth allows, and no others", "[loop][scripted]") {
  for (const std::size_t depth : {0, 1, 2}) {
    small_loop of = rounds_of_all({0, 1}, 4, depth);
    of.changes_relaxed = false;
    scripted_loop loop = loop_of(of);
    loop.call.sets.size = 4;
    loop.call.sets.shards = 2;
    loop.call.sets.depth = depth;
    loop.driver_part = [&](node& own, const stradsap::rt::launch& call) { order_sets(of, own, call); };
    loop.body = [](const stradsap::abi::block& in, std::int64_t j, std::vector<long>& reads) {
      long& seen = element(in, bits, 0);
      reads.push_back(seen);
      seen = plus(seen, 1L << j);
    };
    const auto fault_of = [&](const scripted_result& run) {
      long last = first_bits;
      for (std::size_t j = 0; j < of.iterations.size(); ++j) {
        long promised = first_bits;
        for (std::size_t i = 0; i < of.iterations.size(); ++i) {
          const bool is_folded = of.iterations[i].round + depth < of.iterations[j].round;
          const bool is_own = of.iterations[i].round == of.iterations[j].round &&
                              of.iterations[i].accumulator == of.iterations[j].accumulator && i < j;
          if (is_folded || is_own) promised |= 1L << i;
        }
        std::string fault = difference("reads of iteration", j, run.reads[j], {promised});
        if (!fault.empty()) return fault;
        last |= 1L << j;
      }
      return difference("container", bits, {run.elements[bits].front()}, {last});
    };
    explore_all(loop, is_part, 50, fault_of, some_others);
  }
}

// ---- the same orders over real transports ----

namespace {

/// Sockets for one run.
class real_network {
 public:
  explicit real_network(medium over) : over_(std::move(over)) {}
  [[nodiscard]] carrier through() {
    return [this](const options& o, network_listener& listener) {
      options own = folder_.of(o.rank, o.world_size);
      own.shared_memory = over_.uses_memory[static_cast<std::size_t>(o.rank) % over_.uses_memory.size()];
      if (over_.uses_zmq) return connect_zmq(own, listener);
      return connect_over([this, &o](const auto&) { return network_.open(o.rank); }, own, listener);
    };
  }

 private:
  const medium over_;
  job_folder folder_;
  local_network network_;
};

void check_over(const medium& over, const small_loop& of, is_chosen filter) {
  const scripted_loop loop = loop_of(of);
  const promise promised = promise_of(of);
  const exploration found = explore_promised(of, 1, filter, few_others);
  REQUIRE(found.some.size() >= 4);
  for (const choices& one : std::span(found.some).last(4)) {
    real_network network(over);
    script events(loop.ranks, filter, one);
    const scripted_result run = scripted_ranks(loop, events, network.through()).run();
    CHECK(fault_in(run, promised) == "");
    CHECK(events.taken() == one);
  }
}

}  // namespace

TEST_CASE("the orders of events that a script makes over ZeroMQ and shared memory give the same reads",
          "[loop][net][scripted]") {
  const medium over = any_medium();
  SECTION("with bounds") {
    check_over(over, with_rotating_groups(rounds_of_all({0, 1}, 3, 1)), moves_groups);
  }
  SECTION("three ranks") { check_over(over, rounds_of_all({0, 1, 2}, 2, 1), moves_groups); }
  SECTION("without bounds") { check_over(over, rounds_of_all({0, 1}, 3, 0), is_part); }
}
