// `--summary`: the statistics of a run in words: the loops by time, and one sentence on the largest part of
// the time. Thread rule: values.
#pragma once

#include <string>
#include <vector>

#include "runtime/observe/run_stats.hpp"

namespace stradsap::rt {

/// Lines for people. `seconds`: of the whole run.
[[nodiscard]] std::vector<std::string> summary_of(const run_stats& stats, double seconds, int ranks,
                                                  int threads);

}  // namespace stradsap::rt
