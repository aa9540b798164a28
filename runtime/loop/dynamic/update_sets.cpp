#include "runtime/loop/dynamic/update_sets.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "runtime/base/elapsed.hpp"
#include "runtime/loop/access/iteration_check.hpp"
#include "runtime/loop/dynamic/touch_count.hpp"

namespace stradsap::rt {

static constexpr std::size_t automatic_size = 64;
static constexpr std::size_t most_shards = 8;
// Candidates for a set, for each of its places.
static constexpr std::size_t candidates_of_place = 4;
// The updates of which the work is counted: the first ones may be idle.
static constexpr std::size_t tried_updates = 4;
// Elements that an update must touch: some 20 µs of work. A set of shorter updates would spend its time on
// waking threads and on moving cache lines between cores.
static constexpr std::uint64_t least_touched = 16384;
// They are one in so many of the shared elements, or more. Else shards would copy far more than they use.
static constexpr std::uint64_t least_part_touched = 4;
// If one of so many updates changes something, these are many.
static constexpr std::size_t many_of = 4;
// A set that takes less time than threads need to wake up runs on one thread.
static constexpr double least_seconds = 100e-6;
static constexpr std::size_t piece_bytes = 16 << 10;

/// A shard's copies cost about as much as two updates, so it has eight, if there are as many.
static std::size_t automatic_shards(std::size_t size) {
  return std::min(size, std::clamp<std::size_t>(std::bit_floor(size / 8), 2, most_shards));
}

// Of a shard, in a set that automatic_shards() cuts into fewer than most_shards.
static constexpr std::size_t most_in_few = 16;

static set_shape shape_of(const set_options& options, std::int64_t n) {
  const std::size_t size = options.size == 0 ? automatic_size : static_cast<std::size_t>(options.size);
  set_shape shape;
  shape.size = std::min(size, static_cast<std::size_t>(n));
  shape.shards = options.shards == 0 ? automatic_shards(shape.size)
                                     : std::min(static_cast<std::size_t>(options.shards), shape.size);
  return shape;
}

update_sets::update_sets(const loop_frame& f, const std::vector<std::byte*>& partials,
                         const written_captures& written, const set_options& options, update_order& order,
                         executor_pool& pool)
    : frame_(f),
      partials_(partials),
      written_(written),
      options_(options),
      shape_(shape_of(options, f.n)),
      order_(order),
      pool_(pool),
      dependences_(options.depends, options.rho, f.n) {
  if (is_checked(f))
    why_not_ = "this is a check build";
  else if (shape_.shards < 2)
    why_not_ = "the loop has one iteration";
  else
    why_not_ = reason_against_copies();
}

std::string update_sets::reason_against_copies() const {
  for (const std::size_t c : written_.shared) {
    const abi::capture_info& capture = frame_.entry->captures[c];
    const replica& of = *frame_.replicas[c];
    const bool is_bytes = of.ops().own.copy == nullptr && of.ops().own.destroy == nullptr;
    const bool is_sum =
        (capture.mode & abi::replaces) == 0 && (capture.added == nullptr || capture.added->is_sum);
    if (of.keys() != nullptr) return fmt::format("the body writes the map `{}`", frame_.name_of(c));
    if (!is_bytes) return fmt::format("elements of `{}` own memory", frame_.name_of(c));
    if (!is_sum) return fmt::format("changes of `{}` do not add up", frame_.name_of(c));
  }
  return {};
}

update_sets::end update_sets::run() {
  if (options_.size == 0) {
    const end tried = try_updates();
    if (tried.failed || tried.not_finite) return tried;
  }
  if (!why_not_.empty()) return {};
  make_shards();
  while (true) {
    const std::vector<candidate> from = order_.take(candidates_of_place * shape_.size);
    if (from.empty()) return {};
    chosen_set set = choose_set(from, shape_for(from.size()), dependences_, many_will_change());
    if (dependences_.failed()) return {dependences_.failed(), {}};
    run_shards(set);
    last_updates_ = last_changed_ = 0;
    std::vector<candidate> left = refuse_dependent_shards();
    if (dependences_.failed()) return {dependences_.failed(), {}};
    fold();  // before priorities, which may read these elements
    for (std::size_t l = 0; l < shards_.size(); ++l) {
      const end noted = is_refused_[l] ? end{} : note(*shards_[l]);
      if (noted.failed || noted.not_finite) return noted;
    }
    left.insert(left.end(), set.left.begin(), set.left.end());
    order_.give_back(std::move(left));
    ++counts_.sets;
  }
}

/// Whether many iterations of the next set are expected to change their elements. Else it is cheaper to ask
/// for the dependences of those that did, and to undo some of them.
bool update_sets::many_will_change() const {
  return !order_.is_in_pass() || many_of * last_changed_ >= last_updates_;
}

/// Runs some updates one after the other, and counts the elements that they touch, until one is long enough.
update_sets::end update_sets::try_updates() {
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
    if (one.members().empty()) return {};
    one.run();
    const end noted = note(one);
    if (noted.failed || noted.not_finite) return noted;
    for (const auto& count : touched) after += count->elements();
    most = std::max(most, after - before);
  }
  if (!why_not_.empty()) return {};
  const bool is_short = most < least_touched;
  if (is_short || most < size / least_part_touched) {
    why_not_ = fmt::format("an update touches {} of {} shared elements, too few to pay for {}", most, size,
                           is_short ? "threads" : "copies");
  }
  return {};
}

/// The shape of a set with so many candidates.
set_shape update_sets::shape_for(std::size_t candidates) const {
  const std::size_t size = std::min(shape_.size, candidates);
  return {size, options_.shards == 0 ? automatic_shards(size) : std::min(shape_.shards, size)};
}

void update_sets::make_shards() {
  const std::size_t room = std::max(most_in_few, (shape_.size + shape_.shards - 1) / shape_.shards);
  counts_.shards = shape_.shards;
  is_refused_.assign(shape_.shards, false);
  is_current_.assign(shape_.shards, 0);
  for (std::size_t l = 0; l < shape_.shards; ++l) {
    shards_.push_back(std::make_unique<update_shard>(frame_, written_, room));
    shards_.back()->make_copies();
  }
}

void update_sets::copy_elements(update_shard& to) const {
  for (std::size_t i = 0; i < written_.shared.size(); ++i) {
    const replica& of = *frame_.replicas[written_.shared[i]];
    std::memcpy(to.copy_of(i, 0), of.at(0), of.size() * of.ops().size);
  }
}

void update_sets::on_all(std::size_t tasks, const std::function<void(std::size_t)>& run) {
  std::atomic<std::size_t> next{0};
  const auto work = [&](int) {
    for (std::size_t task = next++; task < tasks; task = next++) run(task);
  };
  if (pool_.size() == 1 || tasks < 2 || seconds_of_set_ < least_seconds) return work(0);
  pool_.run(work);
}

void update_sets::run_shards(chosen_set& set) {
  set.shards.resize(shards_.size());
  num_used_ = 0;
  for (std::size_t l = 0; l < shards_.size(); ++l) {
    if (!set.shards[l].empty()) num_used_ = l + 1;
    shards_[l]->assign(std::move(set.shards[l]));
  }
  std::vector<double> seconds(num_used_);
  on_all(num_used_, [&](std::size_t l) {
    const auto start = std::chrono::steady_clock::now();
    if (is_current_[l] == 0) copy_elements(*shards_[l]);
    shards_[l]->run();
    seconds[l] = seconds_since(start);
  });
  seconds_of_set_ = 0;
  for (const double one : seconds) seconds_of_set_ += one;
}

/// Undoes shards with changes that depend on those of earlier shards. Returns their iterations.
std::vector<candidate> update_sets::refuse_dependent_shards() {
  std::vector<candidate> left;
  for (std::size_t l = 0; l < shards_.size(); ++l) {
    is_refused_[l] = false;
    is_refused_[l] = dependences_.has_measure() && depends_on_earlier(l);
    if (!is_refused_[l]) continue;
    shards_[l]->undo();
    const std::vector<candidate>& members = shards_[l]->members();
    left.insert(left.end(), members.begin(), members.end());
    counts_.undone += members.size();
  }
  return left;
}

/// Whether an iteration of the shard and one of an earlier shard both have changed their elements, and are
/// dependent. It asks for all of them: known ones share a shard the next time.
bool update_sets::depends_on_earlier(std::size_t l) {
  const update_shard& later = *shards_[l];
  bool depends = false;
  for (std::size_t k = 0; k < later.members().size(); ++k) {
    if (later.squared(k) == 0) continue;
    for (std::size_t e = 0; e < l; ++e) {
      const update_shard& earlier = *shards_[e];
      for (std::size_t i = 0; i < earlier.members().size() && !is_refused_[e]; ++i) {
        if (earlier.squared(i) == 0) continue;
        depends = dependences_.are_dependent(earlier.members()[i].iteration, later.members()[k].iteration) ||
                  depends;
      }
    }
  }
  return depends;
}

/// Takes the changes of a shard for the order of updates, and its reductions.
update_sets::end update_sets::note(const update_shard& one) {
  if (one.failed()) return {one.failed(), {}};
  for (std::size_t k = 0; k < one.members().size(); ++k) {
    const candidate& member = one.members()[k];
    if (!std::isfinite(one.squared(k))) return {{}, member.iteration};
    order_.changed(member, one.squared(k));
    last_changed_ += one.squared(k) > 0 ? 1 : 0;
  }
  if (order_.failed()) return {order_.failed(), {}};
  one.fold_reductions(partials_);
  last_updates_ += one.members().size();
  frame_.count(0, one.members().size());
  return {};
}

void update_sets::fold() {
  struct piece {
    std::size_t container;
    std::size_t first_byte;
  };
  std::vector<piece> pieces;
  for (std::size_t i = 0; i < written_.shared.size(); ++i) {
    const replica& of = *frame_.replicas[written_.shared[i]];
    const std::size_t step = std::max(piece_bytes / of.ops().size, std::size_t{1}) * of.ops().size;
    for (std::size_t at = 0; at < of.size() * of.ops().size; at += step) pieces.push_back({i, at});
  }
  on_all(pieces.size(), [&](std::size_t p) {
    thread_local std::vector<std::byte> start;
    fold_piece(pieces[p].container, pieces[p].first_byte, start);
  });
  for (std::size_t l = 0; l < shards_.size(); ++l) is_current_[l] = l < num_used_ ? 1 : 0;
}

/// Adds the changes of the set's shards to the elements of a piece, and copies the result to these shards.
void update_sets::fold_piece(std::size_t i, std::size_t first_byte, std::vector<std::byte>& start) {
  const replica& of = *frame_.replicas[written_.shared[i]];
  const std::size_t step = std::max(piece_bytes / of.ops().size, std::size_t{1}) * of.ops().size;
  const std::size_t size = std::min(step, of.size() * of.ops().size - first_byte);
  std::byte* const elements = of.at(0) + first_byte;
  start.assign(elements, elements + size);
  bool is_changed = false;
  for (std::size_t l = 0; l < num_used_; ++l) {
    const std::byte* const own = shards_[l]->copy_of(i, first_byte);
    if (std::memcmp(own, start.data(), size) == 0) continue;
    is_changed = true;
    if (!is_refused_[l]) of.ops().merge(elements, start.data(), own, size / of.ops().size);
  }
  if (!is_changed) return;
  for (std::size_t l = 0; l < num_used_; ++l) std::memcpy(shards_[l]->copy_of(i, first_byte), elements, size);
}

set_counts update_sets::counts() const {
  set_counts all = counts_;
  all.questions = dependences_.calls();
  return all;
}

}  // namespace stradsap::rt
