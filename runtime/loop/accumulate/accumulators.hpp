// Accumulators: the private copies that blocks add into, for containers that a loop only adds into. An
// accumulator starts neutral. After the loop, accumulators are folded into the elements in an order that
// follows from their numbers. They belong to the plan, not to workers, so the bits do not depend on workers.
// Thread rule: one executor at a time uses an accumulator; folding is one thread a rank, a collective.
#pragma once

#include <memory>
#include <vector>

#include "runtime/dds/element_exchange.hpp"
#include "runtime/loop/plan/plan.hpp"
#include "runtime/loop/plan/planning.hpp"

namespace stradsap::rt {

/// The accumulators of one container on this rank.
class accumulators {
 public:
  explicit accumulators(replica& local) : replica_(local) {}
  virtual ~accumulators() = default;
  accumulators(const accumulators&) = delete;
  accumulators& operator=(const accumulators&) = delete;

  /// Points a view of the container at an accumulator. The first call makes the accumulator.
  virtual void open(std::uint32_t accumulator, abi::window& view) = 0;
  /// Element `i` of an accumulator. For a dmap, the entry in slot i of the accumulator's own index.
  [[nodiscard]] virtual std::byte* at(std::uint32_t accumulator, std::uint64_t i) = 0;
  /// Elements [first, first + n) of an accumulator; n is at least 1.
  [[nodiscard]] virtual std::byte* range(std::uint32_t accumulator, std::uint64_t first, std::uint64_t) {
    return at(accumulator, first);
  }
  /// Makes the entry of the key that was added last to an accumulator's index.
  virtual std::byte* add_entry(std::uint32_t accumulator) = 0;
  /// Before the fold: prepares it, and packs this rank's parts for other ranks, if they pass through the
  /// exchange of all containers. Adds the pairs of ranks that exchange parts.
  virtual void pack(const planning& in, const plan& p, element_exchange& out, pairs_of_ranks& pairs) = 0;
  /// Folds all accumulators of all ranks into the elements, on their owners. A collective.
  virtual void fold(const planning& in, const plan& p, element_exchange& parts) = 0;

 protected:
  replica& replica_;
};

/// The accumulators of a container that is consistency::stale. Its rounds fold them, so nothing is left to
/// fold after the loop.
class stale_accumulators : public accumulators {
 public:
  using accumulators::accumulators;
  std::byte* add_entry(std::uint32_t accumulator) final;
  void pack(const planning&, const plan&, element_exchange&, pairs_of_ranks&) final {}
  void fold(const planning&, const plan&, element_exchange&) final {}
};

/// The accumulators of the plan that a rank has run.
[[nodiscard]] std::vector<std::uint32_t> used_accumulators(const plan& p);

class copies_store;
class relaxed_copies;
class delayed_rounds;
class delayed_clocks;

/// Per capture; null if it is not accumulated.
using loop_deltas = std::vector<std::unique_ptr<accumulators>>;

/// `alone`: one executor runs the loop. Where grouping changes no bit, it adds into the container itself.
/// `relaxed`, `delayed`, `clocks`: one of them has the copies of relaxed containers; all are null if there
/// are none.
[[nodiscard]] loop_deltas make_deltas(const loop_frame& f, copies_store& store, bool alone,
                                      relaxed_copies* relaxed, delayed_rounds* delayed,
                                      delayed_clocks* clocks);

/// Folds the accumulators of all containers. A collective.
void fold_deltas(const planning& in, const plan& p, const loop_deltas& deltas);

}  // namespace stradsap::rt
