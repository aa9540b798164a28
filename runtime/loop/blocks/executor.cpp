#include "runtime/loop/blocks/executor.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "runtime/base/elapsed.hpp"
#include "runtime/loop/accumulate/delayed_rounds.hpp"
#include "runtime/loop/accumulate/relaxed_copies.hpp"
#include "runtime/loop/blocks/window_rules.hpp"

namespace stradsap::rt {

execution::executor::executor(execution& loop, int number)
    : loop_(loop), number_(number), body_(loop.frame_, loop.versions_.get()) {
  const loop_frame& f = loop.frame_;
  body_.exempt(loop.plan_.hot);
  guards_.resize(f.num_captures());
  windows_.resize(f.num_captures());
  partials_.resize(f.num_captures());
  if (loop.plan_.listed) {
    streams_.resize(f.num_captures());
    columns_.resize(f.num_captures());
  }
  note_captures();
  has_accumulators_ =
      std::any_of(loop.deltas_.begin(), loop.deltas_.end(), [](const auto& one) { return one != nullptr; });
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    guards_[c].owner = this;
    guards_[c].capture = static_cast<std::uint32_t>(c);
    const replica* local = f.replicas[c];
    if (local == nullptr) continue;
    windows_[c] = local->window_through(guards_[c]);
    if (!f.writes(c)) windows_[c].count = windows_[c].readable = local->size();
  }
  if (loop.sums_.empty()) return;
  std::uint64_t most = 0;
  for (const block_piece& piece : loop.pieces_) most = std::max(most, piece.count);
  sums_ = std::make_unique<iteration_sums>(f, most);
  sums_->prepare(windows_.data());
}

/// Short blocks would take longer to look at all captures than to run.
void execution::executor::note_captures() {
  const loop_frame& f = loop_.frame_;
  is_whole_alone_ = has_whole_windows(f, loop_.plan_, plan_block{});
  kinds_.reserve(f.num_captures());
  for (std::uint32_t c = 0; c < f.num_captures(); ++c) {
    const abi::capture_info& capture = f.entry->captures[c];
    const bool is_only_added = capture.make_keys == nullptr && abi::is_only_added(capture.mode);
    const noted_capture one{c, f.writes(c), (capture.mode & abi::aligned) != 0, capture.size != 0,
                            is_only_added};
    if (one.is_written || one.is_at_index || one.has_parts) kinds_.push_back(one);
  }
}

void execution::executor::run(executor_clock& clock) {
  clock_ = &clock;
  body_.run(loop_.at_.copy, *this, clock);
  if (loop_.versions_ != nullptr) loop_.keep(body_.take_log());
}

const abi::block* execution::executor::next() {
  while (true) {
    if (current_ != none) close_piece();
    double seconds_wait = 0;
    const std::uint32_t piece = loop_.take_piece(number_, seconds_wait);
    clock_->seconds_wait += seconds_wait;
    if (piece == none) return nullptr;
    if (piece >= loop_.pieces_.size()) {
      loop_.fold(piece - loop_.pieces_.size());
      continue;
    }
    current_ = piece;
    if (seconds_wait > 0) note_wait(seconds_wait);
    if (!loop_.piece_seconds_.empty()) begun_ = std::chrono::steady_clock::now();
    if (loop_.position_of(block()) > loop_.stop_position()) continue;
    if (!begin_round()) continue;
    open_piece(piece);
    clock_->iterations += block_.count;
    return &block_;
  }
}

/// Whether the block can run. In delayed rounds, its accumulator gets its copies.
bool execution::executor::begin_round() {
  delayed_rounds* const delayed = loop_.at_.delayed;
  if (delayed == nullptr) return true;
  delayed->begin(loop_.plan_.blocks[block()].accumulator, delayed->round_of(block()));
  return !delayed->has_error();
}

/// The current block was awaited: for the group that it got last.
void execution::executor::note_wait(double seconds) {
  const std::uint32_t capture = loop_.awaited_[block()];
  if (capture == none) return;
  clock_->waits.resize(loop_.frame_.num_captures());
  clock_->waits[capture] += seconds;
}

/// An iteration begins in a block with sums for each.
void execution::executor::reached(std::uint64_t k) {
  sums_->reached(k, [&](std::uint64_t at, const std::byte* part) { keep_sums(at, part); });
}

/// Iterations write their sums to places of their own, for the driver to fold in program order.
void execution::executor::keep_sums(std::uint64_t k, const std::byte* part) {
  const std::uint64_t j = loop_.pieces_[current_].begin + k;
  std::memcpy(loop_.sums_.data() + j * sums_->size(), part, sums_->size());
}

void execution::executor::close_piece() {
  const std::uint64_t ran = std::exchange(block_.count, 0);
  if (sums_ != nullptr)
    sums_->ended(ran, [&](std::uint64_t at, const std::byte* part) { keep_sums(at, part); });
  const std::uint32_t piece = std::exchange(current_, none);
  loop_.frame_.count(number_, loop_.pieces_[piece].count);
  loop_.finished(piece);
  if (!loop_.piece_seconds_.empty()) loop_.piece_seconds_[piece] = static_cast<float>(seconds_since(begun_));
}

void execution::executor::open_piece(std::uint32_t number) {
  const plan& p = loop_.plan_;
  const block_piece& b = loop_.pieces_[number];
  open_windows(p.blocks[b.block]);
  place_ = b.begin;
  block_.count = b.count;
  block_.windows = windows_.data();
  // where time may choose program order, iterations run one by one
  block_.side_by_side = loop_.frame_.is_async && p.hot.empty() && !p.is_disjoint;
  block_.partials = partials_.data();
  std::byte* const parts = loop_.partials_.data() + number * loop_.partials_size_;
  for (const noted_capture& one : kinds_) {
    if (one.has_parts) partials_[one.capture] = parts + loop_.partial_offsets_[one.capture];
  }
  if (!p.listed) {
    block_.begin = static_cast<std::int64_t>(b.begin);
    block_.is_range = has_accumulators_;
    for (const noted_capture& one : kinds_) {
      const abi::window& w = windows_[one.capture];
      if (one.is_at_index)
        block_.is_whole = block_.is_whole && b.begin >= w.lo && b.begin + b.count <= w.lo + w.count;
    }
    if (sums_ == nullptr) return;
    sums_->attach(block_);
    block_.is_whole = false;  // the copy for whole windows makes no calls between iterations
    return;
  }
  block_.iterations = p.share.numbers.data() + b.begin;
  block_.streams = streams_.data();
  for (std::size_t c = 0; c < streams_.size(); ++c)
    streams_[c] = p.share.streams[c].size() == 0 ? nullptr : p.share.streams[c].at(b.begin);
  for (const noted_capture& one : kinds_) {
    if (one.is_at_index) block_.is_whole = block_.is_whole && streams_[one.capture] != nullptr;
  }
  block_.columns = p.share.columns.empty() ? nullptr : columns_.data();
  std::fill(columns_.begin(), columns_.end(), abi::element_column{});
  for (const touch_column& column : p.share.columns) {
    abi::element_column& known = columns_[column.capture];
    const std::uint32_t*& place = known.first == nullptr ? known.first : known.second;
    known.is_whole = place == nullptr;
    known.unit = static_cast<std::uint32_t>(p.units[column.capture]);
    if (place == nullptr) place = column.elements.data() + b.begin;
  }
}

/// The window of a written container is the block's first group of it, with the block's groups that follow
/// without a gap; the guard finds the other groups. The window of an accumulated container is the
/// accumulator.
void execution::executor::open_windows(const plan_block& b) {
  const loop_frame& f = loop_.frame_;
  const plan& p = loop_.plan_;
  block_.is_whole = b.num_tokens == 0 ? is_whole_alone_ : has_whole_windows(f, p, b);
  for (const noted_capture& one : kinds_) {
    if (!one.is_written) continue;
    const std::uint32_t c = one.capture;
    abi::window& w = windows_[c];
    w.count = w.readable = guards_[c].near_count = 0;
    if (accumulators* const added = loop_.deltas_[c].get()) {
      added->open(b.accumulator, w);
    } else if (p.is_disjoint) {
      w.lo = 0;
      w.count = w.readable = f.replicas[c]->size();
    }
    if (b.num_tokens != 0) open_groups(b, c);
    if (!p.hot.empty() && !p.hot[c].empty()) {
      leave_out_hot(c);
      block_.is_whole = false;
    }
    block_.is_whole = block_.is_whole && (!f.is_relaxed(c) || w.count == f.replicas[c]->size());
    if (one.is_only_added) block_.is_whole = block_.is_whole && (w.count == 0 || w.lo == 0);
  }
  for (std::size_t c = 0; c < windows_.size() && body_.is_checked(); ++c) {
    if (f.replicas[c] != nullptr) body_.watch(c, windows_[c]);
  }
}

void execution::executor::open_groups(const plan_block& b, std::uint32_t c) {
  const partition& groups = loop_.frame_.replicas[c]->groups();
  abi::window& w = windows_[c];
  guard& g = guards_[c];
  const bool may_be_near = !body_.is_checked() && loop_.plan_.hot.empty() && loop_.deltas_[c] == nullptr;
  bool is_first = true;
  for (const std::uint32_t t : loop_.plan_.tokens_of(b)) {
    const token_ref& ref = loop_.plan_.tokens[t];
    if (ref.capture != c) continue;
    const std::uint64_t begin = groups.begin(ref.group);
    if (std::exchange(is_first, false)) w.lo = begin;
    if (begin == w.lo + w.count) {
      w.count = w.readable = w.count + groups.count(ref.group);
    } else if (may_be_near) {
      if (g.near_count == 0) g.near_begin = begin;
      if (begin == g.near_begin + g.near_count) g.near_count += groups.count(ref.group);
    }
  }
}

/// The window becomes its longest part without hot elements: these differ between accumulators.
void execution::executor::leave_out_hot(std::size_t c) {
  abi::window& w = windows_[c];
  const hot_units& hot = loop_.plan_.hot[c];
  const std::uint64_t end = w.lo + w.count;
  std::uint64_t begin = w.lo;
  w.count = 0;
  const auto take = [&](std::uint64_t upto) {
    if (upto > begin && upto - begin > w.count) {
      w.lo = begin;
      w.count = upto - begin;
    }
  };
  const auto from = std::lower_bound(hot.firsts().begin(), hot.firsts().end(), begin);
  for (auto at = from; at != hot.firsts().end() && *at < end; ++at) {
    take(*at);
    begin = *at + hot.unit();
  }
  take(end);
  w.readable = w.count;
}

bool execution::executor::is_hot(std::uint32_t capture, std::uint64_t i) const {
  const std::vector<hot_units>& hot = loop_.plan_.hot;
  return !hot.empty() && hot[capture].has(i);
}

/// Whether a range is of a hot row. Ranges are whole rows.
bool execution::executor::has_hot(std::uint32_t capture, std::uint64_t first, std::uint64_t n) const {
  if (loop_.plan_.hot.empty() || loop_.plan_.hot[capture].empty()) return false;
  const hot_units& hot = loop_.plan_.hot[capture];
  const auto at = std::lower_bound(hot.firsts().begin(), hot.firsts().end(), first / hot.unit() * hot.unit());
  if (at == hot.firsts().end() || *at >= first + n) return false;
  if (first + n <= *at + hot.unit()) return true;
  throw error(errc::unsupported,
              fmt::format("elements {} to {} of `{}` are several rows, one of which is among the hottest: "
                          "leave hottest() out of its model",
                          first, first + n - 1, loop_.frame_.name_of(capture)));
}

void* execution::executor::hot_at(std::uint32_t capture, std::uint64_t i) const {
  const std::uint32_t accumulator = loop_.plan_.blocks[block()].accumulator;
  if (loop_.at_.delayed != nullptr) return loop_.at_.delayed->hot_at(capture, accumulator, i);
  return loop_.at_.relaxed->hot_at(capture, accumulator, i);
}

void execution::executor::begin(std::int64_t j) {
  const auto& sets = loop_.plan_.share.sets;
  body_.begin(j, sets.empty() ? nullptr : &sets[place_], block());
  ++place_;
}

/// The running iteration's element of an aligned container, if it is in plan layout; else null.
void* execution::executor::streamed(std::uint32_t capture) const {
  const bool in_plan_order = loop_.plan_.listed && loop_.plan_.share.streams[capture].size() != 0;
  return body_.is_checked() && in_plan_order ? loop_.plan_.share.streams[capture].at(place_ - 1) : nullptr;
}

void* execution::executor::guard::element(std::uint64_t i, abi::access) {
  const execution& loop = owner->loop_;
  const replica& local = *loop.frame_.replicas[capture];
  if (has_near(i, 1)) return local.at(i);
  accumulators* const added = loop.deltas_[capture].get();
  const bool is_own_slot = added != nullptr && local.keys() != nullptr;
  if (i >= local.size() && !is_own_slot) local.throw_out_of_range(i, loop.frame_.name_of(capture));
  if (void* own = owner->streamed(capture)) return own;
  if (owner->is_hot(capture, i)) return owner->hot_at(capture, i);
  if (!loop.frame_.writes(capture)) return local.at(i);
  if (added != nullptr) return added->at(loop.plan_.blocks[owner->block()].accumulator, i);
  const std::uint32_t group = local.groups().group_of(i);
  for (const std::uint32_t t : loop.plan_.tokens_of(loop.plan_.blocks[owner->block()])) {
    const token_ref& ref = loop.plan_.tokens[t];
    if (ref.capture == capture && ref.group == group) return local.at(i);
  }
  throw_unplanned_element(i, loop.frame_.name_of(capture));
}

/// A range may span several groups if the block has them all. Elements never move, so they are contiguous.
void* execution::executor::guard::range(std::uint64_t first, std::uint64_t n, abi::access how) {
  const replica& local = *owner->loop_.frame_.replicas[capture];
  if (has_near(first, n)) return local.at(first);
  local.check_range(first, n, owner->loop_.frame_.name_of(capture));
  accumulators* const added = owner->loop_.deltas_[capture].get();
  if (n > 0 && added != nullptr)
    return added->range(owner->loop_.plan_.blocks[owner->block()].accumulator, first, n);
  if (n > 0 && owner->has_hot(capture, first, n)) return owner->hot_at(capture, first);
  const partition& groups = local.groups();
  for (std::uint64_t i = first; i < first + n; i = groups.end(groups.group_of(i))) (void)element(i, how);
  return local.at(first);
}

void* execution::executor::guard::add_entry() {
  const execution& loop = owner->loop_;
  if (loop.deltas_[capture] != nullptr)
    return loop.deltas_[capture]->add_entry(loop.plan_.blocks[owner->block()].accumulator);
  throw_unplanned_key(loop.frame_.name_of(capture));
}

void execution::executor::failed(std::int64_t iteration, errc code, const char* what) {
  body_.abandon();
  const auto number = static_cast<std::uint8_t>(code);
  if (loop_.plan_.is_by_index) return loop_.fail_alone(block(), {number, what, loop_.at_.self, iteration, 0});
  if (loop_.at_.delayed != nullptr) loop_.at_.delayed->fail(loop_.at_.delayed->round_of(block()));
  loop_.fail({number, what, loop_.at_.self, iteration, loop_.position_of(block())});
}

}  // namespace stradsap::rt
