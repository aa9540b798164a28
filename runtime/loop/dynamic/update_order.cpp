#include "runtime/loop/dynamic/update_order.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <stradsap/random.hpp>

namespace stradsap::rt {

// Sweeps go on until they change the active set ten times less than the last pass did. Solving it further
// pays little before the next pass has changed the set.
static constexpr double solved2 = 0.1 * 0.1;
// But not for longer than so many passes take: the active set may not come to rest.
static constexpr std::uint64_t most_between = 32;
// After the program's choice of a start, sweeps solve to a fifth of the tolerance: the next pass, in another
// order, should find all at rest.
static constexpr double at_rest2 = 0.2 * 0.2;
// An iteration leaves the active set when it changes nothing in so many sweeps in a row.
static constexpr int most_idle = 2;

update_order::update_order(std::int64_t n, std::uint64_t seed, const update_limits& limits,
                           std::function<double()> greatest2, priorities* drawn)
    : n_(n), seed_(seed), limits_(limits), greatest2_(std::move(greatest2)), drawn_(drawn) {}

double update_order::last_change() const {
  return passes_ == 0 || to_solve2_ == 0 ? 0 : std::sqrt(to_solve2_ / greatest2_after_);
}

double update_order::greatest_change() const { return std::sqrt(std::max({0.0, change2_, to_solve2_})); }

void update_order::begin_with(const std::vector<std::int64_t>& active) {
  for (const std::int64_t j : active) active_.push_back({j, 0});
  begin(stage::sweep);
}

void update_order::begin_with(const std::vector<std::int64_t>& chosen,
                              std::function<double(std::int64_t)> norm2) {
  if (limits_.tolerance > 0) norm2_ = std::move(norm2);
  begin_with(chosen);
}

void update_order::end_stage() {
  if (stage_ == stage::pass && next_iteration_ == n_) end_pass();
  if (stage_ == stage::sweep && !has_next_in_sweep()) end_sweep();
  if (updates_ >= limits_.most_updates) stage_ = stage::ended;
}

update_range update_order::next(std::int64_t most_of_sweep) {
  end_stage();
  if (stage_ == stage::ended) return {};
  return stage_ == stage::pass ? next_in_pass() : next_in_sweep(most_of_sweep);
}

update_range update_order::next_in_pass() {
  const auto left = static_cast<std::int64_t>(limits_.most_updates - updates_);
  const update_range range{next_iteration_, std::min({most_in_range, n_ - next_iteration_, left})};
  next_iteration_ += range.count;
  return range;
}

bool update_order::has_next_in_sweep() const {
  return next_member_ < sweep_size_ && (drawn_ == nullptr || drawn_->num_positive() != 0);
}

candidate update_order::take_next_in_sweep() {
  const std::size_t next = next_member_++;
  return drawn_ == nullptr ? active_[next] : candidate{drawn_->draw(), 0};
}

update_range update_order::next_in_sweep(std::int64_t most) {
  if (drawn_ != nullptr) {
    drawn_last_ = take_next_in_sweep();
    return {0, 1, &drawn_last_};
  }
  const std::uint64_t left = std::min(limits_.most_updates - updates_, sweep_size_ - next_member_);
  const candidate* const members = &active_[next_member_];  // changed() writes slots that are done with
  const auto count = static_cast<std::int64_t>(std::min(left, static_cast<std::uint64_t>(most)));
  next_member_ += static_cast<std::size_t>(count);
  return {0, count, members};
}

std::vector<candidate> update_order::take(std::size_t most, std::size_t in_flight) {
  if (given_back_.empty() && in_flight == 0) end_stage();
  if (updates_ >= limits_.most_updates) stage_ = stage::ended;
  std::vector<candidate> taken = std::exchange(given_back_, {});
  if (stage_ == stage::ended) return {};
  most = std::min<std::size_t>(most, limits_.most_updates - updates_ - in_flight);
  while (taken.size() < most && stage_ == stage::pass && next_iteration_ < n_)
    taken.push_back({next_iteration_++, 0});
  while (taken.size() < most && stage_ == stage::sweep && has_next_in_sweep())
    taken.push_back(take_next_in_sweep());
  return taken;
}

void update_order::changed(const candidate& one, double distance2) {
  ++updates_;
  change2_ = std::max(change2_, distance2);
  if (drawn_ != nullptr) return drawn_->changed(one.iteration, distance2);
  if (stage_ == stage::pass) {
    if (distance2 > 0) active_.push_back({one.iteration, 0});
    return;
  }
  const candidate now{one.iteration, distance2 > 0 ? 0 : one.idle + 1};
  if (now.idle < most_idle) active_[kept_++] = now;  // slots up to next_member_ are free
}

void update_order::begin(stage s) {
  stage_ = s;
  change2_ = 0;
  next_iteration_ = 0;
  next_member_ = kept_ = 0;
  if (s == stage::pass) active_.clear();
  sweep_size_ = drawn_ == nullptr ? active_.size() : drawn_->num_positive();
  if (s == stage::sweep) shuffle();
}

/// Fisher and Yates, with the random numbers of this sweep.
void update_order::shuffle() {
  for (std::size_t i = active_.size(); i > 1; --i) {
    const std::uint64_t bits = abi::philox::encrypt({i, sweeps_}, seed_).word_0;
    const auto below_i = static_cast<std::size_t>(abi::philox::wide{bits} * i >> 64);
    std::swap(active_[i - 1], active_[below_i]);
  }
}

void update_order::end_pass() {
  ++passes_;
  updates_before_ = updates_;
  to_solve2_ = change2_;
  const double greatest2_before = std::exchange(greatest2_after_, greatest2_());
  passes_of_growth_ = greatest2_after_ > greatest2_before ? passes_of_growth_ + 1 : 0;
  const double most = limits_.tolerance < 0 ? 0 : limits_.tolerance * limits_.tolerance * greatest2_after_;
  has_converged_ = change2_ <= most;
  begin(has_converged_ ? stage::ended : stage::sweep);
}

/// The greatest squared change in a sweep that is the last one before a pass.
double update_order::to_leave2() const {
  if (!norm2_) return solved2 * to_solve2_;
  double greatest2 = 0;
  for (const candidate& one : active_) greatest2 = std::max(greatest2, norm2_(one.iteration));
  return at_rest2 * limits_.tolerance * limits_.tolerance * greatest2;
}

void update_order::end_sweep() {
  ++sweeps_;
  const bool is_empty = drawn_ == nullptr ? kept_ == 0 : drawn_->num_positive() == 0;
  if (drawn_ == nullptr) active_.resize(kept_);
  if (to_solve2_ < 0) to_solve2_ = change2_;
  const bool is_solved = change2_ <= to_leave2() || is_empty;
  const bool is_long = updates_ - updates_before_ > most_between * static_cast<std::uint64_t>(n_);
  begin(is_solved || is_long ? stage::pass : stage::sweep);
}

}  // namespace stradsap::rt
