// Edits of the text that carry out a note's advice. A function returns nothing if the edit is not mechanical:
// if a macro spells the text, or if the program would get another meaning. Stateless.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <string>
#include <vector>

#include "analyze/findings/translation_unit.hpp"

namespace stradsap::pp {

using fix_its = std::vector<fix_it>;

fix_its insertion(const clang::ASTContext& ast, clang::SourceLocation before, const std::string& text);

/// Replaces the text from the start of one token up to the start of another.
fix_its replacement(const clang::ASTContext& ast, clang::SourceLocation from, clang::SourceLocation to,
                    const std::string& text);

/// Replaces whole tokens.
fix_its replacement(const clang::ASTContext& ast, clang::SourceRange tokens, const std::string& text);

/// Edits `[D]` to `[&D]`, `[=]` to `[=, &D]`.
fix_its captured_by_reference(const clang::ASTContext& ast, const clang::LambdaExpr* lambda,
                              const clang::ValueDecl& variable);

/// Edits `[&x]` to `[x]`.
fix_its captured_by_value(const clang::ASTContext& ast, const clang::LambdaExpr* lambda,
                          const clang::ValueDecl& variable);

/// Edits `[]` to `[&D = D]`, `[x]` to `[x, &D = D]`.
fix_its further_capture(const clang::ASTContext& ast, const clang::LambdaExpr& lambda,
                        const std::string& capture);

/// Edits `[this]` to the captures in its place, `[&]` to `[&, captures]`.
fix_its captured_instead_of_this(const clang::ASTContext& ast, const clang::LambdaExpr& lambda,
                                 const clang::LambdaCapture& capture, const std::string& captures);

/// Edits `long x` to `double x`.
fix_its declared_as(const clang::ASTContext& ast, const clang::ValueDecl& declaration,
                    const std::string& type);

}  // namespace stradsap::pp
