// The relaxed containers of a loop by blocks or waves (consistency::stale). In each round an accumulator has
// a private copy of every such container, which starts with the elements. The round ends with a fold of all
// changes, in the order of accumulators, and all ranks get the results. See docs/decisions/relaxed.md.
// Thread rule: one executor at a time uses an accumulator; end_round() is one thread a rank, a collective.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "runtime/loop/accumulate/accumulators.hpp"
#include "runtime/loop/accumulate/batch_container.hpp"
#include "runtime/loop/accumulate/hot_copies.hpp"

namespace stradsap::rt {

class relaxed_copies {
 public:
  /// All elements of relaxed containers are valid on this rank. `kept` has the memory of the copies.
  relaxed_copies(const planning& in, const plan& p, batch_memory& kept, std::size_t rounds);
  ~relaxed_copies();
  relaxed_copies(const relaxed_copies&) = delete;
  relaxed_copies& operator=(const relaxed_copies&) = delete;

  /// The accumulators of a relaxed container. They borrow the copies.
  [[nodiscard]] std::unique_ptr<accumulators> accumulators_of(std::size_t capture);
  /// Call it before messages of the round may arrive.
  void begin_round();
  /// The accumulator's copy of a hot element.
  [[nodiscard]] std::byte* hot_at(std::size_t capture, std::uint32_t accumulator, std::uint64_t i) const {
    return hot_[capture]->at(accumulator, i);
  }
  /// Folds the changes of the round, unless a body threw on any rank. Returns whether one did.
  [[nodiscard]] bool end_round(bool has_failed);

 private:
  class view;

  void add_hot(std::size_t capture, std::size_t rounds);
  void close(std::size_t capture);
  void fold(element_exchange& changes);

  const planning& in_;
  const plan& plan_;
  batch_memory& kept_;
  std::vector<std::size_t> place_;  // by accumulator: its place among those of this rank
  std::size_t num_mine_ = 0;        // accumulators of this rank
  std::vector<std::unique_ptr<batch_container>> containers_;      // per capture, or null
  std::vector<std::vector<std::optional<abi::window>>> windows_;  // per capture, by place; none: not used yet
  std::vector<std::unique_ptr<hot_copies>> hot_;                  // per capture, or null
};

}  // namespace stradsap::rt
