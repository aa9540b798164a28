// Converts Clang's source locations to files, offsets, lines and columns, and tells user code from library
// code. Stateless functions over one ASTContext.
#pragma once

#include <clang/AST/ASTContext.h>

#include <optional>
#include <string>

#include "analyze/findings/translation_unit.hpp"

namespace stradsap::pp {

/// Line and column for messages. For text from a macro, the macro's use counts, not its definition.
source_place place_of(const clang::ASTContext& ast, clang::SourceLocation where);

/// The byte offset in a file that can be edited; nothing for text from a macro's definition.
std::optional<text_position> position_of(const clang::ASTContext& ast, clang::SourceLocation where);

/// The position just after the token that begins at `where`.
std::optional<text_position> position_after(const clang::ASTContext& ast, clang::SourceLocation where);

/// Whether the text belongs neither to a system header nor to a header of this project.
bool is_users(const clang::ASTContext& ast, clang::SourceLocation where);
bool is_users(const clang::Decl& decl);
/// Whether the text stands before the API's headers, where no name of the API is declared.
bool stands_before_api(const clang::ASTContext& ast, clang::SourceLocation where);

/// Whether it is declared in namespace stradsap; inline namespaces count as transparent.
bool is_in_api(const clang::Decl& decl);
/// A function of input or output, which main alone calls: `report`, `read_...`, `load_...`, `save_...`.
bool is_input_output(const clang::FunctionDecl* callee);
/// Whether it is declared in namespace std or in libstdc++'s namespace for iterators, at any depth.
bool is_in_std(const clang::Decl& decl);
/// Whether it is declared in Eigen, which counts as a library although its headers may be no system headers.
bool is_in_eigen(const clang::Decl& decl);

/// The lambda's class if the type is a closure, a reference to one, or const; else null.
const clang::CXXRecordDecl* closure_class(clang::QualType type);

/// The name of a container class of the API; empty for other types.
llvm::StringRef container_name(clang::QualType type);
inline bool is_container(clang::QualType type) { return !container_name(type).empty(); }
/// The type of a container's elements; for a map, of its values, because keys do not change.
clang::QualType element_of(clang::QualType container);

/// The name of a type in messages.
std::string type_name(const clang::ASTContext& ast, clang::QualType type);

}  // namespace stradsap::pp
