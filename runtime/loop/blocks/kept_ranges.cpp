#include "runtime/loop/blocks/kept_ranges.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "runtime/base/elapsed.hpp"
#include "runtime/loop/access/iteration_check.hpp"
#include "runtime/loop/blocks/window_rules.hpp"
#include "runtime/loop/run/body_runner.hpp"
#include "runtime/loop/run/known_values.hpp"

namespace stradsap::rt {

// Copies of a container that stay in the cache of a core between calls, in all.
static constexpr std::size_t most_kept_copies = std::size_t{512} << 10;
static constexpr std::size_t cached_slice = std::size_t{32} << 10;

static std::size_t size_bytes_of(const replica& local) { return local.size() * local.ops().size; }

static bool can_keep_capture(const loop_frame& f, std::uint32_t c) {
  const replica* const local = f.replicas[c];
  if (local == nullptr) return true;
  if (local->keys() != nullptr || f.uses[c] == usage::owned || f.is_late_sum(c)) return false;
  if (f.uses[c] != usage::accumulated) return true;
  const abi::accumulation& how = *f.entry->captures[c].added;
  return how.shape == nullptr && how.drain != nullptr &&
         size_bytes_of(*local) * f.num_accumulators <= most_kept_copies;
}

bool kept_ranges::can_keep(const loop_frame& f, const plan& p) {
  constexpr std::size_t most_blocks = 512;
  if (!f.is_async || f.logs_accesses || f.is_timed || f.adds_in_place || is_checked(f) || f.has_relaxed() ||
      !f.is_whole() || poison::is_possible())
    return false;
  if (p.lists_iterations() || p.is_disjoint || p.blocks.empty() || p.blocks.size() > most_blocks)
    return false;
  for (std::uint32_t c = 0; c < f.num_captures(); ++c) {
    if (!can_keep_capture(f, c)) return false;
  }
  return true;
}

kept_ranges::kept_ranges(loop_frame frame, const plan& p, copies_store& store) : frame_(std::move(frame)) {
  static_cast<block_plan&>(plan_) = p;
  const auto n = static_cast<std::uint32_t>(frame_.num_captures());
  guards_.resize(n);
  windows_.resize(n);
  partials_at_.resize(n);
  for (std::uint32_t c = 0; c < n; ++c) {
    guards_[c].owner = this;
    guards_[c].capture = c;
    if (const std::size_t size = frame_.entry->captures[c].size; size != 0) {
      reductions_.push_back({c, partials_size_});
      partials_size_ += size;
    }
    const replica* const local = frame_.replicas[c];
    if (local == nullptr) continue;
    seen_.push_back({local, local->at(0), local->size(), frame_.writes(c) ? local->partition_version() : 0});
    windows_[c] = local->window_through(guards_[c]);
    if (frame_.writes(c)) {
      written_.push_back(c);
    } else {
      windows_[c].count = windows_[c].readable = local->size();
    }
    if (frame_.uses[c] == usage::accumulated) take_copies(c, store);
  }
  partials_.resize(plan_.blocks.size() * partials_size_);
  open_blocks();
  block_.windows = windows_.data();
  block_.partials = partials_at_.data();
  block_.side_by_side = true;
  block_.is_range = !added_.empty();
}

/// Copies are neutral between calls.
void kept_ranges::take_copies(std::uint32_t capture, copies_store& store) {
  const replica& local = *frame_.replicas[capture];
  const abi::accumulation& how = *frame_.entry->captures[capture].added;
  std::unique_ptr<element_copies> copies = store.take(local, how, frame_.num_accumulators);
  std::vector<bool> used(frame_.num_accumulators);
  for (const plan_block& b : plan_.blocks) {
    if (!used[b.accumulator]) copies->begin(b.accumulator, local);
    used[b.accumulator] = true;
  }
  const auto num_used = static_cast<std::size_t>(std::count(used.begin(), used.end(), true));
  const std::size_t all_bytes = std::max<std::size_t>(1, size_bytes_of(local) * num_used);
  const std::uint64_t slice = std::max<std::uint64_t>(1, local.size() * cached_slice / all_bytes);
  added_.push_back({capture, std::move(copies), fold_steps(used, how.drain_four != nullptr), slice});
}

std::size_t kept_ranges::size_bytes() const {
  std::size_t all = size_bytes_of(static_cast<const block_plan&>(plan_)) + opened_.size() * sizeof(opened) +
                    partials_.size() + windows_.size() * (sizeof(abi::window) + sizeof(guard));
  for (const added_container& one : added_) all += one.copies->size_bytes();
  return all;
}

const kept_ranges::added_container* kept_ranges::added(std::uint32_t capture) const {
  const auto found = std::find_if(added_.begin(), added_.end(),
                                  [&](const added_container& one) { return one.capture == capture; });
  return found == added_.end() ? nullptr : &*found;
}

/// The window of an accumulated container is the accumulator; of another one, the block's first group with
/// those that follow.
kept_ranges::opened kept_ranges::open(const plan_block& b, std::uint32_t capture) const {
  const replica& local = *frame_.replicas[capture];
  if (const added_container* const into = added(capture))
    return {into->copies->at(b.accumulator, 0), 0, local.size()};
  opened part{local.at(0), 0, 0};
  bool is_first = true;
  for (const std::uint32_t t : plan_.tokens_of(b)) {
    const token_ref& ref = plan_.tokens[t];
    if (ref.capture != capture) continue;
    if (std::exchange(is_first, false)) part.lo = local.groups().begin(ref.group);
    if (local.groups().begin(ref.group) == part.lo + part.count)
      part.count += local.groups().count(ref.group);
  }
  return part;
}

void kept_ranges::open_blocks() {
  for (const plan_block& b : plan_.blocks) {
    bool is_whole = has_whole_windows(frame_, plan_, b);
    for (std::uint32_t c = 0; c < frame_.num_captures(); ++c) {
      if (frame_.replicas[c] == nullptr) continue;
      const abi::capture_info& capture = frame_.entry->captures[c];
      opened part{nullptr, 0, frame_.replicas[c]->size()};
      if (frame_.writes(c)) opened_.push_back(part = open(b, c));
      if (frame_.writes(c) && abi::is_only_added(capture.mode))
        is_whole = is_whole && (part.count == 0 || part.lo == 0);
      if ((capture.mode & abi::aligned) != 0)
        is_whole = is_whole && b.begin >= part.lo && b.begin + b.count <= part.lo + part.count;
    }
    is_whole_.push_back(is_whole);
  }
}

bool kept_ranges::holds() const {
  if (!has_ended_) return false;
  std::size_t at = 0;
  for (std::uint32_t c = 0; c < frame_.num_captures(); ++c) {
    const replica* const local = frame_.replicas[c];
    if (local == nullptr) continue;
    const seen_container& seen = seen_[at++];
    const std::uint64_t cut = frame_.writes(c) ? local->partition_version() : 0;
    if (local->at(0) != seen.base || local->size() != seen.size || cut != seen.cut) return false;
  }
  return true;
}

std::optional<failure> kept_ranges::run(const void* const* values, const abi::launch_key& key) {
  has_ended_ = false;
  show_values(frame_);
  for (std::uint32_t c = 0; c < frame_.num_captures(); ++c) {
    if (frame_.entry->captures[c].values != nullptr && frame_.replicas[c] != nullptr)
      windows_[c].values = frame_.replicas[c]->window_through(guards_[c]).values;
  }
  frame_.begin(work_stage::running, static_cast<std::uint64_t>(frame_.n));
  next_ = 0;
  failure_.reset();
  const auto start = std::chrono::steady_clock::now();
  {
    const abi::launch_scope now(key);
    abi::run_all(frame_.entry->run, values, *this);
  }
  seconds_compute_ = seconds_since(start);
  frame_.count(0, static_cast<std::uint64_t>(frame_.n));
  fold();
  has_ended_ = true;
  return std::exchange(failure_, std::nullopt);
}

const abi::block* kept_ranges::next() {
  if (failure_ || next_ == plan_.blocks.size()) return nullptr;
  const plan_block& b = plan_.blocks[next_];
  const opened* part = opened_.data() + next_ * written_.size();
  for (const std::uint32_t c : written_) {
    abi::window& w = windows_[c];
    w.base = part->base;
    w.lo = part->lo;
    w.count = w.readable = part->count;
    ++part;
  }
  for (const reduction& one : reductions_)
    partials_at_[one.capture] = partials_.data() + next_ * partials_size_ + one.offset;
  block_.begin = static_cast<std::int64_t>(b.begin);
  block_.count = b.count;
  block_.is_whole = is_whole_[next_];
  ++next_;
  return &block_;
}

/// Later blocks do not run.
void kept_ranges::failed(std::int64_t iteration, errc code, const char* what) {
  failure_ = failure{static_cast<std::uint8_t>(code), what, driver_rank, iteration, next_ - 1};
}

void kept_ranges::fold() {
  for (const added_container& one : added_) {
    const replica& local = *frame_.replicas[one.capture];
    const abi::accumulation& how = *frame_.entry->captures[one.capture].added;
    for (std::uint64_t begin = 0; begin < local.size(); begin += one.slice) {
      const std::uint64_t n = std::min(one.slice, local.size() - begin);
      const auto place = [&](std::uint32_t copy) { return one.copies->at(copy, begin); };
      one.fold.run(how, local.at(begin), place, n);
    }
  }
}

void kept_ranges::fold_reductions(const std::vector<void*>& into) const {
  for (const reduction& one : reductions_) {
    if (into[one.capture] == nullptr) continue;
    const abi::capture_info& capture = frame_.entry->captures[one.capture];
    for (std::size_t b = 0; b < plan_.blocks.size(); ++b)
      capture.combine(into[one.capture], partials_.data() + b * partials_size_ + one.offset);
  }
}

// ---- accesses beyond a window ----

void* kept_ranges::guard::element(std::uint64_t i, abi::access) {
  const loop_frame& f = owner->frame_;
  const replica& local = *f.replicas[capture];
  if (i >= local.size()) local.throw_out_of_range(i, f.name_of(capture));
  if (!f.writes(capture)) return local.at(i);
  const plan_block& b = owner->plan_.blocks[owner->next_ - 1];
  if (const added_container* const into = owner->added(capture)) return into->copies->at(b.accumulator, i);
  const std::uint32_t group = local.groups().group_of(i);
  for (const std::uint32_t t : owner->plan_.tokens_of(b)) {
    const token_ref& ref = owner->plan_.tokens[t];
    if (ref.capture == capture && ref.group == group) return local.at(i);
  }
  throw_unplanned_element(i, f.name_of(capture));
}

void* kept_ranges::guard::range(std::uint64_t first, std::uint64_t n, abi::access how) {
  const replica& local = *owner->frame_.replicas[capture];
  local.check_range(first, n, owner->frame_.name_of(capture));
  if (n == 0) return local.at(first);
  const partition& groups = local.groups();
  for (std::uint64_t i = first; i < first + n; i = groups.end(groups.group_of(i))) (void)element(i, how);
  return element(first, how);
}

void* kept_ranges::guard::add_entry() { throw_unplanned_key(owner->frame_.name_of(capture)); }

}  // namespace stradsap::rt
