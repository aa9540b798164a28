#include "analyze/dependences/const_writes.hpp"

#include "analyze/code/types.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/dependences/reached_objects.hpp"
#include "analyze/dependences/type_puns.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// The object with the member, without pointers or references on the way: `a` in `a.b.c`.
static const clang::Expr& whole_object(const clang::Expr& e) {
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(e.IgnoreParenImpCasts());
  const bool is_part =
      member != nullptr && !member->isArrow() && !member->getMemberDecl()->getType()->isReferenceType();
  const bool is_of_this =
      member != nullptr && llvm::isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts());
  return is_part || is_of_this ? whole_object(*member->getBase()) : *e.IgnoreParenImpCasts();
}

/// Whether a member belongs to an object that lives in the region: to a local variable, or to an object that
/// is being made or ended.
static bool is_of_own_object(const region& code, const clang::MemberExpr& member) {
  const clang::Expr& object = whole_object(member);
  if (llvm::isa<clang::CXXThisExpr>(object))
    return llvm::isa_and_nonnull<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(
        code.function_of(&member));
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&object);
  const auto* variable = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
  return variable != nullptr && variable->hasLocalStorage() && code.declares(variable) &&
         !variable->isInitCapture() && !variable->getType()->isReferenceType();
}

/// Whether the expression changes a `mutable` member of an object that lives longer than the region's.
static bool changes_mutable_member(const region& code, const clang::Expr& e, use_reader& uses) {
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e);
  const auto* field = member == nullptr ? nullptr : llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
  return field != nullptr && field->isMutable() && (uses.bits(*member) & use_write) != 0 &&
         !is_of_own_object(code, *member);
}

/// Whether the result only goes to std::free: the memory is the code's own.
static bool is_freed(const region& code, const clang::Expr& pointer) {
  const clang::Stmt* above = code.above(&pointer);
  while (llvm::isa_and_nonnull<clang::ImplicitCastExpr, clang::ParenExpr>(above)) above = code.above(above);
  const auto* call = llvm::dyn_cast_or_null<clang::CallExpr>(above);
  const clang::FunctionDecl* callee = call == nullptr ? nullptr : call->getDirectCallee();
  return callee != nullptr && callee->getIdentifier() != nullptr && callee->getName() == "free" &&
         !is_users(*callee);
}

/// The object that an expression may change although the code before it sees the object as const; null if it
/// is no such expression.
static const clang::Expr* changed_behind_const(const region& code, const clang::Expr& e, use_reader& uses) {
  const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&e);
  if (cast != nullptr && casts_const_away(*cast) && !is_freed(code, *cast))
    return cast->getSubExprAsWritten();
  return changes_mutable_member(code, e, uses) ? &e : nullptr;
}

static bool is_to(bool is_const, clang::QualType type) {
  return (type->isPointerType() || type->isReferenceType()) &&
         type->getPointeeType().isConstQualified() == is_const;
}

/// The objects that a call out of sight takes as const and may return for changes, as bsearch() does; none if
/// the code does not change the result.
static std::vector<const clang::Expr*> given_back(const clang::CallExpr& call, use_reader& uses) {
  const clang::FunctionDecl* callee = callee_of(call);
  if (callee == nullptr || visible_definition(callee) != nullptr || is_in_api(*callee) ||
      is_in_eigen(*callee))
    return {};
  const auto* name = callee->getIdentifier();
  if (is_in_std(*callee)) {
    const bool casts =
        name != nullptr && name->getName().ends_with("_pointer_cast") && call.getNumArgs() == 1;
    return casts && !name->getName().starts_with("static") ? std::vector{call.getArg(0)}
                                                           : std::vector<const clang::Expr*>();
  }
  if (!is_to(/*is_const=*/false, callee->getReturnType())) return {};
  const bool returns_its_output = callee->getBuiltinID() != 0 && callee->getNumParams() > 0 &&
                                  is_to(/*is_const=*/false, callee->getParamDecl(0)->getType());
  if (returns_its_output) return {};  // memcpy
  std::vector<const clang::Expr*> found;
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  for (unsigned i = 0; i < arguments.size() && i < callee->getNumParams(); ++i) {
    if (is_to(/*is_const=*/true, callee->getParamDecl(i)->getType())) found.push_back(arguments[i]);
  }
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  const clang::Expr* object = object_of(call);
  if (object != nullptr && method != nullptr && method->isConst()) found.push_back(object);
  if (found.empty()) return {};
  const unsigned bits = call.isGLValue() ? uses.bits(call) : uses.bits_of_handle(call);
  return (bits & use_write) != 0 ? found : std::vector<const clang::Expr*>();
}

const_writes writes_through_const(const region& code, const dependences& depends) {
  const_writes found;
  const auto add = [&](const clang::Expr& object, const clang::Expr& where) {
    for (const clang::ValueDecl* variable : reached_objects(code, depends).of(object))
      found.emplace(variable, &where);
  };
  use_reader uses(code);
  for (const clang::Stmt* node : code.nodes()) {
    const auto* e = llvm::dyn_cast<clang::Expr>(node);
    const clang::Expr* object = e == nullptr ? nullptr : changed_behind_const(code, *e, uses);
    if (object != nullptr) add(*object, *e);
    const auto* call = llvm::dyn_cast<clang::CallExpr>(node);
    if (call == nullptr) continue;
    for (const clang::Expr* one : given_back(*call, uses)) add(*one, *call);
  }
  for (const type_pun& pun : puns_of_const(code)) add(*pun.object, *pun.where);
  return found;
}

}  // namespace stradsap::pp
