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
  if (gave_up_ && std::pair(gave_up_->launch, gave_up_->step) < std::pair(launch, step)) gave_up_.reset();
}

exchange::step_state& exchange::state_of(launch_id launch, std::uint32_t step) {
  step_state& s = steps_[{launch, step}];
  s.resize(static_cast<std::size_t>(world_size_));
  return s;
}

static constexpr std::uint64_t piece_bytes = std::uint64_t{128} << 10;
static constexpr std::uint64_t most_ahead = 8 * piece_bytes;

/// Whether `wait.size` bytes of the rank are here, or all. In a trade, also whether the rank has taken so
/// many of this one's. If it sends as many itself, that tells it.
bool exchange::has_come(rank_id r, const incoming& of_rank, const pending_wait& wait) const {
  const bool sends = wait.pairs->has(r, self_);
  if (sends && !of_rank.has(wait.size)) return false;
  if (wait.mine == nullptr || !wait.pairs->has(self_, r)) return true;
  const auto at = static_cast<std::size_t>(r);
  const std::uint64_t own = wait.mine->sizes[at];
  const bool is_all_sent = own <= most_ahead || wait.size >= own - most_ahead;
  return is_all_sent || (sends && of_rank.total >= wait.size) || taken_there_[at] >= wait.size;
}

/// Gives up the launch if the wait lacks something of a rank that sends nothing more.
void exchange::give_up_departed(const pending_wait& wait) {
  const step_state& s = state_of(launch_, wait.step);
  for (const rank_id r : departed_) {
    if (!has_come(r, s[static_cast<std::size_t>(r)], wait))
      gave_up_ = {launch_, wait.step, fmt::format("rank {} has left", r)};
  }
}

/// Passes received pieces to `to`, until `size` bytes of every rank that sends have been taken.
void exchange::take_until(std::uint32_t step, std::uint64_t size, const sink& to, const pairs_of_ranks& pairs,
                          own_trade* mine) {
  const pending_wait wait{step, size, &pairs, mine};
  while (true) {
    step_state came(static_cast<std::size_t>(world_size_));
    bool enough = true;
    bool some = false;
    {
      const lock_guard hold(mutex_);
      step_state& s = state_of(launch_, step);
      for (std::size_t r = 0; r < s.size(); ++r) {
        const auto from = static_cast<rank_id>(r);
        if (from == self_) continue;
        enough = enough && has_come(from, s[r], wait);
        if (!pairs.has(from, self_)) continue;
        came[r].pieces = std::exchange(s[r].pieces, {});
        came[r].total = s[r].total;
        some = some || !came[r].pieces.empty();
      }
      if (!some && !enough) give_up_departed(wait);
      enough = enough || is_given_up(step);
      // The wait ends in any case: if a peer is lost, the process ends, or departed() is called.
      if (!some && !enough) {
        pending_ = wait;
        notification_.wait(mutex_, waiting_);
        pending_.reset();
      }
    }
    for (std::size_t r = 0; r < came.size(); ++r) {
      if (!came[r].pieces.empty()) pass_on(static_cast<rank_id>(r), came[r], to, step, pairs, mine);
    }
    if (enough) return;
  }
}

/// Passes the pieces on. In a trade, reports it to a rank that may wait for that.
void exchange::pass_on(rank_id from, const incoming& came, const sink& to, std::uint32_t step,
                       const pairs_of_ranks& pairs, own_trade* mine) {
  std::uint64_t size = 0;
  for (const bytes& piece : came.pieces) {
    to(from, piece, came.total);
    size += piece.size();
  }
  if (mine == nullptr) return;
  const auto at = static_cast<std::size_t>(from);
  const std::uint64_t own = pairs.has(self_, from) ? mine->sizes[at] : 0;
  const std::uint64_t before = std::exchange(mine->taken[at], mine->taken[at] + size);
  if (before + most_ahead < came.total && mine->taken[at] > own)
    net_->send(from, part_taken{launch_, step, mine->taken[at]});
}

void exchange::begin_trade(std::uint32_t step) {
  const lock_guard hold(mutex_);
  traded_ = {launch_, step};
  taken_there_.assign(static_cast<std::size_t>(world_size_), 0);
}

void exchange::trade(const std::vector<std::uint64_t>& sizes, const source& next, const sink& take,
                     const pairs_of_ranks& pairs) {
  const std::uint32_t step = step_++;
  const std::uint64_t longest = std::max<std::uint64_t>(1, *std::max_element(sizes.begin(), sizes.end()));
  own_trade mine{sizes, std::vector<std::uint64_t>(sizes.size())};
  if (longest > most_ahead) begin_trade(step);
  for (std::uint64_t at = 0; at < longest; at += piece_bytes) {
    if (at > most_ahead) take_until(step, at - most_ahead, take, pairs, &mine);
    for (rank_id r = 0; r < world_size_; ++r) {
      const std::uint64_t total = sizes[static_cast<std::size_t>(r)];
      if (r == self_ || !pairs.has(self_, r)) continue;
      if (at > 0 && at >= total) continue;  // an empty part is a piece too
      net_->send(r, part{launch_, step, false, total, next(r, std::min(piece_bytes, total - at))});
    }
  }
  take_until(step, std::numeric_limits<std::uint64_t>::max(), take, pairs, &mine);
  end_step(step);
}

void exchange::end_step(std::uint32_t step) {
  const lock_guard hold(mutex_);
  steps_.erase({launch_, step});
  if (is_given_up(step)) throw rank_gave_up(gave_up_->why);
}

std::vector<bytes> exchange::trade_whole(const std::vector<const bytes*>& out, const pairs_of_ranks& pairs) {
  std::vector<bytes> in(out.size());
  std::vector<std::uint64_t> sizes;
  for (const bytes* one : out) sizes.push_back(one->size());
  sizes[static_cast<std::size_t>(self_)] = 0;
  std::vector<std::size_t> sent(out.size());
  const auto next = [&](rank_id to, std::size_t size) {
    const auto r = static_cast<std::size_t>(to);
    const std::byte* first = out[r]->data() + std::exchange(sent[r], sent[r] + size);
    return bytes(first, first + size);
  };
  const auto take = [&](rank_id from, std::span<const std::byte> piece, std::uint64_t total) {
    bytes& joined = in[static_cast<std::size_t>(from)];
    joined.reserve(total);
    joined.insert(joined.end(), piece.begin(), piece.end());
  };
  trade(sizes, next, take, pairs);
  return in;
}

std::vector<bytes> exchange::all_to_all(std::vector<bytes> out, const pairs_of_ranks& pairs) {
  std::vector<const bytes*> parts;
  for (const bytes& one : out) parts.push_back(&one);
  std::vector<bytes> in = trade_whole(parts, pairs);
  in[static_cast<std::size_t>(self_)] = std::move(out[static_cast<std::size_t>(self_)]);
  return in;
}

void exchange::post(std::uint32_t step, rank_id to, const bytes& out) {
  std::size_t at = 0;
  do {  // an empty part is a piece too
    const std::size_t size = std::min<std::size_t>(piece_bytes, out.size() - at);
    net_->send(to, part{launch_, step, false, out.size(), bytes(out.data() + at, out.data() + at + size)});
    at += size;
  } while (at < out.size());
}

bool exchange::has_come(std::uint32_t step, const pairs_of_ranks& pairs) {
  const lock_guard hold(mutex_);
  const step_state& s = state_of(launch_, step);
  for (std::size_t r = 0; r < s.size(); ++r) {
    const auto from = static_cast<rank_id>(r);
    if (from != self_ && pairs.has(from, self_) && !s[r].has(~std::uint64_t{0})) return is_given_up(step);
  }
  return true;
}

std::vector<bytes> exchange::collect(std::uint32_t step, const pairs_of_ranks& pairs) {
  std::vector<bytes> in(static_cast<std::size_t>(world_size_));
  const auto take = [&](rank_id from, std::span<const std::byte> piece, std::uint64_t total) {
    bytes& joined = in[static_cast<std::size_t>(from)];
    joined.reserve(total);
    joined.insert(joined.end(), piece.begin(), piece.end());
  };
  take_until(step, ~std::uint64_t{0}, take, pairs, nullptr);
  end_step(step);
  return in;
}

std::vector<awaited_rank> exchange::awaits() {
  std::vector<awaited_rank> found;
  const patient_lock hold(mutex_);
  if (!hold.has() || !pending_) return found;
  const incoming nothing;
  const auto came = steps_.find({launch_, pending_->step});
  for (rank_id r = 0; r < world_size_; ++r) {
    if (r == self_) continue;
    const incoming& of_rank = came == steps_.end() ? nothing : came->second[static_cast<std::size_t>(r)];
    if (!has_come(r, of_rank, *pending_))
      found.push_back({r, fmt::format("its part of step {} of launch {}", pending_->step,
                                      static_cast<std::uint64_t>(launch_))});
  }
  return found;
}

std::vector<bytes> exchange::all_gather(const bytes& mine) {
  const std::vector<const bytes*> parts(static_cast<std::size_t>(world_size_), &mine);
  std::vector<bytes> in = trade_whole(parts, pairs_of_ranks::all(world_size_));
  in[static_cast<std::size_t>(self_)] = mine;
  return in;
}

void exchange::give_up(const std::string& why) {
  const auto* first = reinterpret_cast<const std::byte*>(why.data());
  for (rank_id r = 0; r < world_size_; ++r) {
    if (r != self_) net_->send(r, part{launch_, step_, true, why.size(), bytes(first, first + why.size())});
  }
}

void exchange::departed(rank_id peer) {
  const lock_guard hold(mutex_);
  departed_.push_back(peer);
  notification_.announce();
}

void exchange::received(rank_id from, part p) {
  const lock_guard hold(mutex_);
  if (p.failed) {
    const std::string why(reinterpret_cast<const char*>(p.payload.data()), p.payload.size());
    if (!gave_up_ || gave_up_->launch != p.launch || p.step < gave_up_->step)
      gave_up_ = {p.launch, p.step, why};
    return notification_.announce();
  }
  incoming& of_rank = state_of(p.launch, p.step)[static_cast<std::size_t>(from)];
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

void exchange::received(rank_id from, const part_taken& t) {
  const lock_guard hold(mutex_);
  if (traded_ != std::pair(t.launch, t.step)) return;  // of the last bytes of a step that has ended
  std::uint64_t& taken = taken_there_[static_cast<std::size_t>(from)];
  taken = std::max(taken, t.size);
  notification_.announce();
}

}  // namespace stradsap::rt
