// The look at a sample of iterations that decides whether a loop is planned.
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "runtime/loop/access/stretches.hpp"
#include "runtime/loop/plan/survey.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

static survey survey_of(const std::vector<std::vector<std::uint64_t>>& iterations) {
  access_sets sets;
  conflict_counter counter;
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    std::vector<touch> touches;
    for (const std::uint64_t element : iterations[i]) touches.push_back({element, 0, 0});
    sets.add(touches);
    counter.add(sets, i);
  }
  return counter.result();
}

TEST_CASE("a chain is as long as iterations have to wait for each other", "[loop]") {
  CHECK(survey_of({{1}, {2}, {3}, {4}}).longest_chain == 1);
  CHECK(survey_of({{1}, {1, 2}, {2, 3}, {9}, {3}}).longest_chain == 4);
  const survey two = survey_of({{1}, {2}, {1}, {2}, {1}, {2}});
  CHECK(two.longest_chain == 3);
  CHECK(two.parallelism() == 2);
}

static bool passes_on(const std::vector<std::vector<std::uint64_t>>& iterations) {
  access_sets sets;
  for (const std::vector<std::uint64_t>& one : iterations) {
    std::vector<touch> touches;
    for (const std::uint64_t element : one) touches.push_back({element, 0, 0});
    sets.add(touches);
  }
  return passes_elements_on(sets);
}

TEST_CASE("iterations pass elements on if each meets the one before, and the last one not the first",
          "[loop]") {
  CHECK(passes_on({{0, 1, 2}, {1, 2, 3}, {2, 3, 4}, {3, 4, 5}}));
  CHECK_FALSE(passes_on({{0, 1, 2}, {1, 2, 3}, {4}, {4, 5}}));
  CHECK_FALSE(passes_on({{9, 1}, {9, 2}, {9, 3}}));  // the iterations of one user, before those of another
  CHECK_FALSE(passes_on({{1}, {2}, {3}}));
  CHECK_FALSE(passes_on({{1}}));
  CHECK_FALSE(passes_on({}));
}

TEST_CASE("the hottest element counts once for each iteration", "[loop]") {
  const survey found = survey_of({{7, 3, 7}, {7, 7}, {3}, {5, 7}});
  CHECK(found.iterations == 4);
  CHECK(found.most_uses == 3);
  CHECK(found.element == 7);
}

TEST_CASE("a sample is spread over the whole loop, without repetition", "[loop]") {
  CHECK(sample_size(1, 1) == 1);
  CHECK(sample_size(50, 1) == 50);
  CHECK(sample_size(100000, 1) == 512);
  CHECK(sample_size(100000, 256) == 256);
  CHECK(sample_size(100000, 1e6) == 64);
  for (const std::int64_t n : {std::int64_t{64}, std::int64_t{1000}, std::int64_t{1} << 40}) {
    const std::int64_t sampled = sample_size(n, 1);
    std::set<std::int64_t> seen;
    for (std::int64_t k = 0; k < sampled; ++k) {
      const std::int64_t j = sampled_iteration(k, sampled, n);
      CHECK(j >= n / sampled * k);
      CHECK(j < n);
      seen.insert(j);
    }
    CHECK(seen.size() == static_cast<std::size_t>(sampled));
  }
}

TEST_CASE("conflicts, and what blocks would be, choose the way", "[loop]") {
  survey found;
  found.iterations = 100;
  found.longest_chain = 90;
  found.blocks_at_once = found.block_length = 1000;
  CHECK(route_for(found) == loop_route::program_order);
  found.longest_chain = 50;
  CHECK(route_for(found) == loop_route::blocks);
  found.blocks_at_once = 1.9;
  CHECK(route_for(found) == loop_route::waves);
  found.blocks_at_once = 7;
  found.longest_chain = 5;
  found.touch_work = 49;  // 20 iterations at a time, less than a microsecond
  CHECK(route_for(found) == loop_route::blocks);
  found.touch_work = 50;
  CHECK(route_for(found) == loop_route::waves);
  found.blocks_at_once = 8;
  found.block_length = 1.5;  // nearly every iteration is a block of its own
  CHECK(route_for(found) == loop_route::waves);
}

TEST_CASE("iterations that touch nothing count in no average of those that do", "[loop]") {
  const survey found = survey_of({{}, {1}, {}, {}, {1, 2}, {}, {2}, {}});
  CHECK(found.iterations == 8);
  CHECK(found.idle == 5);
  CHECK(found.share_active() == 3.0 / 8);
  CHECK(found.active_parallelism() == 1);
  survey chain = found;
  chain.blocks_at_once = chain.block_length = 1000;
  CHECK(route_for(chain) == loop_route::waves);  // the others may take long
  CHECK(survey_of({{}, {}}).active_parallelism() == 2);
}

static block_plan blocks_of(const std::vector<std::pair<std::uint64_t, std::vector<std::uint32_t>>>& blocks) {
  block_plan made;
  for (std::uint32_t group = 0; group < 8; ++group) made.tokens.push_back({0, group});
  for (const auto& [count, tokens] : blocks) {
    plan_block& one = made.blocks.emplace_back();
    one.first_token = static_cast<std::uint32_t>(made.block_tokens.size());
    one.num_tokens = static_cast<std::uint32_t>(tokens.size());
    one.count = count;
    made.block_tokens.insert(made.block_tokens.end(), tokens.begin(), tokens.end());
  }
  return made;
}

TEST_CASE("blocks are judged by those that touch something", "[loop]") {
  CHECK(are_worthwhile(blocks_of({{1000, {}}, {4, {0}}, {4, {1}}})));
  CHECK(are_worthwhile(blocks_of({{1000, {}}})));
  CHECK_FALSE(are_worthwhile(blocks_of({{1000, {}}, {3, {0}}, {3, {1}}, {3, {2}}})));        // tiny
  CHECK_FALSE(are_worthwhile(blocks_of({{1000, {}}, {9, {0, 1}}, {9, {1, 2}}, {9, {3}}})));  // 1.5 at a time
}

TEST_CASE("iterations follow each other if each touches only elements behind all before, in every container",
          "[loop]") {
  const auto iteration = [](stretch a, stretch b) {
    stretch_run one(2);
    if (!a.is_empty()) one.touch(0, a.begin, a.end);
    if (!b.is_empty()) one.touch(1, b.begin, b.end);
    return one;
  };
  stretch_run seen(2);
  CHECK(seen.append(iteration({5, 9}, {0, 2})));
  CHECK(seen.append(iteration({}, {2, 3})));
  CHECK(seen.append(iteration({}, {})));
  CHECK(seen.append(iteration({12, 13}, {})));
  CHECK(seen.touches == 8);
  CHECK(seen.by_capture[0].begin == 5);
  CHECK(seen.by_capture[0].end == 13);
  CHECK_FALSE(seen.append(iteration({12, 20}, {3, 4})));
  CHECK_FALSE(seen.append(iteration({13, 20}, {2, 4})));
  CHECK_FALSE(seen.append(iteration({0, 1}, {})));
}
