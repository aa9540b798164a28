// The accumulators of access(adds_late(X)): the body reads and adds there. While a loop runs, an accumulator
// has the elements as of the start of the loop plus its own additions; before the fold the start is taken off
// again. Thread rule: see accumulators.
#pragma once

#include <vector>

#include "runtime/loop/accumulate/element_deltas.hpp"

namespace stradsap::rt {

class late_sums final : public accumulators {
 public:
  /// All elements are valid on this rank until the fold.
  late_sums(replica& local, const abi::accumulation& how, std::uint32_t count, copies_store& store)
      : accumulators(local),
        how_(how),
        sums_(local, how, count, /*in_place=*/false, store),
        has_start_(count) {}

  void open(std::uint32_t accumulator, abi::window& view) override;
  std::byte* at(std::uint32_t accumulator, std::uint64_t i) override;
  std::byte* add_entry(std::uint32_t accumulator) override { return sums_.add_entry(accumulator); }
  void pack(const planning& in, const plan& p, element_exchange& out, pairs_of_ranks& pairs) override;
  void fold(const planning& in, const plan& p, element_exchange& parts) override { sums_.fold(in, p, parts); }

 private:
  const abi::accumulation& how_;
  element_deltas sums_;
  std::vector<char> has_start_;  // by accumulator
};

}  // namespace stradsap::rt
