// The last step of planning: every iteration goes, with its aligned elements, to the rank that will run it.
// Each rank sorts its share by destination and block, in one pass; what ranks exchange are runs of the
// result, which the receiver lays side by side. Thread rule: one thread a rank; a collective.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/loop/inspection.hpp"

namespace stradsap::rt {

/// Where the iterations of this rank's share belong, and how many of each block every rank has.
struct assignment {
  std::vector<plain_array<std::uint32_t>> labels;       // per part: of each of its iterations
  std::vector<std::vector<std::uint32_t>> block_of;     // per part: the block that a label stands for
  std::vector<std::vector<std::uint32_t>> part_counts;  // per part: iterations of each block
  std::vector<std::vector<std::uint32_t>> rank_counts;  // per rank: iterations of each block
  std::vector<std::uint32_t> pattern;  // captures that all iterations touch, if one pattern fits
  std::vector<std::uint64_t> units;    // per capture: of inspection
};

/// Places the blocks of a plan anew, by in.shares; their iterations go where they run from now on, with the
/// aligned elements that lie beside them. How many came to this rank. A collective where iterations are
/// listed.
std::uint64_t share_anew(const planning& in, plan& p);

/// Fills p.share, where aligned elements live from now on, and says where in it p's blocks begin.
void ship(const planning& in, std::vector<inspected_part> parts, assignment where, plan& p);

}  // namespace stradsap::rt
