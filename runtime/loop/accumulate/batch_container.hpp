// A dvector that a `sync` loop writes: private copies for shards, the fold of their changes, and the return
// of the results to all ranks. For relaxed containers, rounds are batches, and accumulators are shards with
// windows of their own. Thread rule: one thread a rank; open() and close() on executors.
#pragma once

#include <memory>
#include <vector>

#include "runtime/loop/accumulate/batch_memory.hpp"
#include "runtime/loop/accumulate/chunk_fold.hpp"
#include "runtime/loop/plan/planning.hpp"

namespace stradsap::rt {

class batch_container {
 public:
  /// `batch`: iterations of a batch. `shards`: of a batch, on all ranks; this rank has `mine` of them.
  /// `windows`: of executors, or one for each shard.
  batch_container(const planning& p, batch_memory& kept, std::size_t capture, shard_rule rule,
                  std::int64_t batch, std::int64_t shards, std::size_t mine, std::size_t windows,
                  bool is_one_for_each_shard);

  /// Whether shards have all elements that they may access from their start on. The same on all ranks.
  [[nodiscard]] bool is_whole() const { return is_whole_ || is_aligned_; }

  /// The user of a window begins its part of the batch.
  void begin_batch(std::size_t window) { copies_.windows[window]->begin_batch(batch_, changed_); }
  /// It begins a shard, which runs iterations [begin, end).
  [[nodiscard]] abi::window open(std::size_t number, std::int64_t begin, std::int64_t end);
  /// The shard has ended. It is number `shard` of this rank. `was_used`: it has begun.
  void close(std::size_t window, std::size_t shard, bool was_used = true) {
    was_used ? copies_.windows[window]->close(copies_.changes[shard]) : copies_.changes[shard].clear();
  }
  /// The encoded size of a shard's changes, until the fold.
  [[nodiscard]] std::uint64_t bytes_changed(std::size_t shard) const;

  /// Each rank writes its shards' changes for their owner `to`, and its access counts; then reads all.
  void write_changes(rank_id to, abi::writer& out) const;
  void read_changes(rank_id from, abi::reader& in);
  /// Folds the changes of all ranks into the elements of this rank. A new batch begins. Call it before the
  /// messages end that read_changes() has read.
  void fold();
  /// Whether ranks fold their own elements only, so that they need the results of others. The same on all
  /// ranks.
  [[nodiscard]] bool returns_results() const { return !is_alone() && !folds_all_; }
  /// Each rank writes the new values of its elements, then reads those of the others. For several ranks.
  void write_results(abi::writer& out) const { fold_.write_results(out); }
  void read_results(abi::reader& in) { rt::read_results(local_, in, changed_); }
  /// Bytes of the chunks that the last fold changed.
  [[nodiscard]] std::uint64_t bytes_folded() const { return changed_.size() * chunks_.most_bytes(); }

 private:
  [[nodiscard]] bool is_alone() const { return p_.ranks.world_size() == 1; }
  [[nodiscard]] bool has_elements_of(rank_id r, std::uint64_t chunk) const;
  [[nodiscard]] const std::byte* start_of(std::uint64_t chunk) const;
  void write_chunk(const changed_chunk& one, abi::writer& out) const;
  void write_shard(rank_id to, const shard_changes& changes, abi::writer& out) const;
  void read_shard(abi::reader& in, shard_changes& changes) const;
  [[nodiscard]] access_counts counts_here() const;
  void choose();

  const planning& p_;
  batch_memory& kept_;
  const std::size_t capture_;
  replica& local_;
  const chunking chunks_;
  const shard_rule rule_;
  const bool folds_all_;  // each rank folds all elements
  const bool is_aligned_;
  const double iterations_;  // of a batch
  const std::int64_t shards_;
  const std::size_t mine_;
  batch_memory::container_copies& copies_;
  chunk_fold fold_;
  std::uint64_t batch_ = 0;
  bool is_whole_ = false;
  std::vector<std::uint64_t> changed_;                // chunks, by the last fold
  access_counts counts_;                              // of all ranks
  bytes neutral_;                                     // a chunk, if copies begin neutral
  std::vector<std::vector<shard_changes>> received_;  // by rank
};

/// Returns the results of a fold to all ranks. `containers`: per capture, or null. A collective.
void return_results(exchange& ranks, const std::vector<std::unique_ptr<batch_container>>& containers);

}  // namespace stradsap::rt
