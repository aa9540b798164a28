#include "runtime/loop/assignment_log.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "runtime/base/log.hpp"

namespace stradsap::rt {

static bool is_only_assigned(const loop_frame& f, std::uint32_t capture) {
  return f.writes(capture) && (f.entry->captures[capture].mode & abi::reads) == 0;
}

/// The loop writes one member of the element, or the element is a number.
static bool has_one_part(const loop_frame& f, std::uint32_t capture) {
  const std::uint64_t written = f.entry->captures[capture].written;
  if (written != abi::all_fields) return std::popcount(written) == 1;
  return f.stores[capture]->ops().size <= sizeof(double);
}

bytes assignment_log::bytes_of(std::uint32_t capture, const void* at) const {
  bytes out;
  abi::writer to(out);
  frame_.stores[capture]->ops().write(at, 1, to);
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
    const bytes after = bytes_of(one.capture, one.at);
    std::vector<std::uint32_t> changed;
    for (std::uint32_t i = 0; i < std::max(after.size(), one.before.size()); ++i) {
      if (i >= after.size() || i >= one.before.size() || after[i] != one.before[i]) changed.push_back(i);
    }
    if (changed.empty()) continue;
    std::string place =
        one.where.line == 0 ? frame_.site : fmt::format("{}:{}", one.where.file, one.where.line);
    found_.push_back({one.capture, one.element, iteration, std::move(place), std::move(changed)});
  }
}

static std::string fault_of(const loop_frame& f, const assigned_element& one, const assigned_element& other) {
  return fmt::format(
      "{0}: error: iteration {1} ({0}) assigns element {2} of `{3}`, and so does iteration {4} ({5}) of the "
      "same "
      "batch: sync adds what both change",
      one.place, one.iteration, one.element, f.name_of(one.capture), other.iteration, other.place);
}

/// What to say of two that assign one element; empty if there are none.
static std::string assigned_twice(const loop_frame& f, std::vector<assigned_element> all) {
  const auto key = [](const assigned_element& a) { return std::tuple(a.capture, a.element, a.iteration); };
  std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::map<std::uint32_t, const assigned_element*> by_byte;  // of the element at hand
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_next =
        i > 0 && all[i].capture == all[i - 1].capture && all[i].element == all[i - 1].element;
    if (!is_next) by_byte.clear();
    if (is_next && has_one_part(f, all[i].capture)) return fault_of(f, all[i], all[i - 1]);
    for (const std::uint32_t byte : all[i].changed) {
      const auto [first, is_new] = by_byte.emplace(byte, &all[i]);
      if (!is_new) return fault_of(f, all[i], *first->second);
    }
  }
  return {};
}

void refuse_two_assignments(const loop_frame& f, std::vector<assigned_element> mine, exchange& ranks) {
  bytes out;
  abi::writer{out}(mine);
  const std::vector<bytes> in = ranks.all_gather(out);
  if (ranks.self() != driver_rank) return;
  std::vector<assigned_element> all;
  for (const bytes& one : in) {
    std::vector<assigned_element> there;
    abi::reader{one}(there);
    std::move(there.begin(), there.end(), std::back_inserter(all));
  }
  const std::string fault = assigned_twice(f, std::move(all));
  if (!fault.empty()) stop_check(fault);
}

}  // namespace stradsap::rt
