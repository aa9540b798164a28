// Small launches with the reads that their consistency model promises, and a search of all orders of events
// that they can have. Included by one test file of each kind of launch. Thread rule: of scripted_ranks.hpp.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "runtime/loop/launch/sent_merge.hpp"
#include "runtime/loop/plan/group_sizes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scripted_ranks.hpp"

namespace stradsap::test::small_loops {

using namespace stradsap::rt;
using stradsap::ConsistencyModel;

// The captures. An iteration adds its own bit to `bits`, so a read names the iterations that it has seen. The
// order of the changes of `traces` and `ordered` decides their values.
inline constexpr std::size_t traces = 0;   // an element for each group; owned by blocks
inline constexpr std::size_t bits = 1;     // the first element: its fold is a sum
inline constexpr std::size_t ordered = 2;  // the last element: its fold is fold_ordered()

inline constexpr long first_bits = 1L << 60;
inline constexpr long first_ordered = 3;

inline long times(long a, long b) {
  return static_cast<long>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
inline long plus(long a, long b) {
  return static_cast<long>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
inline long traced(long before, std::int64_t j) { return plus(times(before, 31), j + 1); }
inline long stepped(long before, std::int64_t j) { return plus(times(before, 7), 5 * j + 2); }
inline long fold_ordered(long folded, long start, long end) {
  return plus(times(folded, 131), plus(end, -start));
}

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

inline int num_ranks_of(const small_loop& of) {
  return 1 + *std::max_element(of.ranks.begin(), of.ranks.end());
}

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
inline long promised_bits(const small_loop& of, std::size_t j) {
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

inline promise promise_of(const small_loop& of) {
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
inline plan plan_of(const small_loop& of, const planning& in) {
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

inline scripted_loop loop_of(const small_loop& of) {
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

inline std::string text_of(const std::vector<long>& values) {
  std::string text;
  for (const long one : values) text += " " + std::to_string(one);
  return text;
}

inline std::string difference(const char* what, std::size_t number, const std::vector<long>& found,
                              const std::vector<long>& expected) {
  if (found == expected) return {};
  return std::string(what) + " " + std::to_string(number) + ":" + text_of(found) + ", promised" +
         text_of(expected);
}

/// The first difference between a run and its promise; empty if there is none.
inline std::string fault_in(const scripted_result& run, const promise& promised) {
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

inline bool moves_groups(const message& m) {
  return std::holds_alternative<token>(m) || std::holds_alternative<moved_elements>(m) ||
         std::holds_alternative<cancel>(m);
}
inline bool is_part(const message& m) { return std::holds_alternative<part>(m); }

/// Choices of other events than the first, in a run of tools/test without --soak. A soak explores all that a
/// test asks for.
inline std::size_t most_others() {
  constexpr std::size_t with_each_commit = 1;
  return std::getenv("TEST_FEW_SHAPES") != nullptr ? with_each_commit : limits().others;
}

/// Any order of events gives the promised reads. `least`: states that it meets at least, if all are explored.
/// `others`: see limits.
template <class Check>
inline exploration explore_all(const scripted_loop& loop, is_chosen filter, std::size_t least,
                               const Check& check, std::size_t others = limits().others) {
  limits most;
  most.others = std::min(others, most_others());
  const exploration found = explore(
      loop.ranks, filter, most, [&](script& events) { return check(scripted_ranks(loop, events).run()); });
  INFO("runs: " << found.runs << ", states: " << found.states);
  CHECK(found.fault == "");
  CHECK(found.is_complete);
  CHECK(found.states >= (most.others == others ? least : 2));
  return found;
}

inline exploration explore_promised(const small_loop& of, std::size_t least, is_chosen filter = moves_groups,
                                    std::size_t others = limits().others) {
  const scripted_loop loop = loop_of(of);
  const promise promised = promise_of(of);
  const auto fault_of = [&](const scripted_result& run) { return fault_in(run, promised); };
  return explore_all(loop, filter, least, fault_of, others);
}

// For loops with many orders of events: on two ranks, on three, and on three that all fold.
inline constexpr std::size_t some_others = 3;
inline constexpr std::size_t few_others = 2;
inline constexpr std::size_t fewest_others = 1;

// ---- small loops ----

/// An iteration of each accumulator in each round.
inline small_loop rounds_of_all(std::vector<rank_id> ranks, std::size_t rounds, std::size_t bound) {
  small_loop of;
  of.ranks = std::move(ranks);
  of.rounds = rounds;
  of.bounds[0] = of.bounds[1] = bound;
  for (std::size_t r = 0; r < rounds; ++r) {
    for (std::uint32_t a = 0; a < of.ranks.size(); ++a) of.iterations.push_back({a, r});
  }
  return of;
}

}  // namespace stradsap::test::small_loops
