// The messages of sets between ranks, as steps of an exchange: an order of the driver to each other rank, and
// for each set the changes of every rank for every other one. Thread rule: the main thread of the rank.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/loop/dynamic/set_execution.hpp"
#include "runtime/net/exchange.hpp"

namespace stradsap::rt {

class set_steps {
 public:
  /// All ranks make it at the same step. Returns when all have the elements that they need. Throws
  /// rank_gave_up, as all that wait here do.
  explicit set_steps(exchange& ranks);

  void send(rank_id to, const set_order& order, std::uint64_t set);
  /// The driver's next order.
  [[nodiscard]] set_order next_order();
  /// Changes of a set, for all other ranks and from them.
  void send(std::uint64_t set, const bytes& changes);
  [[nodiscard]] std::vector<bytes> receive(std::uint64_t set);
  [[nodiscard]] bool has_come(std::uint64_t set);

  [[nodiscard]] int num_ranks() const { return ranks_.world_size(); }
  [[nodiscard]] rank_id self() const { return ranks_.self(); }

 private:
  [[nodiscard]] std::uint32_t step_of_order(std::uint64_t set) const;
  [[nodiscard]] std::uint32_t step_of_changes(std::uint64_t set) const { return step_of_order(set) + 1; }

  exchange& ranks_;
  const pairs_of_ranks everyone_;
  pairs_of_ranks from_driver_;
  std::uint32_t first_ = 0;
  std::uint64_t orders_ = 0;  // that have come
};

/// The part of a rank other than the driver in a dynamic loop: runs the driver's orders to their end.
void run_ordered_sets(set_execution& here, set_steps& steps);

}  // namespace stradsap::rt
