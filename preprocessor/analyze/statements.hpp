// What a user says by access(...) beside what the body's text shows.
#pragma once

#include <vector>

#include "analyze/accesses.hpp"
#include "analyze/captures.hpp"
#include "analyze/diagnostics.hpp"
#include "analyze/loop_options.hpp"

namespace stradsap::pp {

/// Statements about containers that the body does not have, and statements that its text belies. Where an
/// element goes out of sight, the user's word stands.
void refuse_statements(const region& code, const std::vector<access>& accesses,
                       const std::vector<outer_variable>& outer, const access_statements& stated,
                       diagnostics& out);

}  // namespace stradsap::pp
