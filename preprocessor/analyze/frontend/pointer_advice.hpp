// Advice on a pointer of unknown reach: other code for the same elements, in the words of the body. Borrows
// from the region; stateless.
#pragma once

#include <string>

#include "analyze/access/accesses.hpp"
#include "analyze/code/region.hpp"

namespace stradsap::pp {

/// The forms that apply to this pointer, of which the analysis has lost the reach. `container`: the name of
/// the container.
std::string instead_of_pointer(const region& code, const access& lost, const std::string& container);

}  // namespace stradsap::pp
