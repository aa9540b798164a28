#include "analyze/fields.hpp"

#include <clang/AST/DeclTemplate.h>

#include <algorithm>
#include <set>

#include "analyze/known_functions.hpp"
#include "analyze/region.hpp"
#include "analyze/source.hpp"
#include "analyze/types.hpp"

namespace stradsap::pp {

const clang::FieldDecl* named_field(const clang::Expr& target) {
  const clang::Expr* at = target.IgnoreParens();
  while (true) {
    if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(at)) {
      at = subscript->getBase()->IgnoreParenImpCasts();
      if (!at->getType()->isArrayType()) return nullptr;
    } else if (is_subscript_of_array(*at)) {
      at = object_of(*at)->IgnoreParenImpCasts();
    } else {
      break;
    }
  }
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(at);
  const auto* field = member == nullptr ? nullptr : llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
  if (field == nullptr || member->isArrow() || field->getParent()->isUnion()) return nullptr;
  // a field that is a reference, or holds one, changes something else
  if (may_refer(field->getType()) || llvm::isa<clang::CXXThisExpr>(member->getBase()->IgnoreImpCasts()))
    return nullptr;
  for (const auto* base = member; base != nullptr;
       base = llvm::dyn_cast<clang::MemberExpr>(base->getBase()->IgnoreParens())) {
    const auto* holder = llvm::dyn_cast<clang::FieldDecl>(base->getMemberDecl());
    if (base->isArrow() || holder == nullptr || holder->getParent()->isUnion()) return nullptr;
  }
  return field;
}

static bool holds(clang::QualType type, const clang::RecordDecl& wanted,
                  std::set<const clang::RecordDecl*>& seen) {
  type = type.getNonReferenceType();
  while (type->isPointerType()) type = type->getPointeeType();
  if (const auto* array = type->getAsArrayTypeUnsafe()) return holds(array->getElementType(), wanted, seen);
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (record == nullptr || is_container(type) || !seen.insert(record->getCanonicalDecl()).second)
    return false;
  if (record->getCanonicalDecl() == wanted.getCanonicalDecl() || !record->hasDefinition()) return true;
  const auto within = [&](clang::QualType part) { return holds(part, wanted, seen); };
  if (const auto* special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record)) {
    for (const clang::TemplateArgument& argument : special->getTemplateArgs().asArray()) {
      if (argument.getKind() == clang::TemplateArgument::Type && within(argument.getAsType())) return true;
      if (argument.getKind() != clang::TemplateArgument::Pack) continue;
      for (const clang::TemplateArgument& part : argument.pack_elements()) {
        if (part.getKind() == clang::TemplateArgument::Type && within(part.getAsType())) return true;
      }
    }
  }
  return std::any_of(record->bases_begin(), record->bases_end(),
                     [&](const auto& base) { return within(base.getType()); }) ||
         std::any_of(record->field_begin(), record->field_end(),
                     [&](const auto* field) { return within(field->getType()); });
}

bool may_hold(clang::QualType type, const clang::RecordDecl& wanted) {
  std::set<const clang::RecordDecl*> seen;
  return holds(type, wanted, seen);
}

}  // namespace stradsap::pp
