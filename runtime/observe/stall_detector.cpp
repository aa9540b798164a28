#include "runtime/observe/stall_detector.hpp"

#include <algorithm>

namespace stradsap::rt {

stall_detector::stall_detector(int ranks, duration hang_timeout)
    : timeout_(hang_timeout), limit_(hang_timeout), ranks_(static_cast<std::size_t>(ranks)) {}

stall_detector::duration stall_detector::interval() const {
  constexpr duration shortest{100};
  constexpr duration longest{5000};
  return std::clamp(timeout_ / 4, shortest, longest);
}

void stall_detector::heard(rank_id from, const pulse& of, duration now) {
  rank_pulse& known = ranks_[static_cast<std::size_t>(from)];
  const bool is_same = known.has_come && known.last.progress == of.progress &&
                       known.last.is_in_loop == of.is_in_loop && known.last.is_planning == of.is_planning;
  if (!is_same) changed_ = now;
  known = {of, now, true};
}

bool stall_detector::is_stalled(duration now) const {
  const auto is_recent = [&](const rank_pulse& one) {
    return one.has_come && now - one.at <= 3 * interval();
  };
  const auto is_in_loop = [](const rank_pulse& one) { return one.last.is_in_loop; };
  return now - changed_ >= limit_ && std::any_of(ranks_.begin(), ranks_.end(), is_in_loop) &&
         std::all_of(ranks_.begin(), ranks_.end(), is_recent);
}

bool stall_detector::is_planning() const {
  return std::any_of(ranks_.begin(), ranks_.end(),
                     [](const rank_pulse& one) { return one.last.is_in_loop && one.last.is_planning; });
}

void stall_detector::reported(duration now) { limit_ = 2 * (now - changed_); }

}  // namespace stradsap::rt
