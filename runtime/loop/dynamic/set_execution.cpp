#include "runtime/loop/dynamic/set_execution.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <stradsap/cereal.hpp>

#include "runtime/base/elapsed.hpp"

namespace stradsap::rt {

// A set that takes less time than threads need to wake up runs on one thread.
static constexpr double least_seconds = 100e-6;
// Changes in a message start at multiples of it, for the operations on elements.
static constexpr std::size_t alignment = alignof(std::max_align_t);

static std::size_t aligned(std::size_t size) { return (size + alignment - 1) / alignment * alignment; }

set_execution::set_execution(const loop_frame& f, const written_captures& written, const sets_shape& sets,
                             rank_id self, int ranks, executor_pool& pool, const touched_elements* touched)
    : frame_(f),
      written_(written),
      sets_(sets),
      self_(self),
      ranks_(ranks),
      pool_(pool),
      touched_(touched),
      shared_(f, written.shared) {}

std::unique_ptr<update_shard> set_execution::free_shard() {
  if (free_.empty()) return std::make_unique<update_shard>(frame_, written_, room_of(sets_));
  std::unique_ptr<update_shard> one = std::move(free_.back());
  free_.pop_back();
  return one;
}

void set_execution::on_all(std::size_t tasks, const std::function<void(std::size_t)>& run,
                           const std::function<void()>& first) {
  std::atomic<std::size_t> next{0};
  const auto work = [&](int executor) {
    if (executor == 0 && first) first();
    for (std::size_t task = next++; task < tasks; task = next++) run(task);
  };
  if (pool_.size() == 1 || (tasks < 2 && !first) || seconds_of_set_ < least_seconds) return work(0);
  pool_.run(work);
}

void set_execution::run(const rank_shards& mine, const std::function<void()>& first) {
  running_set& set = sets_in_flight_.emplace_back();
  set.first = mine.first;
  set.is_tentative = mine.is_tentative;
  for (std::size_t l = 0; l < mine.members.size(); ++l) {
    std::vector<candidate> members;
    for (const std::int64_t j : mine.members[l]) members.push_back({j, 0});
    if (copies_.size() == l) copies_.push_back(std::make_unique<private_copy>(shared_));
    set.shards.push_back(free_shard());
    set.shards[l]->use(*copies_[l]);
    set.shards[l]->assign(std::move(members));
    updates_ += mine.members[l].size();
  }
  if (touched_ != nullptr && ranks_ > 1) set.touched.resize(set.shards.size());
  std::vector<double> seconds(set.shards.size());
  const auto run_shard = [&](std::size_t l) {
    const auto start = std::chrono::steady_clock::now();
    copies_[l]->refresh();
    if (!set.touched.empty()) set.touched[l].keep(frame_, *touched_, mine.members[l]);
    set.shards[l]->run();
    if (!set.touched.empty()) set.touched[l].drop_unchanged(frame_, *touched_);
    seconds[l] = seconds_since(start);
  };
  on_all(set.shards.size(), run_shard, first);
  seconds_of_set_ = 0;
  for (const double one : seconds) seconds_of_set_ += one;
  seconds_compute_ += seconds_of_set_;
  find_changes(set);
  if (ranks_ > 1 || sets_.depth != 0) pack(set);
}

/// Finds the pieces that shards have changed, and adds up the changes of each node of the tree.
void set_execution::find_changes(running_set& of) {
  const std::size_t end = of.first + of.shards.size();
  std::vector<std::pair<std::size_t, std::size_t>> nodes;
  if (of.is_tentative) {
    for (std::size_t l = of.first; l < end; ++l) nodes.emplace_back(l, 1);
  } else {
    nodes = nodes_of(of.first, end);
  }
  std::vector<std::vector<node_change>> found(shared_.size());
  on_all(shared_.size(), [&](std::size_t p) { compare(of, p, nodes, found[p]); });
  for (const std::vector<node_change>& of_piece : found)
    of.changes.insert(of.changes.end(), of_piece.begin(), of_piece.end());
}

/// If sets are in flight, the elements will have changed when these changes are added. So they are turned
/// into differences from the elements as they are now.
void set_execution::compare(const running_set& of, std::size_t p,
                            const std::vector<std::pair<std::size_t, std::size_t>>& nodes,
                            std::vector<node_change>& found) {
  const abi::element_ops& ops = shared_.ops(p);
  const std::byte* const now = shared_.elements(p);
  const std::size_t n = shared_.num_elements(p);
  std::vector<node_change> leaves;
  for (std::size_t l = 0; l < of.shards.size(); ++l) {
    std::byte* const own = copies_[l]->elements(p);
    if (of.shards[l]->members().empty() || std::memcmp(own, now, shared_[p].num_bytes) == 0) continue;
    if (sets_.depth != 0) ops.merge(own, now, shared_.zeros(), n);
    leaves.push_back({static_cast<std::uint32_t>(p), static_cast<std::uint32_t>(of.first + l), own});
    copies_[l]->changed(p);
  }
  const node_change* begin = leaves.data();
  const node_change* const last = begin + leaves.size();
  for (const auto& [first, span] : nodes) {
    const std::size_t next = first + span;
    const node_change* const end =
        std::find_if(begin, last, [next](const node_change& one) { return one.first_shard >= next; });
    std::byte* const sum = sum_of(begin, end, first, span, ops, n, sets_.depth == 0 ? now : shared_.zeros());
    if (sum != nullptr)
      found.push_back({static_cast<std::uint32_t>(p), static_cast<std::uint32_t>(first), sum});
    begin = end;
  }
}

shard_outcome outcome_of(const update_shard& shard, rank_id self) {
  shard_outcome one;
  for (std::size_t k = 0; k < shard.members().size(); ++k) one.squared.push_back(shard.squared(k));
  one.has_failed = shard.failed().has_value();
  if (one.has_failed) one.failed = *shard.failed();
  one.failed.rank = self;
  one.reductions = shard.reductions();
  return one;
}

std::vector<shard_outcome> set_execution::outcomes() const {
  std::vector<shard_outcome> all;
  for (const auto& shard : sets_in_flight_.back().shards) all.push_back(outcome_of(*shard, self_));
  return all;
}

static void write_padded(const void* from, std::size_t size, abi::writer& to) {
  to.bytes(from, size);
  (void)to.extend(aligned(size) - size);
}

/// Layout: the number of bytes of changes, the changes, the outcomes of shards, elements at loop indices. Of
/// a change: piece and first shard, elements; each padded to a multiple of `alignment` bytes. In place, the
/// elements that shards have changed follow.
void set_execution::pack(running_set& of) {
  std::uint64_t size = 0;
  for (const node_change& one : of.changes) size += alignment + aligned(shared_[one.piece].num_bytes);
  abi::writer to(of.message);
  to.reserve(alignment + size);
  write_padded(&size, sizeof size, to);
  for (const node_change& one : of.changes) {
    const std::uint32_t head[2] = {one.piece, one.first_shard};
    write_padded(head, sizeof head, to);
    write_padded(one.data, shared_[one.piece].num_bytes, to);
  }
  if (ranks_ > 1) {
    abi::output_archive archive(to);
    archive(outcomes());
    write_own_elements(of, to);
    if (touched_ != nullptr) write_touched(frame_, *touched_, of.touched, to);
  }
  bytes_made_ += of.message.size();
  std::byte* at = of.message.data() + alignment;
  for (node_change& one : of.changes) {
    one.data = at + alignment;
    at = one.data + aligned(shared_[one.piece].num_bytes);
  }
}

/// Places `in` behind the changes, and returns these.
static std::span<const std::byte> take_changes(abi::reader& in) {
  std::uint64_t size = 0;
  std::memcpy(&size, in.take(alignment), sizeof size);
  return {in.take(size), size};
}

std::vector<shard_outcome> set_execution::outcomes_in(const bytes& from) {
  abi::reader in(from);
  (void)take_changes(in);
  std::vector<shard_outcome> all;
  abi::input_archive archive(in);
  archive(all);
  return all;
}

/// For each own container that no other iteration reads: (shard, iteration, element) of the members that have
/// changed it.
void set_execution::write_own_elements(const running_set& of, abi::writer& out) const {
  for (std::size_t i = 0; i < written_.own.size(); ++i) {
    if (written_.is_read[i]) continue;
    const replica& local = *frame_.replicas[written_.own[i]];
    std::vector<std::pair<std::uint64_t, std::int64_t>> changed;  // shard and iteration
    for (std::size_t l = 0; l < of.shards.size(); ++l) {
      const update_shard& shard = *of.shards[l];
      for (std::size_t k = 0; k < shard.num_begun(); ++k)
        if (shard.may_have_changed(i, k)) changed.emplace_back(of.first + l, shard.members()[k].iteration);
    }
    abi::output_archive archive(out);
    archive(changed);
    for (const auto& [shard, j] : changed) local.ops().write(local.at(static_cast<std::uint64_t>(j)), 1, out);
  }
}

bool is_among(const std::vector<std::uint64_t>& shards, std::uint64_t one) {
  return std::find(shards.begin(), shards.end(), one) != shards.end();
}

/// `refused`: elements of these shards are restored, since they come after their old values are kept.
void set_execution::read_own_elements(abi::reader& in, const std::vector<std::uint64_t>& refused) const {
  for (std::size_t i = 0; i < written_.own.size(); ++i) {
    if (written_.is_read[i]) continue;
    const std::size_t c = written_.own[i];
    const replica& local = *frame_.replicas[c];
    std::vector<std::pair<std::uint64_t, std::int64_t>> changed;
    abi::input_archive archive(in);
    archive(changed);
    kept_elements before(local, 1);
    for (const auto& [shard, j] : changed) {
      const auto at = static_cast<std::uint64_t>(j);
      local.check_range(at, 1, frame_.name_of(c));
      const bool is_refused = is_among(refused, shard);
      if (is_refused) before.keep(at, 1);
      local.ops().read(local.at(at), 1, in);
      if (is_refused) before.restore(at, 0);
    }
  }
}

void set_execution::read_changes(std::span<std::byte> changes, std::vector<node_change>& into) const {
  for (std::size_t at = 0; at < changes.size();) {
    std::uint32_t head[2];
    if (changes.size() - at < alignment) throw error(errc::decode, "changes of a set end early");
    std::memcpy(head, changes.data() + at, sizeof head);
    at += alignment;
    if (head[0] >= shared_.size() || aligned(shared_[head[0]].num_bytes) > changes.size() - at)
      throw error(errc::decode, fmt::format("changes in piece {} of {}", head[0], shared_.size()));
    into.push_back({head[0], head[1], changes.data() + at});
    at += aligned(shared_[head[0]].num_bytes);
  }
}

void set_execution::fold(const std::vector<std::uint64_t>& refused, std::vector<bytes> messages) {
  running_set& set = sets_in_flight_.front();
  for (std::size_t l = 0; l < set.shards.size(); ++l)
    if (is_among(refused, set.first + l)) set.shards[l]->undo();
  std::vector<node_change> all = std::move(set.changes);
  for (bytes& from : messages) {
    if (from.empty()) continue;
    abi::reader in(from);
    const std::size_t size = take_changes(in).size();
    read_changes({from.data() + alignment, size}, all);
    std::vector<shard_outcome> skipped;
    abi::input_archive archive(in);
    archive(skipped);
    read_own_elements(in, refused);
    if (touched_ != nullptr) read_touched(frame_, *touched_, in);
  }
  std::erase_if(all, [&](const node_change& one) { return is_among(refused, one.first_shard); });
  add_changes(all);
  for (auto& shard : set.shards) free_.push_back(std::move(shard));
  sets_in_flight_.pop_front();
}

void set_execution::add_changes(std::vector<node_change>& all) {
  std::sort(all.begin(), all.end(), [](const node_change& a, const node_change& b) {
    return std::pair(a.piece, a.first_shard) < std::pair(b.piece, b.first_shard);
  });
  std::vector<std::size_t> ends;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (k + 1 == all.size() || all[k + 1].piece != all[k].piece) ends.push_back(k + 1);
  on_all(ends.size(), [&](std::size_t task) {
    const std::size_t begin = task == 0 ? 0 : ends[task - 1];
    add_to_piece(all.data() + begin, all.data() + ends[task]);
  });
}

void set_execution::add_to_piece(const node_change* begin, const node_change* end) {
  const std::size_t p = begin->piece;
  const abi::element_ops& ops = shared_.ops(p);
  std::byte* const elements = shared_.elements(p);
  const std::byte* const start = sets_.depth == 0 ? elements : shared_.zeros();
  const std::byte* const sum =
      sum_of(begin, end, 0, std::bit_ceil(sets_.shards), ops, shared_.num_elements(p), start);
  if (sets_.depth == 0) {
    std::memcpy(elements, sum, shared_[p].num_bytes);
  } else {
    ops.merge(elements, start, sum, shared_.num_elements(p));
  }
  shared_.changed(p);
}

}  // namespace stradsap::rt
