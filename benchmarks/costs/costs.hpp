// Tables of the runtime's own costs, by Google Benchmark. Each is for certain shapes of the run.
#pragma once

#include <benchmark/benchmark.h>

namespace costs {

/// Launches of loops with nothing to do, and reports. For any shape.
void add_launches();
/// The driver reads an element that a loop left on another rank. For two ranks.
void add_fetches();
/// A token goes from block to block, between two executors of one rank or between two ranks. Both ranks are
/// in this process, so it must run alone.
void add_hops();

}  // namespace costs
