// Where things are: from Clang's source locations to files, offsets, lines and columns; and whose code it is.
// Stateless functions over one ASTContext.
#pragma once

#include <clang/AST/ASTContext.h>

#include <optional>
#include <string>

#include "analyze/translation_unit.hpp"

namespace stradsap::pp {

/// Line and column for people, in the file where the text was written (a macro's use, not its definition).
source_place place_of(const clang::ASTContext& ast, clang::SourceLocation where);

/// Byte offset in a file that can be edited; nothing for text that a macro's definition produces.
std::optional<text_position> position_of(const clang::ASTContext& ast, clang::SourceLocation where);

/// Just after the token that begins at `where`.
std::optional<text_position> position_after(const clang::ASTContext& ast, clang::SourceLocation where);

/// Neither a system header's nor this project's own header's text.
bool is_users(const clang::ASTContext& ast, clang::SourceLocation where);
bool is_users(const clang::Decl& decl);

/// Declared in namespace stradsap (inline namespaces looked through).
bool is_in_api(const clang::Decl& decl);
/// Declared in namespace std or where libstdc++ keeps its iterators, at any depth.
bool is_in_std(const clang::Decl& decl);

/// The lambda's class, if the type is a closure; references and const are looked through.
const clang::CXXRecordDecl* closure_class(clang::QualType type);

/// The name by which a container class of the API goes, or an empty one.
llvm::StringRef container_name(clang::QualType type);
inline bool is_container(clang::QualType type) { return !container_name(type).empty(); }
/// The type of a container's elements; of a map, of its values: keys do not change.
clang::QualType element_of(clang::QualType container);

/// How a type is called in messages.
std::string type_name(const clang::ASTContext& ast, clang::QualType type);

}  // namespace stradsap::pp
