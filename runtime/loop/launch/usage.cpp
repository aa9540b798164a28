#include "runtime/loop/launch/usage.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "runtime/loop/launch/sent_merge.hpp"

namespace stradsap::rt {

static constexpr std::uint32_t most_accumulators = 64;
static constexpr std::uint32_t least_accumulators = 8;
// Limits for all accumulators of a container together (docs/decisions/accumulated.md).
static constexpr std::uint64_t bytes_an_iteration = 16;
static constexpr std::uint64_t always_bytes = std::uint64_t{1} << 20;
static constexpr std::uint64_t short_bytes = std::uint64_t{128} << 10;  // of more than the least number
static constexpr std::uint64_t most_bytes = std::uint64_t{8} << 20;

static usage usage_of(const abi::capture_info& capture) {
  if (capture.kind != abi::capture_kind::container) return usage::none;
  const bool by_index = (capture.mode & abi::aligned) != 0;
  if ((capture.mode & abi::writes) != 0) return by_index ? usage::aligned_write : usage::owned;
  return by_index ? usage::aligned_read : usage::read;
}

/// The number of accumulators within the limits. An accumulator then stays in a cache, and making and folding
/// all of them costs less than the loop, or next to nothing.
static std::uint32_t accumulators_for(const replica& local, std::int64_t n) {
  const std::uint64_t room =
      std::clamp(bytes_an_iteration * static_cast<std::uint64_t>(n), always_bytes, most_bytes);
  const std::uint64_t each = local.size() * local.ops().size;
  const std::uint64_t full_room =
      std::max(short_bytes, std::min(room, bytes_an_iteration * static_cast<std::uint64_t>(n)));
  std::uint32_t accumulators = most_accumulators;
  while (accumulators > least_accumulators && accumulators * each > full_room) accumulators /= 2;
  return accumulators * each > room ? 0 : accumulators;
}

// For whole numbers in large containers: a few accumulators for each executor, since no bit depends on them.
static constexpr std::uint64_t exact_bytes_an_iteration = 32;
static constexpr std::uint64_t most_exact_bytes = std::uint64_t{64} << 20;

/// Each executor makes, folds and adds into about one part, so the cost for each does not grow with their
/// number. `most`: a few for each executor.
static std::uint32_t exact_accumulators_for(const replica& local, std::int64_t n, std::uint32_t most) {
  const std::uint32_t executors = std::max<std::uint32_t>(1, most / 4);
  const std::uint64_t room =
      std::min(exact_bytes_an_iteration * static_cast<std::uint64_t>(n), most_exact_bytes);
  std::uint32_t accumulators = most;
  while (accumulators >= executors && accumulators * local.size() * local.ops().size > room)
    accumulators /= 2;
  return accumulators >= executors ? accumulators : 0;
}

// Each addition may make an entry in its accumulator.
static constexpr std::size_t largest_entry = 256;
static constexpr std::size_t bytes_a_key = 1024;  // of all accumulators

/// Whether the container can be accumulated: its operator is known, and regrouping the additions is allowed
/// or changes no bit.
static bool may_accumulate(const abi::capture_info& capture, ConsistencyModel::kind model,
                           bool as_transactions) {
  if (capture.kind != abi::capture_kind::container || capture.added == nullptr) return false;
  const bool is_map = capture.make_keys != nullptr;
  if (model == ConsistencyModel::kind::async && !as_transactions)
    return !is_map || capture.ops->size <= largest_entry;
  if (is_map) return false;
  return (as_transactions || model == ConsistencyModel::kind::ordered) && capture.added->is_exact;
}

bool is_late_sum(const abi::capture_info& capture) {
  constexpr unsigned late = abi::accumulates | abi::adds_late;
  return capture.added != nullptr && capture.added->subtract != nullptr && (capture.mode & late) == late;
}

std::vector<relaxed_capture> as_sent(const relaxations& of) {
  std::vector<relaxed_capture> sent;
  for (std::size_t c = 0; c < of.size(); ++c) {
    if (of[c])
      sent.push_back({static_cast<std::uint32_t>(c), of[c]->round, as_sent(of[c]->merge), of[c]->hottest,
                      of[c]->bound, of[c]->accumulators, of[c]->is_free, of[c]->budget});
  }
  return sent;
}

relaxations as_relaxations(const std::vector<relaxed_capture>& sent, std::size_t num_captures) {
  relaxations all;
  if (!sent.empty()) all.resize(num_captures);
  for (const relaxed_capture& one : sent) {
    if (one.capture >= num_captures || one.round < 1 || one.bound < 0) {
      throw error(errc::decode, fmt::format("rounds of {} iterations and the bound {} for capture {} of {}",
                                            one.round, one.bound, one.capture, num_captures));
    }
    if (!std::has_single_bit(one.accumulators) || one.accumulators > most_relaxed_accumulators)
      throw error(errc::decode, fmt::format("{} accumulators of a round", one.accumulators));
    if (one.budget != 0 && (!one.is_free || one.bound < 1))
      throw error(errc::decode, fmt::format("a budget of {} bytes with the bound {}", one.budget, one.bound));
    all[one.capture] = relaxation{one.round,        as_rule(one.merge), one.hottest, one.bound,
                                  one.accumulators, one.is_free,        one.budget};
  }
  return all;
}

bool is_scattered(const abi::capture_info& capture) {
  return capture.kind == abi::capture_kind::container &&
         (capture.mode & (abi::writes | abi::aligned)) == abi::writes;
}

/// Whether the body writes no other containers than relaxed ones at computed places.
static bool writes_only_relaxed(const abi::loop_entry& entry, const relaxations& relaxed) {
  for (std::size_t c = 0; c < entry.num_captures; ++c) {
    const bool is_relaxed = relaxed[c] && relaxed[c]->is_whole();
    if (is_scattered(entry.captures[c]) && !is_relaxed) return false;
  }
  return true;
}

bool is_only_added(const abi::capture_info& capture) {
  return capture.added != nullptr && abi::is_only_added(capture.mode) && (capture.mode & abi::adds_late) == 0;
}

bool adds_apart(const abi::capture_info& capture, const replica& local, std::int64_t n) {
  return is_only_added(capture) && capture.added->shape == nullptr && local.keys() == nullptr &&
         accumulators_for(local, n) >= least_accumulators;
}

bool hinders_plan(const abi::loop_entry& entry, std::size_t c, std::int64_t n,
                  const std::vector<replica*>& replicas, const relaxations& relaxed) {
  if ((entry.captures[c].mode & abi::hinders) == 0) return false;
  const bool is_relaxed = !relaxed.empty() && relaxed[c] && relaxed[c]->is_whole();
  return !is_relaxed && !adds_apart(entry.captures[c], *replicas[c], n);
}

bool is_planned_by_others(const abi::loop_entry& entry, std::int64_t n, const std::vector<replica*>& replicas,
                          const relaxations& relaxed) {
  if (!relaxed.empty() && writes_only_relaxed(entry, relaxed)) return true;
  if ((entry.flags & abi::relaxable) == 0) return false;
  for (std::size_t c = 0; c < entry.num_captures; ++c) {
    if (hinders_plan(entry, c, n, replicas, relaxed)) return false;
  }
  return true;
}

/// For fractions: each accumulator may get all keys, and accumulators cannot be joined.
static std::uint32_t accumulators_for_fractions(std::size_t entry_bytes) {
  std::uint32_t accumulators = most_accumulators;
  while (accumulators > least_accumulators && accumulators * entry_bytes > bytes_a_key) accumulators /= 2;
  return accumulators;
}

void loop_uses::accumulate(std::size_t capture, std::uint32_t accumulators, bool exactly) {
  by_capture[capture] = usage::accumulated;
  limit_accumulators(accumulators, exactly);
}

void loop_uses::limit_accumulators(std::uint32_t accumulators, bool exactly) {
  num_accumulators = num_accumulators == 0 ? accumulators : std::min(num_accumulators, accumulators);
  is_exact = is_exact && exactly;
}

void loop_uses::accumulate_large(std::size_t capture, std::uint32_t accumulators, bool exactly) {
  accumulate(capture, accumulators, exactly);
  too_large.push_back(capture);
}

bool has_inexact_sums(const abi::loop_entry& entry) {
  return std::any_of(entry.captures, entry.captures + entry.num_captures, [](const abi::capture_info& c) {
    return c.kind == abi::capture_kind::reduction && (c.mode & abi::exact) == 0;
  });
}

static std::size_t count_owned(const loop_uses& found) {
  return static_cast<std::size_t>(std::count(found.by_capture.begin(), found.by_capture.end(), usage::owned));
}

loop_uses uses_of(const abi::loop_entry& entry, std::int64_t n, ConsistencyModel::kind model,
                  const std::vector<replica*>& replicas, std::uint32_t map_accumulators,
                  std::uint32_t large_accumulators, const relaxations& relaxed) {
  loop_uses found;
  found.by_capture.reserve(entry.num_captures);
  std::vector<std::size_t> maps;
  std::vector<std::size_t> large;
  const bool is_async = model == ConsistencyModel::kind::async;
  const bool as_transactions = is_async && (entry.flags & abi::transactional) != 0 &&
                               !is_planned_by_others(entry, n, replicas, relaxed);
  for (std::size_t c = 0; c < entry.num_captures; ++c) {
    const abi::capture_info& capture = entry.captures[c];
    found.by_capture.push_back(usage_of(capture));
    if (is_async && !as_transactions && !relaxed.empty() && relaxed[c] && is_scattered(capture)) {
      if (relaxed[c]->is_whole()) found.by_capture[c] = usage::accumulated;
      found.limit_accumulators(relaxed[c]->accumulators, /*exactly=*/false);
      continue;
    }
    if (!may_accumulate(capture, model, as_transactions)) continue;
    if ((capture.mode & abi::adds_late) != 0) {  // iterations read the parts
      if (is_late_sum(capture) && !as_transactions && model == ConsistencyModel::kind::async)
        found.accumulate(c, std::max(least_accumulators, accumulators_for(*replicas[c], n)), false);
      continue;
    }
    if (capture.added->shape != nullptr) {
      if (large_accumulators != 0) found.accumulate_large(c, large_accumulators, capture.added->is_exact);
    } else if (as_transactions) {  // iteration by iteration, without accumulators
      found.by_capture[c] = usage::accumulated;
    } else if (replicas[c]->keys() != nullptr) {
      maps.push_back(c);
    } else if (const std::uint32_t accumulators = accumulators_for(*replicas[c], n);
               accumulators >= least_accumulators) {
      found.accumulate(c, accumulators, capture.added->is_exact);
    } else if (large_accumulators != 0) {
      found.accumulate_large(c, large_accumulators, capture.added->is_exact);
    } else if (capture.added->is_exact) {
      large.push_back(c);
    }
  }
  const auto is_exact = [&](std::size_t c) { return entry.captures[c].added->is_exact; };
  // their number depends on executors, and so would the bits of fractions and the order of writes beside them
  const bool is_alone = found.is_exact && std::all_of(maps.begin(), maps.end(), is_exact) &&
                        !has_inexact_sums(entry) && count_owned(found) == large.size() + maps.size();
  for (const std::size_t c : large) {
    if (!is_alone) break;
    const std::uint32_t accumulators = exact_accumulators_for(*replicas[c], n, map_accumulators);
    if (accumulators != 0) found.accumulate(c, accumulators, /*exactly=*/true);
  }
  // If nothing else is owned, accumulators cover ranges of iterations, so new keys come up in program order.
  if (map_accumulators == 0 || count_owned(found) > maps.size()) return found;
  std::uint32_t accumulators = most_accumulators;
  for (const std::size_t c : maps) {
    found.is_exact = found.is_exact && entry.captures[c].added->is_exact;
    accumulators = std::min(accumulators, accumulators_for_fractions(entry.captures[c].ops->size));
  }
  for (const std::size_t c : maps)
    found.accumulate(c, found.is_exact ? map_accumulators : accumulators, found.is_exact);
  return found;
}

}  // namespace stradsap::rt
