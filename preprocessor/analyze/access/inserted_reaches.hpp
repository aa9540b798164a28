// Inserts the reach of pointers into the text. Stateless.
//
//   before: float* row = &m[i * dim];
//   after:  float* row = &m[::stradsap::stradsap_reach(i * dim, ::stradsap::stradsap_between(0, dim))];
//
// If the code behind it always reaches all of these: stradsap_sure(stradsap_between(0, dim)). A part that it
// always reaches is a third argument.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analyze/access/accesses.hpp"
#include "analyze/source/excerpt.hpp"

namespace stradsap::pp {

struct inserted_reach {
  clang::SourceRange subscript;  // for a call without arguments, its closing parenthesis
  std::string index;             // in that case: its subscript
  std::string offsets;           // with the sure part
};

std::vector<inserted_reach> inserted_reaches(const std::vector<access>& accesses);

/// The same as replacements in the file of the body, without text from macro definitions.
other_texts replacements_in(const region& code, const std::vector<inserted_reach>& reaches);

/// The reach of pointers as text.
std::string offsets_text(const pointer_reach& of);
/// The same with the part that is always reached.
std::string offsets_and_sure(const pointer_reach& of);
/// The text of a reach that covers several others.
std::string hull_of(const std::set<std::string>& offsets);

/// The range in a call where a reach is inserted; its closing parenthesis if it has no argument.
clang::SourceRange subscript_of(const clang::Expr& call);

/// The text of an access's subscript, for messages.
std::string subscript_text(const clang::ASTContext& ast, const clang::Expr& call);

std::string reach_begin();
std::string reach_end(const std::string& offsets);

}  // namespace stradsap::pp
