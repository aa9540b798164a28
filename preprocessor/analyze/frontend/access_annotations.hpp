// Compares the user's access(...) with the body's text. Stateless.
#pragma once

#include <vector>

#include "analyze/access/accesses.hpp"
#include "analyze/captures/captures.hpp"
#include "analyze/frontend/loop_options.hpp"
#include "analyze/source/diagnostics.hpp"

namespace stradsap::pp {

/// Refuses statements about containers that the body does not use, and statements that its text contradicts.
/// If an element reaches code that the analysis cannot see, the statement decides.
void refuse_annotations(const region& code, const std::vector<access>& accesses,
                        const std::vector<outer_variable>& outer, const access_annotations& annotations,
                        diagnostics& out);

}  // namespace stradsap::pp
