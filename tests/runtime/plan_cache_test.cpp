// The driver's records of plans: plans of loops that take turns are kept as long as they fit into memory.
#define STRADSAP_INSTRUMENTED
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include <stradsap/dvector.hpp>

#include "runtime/cluster/plan_cache.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/driver_container.hpp"

using namespace stradsap::rt;

namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20;
constexpr stradsap::abi::capture_info written_anywhere{.kind = stradsap::abi::capture_kind::container,
                                                       .mode = stradsap::abi::writes,
                                                       .ops = &stradsap::abi::operations<double>::table,
                                                       .name = "x"};
const stradsap::abi::loop_entry planned_loop{1,       0, typeid(int), &written_anywhere, 1,
                                             nullptr, 0, nullptr,     nullptr,           nullptr};

constexpr stradsap::abi::capture_info captures_with_value[] = {
    written_anywhere,
    {.kind = stradsap::abi::capture_kind::value,
     .mode = stradsap::abi::steers,
     .write = [](const void* value, stradsap::abi::writer& out) { out(*static_cast<const int*>(value)); },
     .name = "half"}};
const stradsap::abi::loop_entry loop_with_value{
    2, 0, typeid(int), captures_with_value, 2, nullptr, 0, nullptr, nullptr, nullptr};

/// Calls of loops of several lengths over one container: each length has a plan of its own.
struct turns_of_loops {
  explicit turns_of_loops(std::size_t most_bytes) : plans(/*keeps=*/true, most_bytes) {}

  /// Whether the call makes its plan.
  bool makes_plan(std::int64_t n, bool failed = false) {
    launch_request call{&planned_loop, "f.cpp:1", nullptr, n, stradsap::consistency::async};
    call.containers = {&x.handle};
    return makes_plan(resolve(call, 0), failed);
  }
  /// The same for a loop with a captured value that decides places.
  bool makes_plan_by(int value) {
    launch_request call{&loop_with_value, "f.cpp:2", nullptr, 50, stradsap::consistency::async};
    call.variables = {nullptr, &value};
    call.containers = {&x.handle, nullptr};
    return makes_plan(resolve(call, 0), /*failed=*/false);
  }
  bool makes_plan(resolved_request resolved, bool failed) {
    plans.find_beside(resolved);
    launch l;
    l.id = launch_id{++launches};
    for (const plan_id id : plans.forget({})) kept.erase(id);
    l.containers = {container_id{7}};
    plans.prepare(resolved, l);
    passes[resolved.call.n].insert(l.pass);
    const bool made = l.replan;
    if (!made && kept.count(l.plan) == 0) FAIL("a launch by a plan that was dropped");
    kept.insert(l.plan);
    plans.completed(resolved, l, failed, {made ? 0.5 : 0, megabyte});
    most_kept = std::max(most_kept, kept.size());
    return made;
  }
  /// The number of plans made by one call of each loop.
  int made_in_turn(int num_loops) {
    int made = 0;
    for (int k = 0; k < num_loops; ++k) made += makes_plan(100 + k) ? 1 : 0;
    return made;
  }

  /// The number of plans made by a call for each value.
  int made_by_values(int first, int end) {
    int made = 0;
    for (int value = first; value < end; ++value) made += makes_plan_by(value) ? 1 : 0;
    return made;
  }

  plan_cache plans;
  std::uint64_t launches = 0;
  std::set<plan_id> kept;  // by the ranks
  std::size_t most_kept = 0;
  std::map<std::int64_t, std::set<std::uint64_t>> passes;
  driver_container x;
};

}  // namespace

TEST_CASE("plans of a thousand loops in turn are kept if they fit", "[cluster]") {
  turns_of_loops loops(2000 * megabyte);
  CHECK(loops.made_in_turn(1000) == 1000);
  CHECK(loops.made_in_turn(1000) == 0);
}

TEST_CASE("a few plans are kept in any case", "[cluster]") {
  turns_of_loops loops(megabyte);
  CHECK(loops.made_in_turn(128) == 128);
  CHECK(loops.made_in_turn(128) == 0);
}

TEST_CASE("if the plans of a turn do not fit, most that fit are kept", "[cluster]") {
  turns_of_loops loops(200 * megabyte);
  CHECK(loops.made_in_turn(300) == 300);
  CHECK(loops.made_in_turn(300) <= 101);
  CHECK(loops.made_in_turn(300) <= 101);
  CHECK(loops.most_kept <= 202);  // one for which there is no room, and one that is about to go
}

TEST_CASE("a plan for which there is no room is kept while its loop repeats", "[cluster]") {
  turns_of_loops loops(200 * megabyte);
  (void)loops.made_in_turn(200);
  CHECK(loops.makes_plan(1000));
  CHECK_FALSE(loops.makes_plan(1000));
  CHECK(loops.makes_plan(1001));
  CHECK(loops.makes_plan(1000));
  CHECK(loops.made_in_turn(200) == 0);
}

TEST_CASE("plans that are not used for long make room", "[cluster]") {
  turns_of_loops loops(200 * megabyte);
  (void)loops.made_in_turn(200);
  for (int call = 0; call < 1000; ++call) (void)loops.makes_plan(5000);
  for (int k = 0; k < 100; ++k) (void)loops.makes_plan(6000 + k);
  for (int k = 0; k < 100; ++k) CHECK_FALSE(loops.makes_plan(6000 + k));
}

TEST_CASE("plans that do not hold make room first", "[cluster]") {
  turns_of_loops loops(200 * megabyte);
  (void)loops.made_in_turn(199);
  CHECK(loops.makes_plan(900, /*failed=*/true));
  CHECK(loops.makes_plan(901));
  CHECK_FALSE(loops.makes_plan(901));
  CHECK(loops.made_in_turn(199) == 0);
}

TEST_CASE("a plan that was dropped goes on with its passes, so its bits are those of a kept one",
          "[cluster]") {
  turns_of_loops loops(200 * megabyte);
  for (int turn = 0; turn < 3; ++turn) (void)loops.made_in_turn(300);
  for (int k = 0; k < 300; ++k) CHECK(loops.passes[100 + k] == std::set<std::uint64_t>{0, 1, 2});
}

TEST_CASE("the number of records is limited", "[cluster]") {
  turns_of_loops loops(100000 * megabyte);
  CHECK(loops.made_in_turn(5000) == 5000);
  CHECK(loops.most_kept <= plan_cache::most_records + 1);
  CHECK_FALSE(loops.makes_plan(100 + 4999));
  CHECK(loops.makes_plan(100));
}

TEST_CASE("plans of captured values that come back are kept side by side", "[cluster]") {
  turns_of_loops loops(200 * megabyte);
  CHECK(loops.made_by_values(0, 20) == 20);
  CHECK(loops.made_by_values(0, 20) == 19);  // the last one is still there
  CHECK(loops.made_by_values(0, 20) == 0);
  CHECK(loops.most_kept == 20);
}

TEST_CASE("two captured values in turn need two plans", "[cluster]") {
  turns_of_loops loops(200 * megabyte);
  CHECK(loops.made_by_values(0, 2) == 2);
  CHECK(loops.made_by_values(0, 2) == 1);
  CHECK(loops.made_by_values(0, 2) == 0);
}

TEST_CASE("plans of captured values that never come back take the memory of one", "[cluster]") {
  turns_of_loops loops(2000 * megabyte);
  CHECK(loops.made_by_values(0, 1500) == 1500);
  CHECK(loops.most_kept == 1);
}

TEST_CASE("plans of captured values that come back fit into memory", "[cluster]") {
  turns_of_loops loops(30 * megabyte);
  for (int turn = 0; turn < 4; ++turn) (void)loops.made_by_values(0, 100);
  CHECK(loops.made_by_values(0, 100) <= 72);
  CHECK(loops.most_kept <= 32);
}

TEST_CASE("a loop counts its calls by all plans as passes", "[cluster]") {
  turns_of_loops loops(200 * megabyte);
  for (int turn = 0; turn < 3; ++turn) (void)loops.made_by_values(0, 4);
  CHECK(loops.passes[50].size() == 12);
  CHECK(*loops.passes[50].rbegin() == 11);
}
