// Launches of empty loops, and fetches after loops. The loops are written as stradsap-cc would emit them.
// Thread rule: main's thread.
#include <array>
#include <chrono>
#include <cstdint>

#include "benchmarks/costs/costs.hpp"
#include "tests/support/program.hpp"

namespace costs {

using steady = std::chrono::steady_clock;

// enough for a block on each of several executors
static constexpr std::int64_t iterations = 1024;

static void empty_loop() {
  stradsap::parallel_for(iterations, test::loop<1, 0>("costs:empty", [] { return [](std::int64_t) {}; }),
                         stradsap::consistency::async);
}

static void summing_loop(double& total) {
  stradsap::parallel_for(
      iterations,
      test::loop<2, 0>(
          "costs:sum", [](double& total) { return [&total](std::int64_t) { total += 1; }; },
          test::sum(total)),
      stradsap::consistency::async);
}

/// A loop of one batch that changes 64 elements; any shard may touch them.
static void small_batch(stradsap::dvector<double>& x) {
  stradsap::parallel_for(
      iterations,
      test::loop<3, 0>(
          "costs:batch",
          [](decltype(x)& x) { return [&x](std::int64_t j) { x[static_cast<std::uint64_t>(j) % 64] += 1; }; },
          test::container < test::reads | test::writes > (x)),
      stradsap::consistency::sync);
}

static void launch_empty(benchmark::State& state) {
  for (auto _ : state) empty_loop();
}

static void launch_sum(benchmark::State& state) {
  double total = 0;
  for (auto _ : state) summing_loop(total);
  benchmark::DoNotOptimize(total);
}

/// A launch after the driver has changed an element that all ranks need.
static void launch_after_change(benchmark::State& state) {
  stradsap::dvector<double> x(iterations);
  double total = 0;
  for (auto _ : state) {
    x[0] += 1;
    stradsap::parallel_for(iterations,
                           test::loop<5, 0>(
                               "costs:update",
                               [](decltype(x)& x, double& total) {
                                 return [&x, &total](std::int64_t j) {
                                   total += std::as_const(x)[static_cast<std::uint64_t>(j)];
                                 };
                               },
                               test::container < test::reads | test::aligned > (x), test::sum(total)),
                           stradsap::consistency::async);
  }
  benchmark::DoNotOptimize(total);
}

static void launch_batch(benchmark::State& state) {
  stradsap::dvector<double> x(4096);
  for (auto _ : state) small_batch(x);
}

static void report_two_values(benchmark::State& state) {
  double total = 0;
  for (auto _ : state) stradsap::report("total", total += 1, "rate", 0.1);
}

void add_launches() {
  benchmark::RegisterBenchmark("report", report_two_values)->UseRealTime();
  benchmark::RegisterBenchmark("launch/empty", launch_empty)->UseRealTime();
  benchmark::RegisterBenchmark("launch/sum", launch_sum)->UseRealTime();
  benchmark::RegisterBenchmark("launch/update", launch_after_change)->UseRealTime();
  benchmark::RegisterBenchmark("launch/sync_batch", launch_batch)->UseRealTime();
}

// ---- fetches ----

/// Two groups of 64 elements of `Size` bytes. A loop leaves the second group on the other rank.
template <std::size_t Size> static void fetch(benchmark::State& state) {
  using element = std::array<char, Size>;
  stradsap::dvector<element> x(128);
  for (auto _ : state) {
    stradsap::parallel_for(
        x.size(),
        test::loop<4, 0>(
            "costs:touch",
            [](decltype(x)& x) { return [&x](std::int64_t j) { ++x[static_cast<std::uint64_t>(j)][0]; }; },
            test::container < test::reads | test::writes | test::aligned > (x)),
        stradsap::consistency::async);
    const auto start = steady::now();
    benchmark::DoNotOptimize(std::as_const(x)[127][0]);
    state.SetIterationTime(std::chrono::duration<double>(steady::now() - start).count());
  }
  state.counters["bytes"] = 64 * Size;
}

void add_fetches() {
  benchmark::RegisterBenchmark("fetch/small", fetch<8>)->UseManualTime()->Iterations(300);
  benchmark::RegisterBenchmark("fetch/large", fetch<16384>)->UseManualTime()->Iterations(300);
}

}  // namespace costs
