// Places in containers that an object of the program's own class gets when it is made: by a list, by a
// constructor that takes them, by a function that returns such an object. Borrows from the ASTContext;
// stateless.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <vector>

#include "analyze/refusals/object_paths.hpp"

namespace stradsap::pp {

/// A member that keeps a place, with the container, and the part of the expression that names it.
struct placed_member {
  const clang::FieldDecl* member = nullptr;
  object_path container;  // not known: the member leads elsewhere
  const clang::Expr* where = nullptr;
};

/// The members that the expression sets which makes an object of the class.
std::vector<placed_member> members_placed_by(path_reader& paths, clang::QualType type,
                                             const clang::Expr& made);

}  // namespace stradsap::pp
