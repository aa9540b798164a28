#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/loop/plan/wave_plan.hpp"
#include "runtime/observe/launch_model.hpp"
#include "runtime/observe/prediction.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

static simulated_cluster free_network(int ranks, int threads) { return without_network({ranks, threads}); }

static sampled_container container(std::uint32_t id, std::string name, usage use, std::uint64_t groups) {
  sampled_container c{container_id{id}, std::move(name), use, {}, 8, 0, false};
  for (std::uint64_t g = 1; g <= groups; ++g) c.group_ends.push_back(100 * g);
  return c;
}

/// A factorization with g x g blocks of `seconds` each; P is the heavy container.
static launch_sample factorization(std::uint32_t g, float seconds) {
  launch_sample s;
  s.plan = std::make_shared<sampled_plan>();
  block_plan& p = s.plan->blocks;
  for (std::uint32_t c = 0; c < 2; ++c) {
    for (std::uint32_t k = 0; k < g; ++k) p.tokens.push_back({c, k});
  }
  for (std::uint32_t round = 0; round < g; ++round) {
    p.round_begins.push_back(static_cast<std::uint32_t>(p.order.size()));
    for (std::uint32_t a = g; a-- > 0;) {
      p.order.push_back(static_cast<std::uint32_t>(p.blocks.size()));
      p.blocks.push_back({static_cast<std::uint32_t>(p.block_tokens.size()), 2, 10, 0, 0, 0});
      p.block_tokens.push_back(a);
      p.block_tokens.push_back(g + (round + g - a) % g);
    }
  }
  s.plan->weights.assign(2 * g, 10);
  std::fill_n(s.plan->weights.begin(), g, 20);
  s.plan->block_seconds.assign(p.blocks.size(), seconds);
  s.containers = {container(0, "P", usage::owned, g), container(1, "Q", usage::owned, g)};
  return s;
}

static launch_outcome model(const launch_sample& s, const simulated_cluster& on) {
  simulated_holdings holdings;
  return model_launch(s, on, holdings);
}

TEST_CASE("on one thread a launch takes its blocks and what is around them", "[observe]") {
  launch_sample s = factorization(8, 0.5F);
  s.plan->seconds_around = 3;
  const launch_outcome o = model(s, {1, 1});
  CHECK(o.seconds_work == Approx(32));
  CHECK(o.seconds == Approx(35));
  CHECK(o.bytes_moved == 0);
  CHECK(o.tasks == 64);
}

TEST_CASE("the rotating grid keeps every thread busy up to its groups, and no more threads get work",
          "[observe]") {
  const launch_sample s = factorization(16, 1);
  for (const auto& [ranks, threads] : {std::pair{1, 2}, {1, 4}, {2, 4}, {4, 4}, {16, 1}}) {
    const launch_outcome o = model(s, free_network(ranks, threads));
    CHECK(o.seconds == Approx(256.0 / (ranks * threads)).epsilon(0.1));
    CHECK(o.threads_used == ranks * threads);
  }
  const launch_outcome many = model(s, free_network(1024, 16));
  CHECK(many.threads_used == 16);
  CHECK(many.seconds == Approx(16));
  CHECK(many.seconds_chain == Approx(16));
  CHECK(many.seconds_hottest == Approx(16));
}

TEST_CASE("more threads are never slower on a network that costs nothing", "[observe]") {
  launch_sample s = factorization(32, 1);
  for (std::size_t b = 0; b < s.plan->block_seconds.size(); ++b)
    s.plan->block_seconds[b] = 0.5F + static_cast<float>(b * 7919 % 100) / 100;
  for (std::uint64_t pass = 0; pass < 8; ++pass) {
    s.pass = pass;
    double before = std::numeric_limits<double>::infinity();
    for (const auto& [ranks, threads] : {std::pair{1, 1}, {1, 2}, {2, 2}, {2, 4}, {4, 4}, {4, 8}, {8, 8}}) {
      const double seconds = model(s, free_network(ranks, threads)).seconds;
      CHECK(seconds <= 1.05 * before);
      before = seconds;
    }
  }
}

TEST_CASE("the first launch takes groups from the driver, later ones move those of the lighter container",
          "[observe]") {
  const launch_sample s = factorization(8, 1);
  simulated_holdings holdings;
  const double group = 800;  // bytes
  const launch_outcome first = model_launch(s, {2, 1}, holdings);
  CHECK(first.bytes_moved > 4 * group);
  CHECK(std::count(holdings[container_id{0}].owners.begin(), holdings[container_id{0}].owners.end(), 1) == 4);
  const launch_outcome second = model_launch(s, {2, 1}, holdings);
  CHECK(second.bytes_moved <= 3 * 8 * group);  // twice in a cycle, and back to its start
  CHECK(second.bytes_moved >= 8 * group);
}

TEST_CASE("what blocks read goes to all ranks once, until somebody writes it", "[observe]") {
  launch_sample s = factorization(4, 1);
  s.containers.push_back(container(2, "R", usage::read, 5));
  simulated_holdings holdings;
  const simulated_cluster on{3, 1, 1e6, 0};
  const double with = model_launch(s, on, holdings).bytes_moved;
  const double without = model_launch(s, on, holdings).bytes_moved;
  simulated_holdings other;
  launch_sample plain = factorization(4, 1);
  CHECK(with - model_launch(plain, on, other).bytes_moved == Approx(2 * 4000));
  CHECK(without == Approx(model_launch(plain, on, other).bytes_moved));
  s.containers[2].is_changed = true;
  CHECK(model_launch(s, on, holdings).bytes_moved == Approx(without + 2 * 4000));
}

TEST_CASE("a batch takes as long as the rank with most to do, and threads beyond its shards stay idle",
          "[observe]") {
  launch_sample s;
  s.containers = {container(0, "W", usage::owned, 4)};
  batch_cost b;
  b.shard_seconds.assign(16, 1);
  b.shard_bytes.assign(16, 100);
  b.shard_fetches.assign(16, 0);
  b.shard_fetched.assign(16, 0);
  s.batches = {b, b, b};
  CHECK(model(s, free_network(1, 1)).seconds == Approx(48));
  CHECK(model(s, free_network(1, 4)).seconds == Approx(12));
  CHECK(model(s, free_network(2, 3)).seconds == Approx(9));
  const launch_outcome o = model(s, free_network(100, 16));
  CHECK(o.seconds == Approx(3));
  CHECK(o.threads_used == 16);
}

TEST_CASE("cells of waves wait for those whose elements they use", "[observe]") {
  // Two levels of 64 parts. Each part of the second level uses its neighbour's elements of the first.
  wave_tracer tracer(std::vector<std::uint32_t>(num_wave_parts, 8));
  for (std::uint32_t part = 0; part < num_wave_parts; ++part) tracer.add(1, part, std::vector{part});
  for (std::uint32_t part = 0; part < num_wave_parts; ++part)
    tracer.add(2, part, std::vector{(part + 1) % num_wave_parts});
  const wave_trace trace = tracer.finish(1'000'000'000);
  CHECK(trace.cells.size() == 2 * num_wave_parts);
  CHECK(trace.links.size() == num_wave_parts);
  launch_sample s;
  s.plan = std::make_shared<sampled_plan>();
  s.plan->waves = std::make_shared<wave_trace>(trace);
  s.plan->compute_seconds = 128;
  s.containers = {container(0, "W", usage::owned, 1)};
  CHECK(model(s, free_network(1, 1)).seconds == Approx(128).epsilon(1e-4));
  CHECK(model(s, free_network(1, 64)).seconds == Approx(2).epsilon(1e-4));
  CHECK(model(s, free_network(16, 16)).threads_used == 64);
  CHECK(model(s, free_network(16, 4)).seconds_chain == Approx(2));
}

/// A prediction for one second of work on so many executors, without a network.
static loop_prediction prediction(const launch_sample& s, int ranks, int threads) {
  loop_prediction p;
  p.site = "a.cpp:1";
  p.on = free_network(ranks, threads);
  p.launch = model(s, p.on);
  p.seconds_free = p.seconds_late = p.launch.seconds;
  return p;
}

TEST_CASE("a hot group is named, and how many threads it leaves something for", "[observe]") {
  launch_sample s = factorization(8, 1);
  for (std::size_t b = 0; b < s.plan->blocks.blocks.size(); ++b) {
    if (s.plan->blocks.tokens_of(s.plan->blocks.blocks[b])[1] == 8 + 3) s.plan->block_seconds[b] = 100;
  }
  const loop_prediction p = prediction(s, 1, 8);
  CHECK(limit_of(p) == loop_limit::critical_path);
  CHECK(advice_on(p) ==
        "no gain beyond 2 threads: the longest chain of blocks through one group of `Q` is 93.5 % of the "
        "work");
}

TEST_CASE("threads without work are a matter of balance", "[observe]") {
  launch_sample s = factorization(4, 1);
  s.plan->blocks.tokens.clear();
  s.plan->blocks.block_tokens.clear();
  for (plan_block& b : s.plan->blocks.blocks) b.num_tokens = 0;
  const loop_prediction p = prediction(s, 8, 4);
  CHECK(limit_of(p) == loop_limit::balance);
  CHECK(advice_on(p) == "only 16 of 32 threads have work: there are 16 blocks");
  CHECK(limit_of(prediction(s, 1, 4)) == loop_limit::nothing);
}

TEST_CASE("a slow network and a late one are told apart", "[observe]") {
  loop_prediction p = prediction(factorization(8, 1), 8, 1);
  p.launch.seconds = p.seconds_free + 100;
  p.seconds_late = p.seconds_free + 1;
  CHECK(limit_of(p) == loop_limit::network);
  p.seconds_late = p.seconds_free + 99;
  CHECK(limit_of(p) == loop_limit::latency);
  p.why_alone = "an ordered loop of fewer than 1000 iterations";
  CHECK(limit_of(p) == loop_limit::one_thread);
  CHECK(advice_on(p) == "runs on one thread only: an ordered loop of fewer than 1000 iterations");
}

TEST_CASE("the table has a row for each loop, and its advice below", "[observe]") {
  std::vector<loop_prediction> loops{prediction(factorization(4, 1), 1, 2),
                                     prediction(factorization(4, 1), 1, 64)};
  loops[1].label = "fit";
  const std::vector<std::string> lines = table_of(loops, loops[0].on, 1);
  REQUIRE(lines.size() == 5);
  CHECK(lines[0].find("1 rank x 2 threads") != std::string::npos);
  CHECK(lines[2].find("a.cpp:1") == 0);
  CHECK(lines[2].find("8 s") != std::string::npos);
  CHECK(lines[3].find("fit") == 0);
  CHECK(lines[4].find("fit: ") == 0);
}
