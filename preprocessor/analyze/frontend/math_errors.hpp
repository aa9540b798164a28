// Programs that look at errno after a function of <cmath>. Borrows from the ASTContext; stateless.
#pragma once

#include <clang/AST/ASTContext.h>

namespace stradsap::pp {

/// Whether a function of the user's may read an error that a function of <cmath> left in errno. Harmless are
/// functions that only make messages of errno, as strerror(errno), and functions that assign errno before
/// they read it and call no code but the library's, and nothing of <cmath>. The order of the assignment and
/// the reads is not looked at.
bool reads_math_errors(const clang::ASTContext& ast);

}  // namespace stradsap::pp
