#include "runtime/observe/hang_report.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stradsap::rt {

/// The place of a thread: the function that has been called, and the user's lines.
static std::string place_of(const thread_stack& thread) {
  if (!thread.silence.empty()) return thread.silence;
  if (thread.lines.empty()) return thread.within.empty() ? "outside the program" : "in " + thread.within;
  std::string text = thread.lines.front();
  if (!thread.within.empty()) text += ", in " + thread.within;
  for (std::size_t k = 1; k < thread.lines.size(); ++k) text += ", called from " + thread.lines[k];
  return text;
}

std::vector<std::string> lines_of(const std::vector<thread_stack>& threads) {
  std::vector<std::pair<std::string, std::string>> places;  // place, names
  for (const thread_stack& one : threads) {
    std::string place = place_of(one);
    const auto same =
        std::find_if(places.begin(), places.end(), [&](const auto& p) { return p.first == place; });
    if (same == places.end()) {
      places.emplace_back(std::move(place), one.name);
    } else {
      same->second += ", " + one.name;
    }
  }
  std::vector<std::string> lines;
  for (const auto& [place, names] : places) lines.push_back(names + ": " + place);
  return lines;
}

std::vector<rank_id> awaited_ranks(const std::vector<std::optional<rank_state>>& ranks) {
  std::vector<rank_id> found;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const auto rank = static_cast<rank_id>(r);
    const bool waits = ranks[r] && !ranks[r]->awaits.empty();
    const bool is_in_loop = ranks[r] && !ranks[r]->site.empty();
    const bool is_awaited = std::any_of(ranks.begin(), ranks.end(), [&](const auto& other) {
      return other && std::any_of(other->awaits.begin(), other->awaits.end(),
                                  [&](const awaited_rank& one) { return one.rank == rank; });
    });
    if (!waits && (is_awaited || is_in_loop)) found.push_back(rank);
  }
  return found;
}

static std::string text_of(rank_id rank, const std::optional<rank_state>& state) {
  if (!state) return fmt::format("  rank {} does not answer\n", rank);
  std::string text = fmt::format("  rank {} ({}), {}:\n", rank, state->process,
                                 state->site.empty() ? "not in a loop" : "in the loop at " + state->site);
  for (const awaited_rank& one : state->awaits)
    text += fmt::format("    waits for rank {}: {}\n", one.rank, one.reason);
  for (const std::string& line : state->stacks) text += fmt::format("    {}\n", line);
  return text;
}

std::string hang_report(std::chrono::seconds without_progress,
                        const std::vector<std::optional<rank_state>>& ranks) {
  const std::vector<rank_id> awaited = awaited_ranks(ranks);
  std::string text = fmt::format(
      "no progress for {} s: no rank has finished a block of iterations, received a message or begun a "
      "loop; ",
      without_progress.count());
  if (awaited.empty()) {
    text += "each rank waits for another one, which is an error of StradsAP\n";
  } else {
    text += fmt::format("waiting for: rank {}\n", fmt::join(awaited, ", "));
  }
  for (std::size_t r = 0; r < ranks.size(); ++r) text += text_of(static_cast<rank_id>(r), ranks[r]);
  return text;
}

}  // namespace stradsap::rt
