// The end of a dynamic schedule, as the program limits it. Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <stradsap/schedule.hpp>

#include "runtime/loop/dynamic/update_order.hpp"

namespace stradsap::rt {

// A loop that has not converged by then will not, or its tolerance is beyond the precision of its numbers.
inline constexpr std::int64_t most_passes = 1000;

/// Whether the program limits the updates.
[[nodiscard]] inline bool is_limited(const schedule::dynamic_schedule& how) {
  return how.most_passes() != 0 || how.most_updates() != 0;
}

/// For n iterations.
[[nodiscard]] inline update_limits limits_of(const schedule::dynamic_schedule& how, std::int64_t n) {
  const schedule::dynamic_schedule limited = is_limited(how) ? how : how.passes(most_passes);
  return {static_cast<std::uint64_t>(limited.num_updates(n)), how.tolerance()};
}

/// A clause on elements that grow from pass to pass, or that few updates have moved far, for a message; empty
/// if there are none.
[[nodiscard]] std::string growth_in(const update_order& order);

/// Warns if the tolerance should have ended the loop, and a limit that the program did not set has.
void warn_of_end(std::string_view site, const schedule::dynamic_schedule& how, const update_order& order);

}  // namespace stradsap::rt
