// A piece of the user's text on one line: without comments, blanks only where tokens need them.
#pragma once

#include <clang/AST/ASTContext.h>

#include <map>
#include <optional>
#include <string>

namespace stradsap::pp {

/// The text of a range; nothing if it comes from a macro's definition, holds a preprocessor directive or a
/// string of several lines.
std::optional<std::string> excerpt(const clang::ASTContext& ast, clang::SourceRange range);

/// Text in place of `length` characters of a file; none if it cannot be said, and with it all that holds it.
struct other_text {
  unsigned length = 0;
  std::optional<std::string> text = {};
};
/// By where in the file they begin.
using other_texts = std::map<unsigned, other_text>;

/// The same with other text in some places, each of whole tokens.
std::optional<std::string> excerpt(const clang::ASTContext& ast, clang::SourceRange range,
                                   const other_texts& changed);

/// Whether a text names a variable or a type, and not only a member of that name; the empty one stands
/// nowhere.
bool names_in(const std::string& text, const std::string& name);

}  // namespace stradsap::pp
