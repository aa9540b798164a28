#include "runtime/loop/plan/hot_elements.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "runtime/base/log.hpp"

namespace stradsap::rt {
namespace {

/// How many iterations touch each element of one range.
using iteration_counts = std::vector<std::uint64_t>;

}  // namespace

static std::uint64_t num_executors(const planning& in) {
  return static_cast<std::uint64_t>(in.ranks.world_size()) * static_cast<std::uint64_t>(in.pool.size());
}

constexpr std::int64_t fewest_iterations = 1024;  // of a loop with a warning

bool may_be_hot(const planning& in, std::uint64_t touches) {
  constexpr double fewest_at_work = 0.75;  // of the executors
  const auto n = static_cast<double>(in.frame.n);
  return !in.program_order && in.frame.n >= fewest_iterations &&
         fewest_at_work * static_cast<double>(touches * num_executors(in)) > n;
}

/// An element may stand twice in an iteration's set.
static void count(const access_sets& sets, const hot_range& range, iteration_counts& counts) {
  std::vector<std::uint64_t> last(counts.size(), sets.size());
  for (std::uint64_t i = 0; i < sets.size(); ++i) {
    sets.visit(i, [&](std::uint32_t capture, std::uint64_t element) {
      if (capture != range.capture || element < range.begin || element >= range.end) return;
      const std::uint64_t at = element - range.begin;
      if (std::exchange(last[at], i) != i) ++counts[at];
    });
  }
}

static iteration_counts count_everywhere(const planning& in, const std::vector<inspected_part>& parts,
                                         const hot_range& range) {
  std::vector<iteration_counts> of_parts(parts.size(), iteration_counts(range.end - range.begin));
  in.pool.run([&](int executor) {
    const auto p = static_cast<std::size_t>(executor);
    count(parts[p].sets, range, of_parts[p]);
  });
  iteration_counts mine(range.end - range.begin);
  for (const iteration_counts& one : of_parts)
    std::transform(mine.begin(), mine.end(), one.begin(), mine.begin(), std::plus());
  return sum_of_ranks(in.ranks, std::move(mine));
}

static std::string name_of(const loop_frame& f, std::uint32_t capture, std::uint64_t element) {
  if (f.replicas[capture]->keys() != nullptr) return fmt::format("one key of `{}`", f.name_of(capture));
  return fmt::format("element {} of `{}`", element, f.name_of(capture));
}

static bool has_fractions(const replica& local) { return local.ops().own.visit_changes != nullptr; }

/// The model for a container with hot elements. All of a small container may be relaxed. If an iteration has
/// more touches than a few, blocks are few even without hot elements. Steps of fractions add up, so a sum of
/// them may diverge.
static std::string model_for(const replica& local, double touches) {
  constexpr std::uint64_t small = 64;
  constexpr double few = 4;
  const bool is_whole = local.size() <= small || touches > few;
  const char* const hottest = is_whole ? "" : ", stradsap::consistency::hottest()";
  const char* const fold = has_fractions(local) ? "{.merge = stradsap::merge::adaptive}" : "0";
  return fmt::format("stradsap::consistency::stale({}{})", fold, hottest);
}

/// Other ways to add, if the loop changes elements in more ways than one.
static std::string advice_on_additions(const loop_frame& f, std::uint32_t capture, double touches) {
  const replica& local = *f.replicas[capture];
  const abi::element_ops& ops = *f.entry->captures[capture].ops;
  if (f.entry->captures[capture].added != nullptr) return {};
  if (local.keys() != nullptr)
    return fmt::format(
        "let the loop only add into `{0}`, or, if it only reads there, write std::as_const({0}), ",
        f.name_of(capture));
  const std::string relaxed =
      fmt::format("make it `dvector<...> {}(n, {})`", f.name_of(capture), model_for(local, touches));
  const bool may_be_whole_number =
      ops.own.write == nullptr && ops.size <= sizeof(double) && !has_fractions(local);
  if (!may_be_whole_number)
    return fmt::format("let the loop only add into `{}`, or {} if older values do, ", f.name_of(capture),
                       relaxed);
  return fmt::format(
      "let the loop only add into `{0}`, or, if older values do, state access(adds_late({0})) or {1}, ",
      f.name_of(capture), relaxed);
}

/// `touches`: of an iteration.
static std::string advice_on(const loop_frame& f, std::uint32_t capture, double touches) {
  return advice_on_additions(f, capture, touches) +
         "iterate over something finer, or, if iterations are long and the loop may add up the steps of "
         "shards, take consistency::sync";
}

/// Further calls will not use this plan (map_additions.hpp).
static bool is_dropped(const loop_frame& f, std::uint32_t capture, std::uint64_t touches) {
  const abi::accumulation* added = f.entry->captures[capture].added;
  if (!f.cuts_maps || added == nullptr) return false;
  return added->is_exact || 2 * touches > static_cast<std::uint64_t>(f.n);
}

static double touches_of_iteration(const std::vector<inspected_part>& parts) {
  std::uint64_t touches = 0;
  std::uint64_t active = 0;
  for (const inspected_part& part : parts) {
    for (std::uint64_t i = 0; i < part.sets.size(); ++i)
      part.sets.visit(i, [&](std::uint32_t, std::uint64_t) { ++touches; });
    active += part.sets.num_active();
  }
  return active == 0 ? 0 : static_cast<double>(touches) / static_cast<double>(active);
}

void warn_of_hot_elements(const planning& in, const std::vector<inspected_part>& parts,
                          const std::vector<hot_range>& suspects) {
  const loop_frame& f = in.frame;
  for (const hot_range& range : suspects) {
    const iteration_counts counts = count_everywhere(in, parts, range);
    const auto hottest = std::max_element(counts.begin(), counts.end());
    if (!may_be_hot(in, *hottest) || in.ranks.self() != 0 || is_dropped(f, range.capture, *hottest)) continue;
    const std::uint64_t element = range.begin + static_cast<std::uint64_t>(hottest - counts.begin());
    warn_once(
        f.site,
        fmt::format("{}: {} of {} iterations touch {}, so that {:.1f} of {} threads can work at a time; {}",
                    f.site, *hottest, f.n, name_of(f, range.capture, element),
                    static_cast<double>(f.n) / static_cast<double>(*hottest), num_executors(in),
                    advice_on(f, range.capture, touches_of_iteration(parts))));
  }
}

std::string why_in_order(const loop_frame& f, const survey& found) {
  if (found.most_uses == 0) return "its iteration touches no element";
  const bool one_element = 2 * found.most_uses > found.iterations;
  const std::string cause =
      one_element
          ? fmt::format("{} of {} sampled iterations touch {}", found.most_uses, found.iterations,
                        name_of(f, found.capture, found.element))
          : fmt::format("nearly all of {} sampled iterations touch elements of others", found.iterations);
  return fmt::format("{}; {}", cause, advice_on(f, found.capture, found.touches));
}

}  // namespace stradsap::rt
