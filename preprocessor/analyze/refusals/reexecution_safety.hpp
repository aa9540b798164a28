// Decides whether a body may run more than once for one iteration, as transactions do: it must not print, and
// must call only functions with known effects. The analysis in loop.cpp limits its writes to containers, its
// own variables and reductions. Borrows from the region; stateless.
#pragma once

#include <optional>
#include <string>

#include "analyze/code/region.hpp"

namespace stradsap::pp {

/// An effect that must happen only once.
struct single_effect {
  const clang::Expr* where = nullptr;
  std::string what;
};

/// The first such effect in the code that one iteration can run; nothing if it may run again.
std::optional<single_effect> why_only_once(const region& code);

}  // namespace stradsap::pp
