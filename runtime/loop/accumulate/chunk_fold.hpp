// The fold of a batch: the changes of all shards, in shard order, into the elements that this rank owns. Any
// two chunks are independent, so executors fold pieces of the container side by side. Thread rule: one thread
// a rank; run() uses all executors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/loop/accumulate/adaptive_scale.hpp"
#include "runtime/loop/accumulate/chunks.hpp"
#include "runtime/loop/accumulate/shard_rule.hpp"
#include "runtime/loop/launch/executor_pool.hpp"

namespace stradsap::rt {

/// The changes of each shard, in shard order; each in the order of chunks.
using changes_by_shard = std::vector<std::span<const changed_chunk>>;

class chunk_fold {
 public:
  /// Messages call the container `name`. `self`: owner of the elements to fold. `pushes`: other ranks need
  /// the results.
  chunk_fold(replica& local, const char* name, shard_rule rule, rank_id self, bool pushes)
      : replica_(local), chunks_(local), name_(name), rule_(rule), self_(self), pushes_(pushes) {}

  /// It folds the elements of all owners.
  void fold_all() { folds_all_ = true; }
  /// For merge::adaptive: `scale` outlives the fold.
  void adapt(adaptive_scale& scale, round_shape round) {
    scale_ = &scale;
    round_ = round;
  }
  void run(executor_pool& pool, const changes_by_shard& shards);
  /// The folded chunks, in order.
  [[nodiscard]] std::vector<std::uint64_t> take_changed() { return std::move(changed_); }
  /// Appends the new values of the folded chunks.
  void write_results(abi::writer& out) const;

 private:
  class piece;

  replica& replica_;
  const chunking chunks_;
  const char* const name_;
  const shard_rule rule_;
  const rank_id self_;
  const bool pushes_;
  bool folds_all_ = false;
  adaptive_scale* scale_ = nullptr;  // null unless the merge is adaptive
  round_shape round_;
  std::vector<std::uint64_t> changed_;
  std::vector<bytes> results_;  // by piece
};

/// Reads the results of another rank into the chunks here. Appends their numbers
/// to `changed`. Throws error(errc::decode).
void read_results(replica& local, abi::reader& in, std::vector<std::uint64_t>& changed);

/// Ends the chunks of a shard, or of results, in a message.
inline constexpr std::uint64_t last_chunk = ~std::uint64_t{0};

}  // namespace stradsap::rt
