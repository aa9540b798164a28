#include "runtime/cluster/loop_advice.hpp"

#include <fmt/format.h>

#include "runtime/base/log.hpp"

namespace stradsap::rt {

static constexpr double least_seconds = 0.1;

void loop_advice::ran_in_order(const std::string& site, double seconds, const std::string& why) {
  costs& loop = loops_[site];
  loop.seconds_in_order += seconds;
  if (loop.seconds_in_order < least_seconds) return;
  warn_once(site, fmt::format("{}: the loop runs in program order on one thread: {}", site, why));
}

void loop_advice::ran_planned(const std::string& site, double seconds, double seconds_plan,
                              const std::string& cause) {
  constexpr std::uint64_t several = 3;
  costs& loop = loops_[site];
  loop.seconds_planned += seconds;
  if (cause.empty()) return;
  loop.seconds_planning_again += seconds_plan;
  ++loop.plans_again;
  if (loop.seconds_planned < least_seconds || loop.plans_again < several) return;
  const double part = loop.seconds_planning_again / loop.seconds_planned;
  if (part <= 0.5) return;
  warn_once(site + " is planned again",
            fmt::format("{}: planned again at {} calls, {:.0f} % of the loop's time: {}", site,
                        loop.plans_again, 100 * part, cause));
}

}  // namespace stradsap::rt
