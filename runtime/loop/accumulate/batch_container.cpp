#include "runtime/loop/accumulate/batch_container.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "runtime/loop/access/iteration_check.hpp"

namespace stradsap::rt {

batch_container::batch_container(const planning& p, batch_memory& kept, std::size_t capture, shard_rule rule,
                                 std::int64_t batch, std::int64_t shards, std::size_t mine,
                                 std::size_t windows, bool is_one_for_each_shard)
    : p_(p),
      kept_(kept),
      capture_(capture),
      local_(*p.frame.replicas[capture]),
      chunks_(local_),
      rule_(rule),
      folds_all_(folds_everywhere(rule, local_)),
      is_aligned_(p.frame.is_aligned(capture)),
      iterations_(static_cast<double>(batch)),
      shards_(shards),
      mine_(mine),
      copies_(kept.copies_of(local_, windows, mine)),
      fold_(local_, p.frame.name_of(capture), rule, p.ranks.self(), /*pushes=*/returns_results()),
      received_(static_cast<std::size_t>(p.ranks.world_size())) {
  for (const auto& window : copies_.windows) {
    window->begin_launch(is_alone() ? nullptr : &p.copies, p.frame.name_of(capture), rule.folded,
                         is_one_for_each_shard);
  }
  if (rule.folded != nullptr) {
    neutral_.resize(chunks_.most_bytes());
    rule.folded->begin(neutral_.data(), chunks_.most_bytes() / local_.ops().size);
  }
  if (folds_all_) fold_.fold_all();
  if (rule.is_adaptive()) {
    fold_.adapt(kept.scale_of(*p.frame.entry, local_),
                {static_cast<unsigned>(std::min(shards, batch)),
                 std::max(1.0, iterations_ / static_cast<double>(shards)), 0, rule.how.uses()});
  }
  choose();
}

/// Copying and comparing a container costs about as much as 16 bytes for an access on demand, and as 256
/// bytes for a chunk on demand. The bits may depend on the choice: the compiler vectorises the body for whole
/// windows only. So all ranks choose by the same counts.
void batch_container::choose() {
  constexpr double access_bytes = 16;
  constexpr double chunk_bytes = 256;
  constexpr double iteration_bytes = 256;  // if nothing is known of its accesses
  constexpr double always = 4096;
  if (is_checked(p_.frame)) return;
  const auto size = static_cast<double>(local_.size() * local_.ops().size);
  const double n = iterations_ / static_cast<double>(shards_);
  const access_rate* const rate = kept_.rate_of(*p_.frame.entry, capture_);
  const double worth =
      rate == nullptr ? iteration_bytes : rate->accesses * access_bytes + rate->chunks * chunk_bytes;
  is_whole_ = size <= always || size <= worth * n;
}

abi::window batch_container::open(std::size_t number, std::int64_t begin, std::int64_t end) {
  shard_window& window = *copies_.windows[number];
  if (is_checked(p_.frame)) return window.open_on_demand();
  if (is_aligned_) {
    const std::uint64_t size = local_.size();
    return window.open_range(std::min(size, static_cast<std::uint64_t>(begin)),
                             std::min(size, static_cast<std::uint64_t>(end)));
  }
  return is_whole_ ? window.open_whole() : window.open_on_demand();
}

const std::byte* batch_container::start_of(std::uint64_t chunk) const {
  return neutral_.empty() ? local_.at(chunks_.begin(chunk)) : neutral_.data();
}

std::uint64_t batch_container::bytes_changed(std::size_t shard) const {
  bytes encoded;
  abi::writer out(encoded);
  for (const changed_chunk& one : copies_.changes[shard].all()) write_chunk(one, out);
  return encoded.size();
}

void batch_container::write_chunk(const changed_chunk& one, abi::writer& out) const {
  out(one.chunk);
  if (is_bytes(local_.ops()))
    return write_difference(out, start_of(one.chunk), one.end, one.size, chunks_.word_bytes());
  bytes encoded;
  if (one.is_element) {
    abi::writer element(encoded);
    local_.ops().write(one.end, 1, element);
  }
  const std::size_t size = one.is_element ? encoded.size() : one.size;
  out(static_cast<std::uint64_t>(size));
  out.bytes(one.is_element ? encoded.data() : one.end, size);
}

// ---- messages ----

bool batch_container::has_elements_of(rank_id r, std::uint64_t chunk) const {
  if (folds_all_) return true;
  const partition& groups = local_.groups();
  const auto last = groups.group_of(chunks_.end(chunk) - 1);
  for (auto g = groups.group_of(chunks_.begin(chunk)); g <= last; ++g) {
    if (groups.owner(g) == r) return true;
  }
  return false;
}

access_counts batch_container::counts_here() const {
  access_counts here;
  for (const auto& window : copies_.windows) {
    here.accesses += window->counts().accesses;
    here.chunks += window->counts().chunks;
  }
  return here;
}

void batch_container::write_changes(rank_id to, abi::writer& out) const {
  const access_counts here = counts_here();
  out(here.accesses, here.chunks);
  if (to == p_.ranks.self()) return;
  out(static_cast<std::uint64_t>(mine_));
  for (std::size_t s = 0; s < mine_; ++s) write_shard(to, copies_.changes[s], out);
}

void batch_container::write_shard(rank_id to, const shard_changes& changes, abi::writer& out) const {
  for (const changed_chunk& one : changes.all()) {
    if (has_elements_of(to, one.chunk)) write_chunk(one, out);
  }
  out(last_chunk);
}

void batch_container::read_changes(rank_id from, abi::reader& in) {
  if (from == 0) counts_ = {};
  access_counts there;
  in(there.accesses, there.chunks);
  counts_.accesses += there.accesses;
  counts_.chunks += there.chunks;
  if (from == p_.ranks.self()) return;
  std::vector<shard_changes>& shards = received_[static_cast<std::size_t>(from)];
  shards.resize(in.count(sizeof last_chunk));
  for (shard_changes& one : shards) read_shard(in, one);
}

void batch_container::read_shard(abi::reader& in, shard_changes& changes) const {
  changes.clear();
  std::uint64_t chunk = 0;
  for (in(chunk); chunk != last_chunk; in(chunk)) {
    const bool is_next = changes.all().empty() || changes.all().back().chunk < chunk;
    if (chunk >= chunks_.num_chunks() || !is_next) {
      throw error(errc::decode, fmt::format("a change of chunk {} of {}", chunk, chunks_.num_chunks()));
    }
    if (is_bytes(local_.ops())) {
      std::byte* const to = changes.add(chunk, chunks_.bytes_of(chunk));
      std::memcpy(to, start_of(chunk), chunks_.bytes_of(chunk));
      read_difference(in, to, chunks_.bytes_of(chunk), chunks_.word_bytes());
    } else {
      const std::size_t size = in.count(1);
      changes.add(chunk, in.take(size), size);
    }
  }
}

// ---- the fold ----

void batch_container::fold() {
  changes_by_shard all;
  for (rank_id r = 0; r < p_.ranks.world_size(); ++r) {
    if (r == p_.ranks.self()) {
      for (std::size_t s = 0; s < mine_; ++s) all.emplace_back(copies_.changes[s].all());
    } else {
      for (const shard_changes& one : received_[static_cast<std::size_t>(r)]) all.emplace_back(one.all());
    }
  }
  fold_.run(p_.pool, all);
  changed_ = fold_.take_changed();
  ++batch_;
  if (is_whole() || counts_.accesses == 0) return;
  const double n = iterations_ * static_cast<double>(batch_);
  kept_.set_rate(*p_.frame.entry, capture_,
                 {static_cast<double>(counts_.accesses) / n, static_cast<double>(counts_.chunks) / n});
  choose();
}

void return_results(exchange& ranks, const std::vector<std::unique_ptr<batch_container>>& containers) {
  const auto returns = [](const auto& one) { return one != nullptr && one->returns_results(); };
  if (std::none_of(containers.begin(), containers.end(), returns)) return;
  bytes mine;
  abi::writer out(mine);
  for (const auto& container : containers) {
    if (returns(container)) container->write_results(out);
  }
  const std::vector<bytes> all = ranks.all_gather(mine);
  for (rank_id r = 0; r < ranks.world_size(); ++r) {
    if (r == ranks.self()) continue;
    abi::reader in(all[static_cast<std::size_t>(r)]);
    for (const auto& container : containers) {
      if (returns(container)) container->read_results(in);
    }
  }
}

}  // namespace stradsap::rt
