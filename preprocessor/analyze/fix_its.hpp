// What a note advises, as edits of the text, where the edit is mechanical. Each function gives nothing where
// it is not: where a macro spells the text, or where the program would mean something else.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <string>
#include <vector>

#include "analyze/translation_unit.hpp"

namespace stradsap::pp {

using fix_its = std::vector<fix_it>;

fix_its insertion(const clang::ASTContext& ast, clang::SourceLocation before, const std::string& text);

/// From the first character of one token up to that of another.
fix_its replacement(const clang::ASTContext& ast, clang::SourceLocation from, clang::SourceLocation to,
                    const std::string& text);

/// Of whole tokens.
fix_its replacement(const clang::ASTContext& ast, clang::SourceRange tokens, const std::string& text);

/// `[D]` to `[&D]`, `[=]` to `[=, &D]`.
fix_its captured_by_reference(const clang::ASTContext& ast, const clang::LambdaExpr* lambda,
                              const clang::ValueDecl& variable);

/// `[&x]` to `[x]`.
fix_its captured_by_value(const clang::ASTContext& ast, const clang::LambdaExpr* lambda,
                          const clang::ValueDecl& variable);

/// `[]` to `[&D = D]`, `[x]` to `[x, &D = D]`.
fix_its further_capture(const clang::ASTContext& ast, const clang::LambdaExpr& lambda,
                        const std::string& capture);

/// `[this]` to the captures in its place, `[&]` to `[&, captures]`.
fix_its captured_instead_of_this(const clang::ASTContext& ast, const clang::LambdaExpr& lambda,
                                 const clang::LambdaCapture& capture, const std::string& captures);

/// `long x` to `double x`.
fix_its declared_as(const clang::ASTContext& ast, const clang::ValueDecl& declaration,
                    const std::string& type);

}  // namespace stradsap::pp
