// Whether a body may run more than once for one iteration, as transactions do: it prints nothing and calls
// nothing whose effects are not known. What it writes is judged elsewhere (loop.cpp): nothing but containers,
// its own variables and reductions. Borrows from the region.
#pragma once

#include <optional>
#include <string>

#include "analyze/region.hpp"

namespace stradsap::pp {

/// What must not happen twice.
struct single_effect {
  const clang::Expr* where = nullptr;
  std::string what;
};

/// The first of them in the text that one iteration can run; none where it may run again.
std::optional<single_effect> why_only_once(const region& code);

}  // namespace stradsap::pp
