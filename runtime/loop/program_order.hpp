// A loop in program order on one thread, over containers that are all here. Thread rule: the driver's thread.
#pragma once

#include <optional>

#include "runtime/loop/frame.hpp"

namespace stradsap::rt {

/// Runs all iterations, one after the other. `partials`, one a capture, hold reductions before and after.
/// What a body throws is returned, and ends the loop.
[[nodiscard]] std::optional<failure> run_in_program_order(const loop_frame& f,
                                                          const std::vector<std::byte*>& partials);

}  // namespace stradsap::rt
