#include "runtime/net/meeting.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <stradsap/error.hpp>

#include "runtime/base/log.hpp"
#include "runtime/base/worker_signals.hpp"
#include "runtime/net/build_id.hpp"

namespace stradsap::rt {

static constexpr std::uint32_t protocol = 5;

hello meeting::greeting() const {
  return {protocol, build_id(), options_.world_size, machine_kind(), options_.seed, options_.refusal};
}

bool meeting::has_met(rank_id rank) const {
  return std::any_of(met_.begin(), met_.end(), [&](const kind_of_rank& one) { return one.rank == rank; });
}

bool meeting::greeted(rank_id from, const hello& h) {
  const lock_guard hold(mutex_);
  changed_.notify_all();
  if (h.protocol != protocol || h.build != build_id()) {
    refusal_ = fmt::format("rank {} is another build of the program: its build id is {}, ours {}", from,
                           h.build, build_id());
    return false;
  }
  if (!h.refusal.empty() && options_.refusal.empty()) {
    refusal_ = fmt::format("rank {} cannot run: {}", from, h.refusal);
    return false;
  }
  if (h.world_size != options_.world_size) {
    refusal_ = fmt::format("rank {} expects {} ranks, rank {} expects {}", from, h.world_size, options_.rank,
                           options_.world_size);
    return false;
  }
  if (h.seed != options_.seed && options_.refusal.empty()) {  // else its own may be the wrong variable
    refusal_ = fmt::format("rank {} has the seed {}, rank {} has {}: give STRADSAP_SEED to all ranks", from,
                           h.seed, options_.rank, options_.seed);
    return false;
  }
  if (has_met(from)) return false;
  met_.push_back({from, h.machine});
  return true;
}

void meeting::fail(rank_id from, const std::string& why) {
  const lock_guard hold(mutex_);
  if (has_met(from) || !refusal_.empty()) return;
  refusal_ = fmt::format("rank {} cannot be met: {}", from, why);
  changed_.notify_all();
}

void meeting::wait(const std::string& socket, const place_of_rank& place_of) {
  const auto until = std::chrono::steady_clock::now() + options_.start_timeout;
  const auto others = static_cast<std::size_t>(options_.world_size - 1);
  constexpr std::chrono::seconds for_others{2};
  std::optional<std::chrono::steady_clock::time_point> last_word;
  const lock_guard hold(mutex_);
  while (met_.size() < others && refusal_.empty()) {
    constexpr std::chrono::milliseconds glance{50};
    const auto now = std::chrono::steady_clock::now();
    if (has_met(driver_rank) && !last_word) last_word = now + for_others;
    // Rank 0 may have met all and be in main: then the others say hello within a moment.
    if (!has_met(driver_rank) || now >= *last_word) end_if_told();
    if (now >= until) break;
    (void)changed_.wait_until(mutex_, std::min(until, now + glance));
  }
  if (!options_.refusal.empty()) throw error(errc::unsupported, options_.refusal);  // all have been told
  if (!refusal_.empty()) throw error(errc::cluster, refusal_);
  if (met_.size() == others) {
    std::vector<kind_of_rank> all = met_;
    all.push_back({options_.rank, machine_kind()});
    const std::string differ = options_.rank == driver_rank ? why_bits_may_differ(std::move(all)) : "";
    if (!differ.empty()) warn(differ);
    return;
  }
  throw error(errc::cluster, fmt::format("no hello from rank {} within {} s (socket {})", missing(place_of),
                                         options_.start_timeout.count(), socket));
}

std::string meeting::missing(const place_of_rank& place_of) const {
  std::string names;
  for (rank_id r = 0; r < options_.world_size; ++r) {
    if (r == options_.rank || has_met(r)) continue;
    const std::string place = place_of(r);
    names += fmt::format("{}{}{}", names.empty() ? "" : ", ", r, place.empty() ? "" : " at " + place);
  }
  return names;
}

}  // namespace stradsap::rt
