#include "runtime/net/exchange.hpp"

#include <limits>
#include <utility>

#include <fmt/format.h>
#include <stradsap/error.hpp>

namespace stradsap::rt {

void exchange::begin(launch_id launch, std::uint32_t step) {
  launch_ = launch;
  step_ = step;
  const lock_guard hold(mutex_);
  steps_.erase(steps_.begin(), steps_.lower_bound({launch, step}));
}

exchange::step_state& exchange::state_of(launch_id launch, std::uint32_t step) {
  step_state& s = steps_[{launch, step}];
  s.resize(static_cast<std::size_t>(world_size_));
  return s;
}

/// Until every other rank's part is here as far as that. A part that failed is as good as here.
void exchange::wait_for(std::uint32_t step, std::uint64_t size) {
  const auto is_here = [&](const incoming& one) { return one.failed || one.has(size); };
  while (true) {
    const step_state& s = state_of(launch_, step);
    const auto self = static_cast<std::size_t>(self_);
    std::size_t here = 0;
    for (std::size_t r = 0; r < s.size(); ++r) here += r == self || is_here(s[r]) ? 1 : 0;
    if (here == s.size()) return;
    // A lost peer ends the process from the network's thread, so this wait ends whatever happens.
    arrival_.wait(mutex_, waiting_);
  }
}

void exchange::send_pieces(std::uint32_t step, const std::vector<bytes>& out) {
  constexpr std::size_t piece_bytes = std::size_t{128} << 10;
  constexpr std::size_t most_ahead = 8 * piece_bytes;
  std::size_t longest = 1;  // an empty part is a piece too
  for (const bytes& one : out) longest = std::max(longest, one.size());
  for (std::size_t at = 0; at < longest; at += piece_bytes) {
    if (at > most_ahead) {
      const lock_guard hold(mutex_);
      wait_for(step, at - most_ahead);
    }
    for (rank_id r = 0; r < world_size_; ++r) {
      const bytes& one = out[static_cast<std::size_t>(r)];
      if (r == self_ || (at > 0 && at >= one.size())) continue;
      const auto first = one.begin() + static_cast<std::ptrdiff_t>(at);
      const auto size = static_cast<std::ptrdiff_t>(std::min(piece_bytes, one.size() - at));
      net_->send(r, part{launch_, step, false, one.size(), bytes(first, first + size)});
    }
  }
}

std::vector<bytes> exchange::all_to_all(std::vector<bytes> out) {
  const std::uint32_t step = step_++;
  send_pieces(step, out);
  std::vector<bytes> in(static_cast<std::size_t>(world_size_));
  in[static_cast<std::size_t>(self_)] = std::move(out[static_cast<std::size_t>(self_)]);
  const lock_guard hold(mutex_);
  wait_for(step, std::numeric_limits<std::uint64_t>::max());
  step_state parts = std::move(state_of(launch_, step));
  steps_.erase({launch_, step});
  for (std::size_t r = 0; r < parts.size(); ++r) {
    const bytes& came = parts[r].payload;
    if (parts[r].failed)
      throw error(errc::cluster, std::string(reinterpret_cast<const char*>(came.data()), came.size()));
    if (static_cast<rank_id>(r) != self_) in[r] = std::move(parts[r].payload);
  }
  return in;
}

std::vector<bytes> exchange::all_gather(const bytes& mine) {
  return all_to_all(std::vector<bytes>(static_cast<std::size_t>(world_size_), mine));
}

void exchange::give_up(const std::string& why) {
  const auto* first = reinterpret_cast<const std::byte*>(why.data());
  for (rank_id r = 0; r < world_size_; ++r) {
    if (r != self_) net_->send(r, part{launch_, step_, true, why.size(), bytes(first, first + why.size())});
  }
}

void exchange::received(rank_id from, part p) {
  const lock_guard hold(mutex_);
  incoming& of_rank = state_of(p.launch, p.step)[static_cast<std::size_t>(from)];
  if (p.failed) {
    of_rank = {std::move(p.payload), p.total, /*has_begun=*/true, /*failed=*/true};
    return arrival_.announce();
  }
  if (!of_rank.has_begun) of_rank.payload.reserve(p.total);
  of_rank.has_begun = true;
  of_rank.total = p.total;
  if (of_rank.payload.size() + p.payload.size() > p.total) {
    throw error(errc::decode, fmt::format("a part of {} bytes where {} were announced",
                                          of_rank.payload.size() + p.payload.size(), p.total));
  }
  of_rank.payload.insert(of_rank.payload.end(), p.payload.begin(), p.payload.end());
  arrival_.announce();
}

}  // namespace stradsap::rt
