#include "runtime/loop/accumulate/finite_folds.hpp"

#include <fmt/format.h>

#include <stradsap/error.hpp>

namespace stradsap::rt {

void refuse_infinite(std::uint64_t element, const char* container, const merge::rule& how) {
  const bool adds_up = how.which() == merge::rule::kind::sum;
  const char* const advice =
      "; merge::sum adds up the steps of all accumulators: if they overshoot, take merge::adaptive, or "
      "shorter "
      "rounds";
  throw error(errc::out_of_range, fmt::format("element {} of `{}` has become infinite, or not a number{}",
                                              element, container, adds_up ? advice : ""));
}

}  // namespace stradsap::rt
