#include "runtime/loop/batches/shard_overlay.hpp"

#include <fmt/format.h>

#include "runtime/dds/element_copies.hpp"

namespace stradsap::rt {

shard_overlay::shard_overlay(replica& local, copy_service& copies, const char* name, shard_rule rule)
    : replica_(local), copies_(copies), name_(name), rule_(rule), memory_(local.ops()) {
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
  std::byte* at = memory_.take();
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

void* shard_overlay::range(std::uint64_t, std::uint64_t, abi::access) {
  throw error(errc::access, "a dmap has no ranges");
}

abi::window shard_overlay::window() {
  abi::window made = replica_.window_through(*this);
  made.pending = new_keys_.get();
  return made;
}

void* shard_overlay::add_entry() { throw error(errc::access, "a shard's new keys are pending, never added"); }

shard_fold::~shard_fold() {
  for (std::byte* one : kept_) replica_.ops().destroy(one, 1);
}

/// A copy that lives as long as the fold.
std::byte* shard_fold::kept(const std::byte* from) {
  std::byte* const to = memory_.take();
  replica_.ops().copy(to, from);
  kept_.push_back(to);
  return to;
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
  auto found = copies_of_.find(element);
  if (found == copies_of_.end()) found = copies_of_.emplace(element, copies{kept(original), {}}).first;
  const std::byte* const start = found->second.start;
  if (rule_.how != stradsap::merge::sum) return found.value().ends.push_back(kept(end));
  if (!rule_.last_counts) return replica_.ops().merge(original, start, end, 1);
  if (differ(replica_.ops(), end, start)) assign_element(replica_.ops(), original, end);
}

void shard_fold::finish() {
  for (const auto& [element, of] : copies_of_) {
    if (of.ends.empty()) continue;
    replica_.ops().merge_by(rule_.how, replica_.at(element), of.start, of.ends.data(), of.ends.size());
  }
}

}  // namespace stradsap::rt
