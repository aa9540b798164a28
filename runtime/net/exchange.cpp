#include "runtime/net/exchange.hpp"

#include <utility>

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
  s.here.resize(static_cast<std::size_t>(world_size_));
  s.parts.resize(static_cast<std::size_t>(world_size_));
  return s;
}

std::vector<bytes> exchange::all_to_all(std::vector<bytes> out) {
  const std::uint32_t step = step_++;
  for (rank_id r = 0; r < world_size_; ++r) {
    if (r != self_) net_->send(r, part{launch_, step, false, std::move(out[static_cast<std::size_t>(r)])});
  }
  const lock_guard hold(mutex_);
  // A lost peer ends the process from the network's thread, so this wait ends whatever happens.
  while (state_of(launch_, step).num_here + 1 < world_size_) arrival_.wait(mutex_, waiting_);
  step_state s = std::move(state_of(launch_, step));
  steps_.erase({launch_, step});
  std::vector<bytes> in(static_cast<std::size_t>(world_size_));
  for (rank_id r = 0; r < world_size_; ++r) {
    const auto i = static_cast<std::size_t>(r);
    if (r == self_) {
      in[i] = std::move(out[i]);
      continue;
    }
    if (s.parts[i].failed) {
      const bytes& why = s.parts[i].payload;
      throw error(errc::cluster, std::string(reinterpret_cast<const char*>(why.data()), why.size()));
    }
    in[i] = std::move(s.parts[i].payload);
  }
  return in;
}

std::vector<bytes> exchange::all_gather(const bytes& mine) {
  return all_to_all(std::vector<bytes>(static_cast<std::size_t>(world_size_), mine));
}

void exchange::give_up(const std::string& why) {
  const auto* first = reinterpret_cast<const std::byte*>(why.data());
  for (rank_id r = 0; r < world_size_; ++r) {
    if (r != self_) net_->send(r, part{launch_, step_, true, bytes(first, first + why.size())});
  }
}

void exchange::received(rank_id from, part p) {
  const lock_guard hold(mutex_);
  step_state& s = state_of(p.launch, p.step);
  const auto i = static_cast<std::size_t>(from);
  if (!s.here[i]) ++s.num_here;
  s.here[i] = true;
  s.parts[i] = std::move(p);
  arrival_.announce();
}

}  // namespace stradsap::rt
