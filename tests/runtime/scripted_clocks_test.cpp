// Every order of events that a few calls of a loop under consistency::stale can have on two ranks: each read
// is exactly the promised one. Of free-running calls, with and without a budget of bytes, each read is one of
// those that the model allows.
#define STRADSAP_INSTRUMENTED
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/small_loops.hpp"

using namespace stradsap::rt;
using namespace stradsap::test;
using namespace stradsap::test::small_loops;

namespace {

/// Each round is a call with an iteration for each accumulator, in the same order.
scripted_loop clocks_of(const small_loop& of, bool is_free, std::uint64_t budget = 0) {
  scripted_loop loop = loop_of(of);
  const auto n = static_cast<std::int64_t>(of.ranks.size());
  loop.clocks = of.rounds;
  loop.call.n = n;
  loop.call.relaxed.push_back({traces, n, as_sent(stradsap::merge::sum)});
  for (relaxed_capture& one : loop.call.relaxed) {
    one.round = n;
    one.bound = static_cast<std::int64_t>(of.bounds[0]);
    one.is_free = is_free;
    one.budget = budget;
  }
  loop.body = [body = loop.body, n](const stradsap::abi::block& in, std::int64_t j,
                                    std::vector<long>& reads) {
    const auto clock = static_cast<std::int64_t>(reads.size() / 2);
    body(in, clock * n + j, reads);
  };
  return loop;
}

/// The reads of iteration j in all calls.
std::vector<long> in_calls(const small_loop& of, const promise& promised, std::size_t j) {
  std::vector<long> all;
  for (std::size_t r = 0; r < of.rounds; ++r) {
    const std::vector<long>& one = promised.reads[r * of.ranks.size() + j];
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

/// The clocks that a read of `bits` in a clock has seen of other accumulators; `none` if they are no whole
/// ones.
constexpr std::size_t no_whole_clocks = ~std::size_t{0};
std::size_t clocks_seen(const small_loop& of, std::size_t clock, std::size_t j, long seen) {
  const std::size_t n = of.ranks.size();
  for (std::size_t folded = 0; folded <= clock; ++folded) {
    long expected = first_bits;
    for (std::size_t r = 0; r < clock; ++r) {
      for (std::size_t a = 0; a < n; ++a) expected |= r < folded || a == j ? 1L << (r * n + a) : 0L;
    }
    if (expected == seen) return folded;
  }
  return no_whole_clocks;
}

/// The same with a budget: the clocks that it has seen completely. Of each accumulator it may see more, but
/// in their order.
std::size_t clocks_seen_completely(const small_loop& of, std::size_t clock, std::size_t j, long seen) {
  const std::size_t n = of.ranks.size();
  std::size_t complete = clock;
  long expected = first_bits;
  for (std::size_t a = 0; a < n; ++a) {
    std::size_t r = 0;
    for (; r < clock && (seen & 1L << (r * n + a)) != 0; ++r) expected |= 1L << (r * n + a);
    if (a == j && r < clock) return no_whole_clocks;
    complete = std::min(complete, r);
  }
  return expected == seen ? complete : no_whole_clocks;
}

void explore_exact(const small_loop& of, std::size_t others = limits().others) {
  const promise promised = promise_of(of);
  const auto fault_of = [&](const scripted_result& run) {
    for (std::size_t j = 0; j < of.ranks.size(); ++j) {
      std::string fault = difference("reads of iteration", j, run.reads[j], in_calls(of, promised, j));
      if (!fault.empty()) return fault;
    }
    for (const std::size_t c : {bits, ordered}) {
      std::string fault = difference("container", c, run.elements[c], promised.elements.of_container[c]);
      if (!fault.empty()) return fault;
    }
    return std::string();
  };
  explore_all(clocks_of(of, /*is_free=*/false), moves_groups, 20, fault_of, others);
}

// Budgets for the changes of two containers.
constexpr std::uint64_t none_fits = 1;
constexpr std::uint64_t one_fits = 50;

void explore_free(const small_loop& of, std::size_t others = limits().others, std::uint64_t budget = 0) {
  long last = first_bits;
  for (std::size_t k = 0; k < of.iterations.size(); ++k) last |= 1L << k;
  std::vector<std::size_t> unseen(of.bounds[0] + 1);  // reads, by the clocks that they miss
  const auto fault_of = [&](const scripted_result& run) {
    for (std::size_t j = 0; j < of.ranks.size(); ++j) {
      for (std::size_t clock = 0; clock < of.rounds; ++clock) {
        const auto seen_of = budget == 0 ? clocks_seen : clocks_seen_completely;
        const std::size_t seen = seen_of(of, clock, j, run.reads[j][2 * clock]);
        const bool is_early = budget == none_fits && clock == 1 && seen == 1;  // all changes of clock 0 wait
        if (seen == no_whole_clocks || seen + of.bounds[0] < clock || is_early)
          return "clock " + std::to_string(clock) + " sees" + text_of({run.reads[j][2 * clock]});
        if (clock >= of.bounds[0]) ++unseen[clock - seen];  // with exact delay: the bound
      }
    }
    return difference("container", bits, {run.elements[bits].front()}, {last});
  };
  explore_all(clocks_of(of, /*is_free=*/true, budget), moves_groups, 20, fault_of, others);
  const std::size_t reads = std::accumulate(unseen.begin(), unseen.end(), std::size_t{0});
  CHECK(unseen.back() > 0);
  CHECK(unseen.back() < reads);
  if (budget != 0 || most_others() < others) return;
  for (const std::size_t of_clocks : unseen) CHECK(of_clocks > 0);
}

}  // namespace

TEST_CASE("a clock sees exactly the clocks that its bound promises", "[loop][scripted]") {
  for (const std::size_t bound : {0, 1, 2}) {
    INFO("bound " << bound);
    explore_exact(rounds_of_all({0, 1}, 3, bound));
    explore_exact(rounds_of_all({0, 1}, 5, bound), few_others);
  }
}

TEST_CASE("a free-running clock sees whole clocks, those that its bound promises or more",
          "[loop][scripted]") {
  for (const std::size_t bound : {1, 2}) {
    INFO("bound " << bound);
    explore_free(rounds_of_all({0, 1}, 3, bound));
    explore_free(rounds_of_all({0, 1}, 5, bound), few_others);
    small_loop large = rounds_of_all({0, 1}, 4, bound);  // copied on demand
    large.size = 600;
    explore_free(large, few_others);
  }
}

TEST_CASE("with a budget of bytes a clock sees the clocks that its bound promises completely",
          "[loop][scripted]") {
  for (const std::size_t bound : {1, 2, 3}) {
    for (const std::uint64_t budget : {none_fits, one_fits}) {
      INFO("bound " << bound << ", " << budget << " bytes");
      explore_free(rounds_of_all({0, 1}, 5, bound), few_others, budget);
      small_loop large = rounds_of_all({0, 1}, 5, bound);  // copied on demand
      large.size = 600;
      explore_free(large, few_others, budget);
      if (bound < 3) explore_free(rounds_of_all({0, 1}, 3, bound), limits().others, budget);
    }
  }
}
