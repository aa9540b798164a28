// Functions that give the caller a place and read nothing of it, as a matrix gives its rows:
//
//   float* row(int i) { return &a_[i * cols_]; }
//   std::span<float> row(int i) { return a_.span(i * cols_, cols_); }
//   float& operator()(int i, int k) { return a_[i * cols_ + k]; }
//
// Stateless.
#pragma once

#include <vector>

#include "analyze/code/region.hpp"

namespace stradsap::pp {

/// The expressions that use an element, its address or a span. If the function around it does nothing with it
/// but return it, they are the calls of that function, and so on; else the place itself. Null among them
/// stands for calls that the text does not show.
std::vector<const clang::Expr*> users_of_place(const region& code, const clang::Expr& place);

}  // namespace stradsap::pp
