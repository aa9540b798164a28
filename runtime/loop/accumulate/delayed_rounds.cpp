#include "runtime/loop/accumulate/delayed_rounds.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "runtime/base/check.hpp"
#include "runtime/loop/accumulate/delayed_accumulators.hpp"

namespace stradsap::rt {

static constexpr std::size_t no_round = std::numeric_limits<std::size_t>::max();

delayed_rounds::delayed_rounds(const planning& in, const plan& p,
                               const std::vector<std::vector<std::uint32_t>>& rounds, batch_memory& kept,
                               transport* net, launch_id launch)
    : in_(in),
      plan_(p),
      kept_(kept),
      net_(net),
      launch_(launch),
      num_rounds_(rounds.size()),
      round_of_(p.blocks.size()),
      current_(p.accumulator_ranks.size(), no_round),
      failed_(no_round) {
  bound_ = no_round;
  for (std::size_t c = 0; c < in.frame.num_captures(); ++c) {
    copies_.emplace_back();
    if (in.frame.is_relaxed(c) || in.frame.is_hottest_relaxed(c)) add_copies(c, rounds.size());
  }
  count_open(rounds);
}

delayed_rounds::~delayed_rounds() = default;

/// A bound of all rounds leaves nothing to see.
void delayed_rounds::add_copies(std::size_t capture, std::size_t rounds) {
  const loop_frame& f = in_.frame;
  const relaxation& of = *f.relaxed[capture];
  const auto accumulators = static_cast<unsigned>(plan_.accumulator_ranks.size());
  const double iterations = static_cast<double>(f.n) / static_cast<double>(rounds * accumulators);
  delayed_shape shape{std::min(static_cast<std::size_t>(of.bound), rounds - 1), plan_.accumulator_ranks, {}};
  shape.round = {accumulators, std::max(1.0, iterations), static_cast<unsigned>(of.bound), of.merge.uses()};
  if (of.merge.which() == merge::rule::kind::adaptive)
    shape.scale = &kept_.scale_of(*f.entry, *f.replicas[capture]);
  bound_ = std::min(bound_, shape.bound);
  copies_[capture] = std::make_unique<delayed_copies>(
      in_, capture, f.is_relaxed(capture) ? nullptr : &plan_.hot[capture], std::move(shape));
}

void delayed_rounds::count_open(const std::vector<std::vector<std::uint32_t>>& rounds) {
  const lock_guard hold(mutex_);
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    std::vector<bool> takes_part(plan_.accumulator_ranks.size());
    for (const std::uint32_t b : rounds[r]) {
      round_of_[b] = r;
      if (plan_.blocks[b].rank == in_.ranks.self()) takes_part[plan_.blocks[b].accumulator] = true;
    }
    round_state& state = states_.emplace_back();
    state.open = static_cast<std::size_t>(std::count(takes_part.begin(), takes_part.end(), true));
    state.changes.resize(static_cast<std::size_t>(in_.ranks.world_size()));
  }
}

std::unique_ptr<accumulators> delayed_rounds::accumulators_of(std::size_t capture) {
  return std::make_unique<delayed_accumulators>(*in_.frame.replicas[capture], *copies_[capture]);
}

/// Other executors still wait for the rounds that follow, so no error leaves here.
template <class Work> void delayed_rounds::keep_errors(std::size_t round, const Work& work) {
  try {
    return work();
  } catch (const error& e) {
    keep_error(std::make_exception_ptr(error(e.code(), fmt::format("{}: {}", in_.frame.site, e.what()))));
  } catch (...) {
    keep_error(std::current_exception());
  }
  fail(round);
}

void delayed_rounds::keep_error(std::exception_ptr failure) {
  const lock_guard hold(mutex_);
  if (error_ == nullptr) error_ = std::move(failure);
  has_error_ = true;
}

// ---- rounds of accumulators ----

delayed_rounds::foldable delayed_rounds::start() {
  foldable first;
  for (std::size_t r = 0; r < num_rounds(); ++r) {
    const bool takes_part = [&] {
      const lock_guard hold(mutex_);
      return states_[r].open != 0;
    }();
    if (takes_part) continue;
    send(r);
    const foldable now = arrived(r, in_.ranks.self(), false, {});
    if (now) first = now;
  }
  return first;
}

void delayed_rounds::begin(std::uint32_t accumulator, std::size_t round) {
  if (std::exchange(current_[accumulator], round) == round) return;
  if (num_folded_.load(std::memory_order_relaxed) < round) ++rounds_ahead_;
  keep_errors(round, [&] {
    for (const auto& one : copies_) {
      if (one != nullptr) one->begin(accumulator, round);
    }
  });
}

void delayed_rounds::fail(std::size_t round) {
  std::size_t now = failed_.load();
  while (round < now && !failed_.compare_exchange_weak(now, round)) {
  }
}

delayed_rounds::foldable delayed_rounds::close(std::uint32_t accumulator, std::size_t round) {
  keep_errors(round, [&] {
    for (const auto& one : copies_) {
      if (one != nullptr && current_[accumulator] == round) one->close(accumulator);
    }
  });
  {
    const lock_guard hold(mutex_);
    if (--states_[round].open != 0) return {};
  }
  const bool has_failed = failed_.load() <= round;
  send(round);
  return arrived(round, in_.ranks.self(), has_failed, {});
}

/// Sends this rank's changes to all others.
void delayed_rounds::send(std::size_t round) {
  if (in_.ranks.world_size() == 1) return;
  bytes changes;
  abi::writer out(changes);
  const bool has_failed = failed_.load() <= round;
  out(static_cast<std::uint64_t>(round), has_failed);
  for (const auto& one : copies_) {
    if (one != nullptr && !has_failed) one->write_changes(round, out);
  }
  for (rank_id r = 0; r < in_.ranks.world_size(); ++r) {
    if (r != in_.ranks.self()) net_->send(r, moved_elements{launch_, changes});
  }
}

delayed_rounds::foldable delayed_rounds::received(rank_id from, const bytes& changes) {
  abi::reader in(changes);
  std::uint64_t round = 0;
  bool has_failed = false;
  in(round, has_failed);
  if (round >= num_rounds())
    throw error(errc::decode, fmt::format("changes of round {} of {}", round, num_rounds()));
  return arrived(round, from, has_failed, changes);
}

delayed_rounds::foldable delayed_rounds::arrived(std::size_t round, rank_id from, bool has_failed,
                                                 bytes changes) {
  const lock_guard hold(mutex_);
  round_state& state = states_[round];
  state.changes[static_cast<std::size_t>(from)] = std::move(changes);
  state.has_failed = state.has_failed || has_failed;
  ++state.arrived;
  return next_fold();
}

// ---- folds ----

delayed_rounds::foldable delayed_rounds::next_fold() {
  if (is_folding_ || folded_ == states_.size()) return {};
  if (states_[folded_].arrived != in_.ranks.world_size()) return {};
  is_folding_ = true;
  return folded_;
}

delayed_rounds::foldable delayed_rounds::fold(std::size_t round) {
  std::vector<bytes> changes;
  bool folds = false;
  {
    const lock_guard hold(mutex_);
    stopped_ = stopped_ || states_[round].has_failed;
    folds = !stopped_ && error_ == nullptr;
    changes = std::move(states_[round].changes);
  }
  if (folds) keep_errors(round, [&] { fold_changes(round, changes); });
  const lock_guard hold(mutex_);
  is_folding_ = false;
  num_folded_ = ++folded_;
  return next_fold();
}

void delayed_rounds::fold_changes(std::size_t round, const std::vector<bytes>& changes) {
  for (rank_id from = 0; from < in_.ranks.world_size(); ++from) {
    if (from == in_.ranks.self()) continue;
    abi::reader in(changes[static_cast<std::size_t>(from)]);
    std::uint64_t number = 0;
    bool has_failed = false;
    in(number, has_failed);
    for (const auto& one : copies_) {
      if (one != nullptr) one->read_changes(round, from, in);
    }
    if (in.remaining() != 0)
      throw error(errc::decode, fmt::format("rank {} sent {} bytes too many", from, in.remaining()));
  }
  for (const auto& one : copies_) {
    if (one != nullptr) one->fold(round);
  }
}

void delayed_rounds::finish() {
  const lock_guard hold(mutex_);
  if (error_ != nullptr) std::rethrow_exception(error_);
  STRADSAP_ASSERT(folded_ == states_.size(), "{} of {} rounds are folded", folded_, states_.size());
  for (const auto& one : copies_) {
    if (one != nullptr) one->store();
  }
}

}  // namespace stradsap::rt
