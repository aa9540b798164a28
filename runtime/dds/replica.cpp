#include "runtime/dds/replica.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "runtime/dds/range_pool.hpp"

namespace stradsap::rt {

replica::replica(container_id id, const abi::element_ops& ops, std::uint64_t n,
                 std::unique_ptr<abi::key_index> keys, rank_id self, fetcher fetch)
    : id_(id),
      ops_(ops),
      self_(self),
      fetch_(std::move(fetch)),
      keys_(std::move(keys)),
      groups_(n),
      held_(1) {
  if (keys_ != nullptr) memory_ = address_range::ample();  // entries never move: insertion is allowed
  set_size(n);
}

replica::~replica() {
  if (!ops_.born_zero && !plan_layout_) ops_.destroy(memory_.base(), size_);
  poisoned_ = {};
  leave_range(std::move(memory_), used_bytes_);
}

// Makes room for n elements and constructs the new ones. Growth beyond the capacity moves all elements; it
// happens on the driver, where they all are by then.
void replica::grow_memory(std::uint64_t n) {
  if (n > memory_.size() / ops_.size) {
    if (keys_ != nullptr)
      throw error(errc::out_of_range,
                  fmt::format("a dmap of {} entries is full: it could reserve only {} bytes of addresses",
                              size_, memory_.size()));
    address_range larger = range_for(std::max(n, size_ == 0 ? n : size_ + size_ / 2) * ops_.size);
    if (size_ != 0) {
      if (ops_.born_zero) {
        std::memcpy(larger.base(), memory_.base(), size_ * ops_.size);
      } else {
        for (std::uint64_t i = 0; i < size_; ++i) ops_.copy(larger.base() + i * ops_.size, at(i));
        ops_.destroy(memory_.base(), size_);
      }
    }
    std::swap(memory_, larger);
    leave_range(std::move(larger), std::exchange(used_bytes_, 0));
  }
  used_bytes_ = std::max(used_bytes_, n * ops_.size);
  if (n > size_) construct(size_, n);
}

/// New elements, which the driver owns. If they are zero bytes, a write into each page takes the memory.
void replica::construct(std::uint64_t begin, std::uint64_t end) {
  if (!ops_.born_zero && self_ == driver_rank) return ops_.construct(at(begin), end - begin);
  if (!ops_.born_zero) return construct_for_bytes(begin, end);
  constexpr std::size_t page = 4096;
  if (!takes_memory_) return;
  for (volatile std::byte* byte = at(begin); byte < at(end); byte += page) *byte = std::byte{};
}

/// Makes elements into which bytes from other ranks will come. If bytes are all there is to them, they need
/// no initial values until then, and no memory.
void replica::construct_for_bytes(std::uint64_t begin, std::uint64_t end) {
  if (!ops_.born_zero && !may_be_paged()) ops_.construct(at(begin), end - begin);
}

void replica::take_memory() {
  if (is_blank_ && !std::exchange(has_memory_, true)) construct(0, size_);
}

/// Poisons the elements and some bytes behind them. Maps grow one by one and poisoning takes time, so it
/// covers powers of two.
void replica::poison_elements(std::uint64_t n) {
  constexpr std::size_t beyond = 4096;
  poisoned_.cover(memory_.base(), std::min(memory_.size(), std::bit_ceil(n * ops_.size + beyond)));
}

// ---- elements ----

void replica::throw_out_of_range(std::uint64_t i, std::string_view name) const {
  throw error(errc::out_of_range,
              fmt::format("index {} is out of range: {} has {} elements", static_cast<std::int64_t>(i),
                          name.empty() ? "the container" : fmt::format("`{}`", name), size_));
}

void replica::check_range(std::uint64_t first, std::uint64_t n, std::string_view name) const {
  if (n <= size_ && first <= size_ - n) return;
  throw error(errc::out_of_range,
              fmt::format("{} elements from index {} are out of range: {} has {} elements",
                          static_cast<std::int64_t>(n), static_cast<std::int64_t>(first),
                          name.empty() ? "the container" : fmt::format("`{}`", name), size_));
}

abi::window replica::window_through(abi::element_source& source) const {
  abi::window w;
  w.base = memory_.base();
  w.size = size_;
  w.source = &source;
  w.keys = keys_.get();
  if (shows_values_ && values_) w.values = *values_;
  return w;
}

// ---- groups, copies and layouts ----

void replica::cut(partition groups) {
  STRADSAP_ASSERT(groups.size() == size_, "{} elements cut as {}", size_, groups.size());
  groups_ = std::move(groups);
  drop_copies();
  ++partition_version_;
}

void replica::resume_cut(std::vector<std::uint64_t> bounds, std::uint64_t version) {
  const std::size_t groups = bounds.size();
  cut(partition(std::move(bounds), std::vector<rank_id>(groups, driver_rank)));
  partition_version_ = version;
}

void replica::adopt_plan_layout(const stream_place& to) {
  if (!plan_layout_) {
    if (!ops_.born_zero) ops_.destroy(memory_.base(), size_);
    memory_.forget();
    has_elements_ = false;
    drop_copies();
  }
  plan_layout_ = to;
  values_.reset();
}

void replica::restore_canonical_layout() {
  STRADSAP_ASSERT(plan_layout_, "container {} is in its canonical layout", static_cast<int>(id_));
  plan_layout_.reset();
  forget_pages();
  construct_for_bytes(0, size_);
}

void replica::hold_range(std::uint64_t begin, std::uint64_t end) {
  STRADSAP_ASSERT(!plan_layout_, "container {} is in a plan's layout", static_cast<int>(id_));
  if (begin >= end || is_blank_ || groups_.is_all_of(self_)) return;
  std::vector<group_id> missing;
  const group_id last = groups_.group_of(end - 1);
  for (group_id g = groups_.group_of(begin); g <= last; ++g) {
    if (!held(g)) missing.push_back(g);
  }
  if (!missing.empty()) hold_groups(missing);
}

void replica::hold_groups(const std::vector<group_id>& groups) {
  std::vector<element_range> ranges;
  for (const group_id g : groups) {
    const bool goes_on = !ranges.empty() && ranges.back().end == groups_.begin(g);
    if (!goes_on) ranges.push_back({groups_.begin(g), groups_.begin(g)});
    ranges.back().end = groups_.end(g);
  }
  fetch_(*this, ranges);
  for (const group_id g : groups) held_[g] = true;
}

void replica::borrow_range(element_range range) {
  STRADSAP_ASSERT(!plan_layout_, "container {} is in a plan's layout", static_cast<int>(id_));
  if (range.begin >= range.end || (borrowed_.begin <= range.begin && range.end <= borrowed_.end)) return;
  const bool goes_on = range.begin <= borrowed_.end && borrowed_.begin <= range.end;
  if (!goes_on) borrowed_ = {range.begin, range.begin};
  const element_range before{range.begin, std::max(range.begin, borrowed_.begin)};
  const element_range behind{std::min(range.end, borrowed_.end), range.end};
  std::vector<element_range> missing;
  for (const element_range part : {before, behind}) add_not_held(part, missing);
  if (!missing.empty()) fetch_(*this, missing);
  borrowed_ = {std::min(range.begin, borrowed_.begin), std::max(range.end, borrowed_.end)};
}

void replica::add_not_held(element_range range, std::vector<element_range>& missing) const {
  if (range.begin >= range.end) return;
  const group_id last = groups_.group_of(range.end - 1);
  for (group_id g = groups_.group_of(range.begin); g <= last; ++g) {
    if (held(g)) continue;
    missing.push_back({std::max(range.begin, groups_.begin(g)), std::min(range.end, groups_.end(g))});
  }
}

bool replica::all_held() const {
  if (is_blank_ || groups_.is_all_of(self_)) return true;
  for (group_id g = 0; g < groups_.num_groups(); ++g) {
    if (!held(g)) return false;
  }
  return true;
}

void replica::show_values(abi::value_range (*of)(const void*, std::uint64_t)) {
  STRADSAP_ASSERT(!plan_layout_ && all_held(), "container {} is not all here", static_cast<int>(id_));
  shows_values_ = size_ != 0;
  if (!shows_values_ || values_) return;
  const poison::opened now(at(0), size_ * ops_.size);
  values_ = of(at(0), size_);
}

void replica::begin_paging() {
  borrowed_ = {0, 0};  // its pages may have gone
  is_paged_ = true;
}

void replica::end_paging() {
  is_paged_ = false;
  if (!pages_->is_complete()) return;
  forget_pages();
  note_all_held();
}

void replica::drop_copies() {
  STRADSAP_ASSERT(!is_paged_, "pages of container {} are about to come", static_cast<int>(id_));
  forget_pages();
  values_.reset();
  held_.assign(groups_.num_groups(), false);
  borrowed_ = {0, 0};
}

/// Gives up the memory of elements without a current copy here.
void replica::free_elements(std::uint64_t begin, std::uint64_t end) {
  if (begin >= end) return;
  const poison::opened now(at(begin), (end - begin) * ops_.size);
  if (!ops_.born_zero) ops_.destroy(at(begin), end - begin);
  memory_.forget(begin * ops_.size, end * ops_.size);
  construct_for_bytes(begin, end);
}

void replica::free_copies_outside(element_range kept) {
  STRADSAP_ASSERT(!plan_layout_, "container {} is in a plan's layout", static_cast<int>(id_));
  if (is_blank_) return;
  for (group_id g = 0; g < groups_.num_groups();) {
    const std::uint64_t begin = groups_.begin(g);
    const bool is_copy = groups_.owner(g) != self_;
    for (; g < groups_.num_groups() && (groups_.owner(g) != self_) == is_copy; ++g) held_[g] = false;
    if (!is_copy) continue;
    const std::uint64_t end = groups_.end(g - 1);
    free_elements(begin, std::min(end, std::max(begin, kept.begin)));
    free_elements(std::max(begin, std::min(end, kept.end)), end);
  }
  forget_pages();
  borrowed_ = kept;
  has_elements_ = false;
}

bytes replica::pack(std::uint64_t begin, std::uint64_t end) const {
  STRADSAP_ASSERT(!plan_layout_, "container {} is in a plan's layout", static_cast<int>(id_));
  const poison::opened now(at(begin), (end - begin) * ops_.size);
  bytes out;
  abi::writer to(out);
  ops_.write(at(begin), end - begin, to);
  return out;
}

void replica::unpack(std::uint64_t begin, std::uint64_t end, std::span<const std::byte> from) {
  abi::reader in(from.data(), from.size());
  unpack_next(begin, end, in);
}

void replica::unpack_next(std::uint64_t begin, std::uint64_t end, abi::reader& in) {
  if (begin > end || end > size_) {
    throw error(errc::decode, fmt::format("elements {} to {} of a container of {}", begin, end, size_));
  }
  const poison::opened now(at(begin), (end - begin) * ops_.size);
  values_.reset();
  forget_pages();
  ops_.read(at(begin), end - begin, in);
}

void replica::write_owned(abi::writer& out) const {
  STRADSAP_ASSERT(!plan_layout_, "container {} is in a plan's layout", static_cast<int>(id_));
  for (group_id g = 0; g < groups_.num_groups(); ++g) {
    if (groups_.owner(g) == self_) ops_.write(at(groups_.begin(g)), groups_.count(g), out);
  }
}

void replica::read_copies(rank_id owner, abi::reader& in) {
  STRADSAP_ASSERT(!plan_layout_ && owner != self_, "copies of container {}, which has them",
                  static_cast<int>(id_));
  values_.reset();
  forget_pages();
  has_elements_ = true;
  for (group_id g = 0; g < groups_.num_groups(); ++g) {
    if (groups_.owner(g) != owner) continue;
    ops_.read(at(groups_.begin(g)), groups_.count(g), in);
    held_[g] = true;
  }
}

// ---- size ----

/// Makes room for n elements and constructs the new ones, or destroys those beyond n.
void replica::set_size(std::uint64_t n) {
  grow_memory(n);
  if (n < size_ && !ops_.born_zero) ops_.destroy(at(n), size_ - n);
  size_ = n;
  values_.reset();
  forget_pages();
  poison_elements(n);
}

void replica::grow_groups(std::uint64_t n, growth where) {
  if (uncut() || where == growth::last_group) return groups_.extend(n);
  groups_.append(n);
  held_.resize(groups_.num_groups());
}

void replica::follow_keys(growth where) {
  const std::uint64_t n = keys_->size();
  if (n == size_) return;
  grow_memory(n);
  poison_elements(n);
  const poison::opened added(at(size_), (n - size_) * ops_.size);
  for (std::uint64_t slot = size_; slot < n; ++slot) keys_->construct_entry(slot, at(slot));
  size_ = n;
  grow_groups(n, where);
  ++partition_version_;
}

void replica::resize(std::uint64_t n, growth where) {
  const bool grows = n > size_;
  if (!grows && ops_.born_zero) std::memset(at(n), 0, (size_ - n) * ops_.size);
  set_size(n);
  if (grows) {
    grow_groups(n, where);
  } else {
    groups_.shrink(n);
    held_.resize(groups_.num_groups());
  }
  ++partition_version_;
}

void replica::apply(const container_update& update) {
  STRADSAP_ASSERT(!plan_layout_, "container {} changes in a plan's layout", static_cast<int>(id_));
  borrowed_ = {0, 0};
  values_.reset();
  forget_pages();
  if (keys_ != nullptr) {
    abi::reader in(update.keys);
    if (update.first_key <= keys_->size()) keys_->add_keys(in);
    follow_keys();
  } else if (update.size != size_) {
    set_size(update.size);
  }
  if (update.size != size_ || update.bounds.empty() || update.bounds.back() != size_ ||
      update.bounds.size() != update.owners.size()) {
    throw error(errc::decode, fmt::format("update of container {} does not fit", static_cast<int>(id_)));
  }
  const bool same_bounds = update.bounds == groups_.bounds();
  partition groups(update.bounds, std::vector<rank_id>(update.owners.begin(), update.owners.end()));
  if (!same_bounds) {
    held_.assign(groups.num_groups(), false);
    ++partition_version_;
  }
  for (group_id g = 0; same_bounds && g < groups.num_groups(); ++g)
    held_[g] = held(g) && groups.owner(g) != driver_rank;
  groups_ = std::move(groups);
  is_blank_ = update.is_blank;
}

}  // namespace stradsap::rt
