// The accumulators of a dvector: one dense copy each. Thread rule: see accumulators.
#pragma once

#include <vector>

#include "runtime/dds/address_range.hpp"
#include "runtime/dds/poison.hpp"
#include "runtime/loop/accumulate/accumulators.hpp"

namespace stradsap::rt {

/// Pages cost memory only if they are touched.
class element_deltas final : public accumulators {
 public:
  element_deltas(replica& local, const abi::accumulation& how, std::uint32_t count);

  void open(std::uint32_t accumulator, abi::window& view) override;
  std::byte* at(std::uint32_t accumulator, std::uint64_t i) override;
  std::byte* add_entry(std::uint32_t accumulator) override;
  void fold(const planning& in, const plan& p) override;

 private:
  class folding;

  /// Element `i` of an accumulator that exists.
  [[nodiscard]] std::byte* begun(std::uint32_t accumulator, std::uint64_t i) const {
    return memory_.base() + accumulator * stride_ + i * replica_.ops().size;
  }

  const std::size_t stride_;
  address_range memory_;
  poison::region poisoned_;
  std::vector<char> has_begun_;  // by accumulator
};

}  // namespace stradsap::rt
