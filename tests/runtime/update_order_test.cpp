// The order of updates in a dynamic loop: passes over all iterations, and sweeps over those that change.
#include "runtime/loop/dynamic/update_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

using stradsap::abi::priority_by;
using stradsap::rt::candidate;
using stradsap::rt::priorities;
using stradsap::rt::update_limits;
using stradsap::rt::update_order;
using stradsap::rt::update_range;

namespace {

constexpr std::uint64_t many = 1'000'000'000;

/// Iterations as they run, with changes that `change2(j, update)` gives.
template <class Change>
std::vector<std::int64_t> run(update_order& order, const Change& change2, std::int64_t most_of_sweep = 1) {
  std::vector<std::int64_t> ran;
  while (true) {
    const update_range range = order.next(most_of_sweep);
    if (range.count == 0) return ran;
    REQUIRE(range.count <= update_order::most_in_range);
    for (std::size_t k = 0; k < static_cast<std::size_t>(range.count); ++k) {
      const candidate one = range.member(k);
      order.changed(one, change2(one.iteration, ran.size()));
      ran.push_back(one.iteration);
    }
  }
}

}  // namespace

TEST_CASE("A dynamic loop in which nothing changes is one pass in the order of iterations", "[dynamic]") {
  update_order order(200, 1, {many, 1e-6}, [] { return 1.0; });
  const std::vector<std::int64_t> ran = run(order, [](std::int64_t, std::size_t) { return 0.0; });
  REQUIRE(ran.size() == 200);
  for (std::size_t i = 0; i < ran.size(); ++i) REQUIRE(ran[i] == static_cast<std::int64_t>(i));
  CHECK(order.has_converged());
  CHECK(order.passes() == 1);
  CHECK(order.sweeps() == 0);
  CHECK(order.last_change() == 0);
}

TEST_CASE("Between passes only the iterations run that changed their elements", "[dynamic]") {
  // iterations 3 and 150 halve their distance from the optimum at each update
  std::vector<double> distance(200, 0.0);
  distance[3] = distance[150] = 1;
  update_order order(200, 1, {many, 1e-3}, [] { return 1.0; });
  const std::vector<std::int64_t> ran = run(order, [&](std::int64_t j, std::size_t) {
    double& d = distance[static_cast<std::size_t>(j)];
    d /= 2;
    return d * d;
  });
  CHECK(order.has_converged());
  CHECK(order.passes() >= 2);
  CHECK(order.sweeps() >= 2);
  CHECK(ran.size() == order.passes() * 200 + order.sweeps() * 2);
  CHECK(order.updates() == ran.size());
  // the last pass ran them too, and found them at rest
  CHECK(distance[3] <= 1e-3);
  CHECK(order.last_change() <= 1e-3);
  CHECK(order.last_change() > 0);
}

TEST_CASE("A pass that changes an element at rest makes it active", "[dynamic]") {
  // iteration 7 wakes up in the second pass, as the update of a neighbour may cause it to
  int passes = 0;
  bool was_awake = false;
  update_order order(50, 1, {many, 0}, [] { return 1.0; });
  const std::vector<std::int64_t> ran = run(order, [&](std::int64_t j, std::size_t update) {
    if (j == 0) ++passes;
    const bool first = j == 1 && update < 50;
    const bool wakes = j == 7 && passes == 2 && !was_awake;
    was_awake = was_awake || wakes;
    return first || wakes ? 1.0 : 0.0;
  });
  CHECK(was_awake);
  CHECK(order.has_converged());
  CHECK(ran.back() == 49);  // the proof is a pass over all
  CHECK(order.passes() == 3);
}

TEST_CASE("Each sweep has an order of its own, which the seed decides", "[dynamic]") {
  const auto order_of = [](std::uint64_t seed) {
    update_order order(100, seed, {300, -1}, [] { return 1.0; });
    return run(order, [](std::int64_t, std::size_t) { return 1.0; });
  };
  const std::vector<std::int64_t> ran = order_of(1);
  const std::vector<std::int64_t> first(ran.begin() + 100, ran.begin() + 200);
  const std::vector<std::int64_t> second(ran.begin() + 200, ran.end());
  CHECK(first != second);
  CHECK(std::is_permutation(first.begin(), first.end(), ran.begin()));
  CHECK(std::is_permutation(second.begin(), second.end(), ran.begin()));
  CHECK(order_of(1) == ran);
  CHECK(order_of(2) != ran);
}

TEST_CASE("The members of a sweep are the same one by one and in lists", "[dynamic]") {
  const auto third = [](std::int64_t j, std::size_t update) {
    return j % 3 == 0 ? 1.0 / static_cast<double>(1 + update / 200) : 0.0;
  };
  for (const std::uint64_t most : {many, std::uint64_t{777}}) {
    update_order one_by_one(200, 1, {most, 1e-3}, [] { return 1e4; });
    update_order in_lists(200, 1, {most, 1e-3}, [] { return 1e4; });
    const std::vector<std::int64_t> ran = run(one_by_one, third);
    CHECK(one_by_one.sweeps() > 2);
    CHECK(run(in_lists, third, 64) == ran);
    CHECK(in_lists.updates() == ran.size());
    CHECK(in_lists.sweeps() == one_by_one.sweeps());
  }
}

TEST_CASE("The limit of updates is exact, within a pass and within a sweep", "[dynamic]") {
  const auto always = [](std::int64_t, std::size_t) { return 1.0; };
  for (const std::uint64_t most : {1, 63, 64, 100, 130, 199, 1001}) {
    update_order order(100, 1, {most, -1}, [] { return 1.0; });
    CHECK(run(order, always).size() == most);
    CHECK_FALSE(order.has_converged());
  }
}

TEST_CASE("The tolerance is a part of the greatest element", "[dynamic]") {
  const auto small = [](std::int64_t, std::size_t) { return 1e-4; };  // each update moves by 0.01
  update_order among_great(10, 1, {many, 1e-4}, [] { return 1e8; });
  run(among_great, small);
  CHECK(among_great.has_converged());
  CHECK(among_great.passes() == 1);
  update_order among_small(10, 1, {5000, 1e-4}, [] { return 1.0; });
  run(among_small, small);
  CHECK_FALSE(among_small.has_converged());
  CHECK(among_small.last_change() == Approx(0.01));
}

TEST_CASE("A solve that starts from a similar solution begins with its active set", "[dynamic]") {
  std::vector<double> distance(100, 0.0);
  distance[5] = distance[60] = 1;
  update_order order(100, 1, {many, 1e-3}, [] { return 1.0; });
  order.begin_with({5, 60});
  const std::vector<std::int64_t> ran = run(order, [&](std::int64_t j, std::size_t) {
    double& d = distance[static_cast<std::size_t>(j)];
    d /= 2;
    return d * d;
  });
  CHECK((ran[0] == 5 || ran[0] == 60));
  CHECK(ran[0] + ran[1] == 65);
  CHECK(ran.size() == order.passes() * 100 + order.sweeps() * 2);
  CHECK(order.sweeps() > order.passes());
  CHECK(order.has_converged());
}

TEST_CASE("The program's choice is solved to the tolerance, so that one pass proves the end", "[dynamic]") {
  std::vector<double> distance(100, 0.0);
  distance[5] = distance[60] = 1;
  const auto halve = [&](std::int64_t j, std::size_t) {
    double& d = distance[static_cast<std::size_t>(j)];
    d /= 2;
    return d * d;
  };
  update_order order(100, 1, {many, 1e-3}, [] { return 4.0; });
  order.begin_with({5, 60}, [](std::int64_t j) { return j == 5 ? 4.0 : 1.0; });
  const std::vector<std::int64_t> ran = run(order, halve);
  CHECK(order.has_converged());
  CHECK(order.passes() == 1);
  CHECK(ran.size() == 100 + 2 * order.sweeps());
  CHECK(order.sweeps() == 12);  // the last one moves both by 2^-12: a fifth of the tolerance at most
}

TEST_CASE("An iteration that the pass after the program's choice moves is solved as well", "[dynamic]") {
  std::vector<double> distance(100, 0.0);
  distance[5] = distance[60] = 1;
  update_order order(100, 1, {many, 1e-3}, [] { return 1.0; });
  order.begin_with({5}, [](std::int64_t) { return 1.0; });
  run(order, [&](std::int64_t j, std::size_t) {
    double& d = distance[static_cast<std::size_t>(j)];
    d /= 2;
    return d * d;
  });
  CHECK(order.has_converged());
  CHECK(order.passes() == 2);
  CHECK(distance[60] <= 2e-4);
}

TEST_CASE("Without a tolerance, or with nothing chosen, passes follow", "[dynamic]") {
  update_order limited(100, 1, {1000, -1}, [] { return 1.0; });
  limited.begin_with({5}, [](std::int64_t) { return 1.0; });
  const auto nine = [](std::int64_t j, std::size_t update) { return j == 5 && update < 9 ? 1.0 : 0.0; };
  const std::vector<std::int64_t> ran = run(limited, nine);
  CHECK(ran.size() == 110);  // 9 sweeps that change 5, one that does not, and a pass
  CHECK(limited.passes() >= 1);
  update_order none(100, 1, {many, 1e-3}, [] { return 1.0; });
  none.begin_with({}, [](std::int64_t) { return 1.0; });
  CHECK(run(none, [](std::int64_t, std::size_t) { return 0.0; }).size() == 100);
  CHECK(none.has_converged());
}

namespace {

/// Runs sets of up to `most` iterations. `left(set)` tells how many of its last iterations do not run yet.
template <class Change, class Left>
std::vector<std::int64_t> run_sets(update_order& order, std::size_t most, const Change& change2,
                                   const Left& left) {
  std::vector<std::int64_t> ran;
  while (true) {
    std::vector<candidate> set = order.take(most);
    if (set.empty()) return ran;
    REQUIRE(set.size() <= most);
    const std::vector<candidate> back(set.end() - static_cast<std::ptrdiff_t>(left(set)), set.end());
    set.resize(set.size() - back.size());
    for (const candidate& one : set) {
      order.changed(one, change2(one.iteration));
      ran.push_back(one.iteration);
    }
    order.give_back(back);
  }
}

}  // namespace

TEST_CASE("Sets take the iterations of passes and sweeps, and none twice", "[dynamic]") {
  const auto one_by_one = [](std::uint64_t most, const auto& change2) {
    update_order order(100, 1, {most, -1}, [] { return 1.0; });
    return run(order, [&](std::int64_t j, std::size_t) { return change2(j); });
  };
  const auto third = [](std::int64_t j) { return j % 3 == 0 ? 1.0 : 0.0; };
  update_order order(100, 1, {500, -1}, [] { return 1.0; });
  const auto ran = run_sets(order, 16, third, [](const auto&) { return 0; });
  CHECK(ran == one_by_one(500, third));
  // some run in a later set than they were taken for
  update_order late(100, 1, {500, -1}, [] { return 1.0; });
  const auto half = run_sets(late, 16, third, [](const auto& set) { return set.size() / 2; });
  CHECK(half == ran);  // in the same order, since the last ones of a set come first in the next
  CHECK(late.sweeps() == order.sweeps());
  CHECK(late.passes() == order.passes());
}

TEST_CASE("Iterations that were given back keep their count of idle sweeps", "[dynamic]") {
  update_order order(20, 1, {many, 0}, [] { return 1.0; });
  std::vector<int> updates(20, 0);
  // each one changes its element once, and is then idle
  const auto first = [&](std::int64_t j) { return updates[static_cast<std::size_t>(j)]++ == 0 ? 1.0 : 0.0; };
  const auto ran = run_sets(order, 8, first, [](const auto& set) { return set.size() - 1; });
  CHECK(order.has_converged());
  CHECK(order.sweeps() == 1);  // it changes nothing, and the next pass proves it
  CHECK(order.passes() == 2);
  CHECK(ran.size() == 60);
}

TEST_CASE("The limit of updates holds for sets, also if iterations were given back", "[dynamic]") {
  for (const std::uint64_t most : {1, 5, 16, 17, 100, 130, 333}) {
    update_order order(100, 1, {most, -1}, [] { return 1.0; });
    const auto ran =
        run_sets(order, 16, [](std::int64_t) { return 1.0; }, [](const auto& set) { return set.size() / 3; });
    CHECK(ran.size() == most);
    CHECK_FALSE(order.has_converged());
  }
}

TEST_CASE("With priorities, draws in proportion to them are between the passes", "[dynamic]") {
  constexpr std::int64_t n = 100;
  const auto f = [](std::int64_t j) { return j % 2 == 0 ? 1.0 + static_cast<double>(j) : 0; };
  const priority_by by(f);
  priorities drawn(by, n, 7);
  update_order order(n, 1, {20'000, -1}, [] { return 1.0; }, &drawn);
  const std::vector<std::int64_t> ran = run(order, [](std::int64_t, std::size_t) { return 1.0; });
  REQUIRE(ran.size() == 20'000);
  std::vector<double> counts(n);
  for (const std::int64_t j : ran) ++counts[static_cast<std::size_t>(j)];
  const auto passes = static_cast<double>(order.passes());
  CHECK(passes >= 5);
  double all = 0;
  for (double& count : counts) all += count -= passes;
  CHECK(all > 15'000);
  double off = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    const double wanted = all * f(j) / 2500;
    if (wanted == 0) {
      CHECK(counts[static_cast<std::size_t>(j)] <= 1);  // of a last pass that the limit ends
    } else {
      off += (counts[static_cast<std::size_t>(j)] - wanted) * (counts[static_cast<std::size_t>(j)] - wanted) /
             wanted;
    }
  }
  CHECK(off < 49 + 4 * std::sqrt(98));
}

TEST_CASE("Draws that are taken for a set differ, and those given back come first", "[dynamic]") {
  const priority_by by([](std::int64_t j, double change) { return change + (j == 3 ? 1000 : 0); });
  priorities drawn(by, 10, 7);
  update_order order(10, 1, {many, 0}, [] { return 1.0; }, &drawn);
  for (const candidate& one : order.take(10)) order.changed(one, 4);
  std::vector<candidate> set = order.take(6);
  REQUIRE(set.size() == 6);
  CHECK(set[0].iteration == 3);  // it has 98 % of the weight
  std::vector<std::int64_t> different = {};
  for (const candidate& one : set) different.push_back(one.iteration);
  std::sort(different.begin(), different.end());
  CHECK(std::unique(different.begin(), different.end()) == different.end());
  const candidate left = set.back();
  set.pop_back();
  for (const candidate& one : set) order.changed(one, 0);
  order.give_back({left});
  const std::vector<candidate> next = order.take(2);
  REQUIRE(next.size() == 2);
  CHECK(next[0].iteration == left.iteration);
  CHECK(next[1].iteration == 3);
}

TEST_CASE("A pass with iterations in flight does not end, and limits count them", "[dynamic]") {
  update_order order(10, 1, {15, 0}, [] { return 1.0; });
  const std::vector<candidate> first = order.take(6);
  const std::vector<candidate> second = order.take(6, 6);
  CHECK(second.size() == 4);
  CHECK(order.take(6, 10).empty());
  for (const candidate& one : first) order.changed(one, 1);
  CHECK(order.take(6, 4).empty());
  order.give_back({second[2], second[3]});
  const std::vector<candidate> again = order.take(6, 2);
  REQUIRE(again.size() == 2);
  CHECK(again[0].iteration == second[2].iteration);
  for (std::size_t k = 0; k < 2; ++k) order.changed(second[k], 1);
  for (const candidate& one : again) order.changed(one, 1);
  CHECK(order.passes() == 0);
  CHECK(order.take(3).size() == 3);  // of a sweep
  CHECK(order.passes() == 1);
  CHECK(order.take(9, 3).size() == 2);  // of 15 updates
}

TEST_CASE("With priorities a loop converges by a pass, and priorities of zero leave passes only",
          "[dynamic]") {
  std::vector<double> distance(200, 1.0);
  const auto halve = [&](std::int64_t j, std::size_t) {
    double& d = distance[static_cast<std::size_t>(j)];
    d /= 2;
    return d * d;
  };
  const priority_by squared([](std::int64_t, double change) { return change * change; });
  priorities by_change(squared, 200, 7);
  update_order order(200, 1, {many, 1e-3}, [] { return 1.0; }, &by_change);
  (void)run(order, halve);
  CHECK(order.has_converged());
  CHECK(order.last_change() <= 1e-3);
  CHECK(order.sweeps() >= 2);
  std::fill(distance.begin(), distance.end(), 1.0);
  const priority_by zero([](std::int64_t) { return 0; });
  priorities none(zero, 200, 7);
  update_order passes(200, 1, {many, 1e-3}, [] { return 1.0; }, &none);
  const std::vector<std::int64_t> ran = run(passes, halve);
  CHECK(ran.size() == 200 * passes.passes());
  CHECK(passes.has_converged());
}

TEST_CASE("A priority that is negative, infinite or no number fails once, with its iteration", "[dynamic]") {
  for (const double bad : {-1.0, HUGE_VAL, std::nan("")}) {
    const priority_by by([bad](std::int64_t j) { return j == 5 ? bad : 1; });
    priorities drawn(by, 10, 7);
    drawn.changed(4, 1);
    CHECK_FALSE(drawn.failed());
    drawn.changed(5, 1);
    drawn.changed(6, 1);
    REQUIRE(drawn.failed());
    CHECK(drawn.failed()->iteration == 5);
    CHECK(drawn.failed()->what.find("must be finite and not negative") != std::string::npos);
  }
}
