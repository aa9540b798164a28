// Elements behind the start of a container, which the program names through a pointer: `X.data()[i]`,
// `*(X.data() + i)`, and `p[i]` after `float* p = X.data();`. Before:
//
//     const float* p = X.data();
//     Y.data()[i] = p[i] + *(Z.data() + i);
//
// After, so that they are elements like any others:
//
//     const auto&  p = X       ;
//     Y       [i] = p[i] +   Z        [ i];
//
// The text keeps its length, so all places in it stay. Lambdas alone are changed, as loop bodies are.
// Stateless.
#pragma once

#include <clang/AST/ASTContext.h>

#include <map>
#include <string>

namespace stradsap::pp {

/// The files with such text, by their names, and the text to analyse and compile in its place.
std::map<std::string, std::string> texts_with_subscripts(const clang::ASTContext& ast);

}  // namespace stradsap::pp
