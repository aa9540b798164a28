// The accumulators of a dvector: one dense copy each. Thread rule: see accumulators.
#pragma once

#include <memory>

#include "runtime/loop/accumulate/accumulators.hpp"
#include "runtime/loop/accumulate/element_copies.hpp"

namespace stradsap::rt {

class element_deltas final : public accumulators {
 public:
  element_deltas(replica& local, const abi::accumulation& how, std::uint32_t count, std::uint32_t in_place,
                 copies_store& store);
  ~element_deltas() override;

  void open(std::uint32_t accumulator, abi::window& view) override;
  std::byte* at(std::uint32_t accumulator, std::uint64_t i) override;
  std::byte* add_entry(std::uint32_t accumulator) override;
  void pack(const planning& in, const plan& p, element_exchange& out, pairs_of_ranks& pairs) override;
  void fold(const planning& in, const plan& p, element_exchange& parts) override;

 private:
  class folding;

  const abi::accumulation& how_;
  const std::uint32_t in_place_;  // accumulators that are the container itself: the first ones
  copies_store& store_;
  std::unique_ptr<element_copies> copies_;  // null after the fold
  std::unique_ptr<folding> folding_;        // from pack() to fold()
};

}  // namespace stradsap::rt
