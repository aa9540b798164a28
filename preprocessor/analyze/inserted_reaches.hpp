// Where the text says how far pointers reach:
//
//   before: float* row = &m[i * dim];
//   after:  float* row = &m[::stradsap::stradsap_reach(i * dim, ::stradsap::stradsap_between(0, dim))];
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analyze/accesses.hpp"
#include "analyze/excerpt.hpp"

namespace stradsap::pp {

struct inserted_reach {
  clang::SourceRange subscript;  // of a call without arguments, its closing parenthesis
  std::string index;             // then: what its subscript would be
  std::string offsets;
};

std::vector<inserted_reach> inserted_reaches(const std::vector<access>& accesses);

/// The same as text in the place of text, for the file of the body; none for what a macro's definition says.
other_texts reaches_in(const region& code, const std::vector<access>& accesses);

/// How far pointers reach, as text.
std::string offsets_text(const pointer_reach& of);
/// What holds all of several such texts.
std::string hull_of(const std::set<std::string>& offsets);

/// Where a reach is inserted into a call; where the call has no argument, its closing parenthesis.
clang::SourceRange subscript_of(const clang::Expr& call);

/// The subscript of an access as it is written, for a message.
std::string subscript_text(const clang::ASTContext& ast, const clang::Expr& call);

std::string reach_begin();
std::string reach_end(const std::string& offsets);

}  // namespace stradsap::pp
