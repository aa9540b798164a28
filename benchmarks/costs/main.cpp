// Measures the runtime's own costs: launches, hops of tokens, fetches. Prints a table of Google Benchmark.
//
//   benchmarks/run costs      runs it on every shape
#include "benchmarks/costs/costs.hpp"
#include "tests/support/program.hpp"

int main(int argc, char** argv) {
  stradsap::abi::enter_main();
  costs::add_launches();
  if (stradsap::rank_count() == 1 && stradsap::thread_count() == 1) costs::add_hops();
  if (stradsap::rank_count() == 2) costs::add_fetches();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
