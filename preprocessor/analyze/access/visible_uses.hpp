// The certain uses of a container's elements in the text: reads, additions, changes. In contrast to uses.hpp
// it ignores possible uses: if an element reaches hidden code, it reports nothing. Stateless.
#pragma once

#include <vector>

#include "analyze/access/accesses.hpp"
#include "analyze/code/region.hpp"

namespace stradsap::pp {

enum class visible { read, added, changed };

struct visible_use {
  const clang::Expr* where = nullptr;
  visible what = visible::read;
};

/// The visible uses of one container's elements in the region.
std::vector<visible_use> visible_uses(const region& code, const std::vector<access>& accesses,
                                      const clang::ValueDecl* container);

}  // namespace stradsap::pp
