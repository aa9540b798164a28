// A body cut in three, so that iterations which share nothing run side by side: what is read, the loops that
// sum it up, and the rest, which writes. <stradsap/jam.hpp> says what for.
//
//   body:   { const Rating& r = ratings[j]; float e = r.value - dot(P[r.user], Q[r.item]); update(...); }
//   chains: the second statement for four iterations at once, by a copy of dot that takes four pairs of rows
//
// D. Callahan, J. Cocke, K. Kennedy, "Estimating interlock and improving balance for pipelined
// architectures", 1988 (unroll-and-jam). Where something is not understood the body stays whole.
#pragma once

#include <optional>

#include "analyze/accesses.hpp"
#include "analyze/region.hpp"
#include "analyze/translation_unit.hpp"

namespace stradsap::pp {

/// Nothing where the body does not begin with statements that only compute, with a sum over a loop among
/// them. Of `numbers`, captured values, the phases have copies, so that no store can change them.
std::optional<jammed_text> find_jam(const region& code, const std::vector<access>& accesses,
                                    const std::vector<std::string>& numbers);

}  // namespace stradsap::pp
