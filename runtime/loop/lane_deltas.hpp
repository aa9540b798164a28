// What a loop adds into containers that it does not read: each lane of the plan adds into a copy of its own,
// which begins with nothing, and the copies are folded into the elements in the order of lanes. Lanes belong
// to the plan, never to workers, so the bits do not depend on these. Thread rule: a lane has one executor at
// a time; folding is one thread a rank, a collective.
#pragma once

#include <memory>
#include <vector>

#include "runtime/dds/address_range.hpp"
#include "runtime/loop/plan.hpp"
#include "runtime/loop/planner.hpp"

namespace stradsap::rt {

/// One container's, on this rank. Memory is there for what is touched alone.
class lane_deltas {
 public:
  lane_deltas(const container_store& store, const abi::accumulation& how, std::uint32_t lanes);

  /// Where element 0 of the lane's copy is; the copy begins with the first call.
  [[nodiscard]] std::byte* enter(std::uint32_t lane);
  /// Element `i` of a copy that has begun.
  [[nodiscard]] std::byte* at(std::uint32_t lane, std::uint64_t i) const {
    return memory_.base() + lane * stride_ + i * store_.ops().size;
  }
  /// Adds elements [begin, end) of one lane's copy to those of another's.
  void join(std::uint32_t into, std::uint32_t from, std::uint64_t begin, std::uint64_t end) const {
    how_.combine(at(into, begin), at(from, begin), end - begin);
  }
  [[nodiscard]] const abi::accumulation& how() const { return how_; }

 private:
  const container_store& store_;
  const abi::accumulation& how_;
  std::size_t stride_;
  address_range memory_;
  std::vector<char> begun_;  // by lane
};

/// Per capture; null for what is not accumulated.
using loop_deltas = std::vector<std::unique_ptr<lane_deltas>>;

[[nodiscard]] loop_deltas make_deltas(const loop_frame& f);

/// Owners add what all lanes have added. A collective.
void fold_deltas(const planning& in, const plan& p, const loop_deltas& deltas);

}  // namespace stradsap::rt
