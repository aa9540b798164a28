// The text of a template that is also used with containers of other libraries, where the reach of a pointer
// stands in the parentheses of `X.data()`: a std::vector has no such function. Says so at the call, since the
// native compiler would name inserted text. Borrows from the region; stateless.
#pragma once

#include <vector>

#include "analyze/access/accesses.hpp"
#include "analyze/source/diagnostics.hpp"

namespace stradsap::pp {

void refuse_shared_text(const region& code, const std::vector<access>& accesses, diagnostics& out);

}  // namespace stradsap::pp
