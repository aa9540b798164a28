// The accumulators of a dvector: one dense copy each. Thread rule: see lane_deltas.
#pragma once

#include <vector>

#include "runtime/dds/address_range.hpp"
#include "runtime/dds/poison.hpp"
#include "runtime/loop/accumulate/lane_deltas.hpp"

namespace stradsap::rt {

/// Pages cost memory only if they are touched.
class element_deltas final : public lane_deltas {
 public:
  element_deltas(container_store& store, const abi::accumulation& how, std::uint32_t lanes);

  void open(std::uint32_t lane, abi::window& view) override;
  std::byte* at(std::uint32_t lane, std::uint64_t i) override;
  std::byte* add_entry(std::uint32_t lane) override;
  void fold(const planning& in, const plan& p) override;

 private:
  class folding;

  /// Element `i` of an accumulator that exists.
  [[nodiscard]] std::byte* begun(std::uint32_t lane, std::uint64_t i) const {
    return memory_.base() + lane * stride_ + i * store_.ops().size;
  }

  const std::size_t stride_;
  address_range memory_;
  poison::region poisoned_;
  std::vector<char> has_begun_;  // by accumulator
};

}  // namespace stradsap::rt
