// The remarks of --explain on a loop: how it uses each container, how the accesses of its iterations are
// found, where its parallelism comes from and when its plan is made anew. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "analyze/findings/translation_unit.hpp"

namespace stradsap::pp {

/// One remark a line, without a location.
std::vector<std::string> remarks_on(const loop_site& site);

/// Whether the loop runs as transactions even if the containers are stale that the text makes so.
bool runs_as_transactions(const loop_site& site);

/// The remark on variables that a resumed run begins anew.
std::string remark_on(const resumed_loop& loop);

/// The remark on an access that makes a loop run as transactions.
std::string remark_on(const decided_access& one);
/// The remark at the comparison of pointers that counts as a use of such data.
std::string remark_on_comparison(const decided_access& one);

}  // namespace stradsap::pp
