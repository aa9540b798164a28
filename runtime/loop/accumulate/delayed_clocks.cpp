#include "runtime/loop/accumulate/delayed_clocks.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "runtime/loop/accumulate/delayed_accumulators.hpp"

namespace stradsap::rt {

delayed_clocks::delayed_clocks(const planning& in, const plan& p, batch_memory& kept, transport* net,
                               wait_policy waiting, launch_id loop)
    : in_(in), plan_(p), kept_(kept), net_(net), waiting_(waiting), loop_(loop) {
  for (std::uint32_t a = 0; a < p.accumulator_ranks.size(); ++a) {
    if (p.accumulator_ranks[a] == in.ranks.self()) own_.push_back(a);
  }
  for (std::size_t c = 0; c < in.frame.num_captures(); ++c)
    copies_.push_back(in.frame.is_relaxed(c) ? make_copies(c) : nullptr);
}

delayed_clocks::~delayed_clocks() = default;

std::unique_ptr<delayed_copies> delayed_clocks::make_copies(std::size_t capture) {
  const loop_frame& f = in_.frame;
  const relaxation& of = *f.relaxed[capture];
  bound_ = static_cast<std::size_t>(of.bound);  // of all containers
  is_free_ = of.is_free;
  budget_ = of.budget;
  const std::size_t accumulators = used_accumulators(plan_).size();
  delayed_shape shape{bound_, plan_.accumulator_ranks, {}};
  shape.is_free = is_free_;
  shape.round = {static_cast<unsigned>(accumulators),
                 std::max(1.0, static_cast<double>(f.n) / static_cast<double>(accumulators)),
                 static_cast<unsigned>(of.bound), of.merge.uses()};
  if (of.merge.which() == merge::rule::kind::adaptive)
    shape.scale = &kept_.scale_of(*f.entry, *f.replicas[capture]);
  return std::make_unique<delayed_copies>(in_, capture, nullptr, std::move(shape));
}

std::unique_ptr<accumulators> delayed_clocks::accumulators_of(std::size_t capture) {
  return std::make_unique<delayed_accumulators>(*in_.frame.replicas[capture], *copies_[capture]);
}

/// Executors share the accumulators of this rank.
void delayed_clocks::for_each_accumulator(const std::function<void(std::uint32_t)>& work) {
  const auto executors = static_cast<std::size_t>(in_.pool.size());
  in_.pool.run([&](int executor) {
    for (auto k = static_cast<std::size_t>(executor); k < own_.size(); k += executors) work(own_[k]);
  });
}

/// Other ranks still wait for the clocks that follow, so no error leaves here. Returns whether there was
/// none.
template <class Work> bool delayed_clocks::keep_error(const Work& work) {
  try {
    work();
    return true;
  } catch (const error& e) {
    const std::string text = fmt::format("{}: {}", in_.frame.site, e.what());
    if (error_ == nullptr) error_ = std::make_exception_ptr(error(e.code(), text));
  } catch (...) {
    if (error_ == nullptr) error_ = std::current_exception();
  }
  is_stopped_ = true;
  return false;
}

// ---- a clock on this rank ----

/// Whether the clock sees the changes that come with the first one that is not folded: by the bound, or
/// because they have come.
bool delayed_clocks::must_fold_before(std::uint64_t clock) {
  if (complete_ + bound_ < clock) return true;
  const lock_guard hold(mutex_);
  return is_free_ && folded_ < clock && state_of(folded_).arrived == in_.ranks.world_size();
}

bool delayed_clocks::begin(std::uint64_t clock) {
  while (!is_stopped_ && must_fold_before(clock)) {
    const clock_state next = await_next();
    is_stopped_ = next.has_failed;
    if (!is_stopped_) fold_next(next);
  }
  if (is_stopped_) return false;
  {
    const lock_guard hold(mutex_);
    const bool is_ahead = folded_ < clock && state_of(clock - 1).arrived < in_.ranks.world_size();
    rounds_ahead_ = is_ahead ? own_.size() : 0;
    staleness_ = is_free_ ? clock - complete_ : std::min<std::uint64_t>(clock, bound_);
  }
  return keep_error([&] { begin_copies(clock); });
}

void delayed_clocks::begin_copies(std::uint64_t clock) {
  for_each_accumulator([&](std::uint32_t a) {
    for (const auto& one : copies_) {
      if (one != nullptr) one->begin(a, clock);
    }
  });
}

void delayed_clocks::close_copies() {
  for_each_accumulator([&](std::uint32_t a) {
    for (const auto& one : copies_) {
      if (one != nullptr) one->close(a);
    }
  });
}

void delayed_clocks::end(std::uint64_t clock, bool has_failed) {
  std::uint64_t complete = clock + 1;
  has_failed = has_failed || !keep_error([&] {
                 close_copies();
                 if (budget_ != 0 && in_.ranks.world_size() > 1) complete = hold_back(clock);
               });
  is_stopped_ = is_stopped_ || has_failed;
  ended_ = clock + 1;
  send_and_arrive(clock, has_failed, complete);
}

/// Changes wait for half of the bound, rounded up; ranks may be apart for the rest of it.
static std::uint64_t longest_wait(std::size_t bound) { return (bound + 1) / 2; }

/// Holds back the changes beyond the budget. Returns the number of clocks of which all changes are sent now.
std::uint64_t delayed_clocks::hold_back(std::uint64_t clock) {
  std::vector<waiting_change> all;
  for (const auto& one : copies_) {
    if (one != nullptr) one->list_ended(clock, all);
  }
  const std::uint64_t longest = longest_wait(bound_);
  const std::uint64_t due = clock + 1 - std::min(clock + 1, longest);
  choose_changes(all, budget_, due);
  bytes_due_ = 0;
  for (const waiting_change& one : all) bytes_due_ += one.since < due ? one.size_bytes : 0;
  std::span<const waiting_change> left = all;
  for (const auto& one : copies_) {
    if (one != nullptr) left = left.subspan(one->hold_back(clock, left));
  }
  std::uint64_t complete = clock + 1;
  for (const waiting_change& one : all) complete = one.waits ? std::min(complete, one.since) : complete;
  return complete;
}

/// Sends this rank's changes to all others.
void delayed_clocks::send_and_arrive(std::uint64_t clock, bool has_failed, std::uint64_t complete) {
  if (in_.ranks.world_size() == 1) return arrived(clock, in_.ranks.self(), has_failed, complete, {});
  bytes changes;
  abi::writer out(changes);
  out(clock, has_failed, complete);
  for (const auto& one : copies_) {
    if (one != nullptr && !has_failed) one->write_changes(clock, out);
  }
  for (rank_id r = 0; r < in_.ranks.world_size(); ++r) {
    if (r != in_.ranks.self()) net_->send(r, moved_elements{loop_, changes});
  }
  arrived(clock, in_.ranks.self(), has_failed, complete, {});
}

// ---- the changes of all ranks ----

delayed_clocks::clock_state& delayed_clocks::state_of(std::uint64_t clock) {
  while (states_.size() <= clock - folded_) {
    clock_state& made = states_.emplace_back();
    made.changes.resize(static_cast<std::size_t>(in_.ranks.world_size()));
    made.is_here.resize(made.changes.size());
  }
  return states_[clock - folded_];
}

/// A rank in clock c has folded the changes of this rank up to c - bound - 1, so this rank has folded up to
/// c - 2 * bound - 2 or later.
void delayed_clocks::received(rank_id from, bytes changes) {
  abi::reader in(changes);
  std::uint64_t clock = 0;
  bool has_failed = false;
  std::uint64_t complete = 0;
  in(clock, has_failed, complete);
  if (complete > clock + 1 || complete + bound_ < clock + 1)
    throw error(errc::decode, fmt::format("{} complete clocks in clock {}", complete, clock));
  {
    const lock_guard hold(mutex_);
    const std::uint64_t most = folded_ + 4 * (bound_ + 2);
    if (clock < folded_ || clock > most)
      throw error(errc::decode, fmt::format("changes of clock {} of {} to {}", clock, folded_, most));
  }
  arrived(clock, from, has_failed, complete, std::move(changes));
}

void delayed_clocks::arrived(std::uint64_t clock, rank_id from, bool has_failed, std::uint64_t complete,
                             bytes changes) {
  const lock_guard hold(mutex_);
  clock_state& state = state_of(clock);
  state.changes[static_cast<std::size_t>(from)] = std::move(changes);
  state.is_here[static_cast<std::size_t>(from)] = true;
  state.has_failed = state.has_failed || has_failed;
  state.complete = state.arrived == 0 ? complete : std::min(state.complete, complete);
  ++state.arrived;
  notification_.announce();
}

/// Waits for the changes of the first clock that is not folded.
delayed_clocks::clock_state delayed_clocks::await_next() {
  const lock_guard hold(mutex_);
  // The wait ends in any case: the network thread ends the process if a peer is lost.
  is_waiting_ = true;
  while (state_of(folded_).arrived < in_.ranks.world_size()) notification_.wait(mutex_, waiting_);
  is_waiting_ = false;
  return std::move(states_.front());
}

std::vector<awaited_rank> delayed_clocks::awaits() {
  std::vector<awaited_rank> found;
  const patient_lock hold(mutex_);
  if (!hold.has() || !is_waiting_) return found;
  const clock_state& next = state_of(folded_);
  for (std::size_t r = 0; r < next.is_here.size(); ++r) {
    if (!next.is_here[r])
      found.push_back({static_cast<rank_id>(r), fmt::format("its changes of clock {}", folded_)});
  }
  return found;
}

void delayed_clocks::fold_next(const clock_state& state) {
  std::uint64_t clock = 0;
  {
    const lock_guard hold(mutex_);
    clock = folded_++;
    states_.pop_front();
  }
  complete_ = state.complete;
  (void)keep_error([&] {
    for (rank_id from = 0; from < in_.ranks.world_size(); ++from) {
      if (from == in_.ranks.self()) continue;
      abi::reader in(state.changes[static_cast<std::size_t>(from)]);
      std::uint64_t number = 0;
      bool has_failed = false;
      std::uint64_t complete = 0;
      in(number, has_failed, complete);
      for (const auto& one : copies_) {
        if (one != nullptr) one->read_changes(clock, from, in);
      }
      if (in.remaining() != 0) {
        throw error(errc::decode, fmt::format("rank {} sent {} bytes too many", from, in.remaining()));
      }
    }
    for (const auto& one : copies_) {
      if (one != nullptr) one->fold(clock);
    }
  });
}

/// All ranks send the changes that they hold back, as one more clock.
void delayed_clocks::fold_held_back(std::uint64_t clock) {
  const bool has_failed = !keep_error([&] {
    begin_copies(clock);
    close_copies();
  });
  send_and_arrive(clock, has_failed, clock + 1);
  const clock_state rest = await_next();
  if (!rest.has_failed) return fold_next(rest);
  if (error_ == nullptr) {
    const std::string text = fmt::format("{}: a merge failed on another rank", in_.frame.site);
    error_ = std::make_exception_ptr(error(errc::body, text));
  }
}

void delayed_clocks::finish(std::uint64_t clocks) {
  const auto goes_on = [&] {
    const lock_guard hold(mutex_);
    return folded_ < clocks;
  };
  while (error_ == nullptr && goes_on()) fold_next(await_next());
  // On all ranks, or on none: they have the same numbers.
  if (error_ == nullptr && clocks == ended_ && complete_ < clocks) fold_held_back(clocks);
  for (const auto& one : copies_) {
    if (one != nullptr) one->store();
  }
}

}  // namespace stradsap::rt
