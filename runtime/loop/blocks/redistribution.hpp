// Redistribution, the last step of planning: iterations and their aligned elements move to the ranks that run
// them. Each rank sorts its share by destination and block in one counting pass. Then ranks exchange runs of
// the sorted lists, and the receiver appends them. Thread rule: one thread a rank; a collective.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/loop/plan/inspection.hpp"

namespace stradsap::rt {

/// The blocks of this rank's iterations.
struct assignment {
  std::vector<plain_array<std::uint32_t>> labels;       // per part: of each iteration
  std::vector<std::vector<std::uint32_t>> block_of;     // per part: the block of each label
  std::vector<std::vector<std::uint32_t>> part_counts;  // per part: iterations of each block
  std::vector<std::uint32_t> counts;                    // of all parts: iterations of each block
  std::vector<std::uint32_t> pattern;                   // the captures that all iterations touch, or empty
  std::vector<std::uint64_t> units;                     // per capture: see inspection
};

/// Places the blocks of a plan again, by in.shares, and moves listed iterations with their aligned elements
/// to their new ranks. Returns the number that came to this rank. A collective if iterations are listed.
std::uint64_t repartition(const planning& in, plan& p);

/// Fills p.share, the plan layout of aligned elements, and sets the begin of p's blocks in it.
void redistribute(const planning& in, std::vector<inspected_part> parts, assignment where, plan& p);

}  // namespace stradsap::rt
