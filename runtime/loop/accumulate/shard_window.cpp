#include "runtime/loop/accumulate/shard_window.hpp"

#include <cstring>

#include "runtime/dds/element_copies.hpp"

namespace stradsap::rt {

shard_window::shard_window(replica& local)
    : replica_(local),
      chunks_(local),
      is_bytes_(is_bytes(local.ops())),
      ops_(local.ops()),
      memory_(address_range::sparse(local.size() * local.ops().size)),
      states_(address_range::sparse(chunks_.num_chunks())),
      poisoned_(memory_.base(), local.size() * local.ops().size) {}

shard_window::~shard_window() {
  for (const std::uint64_t chunk : constructed_) ops_.destroy(at(chunk), 1);
}

void shard_window::begin_launch(copy_service* copies, const char* name, const abi::accumulation* folded,
                                bool has_one_shard) {
  copies_ = copies;
  name_ = name;
  keeps_changes_ = has_one_shard && folded == nullptr;
  held_.assign(replica_.groups().num_groups(), false);
  equal_at_ = never;
  counts_ = {};
  for (const std::uint64_t chunk : touched_) state_of(chunk) = is_bytes_ ? absent : constructed;
  touched_.clear();  // of a launch that failed
  neutral_.clear();
  if (folded == nullptr) return;
  neutral_.resize(chunks_.most_bytes());
  if (folded->begin != nullptr) folded->begin(neutral_.data(), chunks_.most_bytes() / ops_.size);
}

void shard_window::begin_batch(std::uint64_t batch, const std::vector<std::uint64_t>& changed) {
  if (equal_at_ != never && !neutral_.empty()) equal_at_ = batch;
  if (equal_at_ != never && equal_at_ + 1 == batch) {
    equal_at_ = batch;
    for (const std::uint64_t chunk : changed) copy_start(chunk);
  }
  batch_ = batch;
}

// ---- the start of a shard ----

abi::window shard_window::view(std::uint64_t first, std::uint64_t end) {
  abi::window made = replica_.window_through(*this);
  made.base = memory_.base();
  made.lo = first;
  made.count = made.readable = end - first;
  return made;
}

abi::window shard_window::open_on_demand() {
  mode_ = mode::on_demand;
  equal_at_ = never;
  return view(0, 0);
}

abi::window shard_window::open_whole() {
  mode_ = mode::whole;
  first_ = 0;
  end_ = chunks_.num_chunks();
  if (equal_at_ != batch_) {
    memory_.expect_dense(replica_.size() * ops_.size);
    copy_chunks(first_, end_);
  }
  equal_at_ = batch_;
  return view(0, replica_.size());
}

abi::window shard_window::open_range(std::uint64_t first, std::uint64_t end) {
  mode_ = mode::range;
  equal_at_ = never;
  first_ = end_ = 0;
  if (first < end) {
    first_ = chunks_.chunk_of(first);
    end_ = chunks_.chunk_of(end - 1) + 1;
    copy_chunks(first_, end_);
  }
  return view(first, end);
}

void shard_window::copy_chunks(std::uint64_t first, std::uint64_t end) {
  for (std::uint64_t chunk = first; chunk < end; ++chunk) {
    if (copies_ != nullptr) hold(chunk);
    if (!is_bytes_ || !neutral_.empty()) copy_start(chunk);
  }
  if (!is_bytes_ || !neutral_.empty() || first == end) return;
  std::memcpy(at(first), replica_.at(chunks_.begin(first)),
              (chunks_.end(end - 1) - chunks_.begin(first)) * ops_.size);
}

/// Fetches the chunk if this rank may not have it.
void shard_window::hold(std::uint64_t chunk) {
  const partition& groups = replica_.groups();
  const auto last = groups.group_of(chunks_.end(chunk) - 1);
  for (auto g = groups.group_of(chunks_.begin(chunk)); g <= last; ++g) {
    if (held_[g]) continue;
    copies_->ensure(replica_, groups.begin(g));
    held_[g] = true;
  }
}

const std::byte* shard_window::start_of(std::uint64_t chunk) const {
  return neutral_.empty() ? replica_.at(chunks_.begin(chunk)) : neutral_.data();
}

void shard_window::copy_start(std::uint64_t chunk) {
  if (is_bytes_) return void(std::memcpy(at(chunk), start_of(chunk), chunks_.bytes_of(chunk)));
  if (state_of(chunk) != absent) return assign_element(ops_, at(chunk), start_of(chunk));
  copy_element(ops_, at(chunk), start_of(chunk));
  state_of(chunk) = constructed;
  constructed_.push_back(chunk);
}

// ---- accesses ----

void shard_window::touch(std::uint64_t chunk) {
  if (copies_ != nullptr) hold(chunk);
  const poison::opened copy(at(chunk), chunks_.bytes_of(chunk));
  const poison::opened start(replica_.at(chunks_.begin(chunk)), chunks_.bytes_of(chunk));
  copy_start(chunk);
  state_of(chunk) = copied;
  touched_.push_back(chunk);
}

void* shard_window::element(std::uint64_t i, abi::access) {
  if (i >= chunks_.num_elements()) replica_.throw_out_of_range(i, name_);
  ++counts_.accesses;
  const std::uint64_t chunk = chunks_.chunk_of(i);
  if (mode_ == mode::on_demand && state_of(chunk) != copied) touch(chunk);
  return memory_.base() + i * ops_.size;
}

void* shard_window::range(std::uint64_t first, std::uint64_t n, abi::access) {
  replica_.check_range(first, n, name_);
  ++counts_.accesses;
  if (mode_ == mode::on_demand && n != 0) {
    const std::uint64_t last = chunks_.chunk_of(first + n - 1);
    for (std::uint64_t chunk = chunks_.chunk_of(first); chunk <= last; ++chunk) {
      if (state_of(chunk) != copied) touch(chunk);
    }
  }
  return memory_.base() + first * ops_.size;
}

void* shard_window::add_entry() { throw error(errc::access, "a dvector has no keys"); }

// ---- the end of a shard ----

bool shard_window::is_changed(std::uint64_t chunk) {
  if (is_bytes_) return std::memcmp(at(chunk), start_of(chunk), chunks_.bytes_of(chunk)) != 0;
  if (ops_.own.has_changed != nullptr) return ops_.own.has_changed(start_of(chunk), at(chunk));
  encode(start_of(chunk), encoded_start_);
  encode(at(chunk), encoded_end_);
  return encoded_start_ != encoded_end_;
}

void shard_window::encode(const std::byte* element, bytes& to) const {
  to.clear();
  abi::writer out(to);
  ops_.write(element, 1, out);
}

void shard_window::list_changed(std::uint64_t chunk, shard_changes& changes) {
  const poison::opened copy(at(chunk), chunks_.bytes_of(chunk));
  const poison::opened start(replica_.at(chunks_.begin(chunk)), chunks_.bytes_of(chunk));
  if (!is_changed(chunk)) return;
  if (keeps_changes_) return changes.refer({chunk, at(chunk), chunks_.bytes_of(chunk), !is_bytes_});
  if (is_bytes_) {
    changes.add(chunk, at(chunk), chunks_.bytes_of(chunk));
  } else {
    if (ops_.own.has_changed != nullptr) encode(at(chunk), encoded_end_);
    changes.add(chunk, encoded_end_.data(), encoded_end_.size());
  }
  if (mode_ == mode::whole) copy_start(chunk);
}

void shard_window::close(shard_changes& changes) {
  changes.clear();
  if (mode_ != mode::on_demand) {
    for (std::uint64_t chunk = first_; chunk < end_; ++chunk) list_changed(chunk, changes);
    return;
  }
  counts_.chunks += touched_.size();
  std::sort(touched_.begin(), touched_.end());
  for (const std::uint64_t chunk : touched_) {
    list_changed(chunk, changes);
    state_of(chunk) = is_bytes_ ? absent : constructed;
  }
  touched_.clear();
}

}  // namespace stradsap::rt
