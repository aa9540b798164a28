// Cuts a body into three phases, so that iterations which share no element interleave: the reads, the loops
// that sum, and the rest, which writes. `<stradsap/abi/interleaving.hpp>` explains the gain.
//
//   body:   { const Rating& r = ratings[j]; float e = r.value - dot(P[r.user], Q[r.item]); update(...); }
//   chains: the second statement for four iterations at once, by a copy of dot that takes four pairs of rows
//
// Source: D. Callahan, J. Cocke, K. Kennedy, "Estimating interlock and improving balance for pipelined
// architectures", 1988 (`unroll-and-jam`). A body that the analysis does not understand stays whole.
// Stateless.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyze/access/accesses.hpp"
#include "analyze/code/region.hpp"
#include "analyze/findings/translation_unit.hpp"

namespace stradsap::pp {

struct interleaving {
  std::optional<interleaved_text> text;
  std::string why_not;  // the reason, if there is no text
};

/// The phases of a body. No text unless it begins with statements that only compute, at least one of them
/// with a sum over a loop. The phases copy the captured values in `numbers`, so that no store can change
/// them.
interleaving find_interleaving(const region& code, const std::vector<access>& accesses,
                               const std::vector<std::string>& numbers);

}  // namespace stradsap::pp
