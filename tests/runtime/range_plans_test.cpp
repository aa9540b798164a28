// Plans of loops in ranges, kept between calls: one is made anew if it would not fit any more.
#define STRADSAP_INSTRUMENTED
#include <cstdint>
#include <memory>
#include <vector>

#include <stradsap/dvector.hpp>

#include "runtime/cluster/range_plans.hpp"
#include "runtime/loop/blocks/range_pieces.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/driver_container.hpp"

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
  int made_after_call(int executors = 1, std::int64_t n = 8) {
    launch_request call{&loop, "f.cpp:1", nullptr, n, stradsap::consistency::async};
    call.containers = {&x.handle};
    const resolved_request resolved = resolve(call, 0);
    (void)plans.find(resolved, executors, [&] {
      ++made;
      return plan{};
    });
    return made;
  }

  explicit calls_of_a_loop(bool keeps = true) : plans(keeps) {}

  range_plans plans;
  int made = 0;
  driver_container x;
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
  calls.x.handle.resize(9);
  CHECK(calls.made_after_call() == 2);
  calls.x.local.cut(partition({4, 9}, {driver_rank, driver_rank}));
  CHECK(calls.made_after_call() == 3);
  CHECK(calls.made_after_call() == 3);
}

TEST_CASE("without a cache, each call makes its plan of ranges", "[cluster]") {
  calls_of_a_loop calls(/*keeps=*/false);
  CHECK(calls.made_after_call() == 1);
  CHECK(calls.made_after_call() == 2);
}

TEST_CASE("plans of hundreds of loops in turn are kept", "[cluster]") {
  calls_of_a_loop calls;
  for (int turn = 0; turn < 3; ++turn) {
    for (std::int64_t n = 1; n <= 300; ++n) (void)calls.made_after_call(1, n);
  }
  CHECK(calls.made == 300);
}

TEST_CASE("one executor may run all blocks as one, unless that changes a bit", "[loop]") {
  calls_of_a_loop calls;
  loop_frame frame{&loop, "f.cpp:1", 8, {}, {}, {&calls.x.local}, {usage::aligned_write}};
  plan made;
  made.tokens = {{0, 0}, {0, 1}};
  made.block_tokens = {0, 0, 1};
  made.blocks = {{0, 1, 2, 0, 0, 0}, {1, 1, 2, 0, 0, 2}, {2, 1, 4, 0, 0, 4}};
  const std::shared_ptr<const plan> joined = join_blocks(frame, made);
  REQUIRE(joined != nullptr);
  REQUIRE(joined->blocks.size() == 1);
  CHECK(joined->blocks[0].begin == 0);
  CHECK(joined->blocks[0].count == 8);
  const auto tokens = joined->tokens_of(joined->blocks[0]);
  CHECK(std::vector(tokens.begin(), tokens.end()) == std::vector<std::uint32_t>{0, 1});
  CHECK(join_blocks(frame, *joined) == nullptr);  // nothing to join
  frame.logs_accesses = true;
  CHECK(join_blocks(frame, made) == nullptr);
  frame.logs_accesses = false;
  made.num_accumulators = 8;
  CHECK(join_blocks(frame, made) == nullptr);
}
