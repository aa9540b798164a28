#include "analyze/code/fields.hpp"

#include <clang/AST/DeclTemplate.h>

#include <algorithm>
#include <set>

#include "analyze/code/known_functions.hpp"
#include "analyze/code/region.hpp"
#include "analyze/code/types.hpp"
#include "analyze/source/source.hpp"
#include "analyze/source/text_hash.hpp"

namespace stradsap::pp {

const clang::FieldDecl* bound_field(const clang::ValueDecl& name) {
  const auto* binding = llvm::dyn_cast<clang::BindingDecl>(&name);
  const auto* member =
      binding == nullptr ? nullptr : llvm::dyn_cast_or_null<clang::MemberExpr>(binding->getBinding());
  return member == nullptr ? nullptr : llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
}

/// Whether a change of the field changes nothing else: it refers to nothing, and belongs to no union.
static bool changes_itself_alone(const clang::FieldDecl& field) {
  return !field.getParent()->isUnion() && !may_refer(field.getType());
}

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
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(at)) {
    if (const clang::FieldDecl* bound = bound_field(*name->getDecl()))
      return changes_itself_alone(*bound) ? bound : nullptr;
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    const bool refers = variable != nullptr && !llvm::isa<clang::ParmVarDecl>(variable) &&
                        variable->getType()->isReferenceType();
    return refers && variable->getInit() != nullptr ? named_field(*variable->getInit()) : nullptr;
  }
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(at);
  const auto* field = member == nullptr ? nullptr : llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
  if (field == nullptr || member->isArrow() || !changes_itself_alone(*field)) return nullptr;
  if (llvm::isa<clang::CXXThisExpr>(member->getBase()->IgnoreImpCasts())) return nullptr;
  for (const auto* base = member; base != nullptr;
       base = llvm::dyn_cast<clang::MemberExpr>(base->getBase()->IgnoreParens())) {
    const auto* holder = llvm::dyn_cast<clang::FieldDecl>(base->getMemberDecl());
    if (base->isArrow() || holder == nullptr || holder->getParent()->isUnion()) return nullptr;
  }
  return field;
}

/// Calls visit(record) for each class that objects of a type may hold, until a call returns true; returns
/// whether one did.
template <class Visit>
static bool any_record(clang::QualType type, std::set<const clang::RecordDecl*>& seen, const Visit& visit) {
  type = type.getNonReferenceType();
  while (type->isPointerType()) type = type->getPointeeType();
  if (const auto* array = type->getAsArrayTypeUnsafe())
    return any_record(array->getElementType(), seen, visit);
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (record == nullptr || is_container(type) || !seen.insert(record->getCanonicalDecl()).second)
    return false;
  if (visit(*record)) return true;
  if (!record->hasDefinition()) return false;
  const auto within = [&](clang::QualType part) { return any_record(part, seen, visit); };
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
  return any_record(type, seen, [&](const clang::CXXRecordDecl& record) {
    return record.getCanonicalDecl() == wanted.getCanonicalDecl() || !record.hasDefinition();
  });
}

std::vector<const clang::FieldDecl*> fields_within(clang::QualType type) {
  std::vector<const clang::FieldDecl*> found;
  std::set<const clang::RecordDecl*> seen;
  any_record(type, seen, [&](const clang::CXXRecordDecl& record) {
    // no program names the fields of the standard library's classes, except those of pairs
    const bool inner = is_in_std(record) && (record.getIdentifier() == nullptr || record.getName() != "pair");
    if (!record.hasDefinition() || inner) return false;
    for (const clang::FieldDecl* field : record.fields()) {
      if (!is_container(field->getType())) found.push_back(field);
    }
    return false;
  });
  return found;
}

static unsigned bit_of(const clang::FieldDecl& field) {
  return static_cast<unsigned>(text_hash(field.getQualifiedNameAsString()) >> 58);
}

std::uint64_t field_bits(const std::set<const clang::ValueDecl*>& found, clang::QualType type) {
  std::uint64_t bits = 0;
  for (const clang::FieldDecl* field : fields_within(type)) {
    if (found.count(field) != 0) bits |= std::uint64_t{1} << bit_of(*field);
  }
  return bits == 0 ? ~std::uint64_t{0} : bits;
}

}  // namespace stradsap::pp
