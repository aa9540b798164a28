#include "runtime/observe/summary.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stradsap::rt {

static std::string count_of(std::uint64_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

static std::string bytes_of(std::uint64_t size) {
  constexpr const char* units[] = {"bytes", "kB", "MB", "GB", "TB"};
  auto number = static_cast<double>(size);
  std::size_t unit = 0;
  for (; number >= 1000 && unit + 1 < std::size(units); ++unit) number /= 1000;
  return fmt::format("{:.3g} {}", number, units[unit]);
}

static std::string name_of(const loop_total& l) {
  return l.last.label.empty() ? l.last.site : fmt::format("{} ({})", l.last.label, l.last.site);
}

static std::string times_of(const loop_seconds& parts) {
  return fmt::format("computing {:.3g} s, waiting {:.3g} s, planning {:.3g} s, moving {:.3g} s",
                     parts.compute, parts.wait, parts.plan, parts.move);
}

/// The rank that computed longest, against the mean; empty for one rank.
static std::string imbalance_of(const loop_total& l) {
  const std::vector<double>& all = l.compute_by_rank;
  const double sum = std::accumulate(all.begin(), all.end(), 0.0);
  if (all.size() < 2 || sum <= 0) return {};
  const auto slowest = std::max_element(all.begin(), all.end());
  const std::string kept = l.bytes_unchanged == 0 ? ""
                                                  : fmt::format(", {} not, since they had not changed",
                                                                bytes_of(l.bytes_unchanged));
  return fmt::format("; rank {} computes longest, {:.2f} times the mean; {} sent{}", slowest - all.begin(),
                     *slowest * static_cast<double>(all.size()) / sum, bytes_of(l.bytes_sent), kept);
}

/// The bytes that a budget of a loop under consistency::stale could not hold back.
static std::string excess_of(const loop_total& l) {
  if (l.work.bytes_beyond == 0) return {};
  return fmt::format("; {} went beyond the budget, since changes had waited for half of the bound",
                     bytes_of(l.work.bytes_beyond));
}

/// The earlier calls that iterations did not see, of a loop under consistency::stale.
static std::string staleness_of(const loop_total& l) {
  return fmt::format("; calls miss {:.2f} earlier ones on average, at most {}{}{}", l.staleness.mean(),
                     l.staleness.greatest(),
                     l.last.planner == "free clocks" ? ", by their times: another run has other bits" : "",
                     excess_of(l));
}

/// The way of disjoint iterations; the updates under the dynamic scheduler, and the end of the last call;
/// empty for other loops.
static std::string way_of(const loop_total& l) {
  if (l.last.planner == "disjoint") return "; iterations never meet, and ran side by side in place";
  if (l.last.planner == "clocks" || l.last.planner == "free clocks") return staleness_of(l);
  if (l.last.planner != "dynamic") return {};
  std::string sets;
  if (l.last.sets != 0) sets = fmt::format(" in sets of up to {} shards", l.last.shards);
  if (l.last.free_executors != 0) sets = fmt::format(" free on {} threads", l.last.free_executors);
  if (l.last.depth != 0)
    sets += fmt::format(", {:.1f} in flight of at most {}", l.last.sets_in_flight, l.last.depth + 1);
  if (!l.last.why_no_sets.empty()) sets = fmt::format(" one after the other ({})", l.last.why_no_sets);
  return fmt::format("; {}{}; the last call {}", count_of(l.iterations, "update"), sets,
                     l.last.converged ? "converged" : "ended at its limit");
}

/// Why other ranks are idle in the loop; empty if they are not, or if it is short compared with the run.
static std::string idle_ranks_in(const loop_total& l, double seconds, int ranks) {
  constexpr double least_share = 0.1;
  if (l.last.too_large.empty() || ranks == 1 || l.seconds < least_share * seconds) return {};
  return fmt::format(
      "summary: {} runs on rank 0 only, because its additions into `{}` are too large to send: its "
      "parallelism in the statistics helps threads of rank 0, and no other ranks",
      name_of(l), fmt::join(l.last.too_large, "`, `"));
}

/// The plans of a loop that makes them again and again; empty for others, and if the loop is short compared
/// with the run. An order that is shuffled also scatters elements in memory, so planning alone need not be
/// long.
static std::string new_plans_in(const loop_total& l, double seconds) {
  constexpr double least_share = 0.1;
  constexpr std::uint64_t few = 2;
  if (l.plans <= few || 2 * l.plans <= l.calls || l.seconds < least_share * seconds) return {};
  return fmt::format(
      "summary: {} made a new plan in {} of {} calls, because containers are new, or sizes or the data "
      "behind "
      "subscripts changed; make containers before the outer loop; if an order is shuffled before each call, "
      "leave the shuffle out, or loop over batches of the order",
      name_of(l), l.plans, l.calls);
}

/// The containers that executors waited for, the worst first; those that conflict if none is known.
static std::string awaited_in(const loop_total& l) {
  const auto is_less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto worst = std::max_element(l.waits.begin(), l.waits.end(), is_less);
  return worst == l.waits.end() ? "other iterations" : fmt::format("`{}`", worst->first);
}

namespace {

/// A part of the run's time, and the sentence on it.
struct time_share {
  double seconds;
  std::string sentence;
};

}  // namespace

static std::vector<time_share> parts_of(const loop_total& l, int ranks) {
  const std::string at = name_of(l);
  const std::string planning =
      l.plans > 1 ? fmt::format(
                        "{} of {} calls made a new plan, because containers are new, or sizes or the data "
                        "behind subscripts changed",
                        l.plans, l.calls)
                  : std::string("the plan is made once, so further calls cost less");
  const std::string moving =
      ranks > 1
          ? fmt::format("each call sends {}; fewer ranks with more threads send less",
                        bytes_of(l.bytes_sent / std::max<std::uint64_t>(1, l.calls)))
          : std::string("the start of a call and the folding of sums; more work in a call pays for them");
  return {{l.parts.wait, fmt::format("waiting for {} in {}: iterations of other executors have its elements; "
                                     "consistency::sync does not wait for them",
                                     awaited_in(l), at)},
          {l.parts.plan, fmt::format("planning {}: {}", at, planning)},
          {l.parts.move, fmt::format("moving data and folding in {}: {}", at, moving)}};
}

/// The sentence on a file with the largest part of the time. Only text has a format that is read sooner.
static std::string sentence_on(const operation_total& one) {
  const bool is_text = !one.name.starts_with("saving ") && !one.name.ends_with(".npy");
  return one.name + (is_text ? "; load_npy reads what save_npy wrote without parsing" : "");
}

/// Adds line(x) for the elements of `all` with the most seconds, and a line that counts the rest.
template <class T, class Line>
static void add_lines(std::vector<const T*> all, const char* rest, const Line& line,
                      std::vector<std::string>& to) {
  constexpr std::size_t most = 20;
  std::stable_sort(all.begin(), all.end(), [](const T* a, const T* b) { return a->seconds > b->seconds; });
  for (std::size_t k = 0; k < std::min(all.size(), most); ++k) to.push_back("summary: " + line(*all[k]));
  if (all.size() > most) to.push_back(fmt::format("summary: {} more {} took less", all.size() - most, rest));
}

std::vector<std::string> summary_of(const run_stats& stats, double seconds, int ranks, int threads) {
  constexpr double least_share = 0.1;
  double in_loops = 0;
  double computing = 0;
  double in_operations = 0;
  std::vector<time_share> parts;
  const std::vector<const loop_total*> loops = stats.loops();
  for (const loop_total* l : loops) {
    in_loops += l->seconds;
    computing += l->parts.compute;
    for (time_share& one : parts_of(*l, ranks)) parts.push_back(std::move(one));
  }
  std::vector<const operation_total*> operations;
  for (const operation_total& one : stats.operations()) {
    in_operations += one.seconds;
    operations.push_back(&one);
    parts.push_back({one.seconds, sentence_on(one)});
  }
  parts.push_back({seconds - in_loops - in_operations, "outside loops: the work of main, in one thread"});
  std::vector<std::string> lines{
      fmt::format("summary: the run took {:.3g} s on {} of {}; loops took {:.3g} s", seconds,
                  count_of(static_cast<std::uint64_t>(ranks), "rank"),
                  count_of(static_cast<std::uint64_t>(threads), "thread"), in_loops)};
  if (loops.empty() && operations.empty()) {
    lines.emplace_back("summary: no loop is known: the loops of a plain build are not measured");
    return lines;
  }
  const auto line_of_operation = [](const operation_total& one) {
    return fmt::format("{}: {} took {:.3g} s", one.name, count_of(one.calls, "call"), one.seconds);
  };
  const auto line_of_loop = [](const loop_total& l) {
    return fmt::format("{}: {} took {:.3g} s: {}{}{}", name_of(l), count_of(l.calls, "call"), l.seconds,
                       times_of(l.parts), imbalance_of(l), way_of(l));
  };
  add_lines(operations, "files", line_of_operation, lines);
  add_lines(loops, "loops", line_of_loop, lines);
  for (const loop_total* l : loops) {
    for (const std::string& said : {idle_ranks_in(*l, seconds, ranks), new_plans_in(*l, seconds)}) {
      if (!said.empty()) lines.push_back(said);
    }
  }
  if (const std::uint64_t refused = stats.total().refused; refused != 0) {
    lines.push_back(fmt::format("summary: refused {} of strangers, which had no key of this run",
                                count_of(refused, "connection")));
  }
  const auto largest =
      std::max_element(parts.begin(), parts.end(),
                       [](const time_share& a, const time_share& b) { return a.seconds < b.seconds; });
  const bool computes = largest->seconds < least_share * seconds || largest->seconds < computing / 2;
  const time_share& said =
      computes ? time_share{computing, "computing: only faster bodies or more cores help much"} : *largest;
  lines.push_back(fmt::format("summary: {:.0f} % of the time is {}",
                              seconds > 0 ? 100 * said.seconds / seconds : 0, said.sentence));
  return lines;
}

}  // namespace stradsap::rt
