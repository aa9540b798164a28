#include "runtime/loop/accumulate/lane_deltas.hpp"

#include "runtime/loop/accumulate/element_deltas.hpp"
#include "runtime/loop/accumulate/entry_deltas.hpp"

namespace stradsap::rt {

std::vector<std::uint32_t> lanes_that_added(const plan& p) {
  std::vector<std::uint32_t> lanes;
  for (std::uint32_t lane = 0; lane < p.delta_ranks.size(); ++lane) {
    if (p.delta_ranks[lane] != plan::nobody) lanes.push_back(lane);
  }
  return lanes;
}

loop_deltas make_deltas(const loop_frame& f) {
  loop_deltas made(f.num_captures());
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.uses[c] != usage::accumulated) continue;
    container_store& store = *f.stores[c];
    const abi::accumulation& how = *f.entry->captures[c].added;
    if (store.keys() == nullptr) {
      made[c] = std::make_unique<element_deltas>(store, how, f.delta_lanes);
    } else {
      made[c] = std::make_unique<entry_deltas>(store, how, f.delta_lanes);
    }
  }
  return made;
}

void fold_deltas(const planning& in, const plan& p, const loop_deltas& deltas) {
  for (const auto& of_container : deltas) {
    if (of_container != nullptr) of_container->fold(in, p);
  }
}

}  // namespace stradsap::rt
