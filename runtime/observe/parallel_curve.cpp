#include "runtime/observe/parallel_curve.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace stradsap::rt {

parallel_curves::curve& parallel_curves::curve_of(const std::string& loop) {
  const auto found =
      std::find_if(curves_.begin(), curves_.end(), [&](const curve& one) { return one.loop == loop; });
  if (found != curves_.end()) return *found;
  curves_.push_back({loop, 0, {}, {}});
  return curves_.back();
}

void parallel_curves::add(const std::string& loop, const std::vector<parallel_trial>& trials) {
  curve& one = curve_of(loop);
  ++one.calls;
  if (trials.size() == 1 && !trials[0].why.empty()) one.why_none = trials[0].why;
  one.rows.resize(std::max(one.rows.size(), trials.size()));
  for (std::size_t i = 0; i < trials.size(); ++i) {
    row& to = one.rows[i];
    to.sum.workers = trials[i].workers;
    to.sum.updates += trials[i].updates;
    to.sum.rounds += trials[i].rounds;
    to.sum.last_change = std::max(to.sum.last_change, trials[i].last_change);
    if (!trials[i].why.empty()) to.sum.why = trials[i].why;
    to.failed += trials[i].how == parallel_trial::end::failed ? 1 : 0;
    to.limited += trials[i].how == parallel_trial::end::limit ? 1 : 0;
  }
}

static std::string calls_text(std::uint64_t some, std::uint64_t all) {
  return all == 1 ? "" : fmt::format(" in {} of {} calls", some, all);
}

std::vector<std::string> parallel_curves::words_of(const row& one, const curve& in) {
  const parallel_trial& sum = one.sum;
  std::string end = "converges";
  if (one.limited != 0) end = "has not converged" + calls_text(one.limited, in.calls);
  if (one.failed != 0) end = fmt::format("fails{}: {}", calls_text(one.failed, in.calls), sum.why);
  const double speedup = static_cast<double>(in.rows[0].sum.updates) / static_cast<double>(sum.rounds);
  return {fmt::format("{}", sum.workers),
          fmt::format("{}", sum.updates),
          fmt::format("{}", sum.rounds),
          one.failed != 0 || sum.rounds == 0 ? "-" : fmt::format("{:.3g}x", speedup),
          one.failed != 0 ? "-" : fmt::format("{:.1e}", sum.last_change),
          end};
}

std::vector<std::string> parallel_curves::table() const {
  if (curves_.empty()) return {"--simulate-parallel: no loop of schedule::dynamic() ran"};
  std::vector<std::string> lines;
  for (const curve& one : curves_) {
    if (!one.why_none.empty()) {
      lines.push_back(fmt::format("{}: updates cannot run side by side: {}", one.loop, one.why_none));
      continue;
    }
    lines.push_back(fmt::format("{}: updates side by side, simulated, of {} call{}:", one.loop, one.calls,
                                one.calls == 1 ? "" : "s"));
    lines.push_back(fmt::format("{:>8}  {:>10}  {:>10}  {:>8}  {:>11}  {}", "workers", "updates", "rounds",
                                "speed-up", "last change", "end"));
    for (const row& r : one.rows) {
      const std::vector<std::string> words = words_of(r, one);
      lines.push_back(fmt::format("{:>8}  {:>10}  {:>10}  {:>8}  {:>11}  {}", words[0], words[1], words[2],
                                  words[3], words[4], words[5]));
    }
  }
  return lines;
}

}  // namespace stradsap::rt
