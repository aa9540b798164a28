// The length of rounds that a program names for sums of fractions: a warning if the hottest element takes
// more steps in a round than sums of them bear, and an error far beyond. Decided by counts alone, so the same
// on any ranks and threads. Thread rule: main thread.
#include <algorithm>

#include <fmt/format.h>

#include "runtime/base/elapsed.hpp"
#include "runtime/base/log.hpp"
#include "runtime/cluster/driver.hpp"
#include "runtime/cluster/survey_frame.hpp"
#include "runtime/loop/plan/survey.hpp"

namespace stradsap::rt {

static std::int64_t length_of_round(const launch_request& r, const relaxation& rule) {
  return std::min(r.n, rule.round);
}

static double delay_of(const relaxation& rule) { return 2 * static_cast<double>(rule.bound) + 1; }

namespace {

constexpr double warned_uses = 1000;  // of an element in a round, times 2 * bound + 1
constexpr double refused_uses = 100 * warned_uses;

/// A container with rounds of a named length.
struct judged_container {
  const launch_request& call;
  std::size_t capture;
  hottest_use hottest;

  [[nodiscard]] const relaxation& rule() const { return *call.relaxed[capture]; }
  /// Steps that add up before an iteration sees them, about.
  [[nodiscard]] double uses() const { return uses_of_iteration() * static_cast<double>(length()) * delay(); }
  /// The longest round without a warning.
  [[nodiscard]] std::int64_t longest() const {
    return std::max<std::int64_t>(1,
                                  static_cast<std::int64_t>(warned_uses / (uses_of_iteration() * delay())));
  }
  [[nodiscard]] std::string text() const {
    const char* const name = call.entry->captures[capture].name;
    const std::string late = rule().bound == 0 ? "" : fmt::format(", times {} for the bound", delay());
    return fmt::format(
        "{}: in a round of {} iterations about {:.0f} use element {} of `{}`{}, and merge::sum "
        "adds up the steps of {} accumulators",
        call.site, length(), uses_of_iteration() * static_cast<double>(length()), hottest.element, name, late,
        rule().accumulators);
  }
  [[nodiscard]] std::string advice() const {
    return fmt::format(
        "take {{.round = {}}}, merge::adaptive, or, if steps are so small that an element "
        "settles in u uses, merge::by_uses(u)",
        longest());
  }

 private:
  [[nodiscard]] std::int64_t length() const { return length_of_round(call, rule()); }
  [[nodiscard]] double delay() const { return delay_of(rule()); }
  [[nodiscard]] double uses_of_iteration() const {
    return static_cast<double>(hottest.uses) / static_cast<double>(hottest.sampled);
  }
};

}  // namespace

/// An iteration counts as one use. Two accumulators overshoot at most twofold, which sums bear without a
/// bound.
static bool is_judged(const launch_request& r, std::size_t c) {
  if (r.relaxed.empty() || !r.relaxed[c] || r.containers[c]->model().round() == 0) return false;
  const relaxation& rule = *r.relaxed[c];
  const bool is_long = static_cast<double>(length_of_round(r, rule)) * delay_of(rule) > warned_uses;
  return is_long && rule.merge == merge::sum && r.containers[c]->local().ops().own.visit_changes != nullptr &&
         (rule.accumulators > 2 || rule.bound > 0);
}

/// Only a slice finds elements without a run of the body.
static bool may_be_counted(const launch_request& r) {
  constexpr unsigned unfit = abi::transactional | abi::of_library;
  return !r.is_clock && (r.entry->flags & abi::has_slice) != 0 && (r.entry->flags & unfit) == 0;
}

void driver::judge_rounds(const launch_request& r, const abi::launch_key& key) {
  if (settings().serial || !may_be_counted(r)) return;
  std::vector<std::size_t> judged;
  std::int64_t longest = 0;
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    if (!is_judged(r, c)) continue;
    judged.push_back(c);
    longest = std::max(longest, length_of_round(r, *r.relaxed[c]));
  }
  std::int64_t& known = judged_rounds_[r.entry->id];
  if (longest <= known) return;
  const auto start = std::chrono::steady_clock::now();
  const loop_frame f = frame_of_survey(r, key, ConsistencyModel::kind::async, {});
  const std::vector<hottest_use> hottest =
      hottest_uses(f, node_.copies(), [&](std::int64_t j) { bring_aligned(f, r, j); });
  seconds_survey_ += seconds_since(start);
  for (const std::size_t c : judged) {
    if (hottest[c].uses == 0) continue;
    const judged_container one{r, c, hottest[c]};
    if (one.uses() > refused_uses)
      throw error(errc::unsupported,
                  fmt::format("{}, too many for a sum of fractions: {}", one.text(), one.advice()));
    if (one.uses() > warned_uses)
      warn_once(fmt::format("{} {}", r.site, c),
                fmt::format("{}, which may overshoot: {}", one.text(), one.advice()));
  }
  known = longest;
}

}  // namespace stradsap::rt
