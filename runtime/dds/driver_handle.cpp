#include "runtime/dds/driver_handle.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "runtime/base/elapsed.hpp"

namespace stradsap::rt {

/// Larger containers are fetched group by group.
static bool is_fetched_whole(const replica& local) {
  return local.size() * local.ops().size <= abi::most_bytes_at_once;
}

// ---- the window ----

void driver_handle::attach(abi::window* handle) {
  has_moved_ = has_moved_ || (handle_ != nullptr && handle_ != handle);
  handle_ = handle;
  *handle_ = local_.window_through(*this);
  handle_->may_insert = true;
  handle_->open = abi::opening::closed;
  looked_ = false;
}

void driver_handle::close_window() {
  misses_ = 0;
  calls_ = 0;
  if (handle_ != nullptr) attach(handle_);
}

// For reads the window needs all copies; for writes also all groups, and a noted write.
void driver_handle::open_window() {
  if (handle_ == nullptr) return;
  attach(handle_);
  looked_ = true;
  if (local_.plan_layout()) return;
  local_.take_memory();
  const std::uint64_t size = local_.size();
  const bool all_owned = local_.groups().elements_of(driver_rank) == size;
  handle_->readable = local_.all_held() ? size : 0;
  handle_->count = all_owned && all_noted_ ? size : 0;
  if (handle_->count != 0) {
    handle_->open = abi::opening::to_write;
    local_.note_written();
  } else if (handle_->readable != 0) {
    handle_->open = abi::opening::to_read;
  }
}

/// Whether open_window() would change nothing.
bool driver_handle::is_open() const {
  if (!looked_ || handle_ == nullptr || local_.plan_layout()) return false;
  const bool reaches_all = handle_->readable == local_.size() && handle_->size == local_.size();
  return reaches_all && handle_->open != abi::opening::closed &&
         (handle_->open == abi::opening::to_write) == all_noted_ && handle_->base == local_.at(0);
}

// ---- accesses ----

void driver_handle::recall() {
  if (!local_.plan_layout()) return;
  recall_(local_);
  open_window();
}

// Opening the window looks at every group, so it happens only after a change.
void driver_handle::note_write() {
  changed_ = true;
  local_.take_memory();
  local_.note_written();
  if (!std::exchange(all_noted_, true)) {
    note_contents();
    versions_.bump_all();
    open_window();
  } else if (!looked_) {
    open_window();
  }
}

/// Comparing reads all elements twice. If they do change, the next launches do without, ever longer.
void driver_handle::note_contents() {
  if (!watched_ || local_.keys() != nullptr || !local_.all_held()) return;
  if (skips_ != 0) return void(--skips_);
  before_ = contents{hash_of_contents(), versions_};
}

std::uint64_t driver_handle::hash_of_contents() const {
  constexpr std::uint64_t encoded_at_once = 1024;  // elements
  const abi::element_ops& ops = local_.ops();
  if (ops.own.write == nullptr) return abi::hash_bytes(local_.at(0), local_.size() * ops.size);
  std::uint64_t hash = 0;
  bytes piece;
  for (std::uint64_t i = 0; i < local_.size(); i += encoded_at_once) {
    piece.clear();
    abi::writer out(piece);
    out(hash);
    ops.write(local_.at(i), std::min(encoded_at_once, local_.size() - i), out);
    hash = abi::hash_bytes(piece.data(), piece.size());
  }
  return hash;
}

void driver_handle::begin_launch() {
  has_tail_ = false;
  settle_writes();
}

void driver_handle::settle_writes() {
  constexpr unsigned most_changes = 6;
  if (!before_) return;
  const contents then = *std::exchange(before_, std::nullopt);
  if (hash_of_contents() != then.hash) {
    changes_ = std::min(changes_ + 1, most_changes);
    skips_ = (1U << changes_) - 1;
    return;
  }
  changes_ = 0;
  versions_ = then.versions;
  all_noted_ = false;
  open_window();
}

void driver_handle::await_write() {
  if (std::exchange(all_noted_, false)) note_writer(abi::all_fields, nullptr);
}

void driver_handle::reopen(bool versions_matter, bool is_alone) {
  versions_matter_ = versions_matter_ || versions_matter;
  open_window();
  if (is_alone && program_writes_ && !versions_matter_ && !local_.plan_layout()) note_write();
}

void driver_handle::fetch_foreseen(std::uint64_t loop, double seconds) {
  if (local_.plan_layout() || !forecast_.fetches_after(loop) || !is_fetched_whole(local_)) return;
  const auto start = std::chrono::steady_clock::now();
  local_.hold_all();
  open_window();
  forecast_.note_cost(seconds_since(start), seconds);
}

/// Whether to bring all groups instead of one. A program that asks for several mostly reads all, and the
/// window opens only when all are here.
bool driver_handle::wants_all() {
  constexpr unsigned few = 4;
  return ++misses_ > few && is_fetched_whole(local_);
}

/// Whether the calls for elements that are here took about as long as a fetch of all would, which ends them.
bool driver_handle::calls_cost_a_fetch() {
  constexpr std::uint64_t bytes_in_a_call = 16;  // an estimate: 10 ns
  constexpr std::uint64_t least = 64;
  return ++calls_ > least && calls_ * bytes_in_a_call > local_.size() * local_.ops().size &&
         is_fetched_whole(local_);
}

/// The program has elements that were elsewhere.
void driver_handle::note_fetch() {
  open_window();
  if (local_.all_held()) forecast_.note_read();
}

void driver_handle::claim(replica::group_id g) {
  if (local_.groups().owner(g) == driver_rank) return;
  if (wants_all()) {
    own_all();
  } else {
    local_.hold(g);
    local_.set_owner(g, driver_rank);
  }
  note_fetch();
}

/// Brings all elements, of which the program then has the addresses. It may have asked for `&X[0]`, to go on
/// from there.
void driver_handle::bring_all(abi::access how) {
  const bool were_here = local_.all_held();
  if (how == abi::access::write) {
    own_all();
    if (!were_here) note_fetch();
    note_write();
  } else if (!were_here) {
    local_.hold_all();
    note_fetch();
  } else if (!looked_) {
    open_window();
  }
}

void* driver_handle::element(std::uint64_t i, abi::access how) {
  if (i >= local_.size()) local_.throw_out_of_range(i);
  settle();
  recall();
  if (local_.keys() == nullptr && is_fetched_whole(local_)) {
    bring_all(how);
    return local_.at(i);
  }
  const replica::group_id g = local_.groups().group_of(i);
  if (how == abi::access::write) {
    claim(g);
    note_write();
  } else if (!local_.held(g)) {
    wants_all() ? local_.hold_all() : local_.hold(g);
    note_fetch();
  } else if (handle_ != nullptr && handle_->readable == 0) {
    if (!looked_) {
      open_window();
    } else if (calls_cost_a_fetch()) {
      local_.hold_all();
      note_fetch();
    }
  }
  return local_.at(i);
}

void* driver_handle::range(std::uint64_t first, std::uint64_t n, abi::access how) {
  local_.check_range(first, n);
  const partition& groups = local_.groups();
  for (std::uint64_t i = first; i < first + n; i = groups.end(groups.group_of(i))) (void)element(i, how);
  return local_.at(first);
}

void driver_handle::own_all() {
  recall();
  if (local_.groups().is_all_of(driver_rank)) return;
  local_.hold_all();
  for (replica::group_id g = 0; g < local_.groups().num_groups(); ++g) local_.set_owner(g, driver_rank);
}

void driver_handle::claim_all() {
  own_all();
  note_write();
}

void driver_handle::note_loop(std::uint64_t fields, const char* site) {
  versions_.bump(fields);
  note_writer(fields, site);
  local_.note_written();
  before_.reset();
  only_owned_ = true;
}

void driver_handle::note_writer(std::uint64_t fields, const char* site) {
  if (!writers_.empty() && writers_.back().site == site) return void(writers_.back().fields |= fields);
  std::erase_if(writers_, [&](const writer& w) { return w.site == site; });
  writers_.push_back({site, fields});
}

const char* driver_handle::last_writer(std::uint64_t fields) const {
  if (all_noted_) return nullptr;
  const auto wrote = [&](const writer& w) { return (w.fields & fields) != 0; };
  const auto last = std::find_if(writers_.rbegin(), writers_.rend(), wrote);
  return last == writers_.rend() ? nullptr : last->site;
}

void driver_handle::take(std::uint64_t fields, const char* site) {
  own_all();
  note_loop(fields, site);
  changed_ = true;
  if (!is_open()) open_window();
}

void* driver_handle::all(abi::access how) {
  settle();
  recall();
  how == abi::access::write ? claim_all() : local_.hold_all();
  if (!is_open()) open_window();
  return local_.at(0);
}

// ---- growth ----

void driver_handle::note_growth() {
  before_.reset();
  local_.note_written();
  versions_.bump_all();
  changed_ = all_noted_ = true;
  open_window();
}

void driver_handle::resize(std::uint64_t n) {
  const std::uint64_t size = local_.size();
  if (n == size) return;
  if (has_fixed_size_) {
    throw error(errc::access,
                fmt::format("a container of a running loop cannot change its size, from {} to {} elements: "
                            "priority() and depends() may only read",
                            size, n));
  }
  settle();
  recall();
  if (n > local_.capacity() || local_.uncut()) claim_all();
  local_.resize(n, where_to_grow());
  has_tail_ = n > size && !local_.uncut();
  note_growth();
}

void driver_handle::reserve(std::uint64_t n) {
  if (n <= local_.capacity()) return;
  const std::uint64_t size = local_.size();
  resize(n);
  resize(size);
}

void* driver_handle::add_entry() {
  settle();
  if (local_.uncut()) claim_all();
  local_.follow_keys(where_to_grow());
  has_tail_ = !local_.uncut();
  note_growth();
  return local_.at(local_.size() - 1);
}

// ---- launches ----

container_update driver_handle::take_update() {
  container_update update;
  program_writes_ = std::exchange(all_noted_, false);
  if (program_writes_) note_writer(abi::all_fields, nullptr);
  if (!std::exchange(changed_, false)) return update;
  const partition& groups = local_.groups();
  update.id = local_.id();
  update.size = local_.size();
  update.bounds = groups.bounds();
  update.owners.assign(groups.owners().begin(), groups.owners().end());
  update.is_blank = local_.is_blank();
  update.first_key = announced_keys_;
  if (const abi::key_index* keys = local_.keys(); keys != nullptr) {
    abi::writer out(update.keys);
    keys->write_keys(announced_keys_, out);
    announced_keys_ = keys->size();
  }
  return update;
}

// ---- checkpoints ----

void driver_handle::save_history(abi::writer& out) const {
  out(local_.groups().bounds(), local_.partition_version(), has_tail_, all_noted_, program_writes_,
      versions_matter_, watched_, changes_, skips_);
  field_versions versions = versions_;
  versions.serialize(out);
}

void driver_handle::begin_resume(std::uint64_t n) {
  settle();
  own_all();
  if (n != local_.size()) local_.resize(n, growth::last_group);
  local_.take_memory();
  local_.note_written();
}

/// The program has added the first of the saved keys by now, in the same order.
void driver_handle::begin_resume(std::uint64_t count, const bytes& keys) {
  settle();
  own_all();
  abi::reader in(keys);
  const std::vector<std::uint64_t> slots = local_.keys()->add_keys(in);
  bool is_same = slots.size() == count && local_.keys()->size() == count;
  for (std::uint64_t slot = 0; slot < count && is_same; ++slot) is_same = slots[slot] == slot;
  local_.follow_keys(growth::last_group);
  local_.note_written();
  if (!is_same)
    throw error(errc::bad_input, "a dmap has keys that the saved one did not have, or in another order");
}

void driver_handle::resume_history(abi::reader& in) {
  std::vector<std::uint64_t> bounds;
  std::uint64_t version = 0;
  in(bounds, version, has_tail_, all_noted_, program_writes_, versions_matter_, watched_, changes_, skips_);
  versions_.serialize(in);
  if (bounds.empty() || bounds.back() != local_.size())
    throw error(errc::decode, "the groups of a container do not fit its elements");
  local_.resume_cut(std::move(bounds), version);
  changed_ = only_owned_ = true;
  before_.reset();
  open_window();
}

}  // namespace stradsap::rt

namespace stradsap::abi {

void* far_element(const window& w, std::uint64_t i, std::uint64_t sized_access) {
  const access how = sized_access % 2 == 1 ? access::write : access::read;
  if (w.open != opening::view) {
    // A loop that began with a closed handle comes here for each element.
    const bool is_open = w.open >= (how == access::write ? opening::to_write : opening::to_read);
    if (is_open && i < w.size) return static_cast<std::byte*>(w.base) + i * (sized_access / 2);
    return w.source->element(i, how);
  }
  const std::uint64_t count = how == access::write ? w.count : w.readable;
  if (i - w.lo < count) return static_cast<std::byte*>(w.base) + (i - w.lo) * (sized_access / 2);
  return w.beyond(i, how);
}

}  // namespace stradsap::abi
