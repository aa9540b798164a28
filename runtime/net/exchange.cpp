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

/// Passes received pieces to `take`, until `size` bytes of every other rank have been taken.
void exchange::take_until(std::uint32_t step, std::uint64_t size, const sink& take) {
  while (true) {
    step_state came(static_cast<std::size_t>(world_size_));
    bool enough = true;
    bool some = false;
    {
      const lock_guard hold(mutex_);
      step_state& s = state_of(launch_, step);
      for (std::size_t r = 0; r < s.size(); ++r) {
        if (static_cast<rank_id>(r) == self_) continue;
        enough = enough && s[r].has(size);
        if (s[r].failed) continue;
        came[r].pieces = std::exchange(s[r].pieces, {});
        came[r].total = s[r].total;
        some = some || !came[r].pieces.empty();
      }
      // The wait ends in any case: the network thread ends the process if a peer is lost.
      if (!some && !enough) notification_.wait(mutex_, waiting_);
    }
    for (std::size_t r = 0; r < came.size(); ++r) {
      for (const bytes& piece : came[r].pieces) take(static_cast<rank_id>(r), piece, came[r].total);
    }
    if (enough) return;
  }
}

void exchange::trade(const std::vector<std::uint64_t>& sizes, const source& next, const sink& take) {
  constexpr std::uint64_t piece_bytes = std::uint64_t{128} << 10;
  constexpr std::uint64_t most_ahead = 8 * piece_bytes;
  const std::uint32_t step = step_++;
  const std::uint64_t longest = std::max<std::uint64_t>(1, *std::max_element(sizes.begin(), sizes.end()));
  for (std::uint64_t at = 0; at < longest; at += piece_bytes) {
    if (at > most_ahead) take_until(step, at - most_ahead, take);
    for (rank_id r = 0; r < world_size_; ++r) {
      const std::uint64_t total = sizes[static_cast<std::size_t>(r)];
      if (r == self_ || (at > 0 && at >= total)) continue;  // an empty part is a piece too
      net_->send(r, part{launch_, step, false, total, next(r, std::min(piece_bytes, total - at))});
    }
  }
  take_until(step, std::numeric_limits<std::uint64_t>::max(), take);
  end_step(step);
}

void exchange::end_step(std::uint32_t step) {
  const lock_guard hold(mutex_);
  const step_state parts = std::move(state_of(launch_, step));
  steps_.erase({launch_, step});
  for (const incoming& of_rank : parts) {
    if (!of_rank.failed) continue;
    const bytes& why = of_rank.pieces.at(0);
    throw rank_gave_up(std::string(reinterpret_cast<const char*>(why.data()), why.size()));
  }
}

std::vector<bytes> exchange::all_to_all(std::vector<bytes> out) {
  std::vector<bytes> in(out.size());
  in[static_cast<std::size_t>(self_)] = std::move(out[static_cast<std::size_t>(self_)]);
  std::vector<std::uint64_t> sizes;
  for (const bytes& one : out) sizes.push_back(one.size());
  std::vector<std::size_t> sent(out.size());
  const auto next = [&](rank_id to, std::size_t size) {
    const auto r = static_cast<std::size_t>(to);
    const std::byte* first = out[r].data() + std::exchange(sent[r], sent[r] + size);
    return bytes(first, first + size);
  };
  const auto take = [&](rank_id from, std::span<const std::byte> piece, std::uint64_t total) {
    bytes& joined = in[static_cast<std::size_t>(from)];
    joined.reserve(total);
    joined.insert(joined.end(), piece.begin(), piece.end());
  };
  trade(sizes, next, take);
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
    of_rank = {};
    of_rank.failed = true;
    of_rank.pieces.push_back(std::move(p.payload));
    return notification_.announce();
  }
  of_rank.has_begun = true;
  of_rank.total = p.total;
  of_rank.size += p.payload.size();
  if (of_rank.size > p.total) {
    throw error(errc::decode,
                fmt::format("a part of {} bytes where {} were announced", of_rank.size, p.total));
  }
  of_rank.pieces.push_back(std::move(p.payload));
  notification_.announce();
}

}  // namespace stradsap::rt
