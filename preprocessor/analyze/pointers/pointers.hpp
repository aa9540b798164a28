// Pointers to elements: `&m[i * dim]`, `m.data() + k`, references and iterators. The analysis follows each to
// its uses, through variables, arithmetic, visible functions and known functions, and finds the elements that
// it reaches. A pointer that enters other code may reach any element. Borrows from the region; stateless.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyze/code/region.hpp"
#include "analyze/dependences/dependences.hpp"

namespace stradsap::pp {

/// The reach of pointers from one access, if it exceeds the accessed element.
struct pointer_reach {
  std::string offsets;                    // of elements, as text for the access; empty if it is unknown
  std::string sure;                       // the part that each execution of the access reaches; may be empty
  std::vector<const clang::Expr*> parts;  // expressions in the region with values that it uses
  const clang::Expr* lost = nullptr;      // if unknown: the place where the analysis loses the pointer
  std::string why;                        // and the reason
  bool lacks_offset = false;              // which is that an offset is unknown
};

/// The reach; nothing if pointers reach only the element itself. `element` is the type of the elements.
std::optional<pointer_reach> reach_of(const region& code, const dependences& depends,
                                      const clang::Expr& access, clang::QualType element,
                                      const std::function<bool(const clang::ValueDecl*)>& is_read_only);

}  // namespace stradsap::pp
