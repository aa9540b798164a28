// Every order of events that a few small launches on two and three ranks can have: each read is exactly the
// one that the consistency model promises, and the result is the same. The same orders over real transports.
#define STRADSAP_INSTRUMENTED
#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "runtime/loop/dynamic/set_steps.hpp"
#include "runtime/loop/launch/sent_merge.hpp"
#include "runtime/loop/plan/group_sizes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/mesh.hpp"
#include "tests/support/scripted_ranks.hpp"

using namespace stradsap::rt;
using namespace stradsap::test;
using stradsap::ConsistencyModel;

namespace {

// The captures. An iteration adds its own bit to `bits`, so a read names the iterations that it has seen. The
// order of the changes of `traces` and `ordered` decides their values.
constexpr std::size_t traces = 0;   // an element for each group; owned by blocks
constexpr std::size_t bits = 1;     // the first element: its fold is a sum
constexpr std::size_t ordered = 2;  // the last element: its fold is fold_ordered()

constexpr long first_bits = 1L << 60;
constexpr long first_ordered = 3;

long times(long a, long b) {
  return static_cast<long>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
long plus(long a, long b) {
  return static_cast<long>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
long traced(long before, std::int64_t j) { return plus(times(before, 31), j + 1); }
long stepped(long before, std::int64_t j) { return plus(times(before, 7), 5 * j + 2); }
long fold_ordered(long folded, long start, long end) { return plus(times(folded, 131), plus(end, -start)); }

/// An iteration of a small loop.
struct iteration {
  std::uint32_t accumulator;
  std::size_t round;
  std::vector<std::uint32_t> groups = {};  // of `traces`
};

/// A small loop, as its promises see it. Iterations are in serial order.
struct small_loop {
  std::vector<rank_id> ranks;  // by accumulator
  std::vector<iteration> iterations;
  std::size_t rounds = 1;
  std::uint32_t groups = 1;
  bool changes_relaxed = true;
  bool only_hottest = false;       // the elements of `bits` and `ordered` that iterations change are relaxed
  std::size_t size = 8;            // elements of `bits` and `ordered`
  std::size_t bounds[2] = {0, 0};  // of `bits` and `ordered`
  std::int64_t throwing = -1;      // iteration
};

int num_ranks_of(const small_loop& of) { return 1 + *std::max_element(of.ranks.begin(), of.ranks.end()); }

// ---- the promises ----

/// The changes of one accumulator in one round.
struct change {
  long start = 0;
  long end = 0;
};

/// A read of a relaxed container in round r sees the folds of all rounds up to r - bound - 1, and the changes
/// of its accumulator.
class promised_values {
 public:
  promised_values(const small_loop& of, std::size_t bound, long first, long (*step)(long, std::int64_t),
                  long (*merge)(long, long, long))
      : loop_(of), bound_(bound), step_(step), merge_(merge), folds_{first} {
    reads_.resize(of.iterations.size());
    changes_.resize(of.ranks.size(), std::vector<change>(of.rounds));
    for (std::size_t r = 0; r < of.rounds; ++r) run_round(r);
  }
  [[nodiscard]] long read(std::size_t j) const { return reads_[j]; }
  [[nodiscard]] long last() const { return folds_.back(); }

 private:
  void run_round(std::size_t r) {
    for (std::uint32_t a = 0; a < loop_.ranks.size(); ++a) {
      const std::size_t seen = r - std::min(r, bound_);
      long now = folds_[seen];
      for (std::size_t q = seen; q < r; ++q) {
        const change& own = changes_[a][q];
        if (own.start != own.end) now = merge_(now, own.start, own.end);
      }
      changes_[a][r].start = now;
      for (std::size_t j = 0; j < loop_.iterations.size(); ++j) {
        if (loop_.iterations[j].accumulator != a || loop_.iterations[j].round != r) continue;
        reads_[j] = now;
        now = step_(now, static_cast<std::int64_t>(j));
      }
      changes_[a][r].end = now;
    }
    long folded = folds_.back();
    for (const std::vector<change>& of : changes_) {
      if (of[r].start != of[r].end) folded = merge_(folded, of[r].start, of[r].end);
    }
    folds_.push_back(folded);
  }

  const small_loop& loop_;
  const std::size_t bound_;
  long (*const step_)(long, std::int64_t);
  long (*const merge_)(long, long, long);
  std::vector<long> folds_;  // of the first rounds, by their number
  std::vector<std::vector<change>> changes_;
  std::vector<long> reads_;
};

/// The bits of the iterations that iteration j sees, said once more without values.
long promised_bits(const small_loop& of, std::size_t j) {
  const iteration& own = of.iterations[j];
  long seen = first_bits;
  for (std::size_t i = 0; i < of.iterations.size(); ++i) {
    const iteration& other = of.iterations[i];
    const bool is_folded = other.round + of.bounds[0] < own.round;
    if (is_folded || (other.accumulator == own.accumulator && i < j)) seen |= 1L << i;
  }
  return seen;
}

/// The elements of all containers.
struct all_elements {
  explicit all_elements(const small_loop& of) {
    of_container[traces].resize(of.groups);
    std::iota(of_container[traces].begin(), of_container[traces].end(), 100);
    of_container[bits].resize(of.size);
    of_container[bits].front() = first_bits;
    of_container[ordered].resize(of.size);
    of_container[ordered].back() = first_ordered;
  }
  std::vector<long> of_container[num_containers];
};

struct promise {
  std::vector<std::vector<long>> reads;
  all_elements elements;
};

promise promise_of(const small_loop& of) {
  promise made{{}, all_elements(of)};
  std::vector<long>& traces_now = made.elements.of_container[traces];
  const auto add_bit = [](long now, std::int64_t j) { return plus(now, 1L << j); };
  const auto add = [](long folded, long start, long end) { return plus(folded, plus(end, -start)); };
  const promised_values sums(of, of.bounds[0], first_bits, add_bit, add);
  const promised_values in_order(of, of.bounds[1], first_ordered, stepped, fold_ordered);
  for (std::size_t j = 0; j < of.iterations.size(); ++j) {
    std::vector<long>& reads = made.reads.emplace_back();
    for (const std::uint32_t g : of.iterations[j].groups) {
      reads.push_back(traces_now[g]);
      traces_now[g] = traced(traces_now[g], static_cast<std::int64_t>(j));
    }
    if (!of.changes_relaxed) continue;
    reads.push_back(sums.read(j));
    reads.push_back(in_order.read(j));
    REQUIRE(sums.read(j) == promised_bits(of, j));
  }
  if (!of.changes_relaxed) return made;
  made.elements.of_container[bits].front() = sums.last();
  made.elements.of_container[ordered].back() = in_order.last();
  return made;
}

// ---- the launches ----

/// Each iteration is a block.
plan plan_of(const small_loop& of, const planning& in) {
  cut_evenly(*in.frame.replicas[traces], of.groups);
  plan made;
  made.num_accumulators = of.changes_relaxed ? static_cast<std::uint32_t>(of.ranks.size()) : 0;
  made.accumulator_ranks = of.ranks;
  if (of.only_hottest) {
    made.hot.resize(num_containers);
    made.hot[bits] = hot_units({0}, 1, of.size);
    made.hot[ordered] = hot_units({of.size - 1}, 1, of.size);
  }
  for (std::uint32_t g = 0; g < of.groups; ++g) made.tokens.push_back({traces, g});
  for (std::size_t j = 0; j < of.iterations.size(); ++j) {
    const iteration& one = of.iterations[j];
    plan_block block;
    block.first_token = static_cast<std::uint32_t>(made.block_tokens.size());
    block.num_tokens = static_cast<std::uint32_t>(one.groups.size());
    block.count = 1;
    block.rank = of.ranks[one.accumulator];
    block.begin = j;
    block.accumulator = one.accumulator;
    made.block_tokens.insert(made.block_tokens.end(), one.groups.begin(), one.groups.end());
    made.order.push_back(static_cast<std::uint32_t>(j));
    made.blocks.push_back(block);
  }
  return made;
}

scripted_loop loop_of(const small_loop& of) {
  scripted_loop loop;
  loop.ranks = num_ranks_of(of);
  loop.call.n = static_cast<std::int64_t>(of.iterations.size());
  loop.call.model = static_cast<std::uint8_t>(ConsistencyModel::kind::async);
  loop.make_plan = [&of](const planning& in) { return plan_of(of, in); };
  const all_elements start(of);
  std::copy_n(start.of_container, num_containers, loop.elements);
  if (of.changes_relaxed) {
    const auto round = loop.call.n / static_cast<std::int64_t>(of.rounds);
    const std::int64_t hottest = of.only_hottest ? 1 : -1;
    const stradsap::merge::rule in_order = fold_ordered;
    loop.call.relaxed = {
        {bits, round, as_sent(stradsap::merge::sum), hottest, static_cast<std::int64_t>(of.bounds[0])},
        {ordered, round, as_sent(in_order), hottest, static_cast<std::int64_t>(of.bounds[1])}};
  }
  loop.body = [&of](const stradsap::abi::block& in, std::int64_t j, std::vector<long>& reads) {
    if (j == of.throwing) throw std::runtime_error("too far");
    for (const std::uint32_t g : of.iterations[static_cast<std::size_t>(j)].groups) {
      long& now = element(in, traces, g);
      reads.push_back(now);
      now = traced(now, j);
    }
    if (!of.changes_relaxed) return;
    long& seen = element(in, bits, 0);
    reads.push_back(seen);
    seen = plus(seen, 1L << j);
    long& steps = element(in, ordered, of.size - 1);
    reads.push_back(steps);
    steps = stepped(steps, j);
  };
  return loop;
}

std::string text_of(const std::vector<long>& values) {
  std::string text;
  for (const long one : values) text += " " + std::to_string(one);
  return text;
}

std::string difference(const char* what, std::size_t number, const std::vector<long>& found,
                       const std::vector<long>& expected) {
  if (found == expected) return {};
  return std::string(what) + " " + std::to_string(number) + ":" + text_of(found) + ", promised" +
         text_of(expected);
}

/// The first difference between a run and its promise; empty if there is none.
std::string fault_in(const scripted_result& run, const promise& promised) {
  for (const done& end : run.ends) {
    for (const failure& one : end.failures) return "failure: " + one.what;
  }
  for (std::size_t j = 0; j < promised.reads.size(); ++j) {
    std::string fault = difference("reads of iteration", j, run.reads[j], promised.reads[j]);
    if (!fault.empty()) return fault;
  }
  if (run.undelivered != 0) return std::to_string(run.undelivered) + " messages are left";
  for (std::size_t c = 0; c < num_containers; ++c) {
    std::string fault =
        difference("elements of container", c, run.elements[c], promised.elements.of_container[c]);
    if (!fault.empty()) return fault;
  }
  return {};
}

bool moves_groups(const message& m) {
  return std::holds_alternative<token>(m) || std::holds_alternative<moved_elements>(m) ||
         std::holds_alternative<cancel>(m);
}
bool is_part(const message& m) { return std::holds_alternative<part>(m); }

/// Any order of events gives the promised reads. `least`: states that it meets at least. `others`: see
/// limits.
template <class Check>
exploration explore_all(const scripted_loop& loop, is_chosen filter, std::size_t least, const Check& check,
                        std::size_t others = limits().others) {
  limits most;
  most.others = others;
  const exploration found = explore(
      loop.ranks, filter, most, [&](script& events) { return check(scripted_ranks(loop, events).run()); });
  INFO("runs: " << found.runs << ", states: " << found.states);
  CHECK(found.fault == "");
  CHECK(found.is_complete);
  CHECK(found.states >= least);
  return found;
}

exploration explore_promised(const small_loop& of, std::size_t least, is_chosen filter = moves_groups,
                             std::size_t others = limits().others) {
  const scripted_loop loop = loop_of(of);
  const promise promised = promise_of(of);
  const auto fault_of = [&](const scripted_result& run) { return fault_in(run, promised); };
  return explore_all(loop, filter, least, fault_of, others);
}

// For loops with many orders of events: on two ranks, and on three.
constexpr std::size_t some_others = 3;
constexpr std::size_t few_others = 2;

// ---- small loops ----

/// An iteration of each accumulator in each round.
small_loop rounds_of_all(std::vector<rank_id> ranks, std::size_t rounds, std::size_t bound) {
  small_loop of;
  of.ranks = std::move(ranks);
  of.rounds = rounds;
  of.bounds[0] = of.bounds[1] = bound;
  for (std::size_t r = 0; r < rounds; ++r) {
    for (std::uint32_t a = 0; a < of.ranks.size(); ++a) of.iterations.push_back({a, r});
  }
  return of;
}

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
    explore_promised(rounds_of_all({0, 1, 2}, 3, bound), 100, moves_groups, few_others);
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
  explore_promised(with_rotating_groups(rounds_of_all({0, 1, 2}, 4, 2)), 100, moves_groups, few_others);
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
static void order_sets(const small_loop& of, node& own, const rt::launch& call) {
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
    loop.driver_part = [&](node& own, const rt::launch& call) { order_sets(of, own, call); };
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
