#include "runtime/loop/access/assignment_log.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <stradsap/cereal.hpp>

#include "runtime/base/log.hpp"

namespace stradsap::rt {

static bool is_only_assigned(const loop_frame& f, std::uint32_t capture) {
  return f.writes(capture) && (f.entry->captures[capture].mode & abi::replaces) != 0;
}

bytes assignment_log::bytes_of(std::uint32_t capture, const void* at) const {
  bytes out;
  abi::writer to(out);
  frame_.replicas[capture]->ops().write(at, 1, to);
  return out;
}

void assignment_log::touched(std::uint32_t capture, std::uint64_t element, const void* at) {
  if (!is_only_assigned(frame_, capture)) return;
  const bool is_known = std::any_of(open_.begin(), open_.end(), [&](const open_touch& one) {
    return one.capture == capture && one.element == element;
  });
  if (!is_known) open_.push_back({capture, element, at, bytes_of(capture, at), abi::current_access});
}

void assignment_log::end(std::int64_t iteration) {
  for (const open_touch& one : std::exchange(open_, {})) {
    bytes after = bytes_of(one.capture, one.at);
    if (after == one.before) continue;
    std::string place =
        one.where.line == 0 ? frame_.site : fmt::format("{}:{}", one.where.file, one.where.line);
    found_.push_back({one.capture, one.element, iteration, std::move(place), std::move(after)});
  }
}

static std::string fault_of(const loop_frame& f, const assigned_element& one, const assigned_element& other) {
  return fmt::format(
      "{0}: error: iteration {1} ({0}) assigns element {2} of `{3}`, and so does iteration {4} ({5}) of the "
      "same "
      "batch another value: the last shard's stays",
      one.place, one.iteration, one.element, f.name_of(one.capture), other.iteration, other.place);
}

/// The message for the first element that two iterations assign different values; empty if there is none.
static std::string assigned_twice(const loop_frame& f, std::vector<assigned_element> all) {
  const auto key = [](const assigned_element& a) { return std::tuple(a.capture, a.element, a.iteration); };
  std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  for (std::size_t i = 1; i < all.size(); ++i) {
    const bool is_same = all[i].capture == all[i - 1].capture && all[i].element == all[i - 1].element;
    if (is_same && all[i].value != all[i - 1].value) return fault_of(f, all[i], all[i - 1]);
  }
  return {};
}

void refuse_two_assignments(const loop_frame& f, std::vector<assigned_element> mine, exchange& ranks) {
  bytes out;
  abi::writer to(out);
  abi::output_archive{to}(mine);
  const std::vector<bytes> in = ranks.all_gather(out);
  if (ranks.self() != driver_rank) return;
  std::vector<assigned_element> all;
  for (const bytes& one : in) {
    std::vector<assigned_element> there;
    abi::reader from(one);
    abi::input_archive{from}(there);
    std::move(there.begin(), there.end(), std::back_inserter(all));
  }
  const std::string fault = assigned_twice(f, std::move(all));
  if (!fault.empty()) stop_check(fault);
}

}  // namespace stradsap::rt
