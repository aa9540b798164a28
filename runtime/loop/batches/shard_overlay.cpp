#include "runtime/loop/batches/shard_overlay.hpp"

#include <fmt/format.h>

#include "runtime/dds/element_copies.hpp"

namespace stradsap::rt {

shard_overlay::shard_overlay(replica& local, copy_service& copies, const char* name, bool side_by_side,
                             shard_rule rule)
    : replica_(local),
      copies_(copies),
      name_(name),
      rule_(rule),
      memory_(local.ops()),
      places_(side_by_side ? local.size() * local.ops().size : 0),
      poisoned_(places_.base(), side_by_side ? local.size() * local.ops().size : 0) {
  if (local.keys() != nullptr) new_keys_ = local.keys()->fresh();
}

shard_overlay::~shard_overlay() {
  for (const changed_element& t : touched_) replica_.ops().destroy(t.at, 1);
}

void* shard_overlay::element(std::uint64_t i, abi::access) {
  if (const auto found = copy_of_.find(i); found != copy_of_.end()) return found->second;
  const bool is_new = new_keys_ != nullptr && (i & new_key_bit) != 0;
  if (!is_new && i >= replica_.size()) replica_.throw_out_of_range(i, name_);
  if (!is_new) copies_.ensure(replica_, i);
  std::byte* at = places_.size() != 0 ? places_.base() + i * replica_.ops().size : memory_.take();
  const poison::opened copy(at, replica_.ops().size);
  if (is_new) {
    new_keys_->construct_entry(i & ~new_key_bit, at);
  } else {
    const poison::opened start(replica_.at(i), replica_.ops().size);
    replica_.ops().copy(at, replica_.at(i));
    if (rule_.folded != nullptr) rule_.folded->begin(at, 1);
  }
  copy_of_[i] = at;
  touched_.push_back({i, at});
  return at;
}

void* shard_overlay::range(std::uint64_t first, std::uint64_t n, abi::access how) {
  replica_.check_range(first, n, name_);
  for (std::uint64_t i = first; i < first + n; ++i) (void)element(i, how);
  return places_.base() + first * replica_.ops().size;
}

abi::window shard_overlay::window() {
  abi::window made = replica_.window_through(*this);
  made.pending = new_keys_.get();
  // so that an empty range at the end lies beside the copies
  if (places_.size() != 0) made.base = places_.base();
  return made;
}

void* shard_overlay::add_entry() { throw error(errc::access, "a shard's new keys are pending, never added"); }

shard_fold::~shard_fold() {
  for (const auto& [element, start] : start_of_) replica_.ops().destroy(start, 1);
}

void shard_fold::add(std::uint64_t element, abi::reader& in) {
  if (element >= replica_.size()) {
    throw error(errc::decode, fmt::format("a change of element {} of {}", element, replica_.size()));
  }
  const abi::element_ops& ops = replica_.ops();
  scratch_pool one(ops);
  std::byte* end = one.take();
  ops.copy(end, replica_.at(element));
  try {
    ops.read(end, 1, in);
    merge(element, end);
  } catch (...) {
    ops.destroy(end, 1);
    throw;
  }
  ops.destroy(end, 1);
}

void shard_fold::merge(std::uint64_t element, const std::byte* end) {
  std::byte* const original = replica_.at(element);
  if (rule_.folded != nullptr) return rule_.folded->combine(original, end, 1);
  auto found = start_of_.find(element);
  if (found == start_of_.end()) {
    std::byte* start = memory_.take();
    replica_.ops().copy(start, original);
    found = start_of_.emplace(element, start).first;
  }
  if (!rule_.last_counts) return replica_.ops().merge(original, found->second, end);
  if (differ(replica_.ops(), end, found->second)) assign_element(replica_.ops(), original, end);
}

}  // namespace stradsap::rt
