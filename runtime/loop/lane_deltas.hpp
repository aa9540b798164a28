// What a loop adds into containers that it does not read: each lane of the plan adds into a copy of its own,
// which begins with nothing, and the copies are folded into the elements in the order of lanes. Lanes belong
// to the plan, never to workers, so the bits do not depend on these. Thread rule: a lane has one executor at
// a time; folding is one thread a rank, a collective.
#pragma once

#include <memory>
#include <vector>

#include "runtime/loop/plan.hpp"
#include "runtime/loop/planner.hpp"

namespace stradsap::rt {

/// One container's, on this rank.
class lane_deltas {
 public:
  lane_deltas(container_store& store, const abi::accumulation& how) : store_(store), how_(how) {}
  virtual ~lane_deltas() = default;
  lane_deltas(const lane_deltas&) = delete;
  lane_deltas& operator=(const lane_deltas&) = delete;

  /// A view of the container reaches the lane's copy; this begins with the first call.
  virtual void open(std::uint32_t lane, abi::window& view) = 0;
  /// Element `i` of a copy; of a dmap's, what its own index has in slot i.
  [[nodiscard]] virtual std::byte* at(std::uint32_t lane, std::uint64_t i) = 0;
  /// The entry of the key that a copy's index has got last.
  virtual std::byte* add_entry(std::uint32_t lane) = 0;
  /// Owners add what all lanes have added. A collective.
  virtual void fold(const planning& in, const plan& p) = 0;

 protected:
  static constexpr std::size_t cache_lines = 128;  // that no two lanes share

  container_store& store_;
  const abi::accumulation& how_;
};

/// Lanes of the plan that some rank has run.
[[nodiscard]] std::vector<std::uint32_t> lanes_that_added(const plan& p);

/// Per capture; null for what is not accumulated.
using loop_deltas = std::vector<std::unique_ptr<lane_deltas>>;

[[nodiscard]] loop_deltas make_deltas(const loop_frame& f);

/// Owners add what all lanes have added. A collective.
void fold_deltas(const planning& in, const plan& p, const loop_deltas& deltas);

}  // namespace stradsap::rt
