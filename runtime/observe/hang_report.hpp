// The text about a run without progress, from the states of its ranks. Thread rule: thread-safe.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/thread_stacks.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

/// Lines on the threads of a process; threads in the same place share one.
[[nodiscard]] std::vector<std::string> lines_of(const std::vector<thread_stack>& threads);

/// The ranks that others wait for and that wait for no rank themselves. None if all wait for each other.
[[nodiscard]] std::vector<rank_id> awaited_ranks(const std::vector<std::optional<rank_state>>& ranks);

/// By rank its state, or none if it did not answer. The first line names the ranks that the run waits for.
[[nodiscard]] std::string hang_report(std::chrono::seconds without_progress,
                                      const std::vector<std::optional<rank_state>>& ranks);

}  // namespace stradsap::rt
