#include "runtime/loop/dynamic/update_sets.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "runtime/base/check.hpp"
#include "runtime/base/elapsed.hpp"
#include "runtime/loop/access/iteration_check.hpp"
#include "runtime/loop/dynamic/set_sizes.hpp"
#include "runtime/loop/dynamic/touch_count.hpp"

namespace stradsap::rt {

// The updates of which the work is counted: the first ones may be idle.
static constexpr std::size_t tried_updates = 4;
// Elements that an update must touch: some 20 µs of work. A set of shorter updates would spend its time on
// waking threads and on moving cache lines between cores.
static constexpr std::uint64_t least_touched = 16384;
// They are one in so many of the shared elements, or more. Else shards would copy far more than they use.
static constexpr std::uint64_t least_part_touched = 4;
// If one of so many updates changes something, these are many.
static constexpr std::size_t many_of = 4;

update_sets::update_sets(const loop_frame& f, const std::vector<std::byte*>& partials,
                         const written_captures& written, const set_options& options, update_order& order,
                         executor_pool& pool, const set_ranks& ranks, bool early)
    : frame_(f),
      partials_(partials),
      written_(written),
      options_(options),
      shape_(shape_of(options, f.n)),
      order_(order),
      pool_(pool),
      ranks_(ranks),
      early_(early),
      dependences_(options.depends, options.rho, f.n) {
  if (is_checked(f))
    why_not_ = "this is a check build";
  else if (shape_.shards < 2)
    why_not_ = "the loop has one iteration";
  else if (options.is_free && pool.size() == 1)
    why_not_ = "--free-running, on one thread";
  else
    why_not_ = reason_against_copies();
  if (why_not_.empty() && options.by_accesses()) why_not_ = reason_against_touches(f, written.in_place);
}

std::string update_sets::reason_against_copies() const {
  for (const std::size_t c : written_.shared) {
    const abi::capture_info& capture = frame_.entry->captures[c];
    const replica& of = *frame_.replicas[c];
    const bool is_bytes = of.ops().own.copy == nullptr && of.ops().own.destroy == nullptr;
    const bool is_sum =
        abi::adds_changes(capture.mode) && (capture.added == nullptr || capture.added->is_sum);
    const std::size_t align = of.ops().align;
    if (frame_.writes_own(c))
      return fmt::format("iterations read elements of `{}` that others write", frame_.name_of(c));
    if (align > alignof(std::max_align_t))
      return fmt::format("elements of `{}` are aligned to {} bytes", frame_.name_of(c), align);
    if (of.keys() != nullptr) return writes_map(frame_.name_of(c));
    if (!is_bytes) return fmt::format("elements of `{}` own memory", frame_.name_of(c));
    if (!is_sum) return fmt::format("changes of `{}` do not add up", frame_.name_of(c));
  }
  return {};
}

/// Runs some updates one after the other, and counts the elements that they touch, until one is long enough.
void update_sets::try_updates() {
  update_shard one(frame_, written_, 1);
  std::vector<std::unique_ptr<touch_count>> touched;
  std::uint64_t size = 0;
  for (const std::size_t c : written_.shared) {
    touched.push_back(std::make_unique<touch_count>(*frame_.replicas[c], frame_.name_of(c)));
    one.route(c, *touched.back());
    size += frame_.replicas[c]->size();
  }
  std::uint64_t most = 0;
  for (std::size_t tried = 0; tried < tried_updates && most < least_touched; ++tried) {
    std::uint64_t before = 0, after = 0;
    for (const auto& count : touched) before += count->elements();
    one.assign(order_.take(1));
    if (one.members().empty()) return;
    one.run();
    note_shard(one.members(), outcome_of(one, driver_rank));
    if (!may_go_on()) return;
    for (const auto& count : touched) after += count->elements();
    most = std::max(most, after - before);
  }
  if (!why_not_.empty()) return;
  const bool is_short = most < least_touched;
  if (is_short || most < size / least_part_touched) {
    why_not_ = fmt::format("an update touches {} of {} shared elements, too few to pay for {}", most, size,
                           is_short ? "threads" : "copies");
  }
}

/// Finds the elements that iterations touch, and a size of sets if the program states none.
void update_sets::find_touched() {
  touched_.emplace(frame_, written_.in_place, *options_.inspects_by, pool_);
  claims_.emplace(*touched_);
  why_not_ = reason_against_sets(frame_, *touched_);
  const bool can_list =
      frame_.entry->record != nullptr && frame_.n <= std::numeric_limits<std::uint32_t>::max();
  if (options_.is_free && can_list) free_shape_ = claim_shape_of(*touched_, frame_.n, pool_.size());
  if (options_.size != 0 || !why_not_.empty()) return;
  set_options sized = options_;
  sized.size = size_by(*touched_, frame_.n);
  shape_ = shape_of(sized, frame_.n);
  const std::size_t side_by_side = free_shape_.chunk == 0 ? shape_.size : static_cast<std::size_t>(frame_.n);
  why_not_ = reason_against_size(*touched_, frame_.n, side_by_side);
}

void update_sets::run_free() {
  const auto start = std::chrono::steady_clock::now();
  free_updates all(frame_, written_, *touched_, free_shape_, pool_);
  end_ = all.run(order_, partials_);
  counts_.free_executors = pool_.size();
  counts_.rejected = all.rejected();
  counts_.run_seconds = seconds_since(start);
  num_tried_ = order_.updates();
}

/// The shape of a set with so many candidates.
set_shape update_sets::shape_for(std::size_t candidates) const {
  const std::size_t size = std::min(shape_.size, candidates);
  return {size, options_.shards == 0 ? automatic_shards(size) : std::min(shape_.shards, size)};
}

void update_sets::start() {
  sets_shape sets{shape_.size, shape_.shards, static_cast<std::uint64_t>(options_.depth)};
  sets.in_place = options_.by_accesses();
  for (std::size_t i = 0; i < written_.own.size(); ++i)
    if (written_.is_followed[i]) sets.followed.push_back(written_.own[i]);
  counts_.shards = shape_.shards;
  counts_.depth = sets.depth;
  if (ranks_.all != nullptr) {
    ranks_.start(sets);
    steps_.emplace(*ranks_.all);
  }
  here_ =
      std::make_unique<set_execution>(frame_, written_, sets, driver_rank, steps_ ? steps_->num_ranks() : 1,
                                      pool_, touched_ ? &*touched_ : nullptr);
}

update_sets::end update_sets::run() {
  if (options_.by_accesses()) {
    if (why_not_.empty()) find_touched();
  } else if (options_.size == 0) {
    try_updates();
  }
  num_tried_ = order_.updates();
  if (!may_go_on() || !why_not_.empty()) return end_;
  if (free_shape_.chunk != 0) {
    run_free();
    return end_;
  }
  start();
  while (may_go_on()) {
    while (may_go_on() && flights_.size() > static_cast<std::size_t>(options_.depth)) settle_oldest();
    if (may_go_on() && !chosen_) choose(num_noted_);
    if (!may_go_on()) break;
    if (chosen_) {
      run_chosen();
    } else if (flights_.empty()) {
      break;
    } else {
      settle_oldest();
    }
  }
  // the caller looks at the element that is not finite
  if (end_.not_finite && !flights_.empty() && flights_.front().is_noted) settle_oldest();
  if (steps_) send_end();
  return end_;
}

// ---- the choice of a set ----

/// Chooses the next set, if candidates are left that depend on no set in flight, and sends its orders.
void update_sets::choose(std::uint64_t first_in_flight) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<candidate> from =
      order_.take(num_candidates(options_.candidates, shape_.size), num_in_flight());
  if (from.empty()) return;
  const bool asks = many_will_change();
  chosen_set set = choose_from(from, asks, first_in_flight);
  counts_.choice_seconds += seconds_since(start);
  end_.failed = dependences_.failed();
  if (end_.failed) return;
  order_.give_back(set.left);
  if (set.placed == 0) return;
  counts_.rejected += set.rejected;
  counts_.refilled += set.refilled;
  set_in_flight& next = chosen_.emplace();
  next.number = num_chosen_++;
  next.sees = num_noted_;
  next.is_tentative = dependences_.has_measure() && !asks;
  next.num_updates = set.placed;
  while (set.shards.back().empty()) set.shards.pop_back();
  next.shards = std::move(set.shards);
  if (first_in_flight <= num_noted_) send_orders_of_chosen();
}

chosen_set update_sets::choose_from(const std::vector<candidate>& from, bool asks,
                                    std::uint64_t first_in_flight) {
  const set_shape shape = shape_for(from.size());
  if (!claims_) return choose_set(from, shape, dependences_, asks, members_in_flight(first_in_flight));
  claims_->begin(num_chosen_, first_in_flight, shape.shards);
  return choose_set(from, shape, *claims_);
}

/// Whether many iterations of the next set are expected to change their elements. Else it is cheaper to ask
/// for the dependences of those that did, and to undo some of them.
bool update_sets::many_will_change() const {
  return !order_.is_in_pass() || many_of * last_changed_ >= last_updates_;
}

/// Equal numbers of shards, in their order: so the sums of most nodes are made on one rank.
rank_shards update_sets::shards_of(const set_in_flight& of, rank_id rank) const {
  const std::size_t used = of.shards.size();
  const std::size_t ranks = std::min(used, steps_ ? static_cast<std::size_t>(steps_->num_ranks()) : 1);
  const auto r = static_cast<std::size_t>(rank);
  rank_shards mine;
  mine.is_tentative = of.is_tentative;
  mine.first = std::min(used, used * r / ranks);
  for (std::size_t l = mine.first; l < std::min(used, used * (r + 1) / ranks); ++l) {
    std::vector<std::int64_t>& members = mine.members.emplace_back();
    for (const candidate& one : of.shards[l]) members.push_back(one.iteration);
  }
  return mine;
}

/// Once all sets are judged that this one sees.
void update_sets::send_orders_of_chosen() {
  if (!steps_ || std::exchange(chosen_->is_ordered, true)) return;
  for (rank_id to = 1; to < steps_->num_ranks(); ++to)
    steps_->send(to, {false, refused_, shards_of(*chosen_, to)}, chosen_->number);
  refused_.clear();
}

void update_sets::send_end() {
  const std::uint64_t next = num_chosen_ - (chosen_ && !chosen_->is_ordered ? 1 : 0);
  for (rank_id to = 1; to < steps_->num_ranks(); ++to) steps_->send(to, {true, {}, {}}, next);
}

std::size_t update_sets::num_in_flight() const {
  std::size_t all = 0;
  for (const set_in_flight& one : flights_) all += one.is_noted ? 0 : one.num_updates;
  return all;
}

/// Of the sets from number `first` on.
std::vector<std::int64_t> update_sets::members_in_flight(std::uint64_t first) const {
  std::vector<std::int64_t> all;
  for (const set_in_flight& one : flights_) {
    for (std::size_t l = 0; l < one.shards.size() && !one.is_noted && one.number >= first; ++l)
      for (const candidate& member : one.shards[l]) all.push_back(member.iteration);
  }
  return all;
}

// ---- a set in flight ----

void update_sets::run_chosen() {
  send_orders_of_chosen();
  set_in_flight& now = flights_.emplace_back(std::move(*chosen_));
  chosen_.reset();
  ++counts_.sets;
  counts_.in_flight += flights_.size();
  const auto start = std::chrono::steady_clock::now();
  here_->run(shards_of(now, driver_rank), early_ ? [this] { look_ahead(); } : std::function<void()>());
  counts_.run_seconds += seconds_since(start);
  now.outcomes = here_->outcomes();
  if (steps_) steps_->send(now.number, here_->message());
}

/// While other threads run the last set: chooses the next one, if the changes that it depends on have come.
/// Without a depth, the last set will have ended when the next one begins.
void update_sets::look_ahead() {
  if (options_.depth == 0) {
    if (follows_from_order()) choose(num_chosen_);
    return;
  }
  if (flights_.size() <= static_cast<std::size_t>(options_.depth)) return choose(num_noted_);
  set_in_flight& oldest = flights_.front();
  if (steps_ && !steps_->has_come(oldest.number)) return;
  judge(oldest);
  if (may_go_on()) note(oldest);
  if (may_go_on()) choose(num_noted_);
}

/// Whether the next set depends on no changes of the last one: its dependences are known, or asked for in any
/// case.
bool update_sets::follows_from_order() const {
  return claims_ || !dependences_.has_measure() || !order_.is_in_pass();
}

/// Adds the changes of the oldest set to the elements. Before priorities, which may read these.
void update_sets::settle_oldest() {
  set_in_flight& oldest = flights_.front();
  judge(oldest);
  here_->fold(oldest.refused, std::move(oldest.messages));
  if (may_go_on() && !oldest.is_noted) note(oldest);
  flights_.pop_front();
}

void update_sets::judge(set_in_flight& of) {
  if (of.is_judged) return;
  of.is_judged = true;
  if (steps_) collect(of);
  if (of.is_tentative) {
    const auto start = std::chrono::steady_clock::now();
    refuse_dependent_shards(of);
    counts_.choice_seconds += seconds_since(start);
  }
  keep_changed_members(of);
  refused_.push_back(of.refused);
  end_.failed = dependences_.failed();
}

/// Ranks have shards in the order of ranks.
void update_sets::collect(set_in_flight& of) {
  of.messages = steps_->receive(of.number);
  for (const bytes& from_rank : of.messages) {
    if (from_rank.empty()) continue;
    for (shard_outcome& one : set_execution::outcomes_in(from_rank)) of.outcomes.push_back(std::move(one));
    counts_.bytes += from_rank.size() * static_cast<std::uint64_t>(steps_->num_ranks() - 1);
  }
  STRADSAP_ASSERT(of.outcomes.size() == of.shards.size(), "{} outcomes of {} shards", of.outcomes.size(),
                  of.shards.size());
}

/// Finds shards with changes that depend on those of earlier shards, or of sets that this one does not see.
/// Their iterations run again.
void update_sets::refuse_dependent_shards(set_in_flight& of) {
  std::vector<candidate> again;
  for (std::size_t l = 0; l < of.shards.size(); ++l) {
    if (!depends_on_earlier(of, l)) continue;
    of.refused.push_back(l);
    again.insert(again.end(), of.shards[l].begin(), of.shards[l].end());
    counts_.undone += of.shards[l].size();
  }
  of.again = std::move(again);
}

/// Whether an iteration of the shard and an earlier one both have changed their elements, and are dependent.
/// It asks for all of them: known ones share a shard the next time.
bool update_sets::depends_on_earlier(const set_in_flight& of, std::size_t l) {
  std::vector<std::int64_t> earlier;
  for (const changed_members& one : changed_)
    if (one.number >= of.sees) earlier.insert(earlier.end(), one.iterations.begin(), one.iterations.end());
  for (std::size_t e = 0; e < l; ++e) {
    for (std::size_t k = 0; k < of.shards[e].size() && !is_among(of.refused, e); ++k)
      if (of.outcomes[e].squared[k] != 0) earlier.push_back(of.shards[e][k].iteration);
  }
  bool depends = false;
  for (std::size_t k = 0; k < of.shards[l].size(); ++k) {
    if (of.outcomes[l].squared[k] == 0) continue;
    for (const std::int64_t other : earlier)
      depends = dependences_.are_dependent(other, of.shards[l][k].iteration) || depends;
  }
  return depends;
}

/// For tentative sets that do not see this one.
void update_sets::keep_changed_members(const set_in_flight& of) {
  if (!dependences_.has_measure() || options_.depth == 0) return;
  changed_members& kept = changed_.emplace_back();
  kept.number = of.number;
  for (std::size_t l = 0; l < of.shards.size(); ++l) {
    for (std::size_t k = 0; k < of.shards[l].size() && !is_among(of.refused, l); ++k)
      if (of.outcomes[l].squared[k] != 0) kept.iterations.push_back(of.shards[l][k].iteration);
  }
  if (changed_.size() > static_cast<std::size_t>(options_.depth)) changed_.pop_front();
}

/// Takes the changes of a set for the order of updates, and its reductions.
void update_sets::note(set_in_flight& of) {
  of.is_noted = true;
  ++num_noted_;
  last_updates_ = last_changed_ = 0;
  for (std::size_t l = 0; l < of.shards.size() && may_go_on(); ++l)
    if (!is_among(of.refused, l)) note_shard(of.shards[l], of.outcomes[l]);
  order_.give_back(of.again);
}

void update_sets::note_shard(const std::vector<candidate>& members, const shard_outcome& outcome) {
  if (outcome.has_failed) {
    end_.failed = outcome.failed;
    return;
  }
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (!std::isfinite(outcome.squared[k])) {
      end_.not_finite = members[k].iteration;
      return;
    }
    order_.changed(members[k], outcome.squared[k]);
    last_changed_ += outcome.squared[k] > 0 ? 1 : 0;
  }
  end_.failed = order_.failed();
  for (std::size_t c = 0; c < outcome.reductions.size(); ++c) {
    if (!outcome.reductions[c].empty())
      frame_.entry->captures[c].combine(partials_[c], outcome.reductions[c].data());
  }
  last_updates_ += members.size();
  frame_.count(0, members.size());
}

set_counts update_sets::counts() const {
  set_counts all = counts_;
  all.questions = dependences_.calls();
  if (here_ && steps_) all.bytes += here_->bytes_made() * static_cast<std::uint64_t>(steps_->num_ranks() - 1);
  return all;
}

}  // namespace stradsap::rt
