// The updates of a dynamic schedule that a program runs itself: sets, their order, their end, and mistakes.
#include <stradsap/updates.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/loop/dynamic/update_order.hpp"
#include "tests/support/catch.hpp"

using stradsap::errc;
using stradsap::error;
using stradsap::rt::candidate;
using stradsap::rt::update_order;
using stradsap::schedule::dynamic;
using stradsap::schedule::dynamic_updates;
using list = std::vector<std::int64_t>;

namespace {

/// The iterations of all sets. Each update of iteration j multiplies its distance from the optimum by a
/// tenth.
list run(dynamic_updates& solve, std::vector<double> distance, std::int64_t most) {
  list ran;
  for (list set = solve.next(most); !set.empty(); set = solve.next(most)) {
    REQUIRE(static_cast<std::int64_t>(set.size()) <= most);
    REQUIRE(std::set<std::int64_t>(set.begin(), set.end()).size() == set.size());
    for (const std::int64_t j : set) {
      double& d = distance[static_cast<std::size_t>(j)];
      d /= 10;
      solve.changed(j, -9 * d, 1 - d);
    }
    ran.insert(ran.end(), set.begin(), set.end());
  }
  return ran;
}

template <class Call> std::string message_of(const Call& call, errc code) {
  try {
    call();
  } catch (const error& failure) {
    CHECK(failure.code() == code);
    return failure.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("A program's updates have the order of a dynamic loop", "[dynamic]") {
  std::vector<double> distance(300, 0.0);
  for (std::size_t j = 0; j < distance.size(); j += 7) distance[j] = 1;
  auto solve = dynamic().until(1e-4).over(300);
  const list ran = run(solve, distance, 1);
  CHECK(solve.has_converged());
  CHECK(solve.passes() >= 2);
  CHECK(solve.updates() == static_cast<std::int64_t>(ran.size()));
  update_order order(300, 0, {1000000, 1e-4}, [] { return 1.0; });
  for (const std::int64_t j : ran) {
    const std::vector<candidate> next = order.take(1);
    REQUIRE(next.size() == 1);
    REQUIRE(next.front().iteration == j);
    double& d = distance[static_cast<std::size_t>(j)];
    d /= 10;
    order.changed(next.front(), 81 * d * d);
  }
  CHECK(order.take(1).empty());
}

TEST_CASE("The tolerance is a part of the greatest element of the last pass", "[dynamic]") {
  // elements of 100: the change of 0.009 in the third pass is below a ten thousandth
  auto solve = dynamic().until(1e-4).over(10);
  double change = 0.9;
  for (list set = solve.next(10); !set.empty(); set = solve.next(10)) {
    for (const std::int64_t j : set) solve.changed(j, change, j == 3 ? -100 : 0.1);
    change /= 10;
  }
  CHECK(solve.has_converged());
  CHECK(change > 1e-5);
}

TEST_CASE("No iteration of a set depends on another one, and all of a pass run", "[dynamic]") {
  const auto near = [](std::int64_t a, std::int64_t b) { return std::abs(a - b) < 3 ? 1.0 : 0.0; };
  auto solve = dynamic().passes(1).depends(near).over(100);
  list ran;
  for (list set = solve.next(8); !set.empty(); set = solve.next(8)) {
    std::vector<std::int64_t> sorted = set;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t k = 1; k < sorted.size(); ++k) REQUIRE(sorted[k] - sorted[k - 1] >= 3);
    for (const std::int64_t j : set) solve.changed(j, 0, 1);
    ran.insert(ran.end(), set.begin(), set.end());
  }
  std::sort(ran.begin(), ran.end());
  REQUIRE(ran.size() == 100);
  for (std::size_t j = 0; j < ran.size(); ++j) CHECK(ran[j] == static_cast<std::int64_t>(j));
}

TEST_CASE("The threshold of dependence is that of the schedule, or a tenth", "[dynamic]") {
  const auto slightly = [](std::int64_t, std::int64_t) { return 0.2; };
  auto apart = dynamic().depends(slightly).over(100);
  CHECK(apart.next(8).size() == 1);
  auto together = dynamic().depends(slightly, 0.2).over(100);
  CHECK(together.next(8).size() == 8);
}

TEST_CASE("Between passes a program draws by its priorities", "[dynamic]") {
  const auto only_seven = [](std::int64_t j, double) { return j == 7 ? 1.0 : 0.0; };
  auto solve = dynamic().updates(30).priority(only_seven).over(20);
  list set = solve.next(20);
  CHECK(set.size() == 20);
  for (const std::int64_t j : set) solve.changed(j, 1, 1);
  CHECK(solve.next(20) == list{7});
}

TEST_CASE("No iterations make no sets", "[dynamic]") {
  for (const std::int64_t n : {0, -3}) {
    auto solve = dynamic().over(n);
    CHECK(solve.next(4).empty());
    CHECK(solve.has_converged());
    CHECK(solve.updates() + solve.passes() == 0);
    CHECK(message_of([&] { solve.changed(0, 0, 0); }, errc::out_of_range) ==
          "changed(0): there are no iterations");
  }
}

TEST_CASE("Limits end a program's updates for ever", "[dynamic]") {
  auto solve = dynamic().updates(5).over(4);
  const list ran = run(solve, std::vector<double>(4, 1.0), 3);
  CHECK(ran.size() == 5);
  CHECK(!solve.has_converged());
  CHECK(solve.next(3).empty());
}

TEST_CASE("Mistakes with a program's updates are errors", "[dynamic]") {
  auto solve = dynamic().over(10);
  CHECK(message_of([&] { (void)solve.next(0); }, errc::out_of_range) ==
        "next() takes a positive number of updates, and got 0");
  CHECK(solve.next(4) == list{0, 1, 2, 3});
  CHECK(message_of([&] { solve.changed(4, 0, 0); }, errc::out_of_range) ==
        "changed(4): iteration 4 is not in the last set, or was told already");
  solve.changed(0, 0, 0);
  CHECK(message_of([&] { solve.changed(0, 0, 0); }, errc::out_of_range) ==
        "changed(0): iteration 0 is not in the last set, or was told already");
  CHECK(message_of([&] { (void)solve.next(4); }, errc::unsupported) ==
        "next(): changed() was not called for 3 iterations of the last set, such as 1");
  CHECK(message_of([&] { solve.changed(1, std::nan(""), 0); }, errc::out_of_range) ==
        "changed(1): a change of nan to 0 is infinite, or not a number");
  CHECK(message_of([&] { solve.changed(1, 0, -HUGE_VAL); }, errc::out_of_range) ==
        "changed(1): a change of 0 to -inf is infinite, or not a number");
  for (const std::int64_t j : {1, 2, 3}) solve.changed(j, 0, 0);
  CHECK(solve.next(4) == list{4, 5, 6, 7});
  auto taken = std::move(solve);
  CHECK(message_of([&] { (void)solve.next(4); },
                   errc::unsupported) ==  // NOLINT(bugprone-use-after-move): it is tested
        "these updates of schedule::dynamic().over() were moved to another object");
  CHECK(taken.updates() == 4);
  CHECK(message_of([] { (void)dynamic().set_size(4).over(10); }, errc::unsupported) ==
        "schedule::dynamic().over() takes no set_size(): next(n) takes the size");
  CHECK(message_of([] { (void)dynamic().pipeline_depth(1).over(10); }, errc::unsupported) ==
        "schedule::dynamic().over() takes no pipeline_depth(): a set ends before the next one");
  CHECK(message_of([] { (void)dynamic().begin_with({1}).over(10); }, errc::unsupported) ==
        "schedule::dynamic().over() takes no begin_with(): the first set begins a pass");
}

TEST_CASE("A program's updates look at as many candidates as it states", "[dynamic]") {
  const auto near = [](std::int64_t a, std::int64_t b) { return std::abs(a - b) < 3 ? 1.0 : 0.0; };
  auto solve = dynamic().depends(near).candidates(6).over(100);
  CHECK(solve.next(4) == list{0, 3});
  auto more = dynamic().depends(near).over(100);
  CHECK(more.next(4) == list{0, 3, 6, 9});
}

TEST_CASE("Failures of a program's own functions are errors of its updates", "[dynamic]") {
  const auto throws = [](std::int64_t, std::int64_t) -> double { throw std::domain_error("no measure"); };
  auto by_measure = dynamic().depends(throws).over(10);
  CHECK(message_of([&] { (void)by_measure.next(4); }, errc::body) == "depends(0, 1): no measure");
  const auto negative = [](std::int64_t) { return -1.0; };
  auto by_priority = dynamic().priority(negative).over(10);
  (void)by_priority.next(1);
  CHECK(message_of([&] { by_priority.changed(0, 1, 1); }, errc::body) ==
        "priority(0) is -1: it must be finite and not negative");
}
