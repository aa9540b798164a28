// The iterations of a set, and the shards that run them. Thread rule: pure functions but for the answers that
// `dependences` keeps.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/loop/dynamic/dependences.hpp"
#include "runtime/loop/dynamic/update_order.hpp"

namespace stradsap::rt {

struct set_shape {
  std::size_t size = 1;    // iterations at most
  std::size_t shards = 1;  // at most; not more than `size`
};

struct chosen_set {
  std::vector<std::vector<candidate>> shards;  // as many as the shape has; the last ones may be empty
  std::vector<candidate> left;                 // candidates for the next set, in their order
};

/// Puts candidates into shards, in their order, so that no two in different shards are dependent. A candidate
/// that depends on iterations of one shard joins that shard; one that depends on several shards is left.
/// `asks`: unknown dependences count too; else iterations are apart until it is known that they are not.
[[nodiscard]] chosen_set choose_set(const std::vector<candidate>& from, const set_shape& shape,
                                    dependences& all, bool asks);

}  // namespace stradsap::rt
