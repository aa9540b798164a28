// Private copies of the hottest elements of one container, for all accumulators, and the fold of their
// changes. Every rank has the same hot elements at the start of a round, gets the changes of all accumulators
// and folds them. Thread rule: one thread a rank, except that one executor at a time uses an accumulator.
#pragma once

#include <vector>

#include "runtime/dds/element_array.hpp"
#include "runtime/loop/accumulate/batch_memory.hpp"
#include "runtime/loop/accumulate/shard_rule.hpp"
#include "runtime/loop/plan/planning.hpp"

namespace stradsap::rt {

class hot_copies {
 public:
  /// `ranks`: of each accumulator. `scale`: null unless the merge is adaptive.
  hot_copies(const planning& in, const hot_units& hot, std::size_t capture, std::vector<rank_id> ranks,
             round_shape round, adaptive_scale* scale);

  /// All accumulators start with the elements.
  void begin_round();
  [[nodiscard]] std::byte* at(std::uint32_t accumulator, std::uint64_t element) const {
    return copy(accumulator, hot_.place_of(element));
  }
  void write_changes(abi::writer& out) const;
  void read_changes(rank_id from, abi::reader& in);
  /// Folds the changes of all accumulators, in their order.
  void fold();

 private:
  [[nodiscard]] std::byte* copy(std::size_t accumulator, std::uint64_t place) const {
    return copies_.at(accumulator * hot_.num_elements() + place);
  }
  [[nodiscard]] std::uint64_t element_at(std::uint64_t place) const {
    return hot_.firsts()[place / hot_.unit()] + place % hot_.unit();
  }
  [[nodiscard]] bool is_changed(std::size_t accumulator, std::uint64_t place) const;
  void fold(std::uint64_t place);
  [[nodiscard]] bool fold_into(std::byte* into, std::uint64_t place);

  const planning& in_;
  const hot_units& hot_;
  const std::size_t capture_;
  replica& local_;
  const abi::element_ops& ops_;
  const shard_rule rule_;
  const merge::rule merge_;
  const std::vector<rank_id> ranks_;  // by accumulator
  const round_shape round_;
  adaptive_scale* const scale_;
  element_array start_;                 // by place
  element_array copies_;                // by accumulator and place
  std::vector<const std::byte*> ends_;  // of accumulators that changed the element
  std::vector<double> change_;
};

}  // namespace stradsap::rt
