#include "runtime/net/failure_detector.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace stradsap::rt {

failure_detector::failure_detector(int ranks, std::chrono::seconds hang_timeout, clock::time_point now)
    : hang_timeout_(hang_timeout), next_ping_(now + ping_interval), peers_(static_cast<std::size_t>(ranks)) {}

void failure_detector::met(rank_id peer, clock::time_point now) {
  of(peer).heard = now;
  presence before = presence::awaited;
  of(peer).state.compare_exchange_strong(before, presence::present);
}

bool failure_detector::disconnected(rank_id peer) {
  presence before = presence::present;
  return of(peer).state.compare_exchange_strong(before, presence::departed);
}

void failure_detector::suspect(clock::time_point now) {
  hasty_ = short_pings;
  next_ping_ = std::min(next_ping_, now + short_interval);
}

bool failure_detector::lose(rank_id peer) {
  return of(peer).state.exchange(presence::lost) != presence::lost && !departures_expected_;
}

bool failure_detector::is_ping_due(clock::time_point now) {
  if (now < next_ping_) return false;
  next_ping_ = now + (hasty_ > 0 ? short_interval : ping_interval);
  if (hasty_ > 0) --hasty_;
  return true;
}

std::vector<rank_id> failure_detector::present() const {
  std::vector<rank_id> found;
  for (std::size_t r = 0; r < peers_.size(); ++r) {
    if (peers_[r].state == presence::present) found.push_back(static_cast<rank_id>(r));
  }
  return found;
}

std::vector<loss> failure_detector::departed() const {
  std::vector<loss> found;
  for (std::size_t r = 0; r < peers_.size(); ++r) {
    if (peers_[r].state == presence::departed)
      found.push_back({static_cast<rank_id>(r), "its process has gone"});
  }
  return found;
}

std::vector<loss> failure_detector::silent(clock::time_point now) const {
  std::vector<loss> found;
  if (hang_timeout_.count() == 0) return found;
  for (std::size_t r = 0; r < peers_.size(); ++r) {
    const peer_state& p = peers_[r];
    const bool is_watched = p.state == presence::present || p.state == presence::departed;
    if (!is_watched || now - p.heard <= hang_timeout_) continue;
    found.push_back(
        {static_cast<rank_id>(r), fmt::format("it has been silent for {} s", hang_timeout_.count())});
  }
  return found;
}

}  // namespace stradsap::rt
