// What --explain says of a loop: what each container is to it, how the elements that iterations touch are
// found, where parallelism comes from and when a plan is made anew. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "analyze/translation_unit.hpp"

namespace stradsap::pp {

/// One line each, without a place.
std::vector<std::string> remarks_on(const loop_site& site);

/// Of an access that makes a loop run as transactions.
std::string remark_on(const decided_access& one);

}  // namespace stradsap::pp
