// Which global variables hold the same value in every process, whatever the program does before a loop.
#pragma once

#include <clang/AST/Decl.h>

namespace stradsap::pp {

/// Const through and through: what it refers to as well. False where that cannot be seen.
bool is_same_everywhere(const clang::VarDecl& variable);

/// The same, and it has its value before the program begins: no statement has to be run for it.
bool has_constant_value(const clang::VarDecl& variable);

}  // namespace stradsap::pp
