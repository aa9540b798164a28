// Folds that end a loop if they leave a fraction infinite, or not a number: of stale containers, and of all
// that a stale loop writes. Thread rule: stateless.
#pragma once

#include <cstdint>

#include <stradsap/consistency.hpp>

namespace stradsap::rt {

/// Whether the fold makes numbers from differences. Those of minima, maxima and functions may be infinite.
[[nodiscard]] inline bool keeps_finite(const merge::rule& how) {
  return how.which() == merge::rule::kind::sum || how.which() == merge::rule::kind::mean;
}

/// Throws error(errc::out_of_range), for folds by `how`.
[[noreturn]] void refuse_infinite(std::uint64_t element, const char* container, const merge::rule& how);

}  // namespace stradsap::rt
