// Warns of changes that do not fold as the body means them, in loops with a model that gives shards or
// accumulators copies of elements. Stateless.
#pragma once

#include "analyze/frontend/container_modes.hpp"
#include "analyze/source/diagnostics.hpp"

namespace stradsap::pp {

/// Only if the text states such a model, for the loop or the container, and names no merge.
void warn_of_folds(const loop_facts& facts, const container_modes& modes, diagnostics& out);

}  // namespace stradsap::pp
