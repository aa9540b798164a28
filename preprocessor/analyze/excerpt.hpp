// A piece of the user's text on one line: without comments, blanks only where tokens need them.
#pragma once

#include <clang/AST/ASTContext.h>

#include <optional>
#include <string>

namespace stradsap::pp {

/// The text of a range; nothing if it comes from a macro's definition, holds a preprocessor directive or a
/// string of several lines.
std::optional<std::string> excerpt(const clang::ASTContext& ast, clang::SourceRange range);

}  // namespace stradsap::pp
