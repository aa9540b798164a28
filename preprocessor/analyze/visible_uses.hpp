// What the text surely does to the elements of a container: reads, adds, changes. The opposite of uses.hpp,
// which fears what it does not know: where an element goes out of sight, nothing is said.
#pragma once

#include <vector>

#include "analyze/accesses.hpp"
#include "analyze/region.hpp"

namespace stradsap::pp {

enum class visible { read, added, changed };

struct visible_use {
  const clang::Expr* where = nullptr;
  visible what = visible::read;
};

/// All that the region does to the elements of one container, as far as its text shows it.
std::vector<visible_use> visible_uses(const region& code, const std::vector<access>& accesses,
                                      const clang::ValueDecl* container);

}  // namespace stradsap::pp
