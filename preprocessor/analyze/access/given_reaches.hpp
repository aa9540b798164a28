// Rows from functions, of a length that only the caller knows: a copy of the function gets the reach.
//
//   before: float* row(int i) { return &a_[i * cols_]; }
//           float* o = out.row(i); for (int k = 0; k < d; ++k) o[k] = 0;
//   after:  float* row(int i) { ... }
//           float* row(int i, const asked<0x1f>& by) { return &a_[reach(i * cols_, by)]; }
//           float* o = out.row(i, asked<0x1f>(between(0, d))); for (...) o[k] = 0;
//
// Stateless.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyze/access/accesses.hpp"
#include "analyze/code/region.hpp"
#include "analyze/source/excerpt.hpp"

namespace stradsap::pp {

/// Replaces the lost reach of an access by those that the body gives, if the function around the access only
/// returns the place and the body calls it by name. `follow` finds the reach from an expression.
void give_reach(const region& code, access& one,
                const std::function<std::optional<pointer_reach>(const clang::Expr&)>& follow);

/// A text to insert before a token.
struct added_text {
  clang::SourceLocation where;
  std::string text;
};

/// The texts at the calls that give a reach, and the copies of the functions just behind these.
std::vector<added_text> given_texts(const region& code, const std::vector<access>& accesses);

/// The reach of all pointers as replacements in the file of the body, without text from macro definitions.
other_texts reaches_in(const region& code, const std::vector<access>& accesses);

}  // namespace stradsap::pp
