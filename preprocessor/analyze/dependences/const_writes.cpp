#include "analyze/dependences/const_writes.hpp"

#include <algorithm>

#include "analyze/code/fields.hpp"
#include "analyze/code/types.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/dependences/type_puns.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

static bool names_this(const clang::Stmt* node) {
  if (node == nullptr) return false;
  if (llvm::isa<clang::CXXThisExpr>(node)) return true;
  for (const clang::Stmt* child : node->children()) {
    if (names_this(child)) return true;
  }
  return false;
}

/// Whether a function of a library, such as std::make_shared<T> or emplace<T>, may make an object of the
/// class.
static bool makes(const clang::CallExpr& call, const clang::CXXRecordDecl& wanted) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  const clang::TemplateArgumentList* given =
      callee == nullptr ? nullptr : callee->getTemplateSpecializationArgs();
  return given != nullptr &&
         std::any_of(given->asArray().begin(), given->asArray().end(), [&](const auto& one) {
           return one.getKind() == clang::TemplateArgument::Type && may_hold(one.getAsType(), wanted);
         });
}

namespace {

class tracer {
 public:
  tracer(const region& code, const dependences& depends) : code_(code), depends_(depends) {}

  /// The variables with storage that the operand may reach; null among them for an object that no text names.
  origins reached_by(const clang::Expr& operand) {
    origins found = depends_.storage(operand);
    if (names_this(&operand)) found.merge(objects_of(method_around(operand)));
    for (const clang::ValueDecl* variable : origins(found)) {
      const auto* local = llvm::dyn_cast_or_null<clang::VarDecl>(variable);
      if (local != nullptr && is_given_by_others(*local)) found.merge(others_of(*local));
    }
    return found;
  }

 private:
  /// The function with the `this` that an expression names: of a lambda, the member function around it.
  const clang::FunctionDecl* method_around(const clang::Expr& e) const {
    const clang::FunctionDecl* function = code_.function_of(&e);
    const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function);
    while (method != nullptr && method->getParent()->isLambda()) {
      function = llvm::dyn_cast<clang::FunctionDecl>(method->getParent()->getDeclContext());
      method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function);
    }
    return function;
  }

  /// The objects that `this` of a member function may denote: those of its calls. Code without a call in the
  /// text, such as a destructor, may get any object of the class.
  origins objects_of(const clang::FunctionDecl* function) {
    if (function == nullptr || !open_.insert(function).second) return {};
    origins found;
    for (const clang::Expr* call : code_.callers(function)) {
      const clang::Expr* object = object_of(*call);
      if (object != nullptr || llvm::isa<clang::CXXConstructExpr>(call))
        found.merge(reached_by(object != nullptr ? *object : *call));
    }
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
    if (method != nullptr && code_.hidden().count(function) != 0) found.merge(all_of(*method->getParent()));
    return found;
  }

  bool is_given_by_others(const clang::VarDecl& variable) const {
    return variable.isExceptionVariable() || depends_.gets_unknown(variable);
  }

  origins others_of(const clang::VarDecl& variable) {
    if (!may_refer(variable.getType())) return {};
    clang::QualType type = variable.getType().getNonReferenceType();
    if (type->isPointerType()) type = type->getPointeeType();
    const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
    return record == nullptr || record->getDefinition() == nullptr ? origins{nullptr} : all_of(*record);
  }

  /// All that objects of a class may refer to: the contents of objects in the region that may contain one.
  origins all_of(const clang::CXXRecordDecl& record) {
    const clang::CXXRecordDecl& wanted = *record.getDefinition()->getCanonicalDecl();
    if (!all_open_.insert(&wanted).second) return {};
    origins found;
    for (const clang::Stmt* node : code_.nodes()) {
      const auto* e = llvm::dyn_cast<clang::Expr>(node);
      if (e == nullptr) continue;
      if (may_hold(e->getType(), wanted)) found.merge(reached_by(*e));
      const auto* call = llvm::dyn_cast<clang::CallExpr>(e);
      if (call == nullptr || !makes(*call, wanted)) continue;
      for (const clang::Expr* argument : call->arguments()) found.merge(reached_by(*argument));
    }
    return found;
  }

  const region& code_;
  const dependences& depends_;
  std::set<const clang::FunctionDecl*> open_;
  std::set<const clang::CXXRecordDecl*> all_open_;
};

}  // namespace

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
  if (callee == nullptr || visible_definition(callee) != nullptr || is_in_api(*callee)) return {};
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

std::map<const clang::ValueDecl*, const clang::Expr*> writes_through_const(const region& code,
                                                                           const dependences& depends) {
  std::map<const clang::ValueDecl*, const clang::Expr*> found;
  const auto add = [&](const clang::Expr& object, const clang::Expr& where) {
    for (const clang::ValueDecl* variable : tracer(code, depends).reached_by(object))
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
