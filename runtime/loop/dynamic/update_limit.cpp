#include "runtime/loop/dynamic/update_limit.hpp"

#include <fmt/format.h>

#include "runtime/base/log.hpp"

namespace stradsap::rt {

void warn_of_end(std::string_view site, const schedule::dynamic_schedule& how, const update_order& order) {
  if (is_limited(how) || order.has_converged()) return;
  warn(
      fmt::format("{}: ended after {} updates, {} for each iteration, and has not converged: the last pass "
                  "changed an element by {:.1e} of the greatest, and until() asks for {:.1e}",
                  site, order.updates(), most_passes, order.last_change(), how.tolerance()));
}

}  // namespace stradsap::rt
