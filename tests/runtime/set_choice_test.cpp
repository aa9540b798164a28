// The sets of a dynamic loop: shards of iterations that do not depend on those of other shards.
#include "runtime/loop/dynamic/set_choice.hpp"

#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <vector>

#include "tests/support/catch.hpp"

using stradsap::abi::dependence_by;
using stradsap::rt::candidate;
using stradsap::rt::choose_set;
using stradsap::rt::chosen_set;
using stradsap::rt::dependences;
using stradsap::rt::element_claims;
using stradsap::rt::touched_elements;

namespace {

std::vector<candidate> iterations(std::int64_t n) {
  std::vector<candidate> all;
  for (std::int64_t j = 0; j < n; ++j) all.push_back({j, 0});
  return all;
}
std::vector<std::int64_t> numbers(const std::vector<candidate>& from) {
  std::vector<std::int64_t> all;
  for (const candidate& one : from) all.push_back(one.iteration);
  return all;
}
using list = std::vector<std::int64_t>;

template <class F> dependence_by<F> measure(F f) { return dependence_by<F>(f); }

}  // namespace

TEST_CASE("Without a measure a set takes candidates in their order, in shards of equal length", "[dynamic]") {
  dependences none(nullptr, 0.1, 100);
  const chosen_set set = choose_set(iterations(10), {6, 3}, none, true);
  REQUIRE(set.shards.size() == 3);
  CHECK(numbers(set.shards[0]) == list{0, 1});
  CHECK(numbers(set.shards[1]) == list{2, 3});
  CHECK(numbers(set.shards[2]) == list{4, 5});
  CHECK(numbers(set.left) == list{6, 7, 8, 9});
}

TEST_CASE("Dependent iterations share a shard, and one between two shards is left", "[dynamic]") {
  // neighbours depend on each other
  const auto near = measure([](std::int64_t a, std::int64_t b) { return std::abs(a - b) == 1 ? -0.5 : 0.1; });
  dependences all(&near, 0.1, 100);
  const std::vector<candidate> from{{10, 0}, {11, 0}, {20, 0}, {12, 0}, {21, 0}, {19, 0}, {40, 0}, {13, 0}};
  const chosen_set set = choose_set(from, {6, 3}, all, true);
  CHECK(numbers(set.shards[0]) == list{10, 11});
  CHECK(numbers(set.shards[1]) == list{20, 21});
  // 12 belongs to the first shard and 19 to the second, which are full; 13 depends on neither
  CHECK(numbers(set.shards[2]) == list{40, 13});
  CHECK(numbers(set.left) == list{12, 19});
  const chosen_set between = choose_set({{1, 0}, {3, 0}, {2, 0}}, {3, 3}, all, true);
  CHECK(numbers(between.shards[0]) == list{1});
  CHECK(numbers(between.shards[1]) == list{3});
  CHECK(numbers(between.left) == list{2});
}

TEST_CASE("Iterations that depend on those in flight are left, and others take their places", "[dynamic]") {
  const auto near = measure([](std::int64_t a, std::int64_t b) { return std::abs(a - b) == 1 ? 1.0 : 0.0; });
  dependences all(&near, 0.1, 100);
  const chosen_set set = choose_set(iterations(8), {4, 2}, all, true, {2, 5});
  CHECK(numbers(set.shards[0]) == list{0, 2});
  CHECK(numbers(set.shards[1]) == list{5, 7});
  CHECK(numbers(set.left) == list{1, 3, 4, 6});
  CHECK(set.placed == 4);
  CHECK(set.refilled == 2);  // 5 and 7
  CHECK(set.rejected == 4);
  dependences none(nullptr, 0.1, 100);
  CHECK(choose_set(iterations(8), {4, 2}, none, true, {2, 5}).rejected == 0);
}

TEST_CASE("If all iterations are dependent a set has one shard", "[dynamic]") {
  const auto same = measure([](std::int64_t, std::int64_t) { return 1.0; });
  dependences all(&same, 0.1, 100);
  const chosen_set set = choose_set(iterations(16), {8, 4}, all, true);
  CHECK(numbers(set.shards[0]) == list{0, 1});
  for (std::size_t l = 1; l < 4; ++l) CHECK(set.shards[l].empty());
  CHECK(set.left.size() == 14);
}

TEST_CASE("A set that does not ask for dependences knows the answers of earlier ones", "[dynamic]") {
  int calls = 0;
  const auto far = measure([&calls](std::int64_t a, std::int64_t b) {
    ++calls;
    return a + b == 3 ? 1.0 : 0.0;
  });
  dependences all(&far, 0.1, 100);
  CHECK(numbers(choose_set(iterations(4), {4, 4}, all, false).left).empty());
  CHECK(calls == 0);
  CHECK(all.are_dependent(0, 3));
  CHECK_FALSE(all.are_dependent(0, 1));
  CHECK(calls == 4);  // both ways
  CHECK(all.are_dependent(3, 0));
  CHECK(calls == 4);
  CHECK(numbers(choose_set(iterations(4), {4, 4}, all, false).left) == list{3});
  CHECK(calls == 4);
}

TEST_CASE("Dependences are at most rho apart, whatever their sign", "[dynamic]") {
  const auto sum = measure([](std::int64_t a, std::int64_t b) { return -0.1 * static_cast<double>(a + b); });
  dependences all(&sum, 0.3, 100);
  CHECK_FALSE(all.are_dependent(1, 2 - 1));
  CHECK(all.are_dependent(2, 3));
}

TEST_CASE("A measure that throws, gives no number or is not symmetric fails once and for all", "[dynamic]") {
  const auto message = [](const stradsap::abi::dependence& f) {
    dependences all(&f, 0.1, 100);
    CHECK(all.are_dependent(3, 7));
    CHECK(all.are_dependent(1, 2));
    REQUIRE(all.failed());
    CHECK(all.failed()->iteration == 3);
    return all.failed()->what;
  };
  const double no_number = std::numeric_limits<double>::quiet_NaN();
  CHECK(message(measure([=](std::int64_t, std::int64_t) { return no_number; })) ==
        "depends(3, 7) is not a number");
  CHECK(message(measure([](std::int64_t a, std::int64_t) { return static_cast<double>(a); })) ==
        "depends(3, 7) = 3, and depends(7, 3) = 7: it must be symmetric");
  CHECK(message(measure([](std::int64_t, std::int64_t) -> double {
          throw std::domain_error("no column");
        })) == "depends(3, 7): no column");
}

TEST_CASE("Iterations that touch an element share a shard, or wait for the set with it", "[dynamic]") {
  const touched_elements touched({{0, 1}, {1, 6}, {2, 5}, {2, 3}, {0, 3}, {4, 7}});
  element_claims claims(touched);
  claims.begin(0, 0, 2);
  const chosen_set set = choose_set({{0, 0}, {1, 0}, {2, 0}, {4, 0}, {3, 0}, {5, 0}}, {4, 2}, claims);
  CHECK(numbers(set.shards[0]) == list{0, 1});
  CHECK(numbers(set.shards[1]) == list{2, 3});
  CHECK(numbers(set.left) == list{4, 5});  // the shard of 4 is full, and then the set
  CHECK(set.rejected == 1);
  claims.begin(1, 0, 2);  // the first set is still in flight
  CHECK(numbers(choose_set({{4, 0}, {5, 0}, {2, 0}}, {2, 2}, claims).shards[0]) == list{5});
  claims.begin(2, 1, 2);  // it has ended, but not the second one
  const chosen_set later = choose_set({{5, 0}, {4, 0}, {2, 0}}, {2, 2}, claims);
  CHECK(numbers(later.shards[0]) == list{4});
  CHECK(numbers(later.shards[1]) == list{2});
  CHECK(numbers(later.left) == list{5});
}

TEST_CASE("Claims of sets in flight outlive a count that begins again", "[dynamic]") {
  const touched_elements touched({{0}, {1}});
  element_claims claims(touched);
  constexpr std::size_t many = std::size_t{1} << 31;
  claims.begin(0, 0, many);
  claims.add(0, many - 1);
  claims.begin(1, 0, many - 100);
  claims.add(1, 7);
  CHECK(claims.shard_bound_to(0) == element_claims::several);
  CHECK(claims.shard_bound_to(1) == 7);
  claims.begin(2, 1, many - 100);  // beyond 2^32
  CHECK(claims.shard_bound_to(0) == element_claims::none);
  CHECK(claims.shard_bound_to(1) == element_claims::several);
  claims.add(0, 5);
  CHECK(claims.shard_bound_to(0) == 5);
}

TEST_CASE("Shards by accesses get equal parts of the work, not of the iterations", "[dynamic]") {
  std::vector<std::vector<std::uint32_t>> by_iteration(8);
  std::uint32_t next = 0;
  for (std::size_t j = 0; j < 8; ++j)
    for (int k = 0; k < (j == 0 ? 7 : 1); ++k) by_iteration[j].push_back(next++);
  const touched_elements touched(by_iteration);
  element_claims claims(touched);
  claims.begin(0, 0, 2);
  const chosen_set set = choose_set(iterations(8), {8, 2}, claims);
  CHECK(numbers(set.shards[0]) == list{0, 1, 2});  // a work of 8 + 2 + 2; the others have 2 each
  CHECK(numbers(set.shards[1]) == list{3, 4, 5, 6, 7});
}

TEST_CASE("Iterations that only read an element are apart, and its writer shares their shard", "[dynamic]") {
  // each writes its own element; 0, 1 and 3 read that of 2
  const std::vector<std::vector<std::uint32_t>> read{{2}, {2}, {}, {2}, {0}};
  const touched_elements all({{0}, {1}, {2}, {3}, {4}}, read);
  CHECK(all.num_meetings() == 4);
  CHECK(all.most_iterations() == 1);
  element_claims claims(all);
  claims.begin(0, 0, 2);
  const chosen_set two = choose_set({{0, 0}, {2, 0}, {3, 0}}, {4, 2}, claims);
  CHECK(numbers(two.shards[0]) == list{0, 2});  // and 3 belongs to it, which is full
  CHECK(numbers(two.left) == list{3});
  claims.begin(1, 1, 3);
  const chosen_set apart = choose_set({{0, 0}, {1, 0}, {3, 0}, {2, 0}}, {4, 3}, claims);
  CHECK(numbers(apart.shards[0]) == list{0});
  CHECK(numbers(apart.shards[1]) == list{1});
  CHECK(numbers(apart.shards[2]) == list{3});
  CHECK(numbers(apart.left) == list{2});  // between all of them
}

TEST_CASE("A set may write elements that a set in flight only reads, and reads none that it writes",
          "[dynamic]") {
  const std::vector<std::vector<std::uint32_t>> read{{2}, {2}, {}, {2}, {0}};
  const touched_elements all({{0}, {1}, {2}, {3}, {4}}, read);
  element_claims claims(all);
  claims.begin(0, 0, 1);
  (void)choose_set({{0, 0}}, {1, 1}, claims);
  claims.begin(1, 0, 2);
  const chosen_set next = choose_set({{2, 0}, {4, 0}, {0, 0}}, {3, 2}, claims);
  CHECK(numbers(next.shards[0]) == list{2});
  CHECK(numbers(next.left) == list{4, 0});
}
