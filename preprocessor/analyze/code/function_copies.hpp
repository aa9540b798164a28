// Functions of which a changed copy can stand beside them in the text. Stateless.
#pragma once

#include "analyze/code/region.hpp"

namespace stradsap::pp {

/// Whether the declaration stands in an instance of a template.
bool is_in_instance(const clang::DeclContext* scope);

/// Whether a copy of the function's text finds the same names, and the loop finds the copy: the function has
/// a name, is not virtual, is no template and ends before the loop in its file.
bool may_have_copy(const region& code, const clang::FunctionDecl& function);

}  // namespace stradsap::pp
