// Finds the functions that encode a class for cereal. Classes with such functions get no member list. Borrows
// from the ASTContext; stateless.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>

namespace stradsap::pp {

/// Whether the class has functions that encode all of it, in one of cereal's forms: `serialize`, `save` and
/// `load`, or `save_minimal` and `load_minimal`; as members, as friends or as other functions. They count if
/// an archive of any type may be their argument. Functions for a base class do not encode all of the class,
/// but they count for classes that are not `user's`: no list can be inserted there.
bool has_cereal_functions(const clang::CXXRecordDecl& record, bool is_users);

/// Whether the program includes <stradsap/cereal.hpp>.
bool includes_archives(const clang::ASTContext& ast);

}  // namespace stradsap::pp
