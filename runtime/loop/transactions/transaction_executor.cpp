#include "runtime/loop/transactions/transaction_executor.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>
#include <utility>

#include "runtime/dds/element_copies.hpp"
#include "runtime/loop/run/body_copy.hpp"

namespace stradsap::rt {

transaction_role role_of(const loop_frame& f, std::size_t c) {
  if (f.replicas[c] == nullptr) return transaction_role::none;
  if (!f.writes(c)) return transaction_role::read;
  if (f.uses[c] == usage::accumulated) return transaction_role::added;
  return f.is_aligned(c) ? transaction_role::own : transaction_role::shared;
}

transaction_executor::transaction_executor(const loop_frame& f, transaction_round& round,
                                           std::uint32_t number)
    : frame_(f), round_(round), number_(number), windows_(f.num_captures()), partials_(f.num_captures()) {
  if (is_checked(f)) check_ = std::make_unique<iteration_check>(f);
  if (f.logs_accesses) log_ = std::make_unique<transaction_log>(f, round.versions);
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    reach_.push_back(std::make_unique<reach>());
    if (f.replicas[c] != nullptr) open_window(c);
  }
  nothing_.resize(round.partials_size);
  for (std::uint8_t k = 0; k < parts_.size(); ++k) parts_[k] = k;
  block_.windows = windows_.data();
  block_.partials = partials_.data();
  block_.parts = parts_.data();
  block_.part_stride = round.partials_size;
}

transaction_executor::~transaction_executor() {
  for (touched& one : touched_) drop(one);
}

void transaction_executor::open_window(std::size_t c) {
  replica& local = *frame_.replicas[c];
  reach& r = *reach_[c];
  r.as = role_of(frame_, c);
  r.capture = static_cast<std::uint32_t>(c);
  r.local = &local;
  r.ops = &local.ops();
  r.is_destroyed =
      r.ops->own.destroy != nullptr && (r.as == transaction_role::own || r.as == transaction_role::shared);
  r.added = frame_.entry->captures[c].added;
  r.views.owner = this;
  r.views.from = &r;
  if (r.as == transaction_role::read) {
    r.in_place = std::make_unique<resident_elements>(local, frame_.name_of(c));
    windows_[c] = local.window_through(*r.in_place);
    windows_[c].count = windows_[c].readable = local.size();
  } else {
    r.scratch = std::make_unique<scratch_pool>(local.ops());
    if ((frame_.entry->captures[c].mode & (abi::ranges | abi::ordered)) != 0) {
      r.beside = address_range(local.size() * local.ops().size);
      r.poisoned.cover(r.beside.base(), local.size() * local.ops().size);
    }
    if (local.keys() != nullptr && r.as == transaction_role::shared) r.pending = local.keys()->fresh();
    windows_[c] = local.window_through(r.views);
    // an empty range lies among the copies, too
    if (r.beside.size() != 0) windows_[c].base = r.beside.base();
    windows_[c].pending = r.pending.get();
  }
  if (check_ != nullptr) check_->watch(c, windows_[c]);
}

// ---- attempts -------------------------------------------------------------------------------------------

void transaction_executor::begin_round() {
  for (touched& one : touched_) drop(one);
  touched_.clear();
  next_ = end_ = 0;
  copied_ = 0;
  if (log_ != nullptr) log_->begin_round();
  for (const auto& r : reach_) {
    if (r->scratch == nullptr) continue;
    r->scratch->reset();
    windows_[r->capture].size = r->local->size();
  }
}

void transaction_executor::run() {
  const abi::launch_scope now(frame_.launch);
  const poison::running_bodies bodies(check_ != nullptr);
  run_copy(frame_, body_copy::movable, *this);
}

const abi::block* transaction_executor::next() {
  if (running_ != nobody) end_attempt();
  if (!std::exchange(knows_nothing_, true) && !nothing_.empty()) return learn_nothing();
  if (next_ == end_) std::tie(next_, end_) = round_.take();
  if (next_ == end_) return nullptr;
  open_block();
  return &block_;
}

/// A block without iterations writes the neutral values of reductions.
const abi::block* transaction_executor::learn_nothing() {
  block_.count = 0;
  for (std::size_t c = 0; c < partials_.size(); ++c)
    partials_[c] = nothing_.data() + round_.partial_offsets[c];
  return &block_;
}

void transaction_executor::open_block() {
  block_at_ = next_;
  block_.begin = round_.iteration_of(next_);
  block_.count = std::min(end_ - next_, most_at_once);
  next_ += static_cast<std::uint32_t>(block_.count);
  for (std::size_t c = 0; c < partials_.size(); ++c)
    partials_[c] = round_.partials_of(block_at_) + round_.partial_offsets[c];
  for (const auto& r : reach_) {
    if (r->pending == nullptr || r->pending->size() == 0) continue;
    r->pending = r->pending->fresh();
    windows_[r->capture].pending = r->pending.get();
  }
}

void transaction_executor::reached(std::uint64_t k) {
  if (running_ != nobody) end_attempt();
  running_ = block_at_ + static_cast<std::uint32_t>(k);
  first_ = static_cast<std::uint32_t>(touched_.size());
  known_.empty();
  round_[running_] = {number_, first_, 0, /*is_void=*/false};
  if (!nothing_.empty()) std::memcpy(round_.partials_of(running_), nothing_.data(), nothing_.size());
}

void transaction_executor::failed(std::int64_t, errc, const char*) {
  if (check_ != nullptr) check_->abandon();
  round_[running_].is_void = true;
  next_ = running_ + 1;
  end_attempt();
}

/// Ends the running attempt. Its changed elements are now known.
void transaction_executor::end_attempt() {
  attempt& over = round_[running_];
  over.count = static_cast<std::uint32_t>(touched_.size()) - first_;
  for (std::size_t k = first_; k < touched_.size(); ++k) end_touch(over, k);
  running_ = nobody;
}

void transaction_executor::end_touch(attempt& of, std::size_t k) {
  touched& one = touched_[k];
  reach& from = *reach_[one.what.capture];
  if (one.what.pending_key != 0) {
    of.is_void = of.is_void || one.written;
    return drop(one);
  }
  if (one.at == nullptr) return;
  const poison::opened copy(one.at, from.ops->size);
  const poison::opened original(from.local->at(one.what.element), from.ops->size);
  if (from.as == transaction_role::added) return move_out(one);
  one.changed = one.written && differ(*from.ops, one.at, from.local->at(one.what.element));
  if (log_ != nullptr) log_->left(k, one.what, one.at, one.changed);
  one.changed ? move_out(one) : drop(one);
}

// ---- elements ----

void* transaction_executor::lend(reach& from, std::uint64_t i, abi::access how) {
  const bool pending_key = from.pending != nullptr && (i & abi::pending_bit) != 0;
  if (!pending_key && i >= from.local->size())
    from.local->throw_out_of_range(i, frame_.name_of(from.capture));
  const touch what{pending_key ? i & ~abi::pending_bit : i, from.capture, pending_key ? 1u : 0u};
  const auto next = static_cast<std::uint32_t>(touched_.size());
  const std::uint32_t place = known_.add(std::bit_cast<std::uint64_t>(what), next);
  if (place == next) touched_.push_back({what, nullptr, false, false});
  touched_[place].written |= how == abi::access::write;
  if (touched_[place].at == nullptr) return lend_first(from, place, how);
  if (log_ != nullptr && !pending_key) log_->again(place, how == abi::access::write);
  return touched_[place].at;
}

void* transaction_executor::lend_first(reach& from, std::uint32_t place, abi::access how) {
  touched& one = touched_[place];
  one.at = make_copy(from, one.what);  // or the constructor throws
  const poison::opened found(one.at, from.ops->size);
  if (log_ != nullptr && one.what.pending_key == 0)
    log_->found(place, one.what, one.at, how == abi::access::write);
  return one.at;
}

void* transaction_executor::lend_range(reach& from, std::uint64_t first, std::uint64_t n, abi::access how) {
  from.local->check_range(first, n, frame_.name_of(from.capture));
  for (std::uint64_t i = first; i < first + n; ++i) (void)lend(from, i, how);
  return from.beside.base() + first * from.ops->size;
}

std::byte* transaction_executor::make_copy(reach& from, const touch& what) {
  copied_ += from.ops->size;
  const bool is_beside = from.beside.size() != 0;
  std::byte* const at = is_beside ? from.beside.base() + what.element * from.ops->size : from.scratch->take();
  const poison::opened copy(at, from.ops->size);
  if (from.as == transaction_role::added) {
    std::memset(at, 0, from.ops->size);
    if (from.added->begin != nullptr) from.added->begin(at, 1);
  } else if (what.pending_key != 0) {
    from.pending->construct_entry(what.element, at);
  } else {
    const std::byte* const original = from.local->at(what.element);
    const poison::opened start(original, from.ops->size);
    copy_element(*from.ops, at, original);
  }
  return at;
}

/// Moves a copy out of `beside`, since the next attempt may copy the same element there.
void transaction_executor::move_out(touched& one) {
  reach& from = *reach_[one.what.capture];
  if (from.beside.size() == 0) return;
  std::byte* const to = from.scratch->take();
  from.ops->copy(to, one.at);
  from.ops->destroy(one.at, 1);
  one.at = to;
}

void transaction_executor::drop(touched& one) {
  std::byte* const at = std::exchange(one.at, nullptr);
  const reach& from = *reach_[one.what.capture];
  if (at != nullptr && from.is_destroyed) from.ops->destroy(at, 1);
}

// ---- settling -------------------------------------------------------------------------------------------

bool transaction_executor::stands(const attempt& of, const round_changes& lower) const {
  if (of.is_void) return false;
  for (std::size_t k = of.first; k < of.first + of.count; ++k) {
    const touch& what = touched_[k].what;
    if (reach_[what.capture]->as != transaction_role::shared) continue;
    if (what.pending_key != 0 ? lower.has_new_keys[what.capture]
                              : lower.elements.has(std::bit_cast<std::uint64_t>(what)))
      return false;
  }
  return true;
}

void transaction_executor::put_in_place(const attempt& of, std::uint32_t member, round_changes& changes) {
  if (log_ != nullptr) log_->stands(round_.iteration_of(member), 0);
  for (std::size_t k = of.first; k < of.first + of.count; ++k) {
    touched& one = touched_[k];
    const reach& from = *reach_[one.what.capture];
    if (one.what.pending_key != 0) continue;
    std::byte* const original = from.local->at(one.what.element);
    if (from.as == transaction_role::added) {
      from.added->combine(original, one.at, 1);
      continue;
    }
    if (log_ != nullptr) log_->stands(k, one.what);
    if (!one.changed) continue;
    assign_element(*from.ops, original, one.at);
    if (from.as == transaction_role::shared)
      (void)changes.elements.add(std::bit_cast<std::uint64_t>(one.what), 0);
  }
}

access_log transaction_executor::take_log() { return log_ == nullptr ? access_log{} : log_->take(); }

}  // namespace stradsap::rt
