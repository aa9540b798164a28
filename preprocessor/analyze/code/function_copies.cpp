#include "analyze/code/function_copies.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

namespace stradsap::pp {

bool is_in_instance(const clang::DeclContext* scope) {
  for (; scope != nullptr; scope = scope->getParent()) {
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(scope);
    if (llvm::isa<clang::ClassTemplateSpecializationDecl>(scope)) return true;
    if (function != nullptr && function->isTemplateInstantiation()) return true;
  }
  return false;
}

/// Whether a function beside this one finds the same names: no template is around it, and no class without
/// it.
static bool has_plain_scope(const clang::FunctionDecl& function) {
  if (function.isTemplated() || function.getTemplateSpecializationKind() != clang::TSK_Undeclared)
    return false;
  if (function.getLexicalDeclContext() != function.getDeclContext()) return false;
  for (const clang::DeclContext* at = function.getDeclContext(); at != nullptr; at = at->getParent()) {
    if (llvm::isa<clang::ClassTemplateSpecializationDecl>(at)) return false;
  }
  return true;
}

static bool has_plain_parameters(const clang::FunctionDecl& function) {
  const auto parameters = function.parameters();
  return !function.isVariadic() && std::all_of(parameters.begin(), parameters.end(), [](const auto* one) {
    return !one->getName().empty() && !one->hasDefaultArg() && !one->isParameterPack();
  });
}

bool may_have_copy(const region& code, const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  if (function.getIdentifier() == nullptr || llvm::isa<clang::CXXConstructorDecl>(function)) return false;
  if (method != nullptr && (method->isVirtual() || method->getRefQualifier() != clang::RQ_None)) return false;
  const clang::SourceManager& sources = code.ast().getSourceManager();
  const clang::SourceLocation end = function.getBody()->getEndLoc();
  const bool is_seen = method != nullptr || sources.isBeforeInTranslationUnit(end, code.place());
  const bool is_here = sources.getFileID(end) == sources.getFileID(code.place()) && end.isFileID();
  return is_seen && is_here && has_plain_scope(function) && has_plain_parameters(function);
}

}  // namespace stradsap::pp
