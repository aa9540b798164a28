#include "runtime/loop/transaction_lane.hpp"

#include <bit>
#include <chrono>
#include <cstring>
#include <utility>

namespace stradsap::rt {

static constexpr std::uint64_t pending_bit = std::uint64_t{1} << 63;
static constexpr std::uint32_t members_at_once = 8;  // that a lane takes

transaction_round::transaction_round(const loop_frame& f)
    : reserved(f.num_captures()), versions(f.logs_accesses ? f.num_captures() : 0) {
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    partial_offsets.push_back(partials_size);
    partials_size += f.entry->captures[c].size;
    if (f.stores[c] == nullptr) continue;
    if (f.uses[c] == usage::owned) reserved.cover(c, f.stores[c]->size());
    if (f.logs_accesses) versions[c].resize(f.stores[c]->size());
  }
}

void transaction_round::begin(std::vector<std::int64_t> iterations) {
  members = std::move(iterations);
  if (attempts.size() < members.size()) attempts.resize(members.size());
  if (partials.size() < members.size() * partials_size) partials.resize(members.size() * partials_size);
  next = 0;
  has_failures = has_new_keys = false;
  reserved.begin_round();
}

transaction_lane::transaction_lane(const loop_frame& f, transaction_round& round, int number)
    : frame_(f), round_(round), number_(number), windows_(f.num_captures()), partials_(f.num_captures()) {
  if (is_checked(f)) check_ = std::make_unique<iteration_check>(f);
  if (f.logs_accesses) log_ = std::make_unique<transaction_log>(f, round.versions);
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    reach_.push_back(std::make_unique<reach>());
    if (f.stores[c] != nullptr) open_window(c);
  }
  block_.count = 1;
  block_.windows = windows_.data();
  block_.partials = partials_.data();
}

transaction_lane::~transaction_lane() {
  for (touched& one : touched_) drop(one);
}

transaction_lane::role transaction_lane::role_of(std::size_t c) const {
  if (!frame_.writes(c)) return role::read;
  if (frame_.uses[c] == usage::accumulated) return role::added;
  return frame_.is_aligned(c) ? role::own : role::shared;
}

void transaction_lane::open_window(std::size_t c) {
  container_store& store = *frame_.stores[c];
  reach& r = *reach_[c];
  r.as = role_of(c);
  r.views.owner = this;
  r.views.capture = static_cast<std::uint32_t>(c);
  const bool in_place = r.as == role::read && log_ == nullptr;
  if (in_place) {
    r.in_place = std::make_unique<resident_elements>(store, frame_.name_of(c));
    windows_[c] = store.window_through(*r.in_place);
    windows_[c].count = windows_[c].readable = store.size();
  } else {
    r.scratch = std::make_unique<scratch_pool>(store.ops());
    if ((frame_.entry->captures[c].mode & abi::ranges) != 0)
      r.beside = address_range(store.size() * store.ops().size);
    if (store.keys() != nullptr && r.as == role::shared) r.pending = store.keys()->fresh();
    windows_[c] = store.window_through(r.views);
    windows_[c].pending = r.pending.get();
  }
  if (check_ != nullptr) check_->watch(c, windows_[c]);
}

// ---- running --------------------------------------------------------------------------------------------

void transaction_lane::begin_round() {
  touched_.clear();
  ran_.clear();
  next_ = end_ = 0;
  seconds_ = 0;
  copied_ = 0;
  if (log_ != nullptr) log_->begin_round();
  for (std::size_t c = 0; c < reach_.size(); ++c) {
    if (reach_[c]->scratch == nullptr) continue;
    reach_[c]->scratch->reset();
    windows_[c].size = frame_.stores[c]->size();
  }
}

void transaction_lane::run() {
  const auto start = std::chrono::steady_clock::now();
  const abi::launch_scope now(frame_.launch);
  frame_.entry->run(frame_.values.data(), *this);
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

const abi::block* transaction_lane::next() {
  if (running_ != transaction_round::nobody) end_attempt();
  const std::uint32_t member = take_member();
  if (member == transaction_round::nobody) return nullptr;
  begin_attempt(member);
  return &block_;
}

std::uint32_t transaction_lane::take_member() {
  if (next_ == end_) {
    const auto size = static_cast<std::uint32_t>(round_.members.size());
    next_ = std::min(size, round_.next.fetch_add(members_at_once, std::memory_order_relaxed));
    end_ = std::min(size, next_ + members_at_once);
    if (next_ == end_) return transaction_round::nobody;
  }
  return next_++;
}

void transaction_lane::begin_attempt(std::uint32_t member) {
  running_ = member;
  first_ = static_cast<std::uint32_t>(touched_.size());
  known_.empty();
  ran_.push_back(member);
  round_.attempts[member].failed.reset();
  block_.begin = round_.members[member];
  for (std::size_t c = 0; c < partials_.size(); ++c)
    partials_[c] = round_.partials_of(member) + round_.partial_offsets[c];
}

void transaction_lane::failed(std::int64_t iteration, errc code, const char* what) {
  round_.attempts[running_].failed =
      failure{static_cast<std::uint8_t>(code), what, driver_rank, iteration, 0};
  round_.has_failures = true;
}

/// Which elements it has changed is known now.
void transaction_lane::end_attempt() {
  attempt& over = round_.attempts[running_];
  over.lane = number_;
  over.first = first_;
  over.count = static_cast<std::uint32_t>(touched_.size()) - first_;
  for (std::size_t k = first_; k < touched_.size(); ++k) end_touch(k);
  hand_over_keys(over);
  running_ = transaction_round::nobody;
}

void transaction_lane::end_touch(std::size_t k) {
  touched& one = touched_[k];
  if (one.at == nullptr) return;
  reach& from = *reach_[one.what.capture];
  if (from.as == role::added) return move_out(one);
  one.changed = from.as != role::read && one.written && differs(one);
  if (log_ != nullptr) log_->left(k, one.what, one.at, one.changed);
  if (!one.changed) return drop(one);
  move_out(one);
  if (from.as == role::shared && one.what.pending_key == 0)
    round_.reserved.reserve(one.what.capture, one.what.element, running_);
}

/// The next attempt counts its new keys from 0 again.
void transaction_lane::hand_over_keys(attempt& over) {
  over.new_keys.clear();
  for (std::size_t c = 0; c < reach_.size(); ++c) {
    reach& r = *reach_[c];
    if (r.pending == nullptr || r.pending->size() == 0) continue;
    over.new_keys.resize(reach_.size());
    over.new_keys[c] = std::exchange(r.pending, r.pending->fresh());
    windows_[c].pending = r.pending.get();
    round_.has_new_keys = true;
  }
}

// ---- elements -------------------------------------------------------------------------------------------

void* transaction_lane::lend(std::uint32_t capture, std::uint64_t i, abi::access how) {
  reach& from = *reach_[capture];
  const bool pending_key = from.pending != nullptr && (i & pending_bit) != 0;
  const container_store& store = *frame_.stores[capture];
  if (!pending_key && i >= store.size()) store.throw_out_of_range(i, frame_.name_of(capture));
  const touch what{pending_key ? i & ~pending_bit : i, capture, pending_key ? 1u : 0u};
  const auto next = static_cast<std::uint32_t>(touched_.size());
  const std::uint32_t place = known_.add(std::bit_cast<std::uint64_t>(what), next);
  if (place == next) touched_.push_back({what, nullptr, false, false});
  touched_[place].written |= how == abi::access::write;
  if (touched_[place].at != nullptr) {
    if (log_ != nullptr) log_->again(place, how == abi::access::write);
    return touched_[place].at;
  }
  touched_[place].at = make_copy(from, what);  // or its constructor throws
  if (log_ != nullptr) log_->found(place, what, touched_[place].at, how == abi::access::write);
  return touched_[place].at;
}

void* transaction_lane::lend_range(std::uint32_t capture, std::uint64_t first, std::uint64_t n,
                                   abi::access how) {
  const container_store& store = *frame_.stores[capture];
  store.check_range(first, n, frame_.name_of(capture));
  for (std::uint64_t i = first; i < first + n; ++i) (void)lend(capture, i, how);
  const reach& from = *reach_[capture];
  return from.as == role::read ? store.at(first) : from.beside.base() + first * store.ops().size;
}

/// Most elements are as small as that, and a call costs more.
static void copy_element(const abi::element_ops& ops, std::byte* to, const std::byte* from) {
  if (ops.own.copy == nullptr && ops.size == 4) {
    std::memcpy(to, from, 4);
  } else if (ops.own.copy == nullptr && ops.size == 8) {
    std::memcpy(to, from, 8);
  } else {
    ops.copy(to, from);
  }
}

std::byte* transaction_lane::make_copy(reach& from, const touch& what) {
  const container_store& store = *frame_.stores[what.capture];
  if (from.as == role::read) return store.at(what.element);
  copied_ += store.ops().size;
  std::byte* const at =
      from.beside.size() != 0 ? from.beside.base() + what.element * store.ops().size : from.scratch->take();
  if (from.as == role::added) {
    std::memset(at, 0, store.ops().size);
    const abi::accumulation& how = *frame_.entry->captures[what.capture].added;
    if (how.begin != nullptr) how.begin(at, 1);
  } else if (what.pending_key != 0) {
    from.pending->construct_entry(what.element, at);
  } else {
    copy_element(store.ops(), at, store.at(what.element));
  }
  return at;
}

/// The next attempt may have this element in the same place.
void transaction_lane::move_out(touched& one) {
  reach& from = *reach_[one.what.capture];
  if (from.beside.size() == 0) return;
  const abi::element_ops& ops = frame_.stores[one.what.capture]->ops();
  std::byte* const to = from.scratch->take();
  ops.copy(to, one.at);
  ops.destroy(one.at, 1);
  one.at = to;
}

bool transaction_lane::differs(const touched& one) {
  const container_store& store = *frame_.stores[one.what.capture];
  if (one.what.pending_key == 0) return differs(store.ops(), one.at, store.at(one.what.element));
  reach& from = *reach_[one.what.capture];
  std::byte* const fresh = from.scratch->take();
  from.pending->construct_entry(one.what.element, fresh);
  const bool found = differs(store.ops(), one.at, fresh);
  store.ops().destroy(fresh, 1);
  return found;
}

template <class Number> static bool differ(const std::byte* a, const std::byte* b) {
  Number one;
  Number other;
  std::memcpy(&one, a, sizeof one);
  std::memcpy(&other, b, sizeof other);
  return one != other;
}

bool transaction_lane::differs(const abi::element_ops& ops, const std::byte* a, const std::byte* b) {
  if (!ops.is_compared) return true;
  if (ops.own.same != nullptr) return !ops.own.same(a, b);
  if (ops.size == 4) return differ<std::uint32_t>(a, b);
  if (ops.size == 8) return differ<std::uint64_t>(a, b);
  return std::memcmp(a, b, ops.size) != 0;
}

void transaction_lane::drop(touched& one) {
  std::byte* const at = std::exchange(one.at, nullptr);
  const role as = reach_[one.what.capture]->as;
  if (at == nullptr || as == role::read || as == role::added) return;
  frame_.stores[one.what.capture]->ops().destroy(at, 1);
}

// ---- settling -------------------------------------------------------------------------------------------

void transaction_lane::settle_keys(std::uint32_t member, std::size_t capture,
                                   const std::vector<std::uint64_t>& slots) {
  const attempt& of = round_.attempts[member];
  for (std::size_t k = of.first; k < of.first + of.count; ++k) {
    touched& one = touched_[k];
    if (one.what.capture != capture || one.what.pending_key == 0) continue;
    one.what.element = slots[one.what.element];
    one.what.pending_key = 0;
    if (one.changed) round_.reserved.reserve(capture, one.what.element, member);
  }
}

bool transaction_lane::is_first(std::uint32_t member) const {
  const attempt& of = round_.attempts[member];
  for (std::size_t k = of.first; k < of.first + of.count; ++k) {
    const touch& what = touched_[k].what;
    if (reach_[what.capture]->as != role::shared) continue;
    if (round_.reserved.is_reserved_below(what.capture, what.element, member)) return false;
  }
  return true;
}

void transaction_lane::settle() {
  for (const std::uint32_t member : ran_) {
    attempt& of = round_.attempts[member];
    of.stands = member < round_.stop && is_first(member);
    if (of.stands) put_in_place(of, member);
    for (std::size_t k = of.first; k < of.first + of.count; ++k) {
      if (reach_[touched_[k].what.capture]->as != role::added) drop(touched_[k]);
    }
  }
}

void transaction_lane::put_in_place(attempt& won, std::uint32_t member) {
  if (log_ != nullptr) log_->stands(round_.members[member], round_.number);
  for (std::size_t k = won.first; k < won.first + won.count; ++k) {
    const touched& one = touched_[k];
    if (reach_[one.what.capture]->as == role::added) continue;
    if (log_ != nullptr) log_->stands(k, one.what);
    if (!one.changed) continue;
    const container_store& store = *frame_.stores[one.what.capture];
    store.ops().assign(store.at(one.what.element), one.at);
  }
}

void transaction_lane::fold_added(std::uint32_t member, std::uint64_t share, std::uint64_t shares) {
  const attempt& of = round_.attempts[member];
  for (std::size_t k = of.first; k < of.first + of.count; ++k) {
    const touched& one = touched_[k];
    if (reach_[one.what.capture]->as != role::added || one.what.element % shares != share) continue;
    const abi::accumulation& how = *frame_.entry->captures[one.what.capture].added;
    how.combine(frame_.stores[one.what.capture]->at(one.what.element), one.at, 1);
  }
}

access_log transaction_lane::take_log() { return log_ == nullptr ? access_log{} : log_->take(); }

}  // namespace stradsap::rt
