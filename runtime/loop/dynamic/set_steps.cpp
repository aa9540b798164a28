#include "runtime/loop/dynamic/set_steps.hpp"

#include <limits>

#include <stradsap/cereal.hpp>

namespace stradsap::rt {

set_steps::set_steps(exchange& ranks)
    : ranks_(ranks), everyone_(pairs_of_ranks::all(ranks.world_size())), from_driver_(ranks.world_size()) {
  for (rank_id to = 1; to < ranks.world_size(); ++to) from_driver_.add(driver_rank, to);
  (void)ranks_.all_gather({});
  first_ = ranks_.next_step();
}

std::uint32_t set_steps::step_of_order(std::uint64_t set) const {
  if (set >= (std::numeric_limits<std::uint32_t>::max() - first_) / 2 - 1)
    throw error(errc::unsupported, "schedule::dynamic(): more sets than steps of a loop");
  return first_ + 2 * static_cast<std::uint32_t>(set);
}

void set_steps::send(rank_id to, const set_order& order, std::uint64_t set) {
  bytes out;
  abi::writer writer(out);
  abi::output_archive archive(writer);
  archive(order);
  ranks_.post(step_of_order(set), to, out);
}

set_order set_steps::next_order() {
  const std::vector<bytes> came = ranks_.collect(step_of_order(orders_++), from_driver_);
  abi::reader in(came[driver_rank]);
  abi::input_archive archive(in);
  set_order order;
  archive(order);
  return order;
}

void set_steps::send(std::uint64_t set, const bytes& changes) {
  for (rank_id to = 0; to < num_ranks(); ++to)
    if (to != self()) ranks_.post(step_of_changes(set), to, changes);
}

std::vector<bytes> set_steps::receive(std::uint64_t set) {
  return ranks_.collect(step_of_changes(set), everyone_);
}

bool set_steps::has_come(std::uint64_t set) { return ranks_.has_come(step_of_changes(set), everyone_); }

void run_ordered_sets(set_execution& here, set_steps& steps) {
  std::uint64_t folded = 0;
  for (std::uint64_t set = 0;; ++set) {
    const set_order order = steps.next_order();
    if (order.is_end) return;
    for (const std::vector<std::uint64_t>& refused : order.refused)
      here.fold(refused, steps.receive(folded++));
    here.run(order.shards);
    steps.send(set, here.message());
  }
}

}  // namespace stradsap::rt
