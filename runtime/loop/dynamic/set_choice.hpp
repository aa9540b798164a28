// The iterations of a set, and the shards that run them. Thread rule: pure functions but for the answers that
// `dependences` keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/loop/dynamic/dependences.hpp"
#include "runtime/loop/dynamic/element_claims.hpp"
#include "runtime/loop/dynamic/update_order.hpp"

namespace stradsap::rt {

struct set_shape {
  std::size_t size = 1;    // iterations at most
  std::size_t shards = 1;  // at most; not more than `size`
};

struct chosen_set {
  std::vector<std::vector<candidate>> shards;  // as many as the shape has; the last ones may be empty
  std::vector<candidate> left;                 // candidates for the next set, in their order
  std::size_t placed = 0;                      // in shards
  std::size_t refilled = 0;                    // of these: took the places of rejected ones
  std::size_t rejected = 0;                    // of `left`: found no place though the set was not full
};

/// The candidates to look at for a set of `size` iterations. `stated`: by the program, or 0.
[[nodiscard]] std::size_t num_candidates(std::int64_t stated, std::size_t size);

/// The iterations that a shard has room for.
[[nodiscard]] std::size_t room_of(const sets_shape& sets);

/// Puts candidates into shards, in their order, so that no two in different shards are dependent. A candidate
/// that depends on iterations of one shard joins that shard; one that depends on several shards is left.
/// One that depends on an iteration of `in_flight` is left too. `asks`: unknown dependences count too; else
/// iterations are apart until it is known that they are not.
[[nodiscard]] chosen_set choose_set(const std::vector<candidate>& from, const set_shape& shape,
                                    dependences& all, bool asks,
                                    const std::vector<std::int64_t>& in_flight = {});
/// The same for iterations that are dependent if they touch the same elements. `claims` has begun this set.
[[nodiscard]] chosen_set choose_set(const std::vector<candidate>& from, const set_shape& shape,
                                    element_claims& claims);

}  // namespace stradsap::rt
