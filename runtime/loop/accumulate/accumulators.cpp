#include "runtime/loop/accumulate/accumulators.hpp"

#include <algorithm>

#include "runtime/base/check.hpp"
#include "runtime/loop/access/iteration_check.hpp"
#include "runtime/loop/accumulate/delayed_clocks.hpp"
#include "runtime/loop/accumulate/delayed_rounds.hpp"
#include "runtime/loop/accumulate/element_deltas.hpp"
#include "runtime/loop/accumulate/entry_deltas.hpp"
#include "runtime/loop/accumulate/late_sums.hpp"
#include "runtime/loop/accumulate/relaxed_copies.hpp"

namespace stradsap::rt {

std::byte* stale_accumulators::add_entry(std::uint32_t) {
  STRADSAP_ASSERT(false, "a dvector has no keys");
  return nullptr;
}

std::vector<std::uint32_t> used_accumulators(const plan& p) {
  std::vector<std::uint32_t> accumulators;
  accumulators.reserve(p.accumulator_ranks.size());
  for (std::uint32_t accumulator = 0; accumulator < p.accumulator_ranks.size(); ++accumulator) {
    if (p.accumulator_ranks[accumulator] != plan::nobody) accumulators.push_back(accumulator);
  }
  return accumulators;
}

/// The accumulators that are the container itself. Copies of a large one cost more than to add.
static std::uint32_t accumulators_in_place(const loop_frame& f, std::size_t c, bool alone) {
  const bool adds_directly = alone && f.entry->captures[c].added->is_exact && !is_checked(f) && !f.is_timed;
  return adds_directly ? f.num_accumulators : f.adds_in_place ? 1 : 0;
}

loop_deltas make_deltas(const loop_frame& f, copies_store& store, bool alone, relaxed_copies* relaxed,
                        delayed_rounds* delayed, delayed_clocks* clocks) {
  loop_deltas made(f.num_captures());
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.uses[c] != usage::accumulated) continue;
    if (f.is_relaxed(c)) {
      made[c] = clocks != nullptr    ? clocks->accumulators_of(c)
                : delayed != nullptr ? delayed->accumulators_of(c)
                                     : relaxed->accumulators_of(c);
      continue;
    }
    replica& local = *f.replicas[c];
    const abi::accumulation& how = *f.entry->captures[c].added;
    if (f.is_late_sum(c)) {
      made[c] = std::make_unique<late_sums>(local, how, f.num_accumulators, store);
    } else if (local.keys() == nullptr) {
      made[c] = std::make_unique<element_deltas>(local, how, f.num_accumulators,
                                                 accumulators_in_place(f, c, alone), store);
    } else {
      made[c] = std::make_unique<entry_deltas>(local, how, f.num_accumulators);
    }
  }
  return made;
}

void fold_deltas(const planning& in, const plan& p, const loop_deltas& deltas) {
  if (std::all_of(deltas.begin(), deltas.end(), [](const auto& one) { return one == nullptr; })) return;
  const int world_size = in.ranks.world_size();
  element_exchange parts(in.ranks);
  pairs_of_ranks pairs(world_size);
  for (const auto& of_container : deltas) {
    if (of_container != nullptr) of_container->pack(in, p, parts, pairs);
  }
  if (world_size > 1) parts.trade(pairs);
  for (const auto& of_container : deltas) {
    if (of_container != nullptr) of_container->fold(in, p, parts);
  }
  if (world_size > 1) parts.finish();
}

}  // namespace stradsap::rt
