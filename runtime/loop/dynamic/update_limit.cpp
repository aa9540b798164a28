#include "runtime/loop/dynamic/update_limit.hpp"

#include <fmt/format.h>

#include "runtime/base/log.hpp"

namespace stradsap::rt {

// Coordinate descent from zero lets elements grow for some passes.
static constexpr std::uint64_t many_passes = 10;
// Elements that grow by a factor with each update become infinite within few passes. Data seldom do.
static constexpr double far = 1e18;

std::string growth_in(const update_order& order) {
  if (order.passes_of_growth() >= many_passes) {
    return fmt::format(
        "; the greatest element has grown in each of the last {} passes: there may be no "
        "optimum, as for separable samples without a penalty",
        order.passes_of_growth());
  }
  if (order.greatest_change() < far) return {};
  return fmt::format(
      "; updates have moved elements by up to {:.1e}: they diverge, as with steps that are too long, or "
      "without "
      "an optimum",
      order.greatest_change());
}

void warn_of_end(std::string_view site, const schedule::dynamic_schedule& how, const update_order& order) {
  if (is_limited(how) || order.has_converged()) return;
  warn(fmt::format(
      "{}: ended after {} updates, {} for each iteration, and has not converged: the last pass "
      "changed an element by {:.1e} of the greatest, and until() asks for {:.1e}{}",
      site, order.updates(), most_passes, order.last_change(), how.tolerance(), growth_in(order)));
}

}  // namespace stradsap::rt
