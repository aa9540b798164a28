// Global variables with the same value in each process, independent of the program's earlier actions.
// Stateless.
#pragma once

#include <clang/AST/Decl.h>

namespace stradsap::pp {

/// Whether the variable and everything that it refers to is const. False if the analysis cannot see that.
bool is_same_everywhere(const clang::VarDecl& variable);

/// The same, and its value exists before the program begins: no statement computes it.
bool has_constant_value(const clang::VarDecl& variable);

}  // namespace stradsap::pp
