#include "runtime/observe/prediction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace stradsap::rt {

// ---- numbers ----

/// Three digits and a unit: the largest one with a value of at least 1.
static std::string with_unit(double value, const std::vector<std::pair<double, const char*>>& units) {
  if (value == 0) return "0";
  const auto fits = [&](const auto& u) { return value >= 0.9995 * u.first; };
  const auto found = std::find_if(units.begin(), units.end() - 1, fits);
  return fmt::format("{:.3g} {}", value / found->first, found->second);
}

static std::string seconds_text(double s) {
  return with_unit(s, {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}});
}
static std::string bytes_text(double b) {
  return with_unit(b, {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}});
}
static std::string percent_text(double share) { return fmt::format("{:.3g} %", 100 * share); }

static std::string cluster_text(const simulated_cluster& on) {
  const std::string link = std::isinf(on.bytes_per_second)
                               ? "links without limit"
                               : fmt::format("{:.4g} Gbit/s", on.bytes_per_second * 8e-9);
  const std::string processor =
      on.message_seconds == 0 && on.byte_seconds == 0
          ? ""
          : fmt::format(", a message takes {} and {} a byte of each side's cores",
                        seconds_text(on.message_seconds), seconds_text(on.byte_seconds));
  return fmt::format("{} {} x {} {}, {}, {}{}", on.ranks, on.ranks == 1 ? "rank" : "ranks", on.threads,
                     on.threads == 1 ? "thread" : "threads", link,
                     on.latency_seconds == 0 ? "no latency" : seconds_text(on.latency_seconds), processor);
}

double loop_prediction::balance() const {
  return launch.seconds_busiest > 0 ? launch.seconds_work / num_threads() / launch.seconds_busiest : 1;
}

double loop_prediction::chain_share() const {
  return launch.seconds_work > 0 ? launch.seconds_chain / launch.seconds_work : 0;
}

// ---- limits ----

loop_limit limit_of(const loop_prediction& p) {
  if (!p.why_alone.empty()) return p.num_threads() > 1 ? loop_limit::one_thread : loop_limit::nothing;
  constexpr double worth_saying = 0.1;  // of the time
  const double ideal = p.launch.seconds_work / p.num_threads();
  const double by_chain = std::max(ideal, p.launch.seconds_chain);
  const double unbalanced = p.seconds_free - p.launch.seconds_around;
  const std::array<std::pair<double, loop_limit>, 5> losses{
      {{by_chain - ideal, loop_limit::critical_path},
       {unbalanced - by_chain, loop_limit::balance},
       {p.launch.seconds - p.seconds_late, loop_limit::network},
       {p.seconds_late - p.seconds_free, loop_limit::latency},
       {p.launch.seconds_around, loop_limit::launch}}};
  if (p.num_threads() == 1 || p.launch.seconds - ideal < worth_saying * p.launch.seconds)
    return loop_limit::nothing;
  const loop_limit greatest = std::max_element(losses.begin(), losses.end())->second;
  const bool is_one_task = p.launch.seconds_chain <= 1.001 * p.launch.seconds_longest;
  return greatest == loop_limit::critical_path && is_one_task ? loop_limit::balance : greatest;
}

std::string name_of(loop_limit limit) {
  switch (limit) {
    case loop_limit::critical_path:
      return "critical path";
    case loop_limit::balance:
      return "balance";
    case loop_limit::network:
      return "network";
    case loop_limit::latency:
      return "latency";
    case loop_limit::launch:
      return "launch";
    case loop_limit::one_thread:
      return "one thread";
    case loop_limit::nothing:
      break;
  }
  return "none";
}

static std::string advice_on_chain(const loop_prediction& p) {
  const bool is_one_group = p.launch.seconds_hottest > 0.9 * p.launch.seconds_chain;
  const char* what = p.is_by_waves ? "iterations" : "blocks";
  const double share = is_one_group ? p.launch.seconds_hottest / p.launch.seconds_work : p.chain_share();
  return fmt::format("no gain beyond {:.0f} threads: the longest chain of {}{} is {} of the work",
                     std::ceil(1 / p.chain_share()), what,
                     is_one_group ? fmt::format(" through one group of `{}`", p.launch.hottest) : "",
                     percent_text(share));
}

static std::string advice_on_balance(const loop_prediction& p) {
  const int used = p.launch.threads_used;
  if (used > 0.9 * p.num_threads())
    return fmt::format("the busiest thread has {:.3g} times the mean to do", 1 / p.balance());
  const std::string some = fmt::format("only {} of {} threads have work", used, p.num_threads());
  if (p.is_by_waves) return some + ": waves have 64 parts, for as many threads";
  if (p.is_in_batches) return some + ": a batch has no more shards; see consistency::sync({.shards = ...})";
  if (p.launch.anchor.empty()) return fmt::format("{}: there are {} blocks", some, p.launch.tasks);
  return fmt::format("{}: a thread takes whole groups of `{}`, of which there are {}", some, p.launch.anchor,
                     p.launch.anchor_groups);
}

std::string advice_on(const loop_prediction& p) {
  switch (limit_of(p)) {
    case loop_limit::critical_path:
      return advice_on_chain(p);
    case loop_limit::balance:
      return advice_on_balance(p);
    case loop_limit::network:
      return fmt::format("{} a launch cost {} of it: fewer ranks of more threads move less",
                         bytes_text(p.launch.bytes_moved), seconds_text(p.launch.seconds - p.seconds_late));
    case loop_limit::latency:
      return fmt::format(
          "{} of it is latency, of {:.0f} messages a launch: fewer ranks of more threads wait less",
          seconds_text(p.seconds_late - p.seconds_free), p.launch.messages);
    case loop_limit::launch:
      return fmt::format("a launch takes {} beside its blocks, on any number of threads: do more in one loop",
                         seconds_text(p.launch.seconds_around));
    case loop_limit::one_thread:
      return "runs on one thread only: " + p.why_alone;
    case loop_limit::nothing:
      break;
  }
  return "";
}

// ---- the table ----

static std::vector<std::string> row_of(const loop_prediction& p) {
  return {p.label.empty() ? p.site : p.label,
          fmt::format("{:.0f}", p.iterations),
          fmt::format("{}", p.launch.tasks),
          fmt::format("{}", p.launches),
          seconds_text(p.launch.seconds),
          fmt::format("{:.3g}x", p.speedup()),
          percent_text(p.efficiency()),
          percent_text(p.balance()),
          fmt::format("{} ({})", seconds_text(p.launch.seconds_chain), percent_text(p.chain_share())),
          bytes_text(p.launch.bytes_moved),
          p.launch.rank_bytes > 0 ? bytes_text(p.launch.rank_bytes) : "-",
          name_of(limit_of(p))};
}

std::vector<std::string> table_of(const std::vector<loop_prediction>& loops, const simulated_cluster& on,
                                  int measured_threads) {
  std::vector<std::string> lines{
      fmt::format("predicted for {}, from what ran here on {} {}; a launch:", cluster_text(on),
                  measured_threads, measured_threads == 1 ? "thread" : "threads")};
  if (loops.empty()) lines.emplace_back("no loop ran");
  std::vector<std::vector<std::string>> rows{{"loop", "iterations", "blocks", "launches", "time", "speed-up",
                                              "efficiency", "balance", "critical path", "moved",
                                              "memory/rank", "limit"}};
  for (const loop_prediction& p : loops) rows.push_back(row_of(p));
  std::vector<std::size_t> widths(rows[0].size());
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  for (const auto& row : rows) {
    if (loops.empty()) break;
    std::string line = fmt::format("{:<{}}", row[0], widths[0]);
    for (std::size_t c = 1; c + 1 < row.size(); ++c) line += fmt::format("  {:>{}}", row[c], widths[c]);
    lines.push_back(line + "  " + row.back());
  }
  for (const loop_prediction& p : loops) {
    const std::string advice = advice_on(p);
    if (!advice.empty()) lines.push_back(fmt::format("{}: {}", p.label.empty() ? p.site : p.label, advice));
  }
  return lines;
}

}  // namespace stradsap::rt
