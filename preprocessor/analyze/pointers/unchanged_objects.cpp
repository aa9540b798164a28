#include "analyze/pointers/unchanged_objects.hpp"

#include <clang/AST/ExprCXX.h>

#include <algorithm>

#include "analyze/code/folds.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/code/types.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

static const clang::CXXRecordDecl* users_class(clang::QualType type) {
  const clang::CXXRecordDecl* found = type.getNonReferenceType()->getAsCXXRecordDecl();
  const bool is_users =
      found != nullptr && found->hasDefinition() && !is_in_std(*found) && !is_in_api(*found);
  return is_users ? found->getDefinition() : nullptr;
}

template <class Test> static bool any_base(const clang::CXXRecordDecl& type, const Test& test) {
  return std::any_of(type.bases_begin(), type.bases_end(), [&](const clang::CXXBaseSpecifier& base) {
    const clang::CXXRecordDecl* found = users_class(base.getType());
    return found != nullptr && test(*found);
  });
}

/// Whether the region changes a field by its name, or by a member function of the standard library.
static bool changes_fields(const clang::CXXRecordDecl& type, const dependences& depends) {
  const auto changes = [&](const clang::CXXRecordDecl& part) { return changes_fields(part, depends); };
  return any_base(type, changes) ||
         std::any_of(type.field_begin(), type.field_end(), [&](const clang::FieldDecl* field) {
           if (is_container(field->getType())) return false;
           if (field->getType()->isReferenceType() || !depends.changes_of(field).empty()) return true;
           const clang::CXXRecordDecl* part = users_class(field->getType());
           return part != nullptr && changes(*part);
         });
}

/// Whether objects of a class are, or contain, objects of another.
static bool has_part(const clang::CXXRecordDecl& whole, const clang::CXXRecordDecl& type) {
  const auto has = [&](const clang::CXXRecordDecl& part) { return has_part(part, type); };
  return whole.getCanonicalDecl() == type.getCanonicalDecl() || any_base(whole, has) ||
         std::any_of(whole.field_begin(), whole.field_end(), [&](const clang::FieldDecl* field) {
           const clang::CXXRecordDecl* part = users_class(field->getType());
           return part != nullptr && has(*part);
         });
}

/// Whether a change of such an object, as a whole, may change one of `type`: it is, or contains, one of the
/// class or of its bases.
static bool may_have(const clang::CXXRecordDecl* object, const clang::CXXRecordDecl& type) {
  return object != nullptr && (has_part(*object, type) || type.isDerivedFrom(object));
}

/// Whether a node may change an object as a whole: `c = walker{}`, `std::swap(c, d)`, `*this`, `next(this)`.
static bool changes_whole(const clang::Stmt& node, const clang::CXXRecordDecl& type, const region& code) {
  if (const auto* self = llvm::dyn_cast<clang::CXXThisExpr>(&node)) {
    const clang::Stmt* above = code.above(self);
    while (above != nullptr && llvm::isa<clang::ImplicitCastExpr, clang::ParenExpr>(above))
      above = code.above(above);
    return !llvm::isa_and_nonnull<clang::MemberExpr>(above) &&
           may_have(self->getType()->getPointeeCXXRecordDecl(), type);
  }
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
  if (call == nullptr) return false;
  const auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(call);
  if (op != nullptr && op->isAssignmentOp()) return may_have(users_class(op->getArg(0)->getType()), type);
  const bool is_seen = visible_definition(call->getDirectCallee()) != nullptr;
  return !is_seen && std::any_of(call->arg_begin(), call->arg_end(), [&](const clang::Expr* argument) {
    return bare(*argument).isLValue() && may_have(users_class(bare(*argument).getType()), type);
  });
}

bool keeps_objects_of(const clang::CXXRecordDecl& type, const region& code, const dependences& depends) {
  if (changes_fields(type, depends)) return false;
  return std::none_of(code.nodes().begin(), code.nodes().end(),
                      [&](const clang::Stmt* node) { return changes_whole(*node, type, code); });
}

}  // namespace stradsap::pp
