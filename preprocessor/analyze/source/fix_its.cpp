#include "analyze/source/fix_its.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/TypeLoc.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>

#include "analyze/source/source.hpp"

namespace stradsap::pp {

static clang::SourceLocation after(const clang::ASTContext& ast, clang::SourceLocation token) {
  return clang::Lexer::getLocForEndOfToken(token, 0, ast.getSourceManager(), ast.getLangOpts());
}

fix_its replacement(const clang::ASTContext& ast, clang::SourceLocation from, clang::SourceLocation to,
                    const std::string& text) {
  if (!from.isFileID() || !to.isFileID()) return {};
  return {{place_of(ast, from), place_of(ast, to), text}};
}

fix_its insertion(const clang::ASTContext& ast, clang::SourceLocation before, const std::string& text) {
  return replacement(ast, before, before, text);
}

fix_its replacement(const clang::ASTContext& ast, clang::SourceRange tokens, const std::string& text) {
  if (!tokens.getEnd().isFileID()) return {};
  return replacement(ast, tokens.getBegin(), after(ast, tokens.getEnd()), text);
}

static fix_its behind_default(const clang::ASTContext& ast, const clang::LambdaExpr& lambda,
                              const std::string& capture) {
  if (!lambda.getCaptureDefaultLoc().isFileID()) return {};
  return insertion(ast, after(ast, lambda.getCaptureDefaultLoc()), ", " + capture);
}

static const clang::LambdaCapture* capture_of(const clang::LambdaExpr* lambda,
                                              const clang::ValueDecl& variable) {
  if (lambda == nullptr) return nullptr;
  const auto* found = std::find_if(lambda->capture_begin(), lambda->capture_end(), [&](const auto& capture) {
    return capture.capturesVariable() && capture.getCapturedVar() == &variable;
  });
  return found == lambda->capture_end() ? nullptr : found;
}

fix_its captured_by_reference(const clang::ASTContext& ast, const clang::LambdaExpr* lambda,
                              const clang::ValueDecl& variable) {
  const clang::LambdaCapture* capture = capture_of(lambda, variable);
  if (capture == nullptr) return {};
  if (capture->isExplicit()) return insertion(ast, capture->getLocation(), "&");
  return behind_default(ast, *lambda, "&" + variable.getNameAsString());
}

/// The `&` before a captured name.
static clang::SourceLocation ampersand_before(const clang::ASTContext& ast, clang::SourceLocation name) {
  const clang::SourceManager& sources = ast.getSourceManager();
  if (!name.isFileID()) return {};
  const auto [file, offset] = sources.getDecomposedLoc(name);
  const llvm::StringRef before = sources.getBufferData(file).take_front(offset).rtrim();
  if (!before.ends_with("&")) return {};
  return name.getLocWithOffset(-static_cast<int>(offset - before.size() + 1));
}

fix_its captured_by_value(const clang::ASTContext& ast, const clang::LambdaExpr* lambda,
                          const clang::ValueDecl& variable) {
  const clang::LambdaCapture* capture = capture_of(lambda, variable);
  if (capture == nullptr || capture->isImplicit() || lambda->isInitCapture(capture)) return {};
  const clang::SourceLocation ampersand = ampersand_before(ast, capture->getLocation());
  return ampersand.isValid() ? replacement(ast, ampersand, capture->getLocation(), "") : fix_its();
}

fix_its further_capture(const clang::ASTContext& ast, const clang::LambdaExpr& lambda,
                        const std::string& capture) {
  const bool empty = lambda.getCaptureDefault() == clang::LCD_None && lambda.explicit_captures().empty();
  return insertion(ast, lambda.getIntroducerRange().getEnd(), (empty ? "" : ", ") + capture);
}

fix_its captured_instead_of_this(const clang::ASTContext& ast, const clang::LambdaExpr& lambda,
                                 const clang::LambdaCapture& capture, const std::string& captures) {
  if (capture.isImplicit()) return behind_default(ast, lambda, captures);
  const clang::SourceLocation begin = capture.getLocation();
  if (capture.getCaptureKind() != clang::LCK_StarThis) return replacement(ast, {begin, begin}, captures);
  const auto name = clang::Lexer::findNextToken(begin, ast.getSourceManager(), ast.getLangOpts());
  return name ? replacement(ast, {begin, name->getLocation()}, captures) : fix_its();
}

fix_its declared_as(const clang::ASTContext& ast, const clang::ValueDecl& declaration,
                    const std::string& type) {
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
  if (variable == nullptr || variable->getTypeSourceInfo() == nullptr) return {};
  const clang::TypeLoc written = variable->getTypeSourceInfo()->getTypeLoc();
  if (written.getAs<clang::BuiltinTypeLoc>().isNull() && written.getAs<clang::TypedefTypeLoc>().isNull() &&
      written.getAs<clang::ElaboratedTypeLoc>().isNull()) {
    return {};
  }
  const auto next = [&](clang::SourceLocation token) {
    return clang::Lexer::findNextToken(token, ast.getSourceManager(), ast.getLangOpts());
  };
  const auto name = next(written.getEndLoc());
  const auto end = next(variable->getEndLoc());
  const bool alone =
      name && name->getLocation() == variable->getLocation() && end && end->is(clang::tok::semi);
  return alone ? replacement(ast, written.getSourceRange(), type) : fix_its();
}

}  // namespace stradsap::pp
