// The tables of what the runtime itself costs, by Google Benchmark. Each is for one shape of the run.
#pragma once

#include <benchmark/benchmark.h>

namespace costs {

/// Loops with nothing to do: on any shape.
void add_launches();
/// The driver reads what a loop left on another rank: on two ranks.
void add_fetches();
/// A token from block to block, on two lanes of one rank or on two ranks; both live in this process, so this
/// one must be alone.
void add_hops();

}  // namespace costs
