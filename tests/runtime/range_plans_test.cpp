// Plans of loops in ranges, kept between calls: one is made anew if it would not fit any more.
#define STRADSAP_INSTRUMENTED
#include <vector>

#include <stradsap/dvector.hpp>

#include "runtime/cluster/range_plans.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

namespace {

constexpr stradsap::abi::capture_info written_at_the_index{
    .kind = stradsap::abi::capture_kind::container,
    .mode = stradsap::abi::writes | stradsap::abi::aligned,
    .ops = &stradsap::abi::operations<double>::table,
    .name = "x"};
const stradsap::abi::loop_entry loop{1,       0,       typeid(int), &written_at_the_index, 1, nullptr, 0,
                                     nullptr, nullptr, nullptr};

/// Calls of a loop of 8 iterations over a container of 8 elements.
struct calls_of_a_loop {
  /// The number of plans made so far, after a call on so many executors.
  int made_after_call(int executors = 1) {
    launch_request call{&loop, "f.cpp:1", nullptr, 8, stradsap::consistency::async};
    call.containers = {&handle};
    const resolved_request resolved = resolve(call, 0);
    (void)plans.find(resolved, executors, [&] {
      ++made;
      return plan{};
    });
    return made;
  }

  explicit calls_of_a_loop(bool keeps = true) : plans(keeps) { handle.attach(&window); }

  range_plans plans;
  int made = 0;
  stradsap::abi::window window;
  replica local{container_id{7},
                stradsap::abi::operations<double>::table,
                8,
                nullptr,
                driver_rank,
                [](replica&, const auto&) {}};
  driver_handle handle{local, [](replica&) {}};
};

}  // namespace

TEST_CASE("a plan of ranges is kept for the same executors", "[cluster]") {
  calls_of_a_loop calls;
  CHECK(calls.made_after_call() == 1);
  CHECK(calls.made_after_call() == 1);
  CHECK(calls.made_after_call(2) == 2);
  CHECK(calls.made_after_call(1) == 2);
}

TEST_CASE("a plan of ranges ends when its container gets another size or other groups", "[cluster]") {
  calls_of_a_loop calls;
  CHECK(calls.made_after_call() == 1);
  calls.handle.resize(9);
  CHECK(calls.made_after_call() == 2);
  calls.local.cut(partition({4, 9}, {driver_rank, driver_rank}));
  CHECK(calls.made_after_call() == 3);
  CHECK(calls.made_after_call() == 3);
}

TEST_CASE("without a cache, each call makes its plan of ranges", "[cluster]") {
  calls_of_a_loop calls(/*keeps=*/false);
  CHECK(calls.made_after_call() == 1);
  CHECK(calls.made_after_call() == 2);
}
