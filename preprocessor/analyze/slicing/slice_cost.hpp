// Whether to run a slice takes about as long as to run its body, and not long for each element that it finds.
// Then a plan for one call cannot pay. An estimate from the text: it decides the order of a loop, but never
// whether it is right. Stateless.
#pragma once

#include "analyze/code/region.hpp"
#include "analyze/slicing/slice_parts.hpp"

namespace stradsap::pp {

/// Whether the slice runs all loops of the body, each of which finds elements in all rounds or has few
/// rounds, and no function that may have one is out of sight.
bool is_mostly_slice(const region& code, const slice_parts& parts);

}  // namespace stradsap::pp
