// Merges changes of accumulators that began a round with different values (consistency::stale with a bound
// above 0). A change is a chunk as an accumulator found it, and as it left it. Thread rule: one thread at a
// time.
#pragma once

#include <span>
#include <vector>

#include "runtime/loop/accumulate/adaptive_scale.hpp"
#include "runtime/loop/accumulate/raw_copies.hpp"
#include "runtime/loop/accumulate/shard_rule.hpp"

namespace stradsap::rt {

/// Plain bytes: the chunk at the round's start, then the chunk at its end. Else both elements, encoded.
using chunk_change = changed_chunk;

struct numbered_change {
  std::uint32_t accumulator;
  const chunk_change* change;
};

class change_merge {
 public:
  /// `chunk`: the most elements of a chunk.
  change_merge(const abi::element_ops& ops, const shard_rule& rule, std::size_t chunk);

  /// The norm of a change of n elements beside that of their values at its end; 1 unless they have fractions.
  [[nodiscard]] double significance(const chunk_change& one, std::uint64_t n);
  /// Applies one accumulator's change to the n elements of its chunk.
  void apply(std::byte* into, std::uint64_t n, const chunk_change& one);
  /// Folds the changes of several accumulators, in their order. By a sum or mean, returns the place of an
  /// element that has become infinite, or not a number; else the number of elements.
  [[nodiscard]] std::size_t fold(std::byte* into, std::uint64_t n, const std::vector<numbered_change>& all);
  /// The same for merge::adaptive. `numbers`: of the chunk's elements in `scale`. Returns the place of an
  /// element that is not finite, or the number of elements.
  [[nodiscard]] std::size_t fold_scaled(std::byte* into, std::span<const std::uint64_t> numbers,
                                        const std::vector<numbered_change>& all, adaptive_scale& scale,
                                        const round_shape& round);

  /// After an exception: the place of the element in its chunk.
  [[nodiscard]] std::uint64_t failed_at() const { return at_; }

 private:
  struct ends {
    const std::byte* start;
    const std::byte* end;
  };
  [[nodiscard]] ends ends_of(const chunk_change& one, std::uint64_t n);
  void merge_one(std::byte* into, std::uint64_t n, const ends& one);
  void take_changed(std::byte* into, std::uint64_t n, const ends& one) const;
  void add_difference(std::byte* into, std::uint64_t n, const ends& one);
  void merge_best(std::byte* into, std::uint64_t n, const ends& one);
  void fold_mean(std::byte* into, std::uint64_t n, const std::vector<numbered_change>& all);
  void assign(std::byte* to, const std::byte* from, std::uint64_t n) const;

  const abi::element_ops& ops_;
  const shard_rule rule_;
  const merge::rule how_;
  const std::size_t chunk_;
  std::uint64_t at_ = 0;
  raw_copies decoded_;                              // a start and an end
  raw_copies before_;                               // a chunk, as it was before the fold
  raw_copies made_;                                 // an element
  raw_copies neutral_;                              // an element without value
  std::vector<std::unique_ptr<raw_copies>> moved_;  // for a mean: chunks, by accumulator
  std::vector<const std::byte*> ends_;
  std::vector<std::uint32_t> touching_;  // by element: accumulators that changed it, as bits
  std::vector<double> changed_;
  std::vector<double> values_;
};

}  // namespace stradsap::rt
