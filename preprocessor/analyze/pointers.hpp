// Pointers to elements: `&m[i * dim]`, `m.data() + k`, references and iterators. Each is followed to where it
// is used, through variables, arithmetic, helpers in sight and known functions, to say which elements it
// reaches. A pointer that goes where nobody looks may reach any.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyze/dependences.hpp"
#include "analyze/region.hpp"

namespace stradsap::pp {

/// What pointers from one access reach besides the element that it names.
struct pointer_reach {
  std::string offsets;  // of elements, as text for the access; empty where it does not follow
  std::vector<const clang::Expr*> parts;  // expressions of the region whose values it takes
  const clang::Expr* lost = nullptr;      // then: where the pointer is lost
  std::string why;                        // and how
};

/// Null where nothing but the element itself is reached. `element` is the type of the elements.
std::optional<pointer_reach> reach_of(const region& code, const dependences& depends,
                                      const clang::Expr& access, clang::QualType element,
                                      const std::function<bool(const clang::ValueDecl*)>& is_read_only);

}  // namespace stradsap::pp
