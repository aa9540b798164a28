#include "analyze/code/effects.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>

#include "analyze/code/types.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace {

class reader {
 public:
  /// For the effects of `e`, or of the whole region if it is null.
  reader(const region& code, const clang::Expr* e)
      : code_(code), e_(e), uses_(code, [this](const clang::Expr& call) { return holds(call); }) {
    if (e != nullptr) return;
    uses_.follow_containers();
    uses_.follow_loads([this](const clang::CXXMethodDecl& method) {
      return is_in_sight(method) && !changes_own_object(method);
    });
  }

  /// Changes of containers are changes of variables, too.
  void count_containers() {
    counts_containers_ = true;
    uses_.follow_containers();
  }

  bool holds(const clang::Stmt& node) const {
    std::set<const clang::FunctionDecl*> seen;
    return holds(node, seen);
  }

  /// The variable, or the member of the object around the code, that a node names; else null.
  static const clang::ValueDecl* named_by(const clang::Stmt& node) {
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node)) {
      return llvm::isa<clang::VarDecl, clang::BindingDecl>(name->getDecl()) ? name->getDecl() : nullptr;
    }
    const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node);
    const bool is_outer = member != nullptr && llvm::isa<clang::FieldDecl>(member->getMemberDecl()) &&
                          llvm::isa<clang::CXXThisExpr>(member->getBase()->IgnoreImpCasts());
    return is_outer ? member->getMemberDecl() : nullptr;
  }

  bool changes(const clang::Expr& designator) { return (uses_.bits(designator) & use_write) != 0; }

  /// The variable behind the name, if the expression changes it and it outlives the expression. Containers
  /// count for the whole region only.
  const clang::ValueDecl* changed_by(const clang::Stmt& node) {
    const clang::ValueDecl* named = named_by(node);
    if (named == nullptr || !holds(node) || is_made_within(*named)) return nullptr;
    const clang::QualType type = named->getType().getNonReferenceType();
    if (is_container(type) && e_ != nullptr && !counts_containers_) return nullptr;
    const auto& name = llvm::cast<clang::Expr>(node);
    const bool only_by_call = type.isConstQualified();  // of a function that changes `mutable` members
    if (only_by_call && (is_protected(type) || called_on(name) == nullptr)) return nullptr;
    if (type->isFunctionType()) return nullptr;
    return is_moved(name) || changes_named(name) ? named : nullptr;
  }

  /// The member of an outer object, if it leads to other data, which the code changes: constness of the
  /// object does not protect these.
  const clang::ValueDecl* changed_behind(const clang::Stmt& node) {
    const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node);
    const auto* field =
        member == nullptr ? nullptr : llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
    if (field == nullptr || named_by(node) != nullptr || !leads_outside(*member->getBase())) return nullptr;
    const bool changed = field->getType()->isReferenceType() ? changes(*member) : changes_pointed_to(*member);
    return changed ? field : nullptr;
  }

  /// Whether the code changes the target of a pointer, a reference or a handle that it gets from an object:
  /// m->x, *pointers[j], *shared, view[j], and the result of a function out of sight. Constness of that
  /// object does not protect the target.
  bool changes_loaded(const clang::Expr& e) {
    const clang::QualType type = e.getType();
    if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&e))
      return cast->getCastKind() == clang::CK_LValueToRValue && !is_local_pointer(*cast->getSubExpr()) &&
             changes_pointed_to(e);
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e)) {
      const auto* field = llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
      return field != nullptr && field->getType()->isReferenceType() && changes(e);
    }
    const auto* call = llvm::dyn_cast<clang::CallExpr>(&e);
    if (call == nullptr || !gives_a_target(*call)) return false;
    return e.isGLValue() ? !type.isConstQualified() && changes(e) : changes_pointed_to(e);
  }

  /// Whether the code may change the object around the body as a whole, or in a function out of sight.
  bool changes_self(const clang::CXXThisExpr& self) {
    const clang::CXXRecordDecl* of = self.getType()->getPointeeCXXRecordDecl();
    if (of == nullptr || !is_around_body(*of)) return false;
    const auto* member = llvm::dyn_cast_or_null<clang::MemberExpr>(above(self));
    if (member == nullptr) return (uses_.bits_of_handle(self) & use_write) != 0;
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl());
    return method != nullptr && !method->isConst() && !method->isStatic() && !is_in_sight(*method);
  }

 private:
  bool holds(const clang::Stmt& node, std::set<const clang::FunctionDecl*>& seen) const {
    if (e_ == nullptr) return true;
    for (const clang::Stmt* at = &node; at != nullptr; at = code_.above(at)) {
      if (at == e_) return true;
    }
    const clang::FunctionDecl* function = code_.function_of(&node);
    if (function == nullptr || !seen.insert(function).second) return false;
    if (code_.hidden().count(function) != 0) return may_call(*e_);
    const auto& callers = code_.callers(function);
    return std::any_of(callers.begin(), callers.end(),
                       [&](const clang::Expr* call) { return holds(*call, seen); });
  }

  /// Whether the code calls anything, or passes an object or a function on: so it may call what was passed
  /// on.
  static bool may_call(const clang::Stmt& node) {
    if (llvm::isa<clang::CallExpr, clang::CXXConstructExpr, clang::CXXDeleteExpr>(node)) return true;
    const auto* e = llvm::dyn_cast<clang::Expr>(&node);
    if (e != nullptr && !e->getType()->isArithmeticType() && !e->getType()->isEnumeralType()) return true;
    return std::any_of(node.child_begin(), node.child_end(),
                       [](const clang::Stmt* part) { return part != nullptr && may_call(*part); });
  }

  bool is_made_within(const clang::ValueDecl& named) const {
    if (const auto* field = llvm::dyn_cast<clang::FieldDecl>(&named))
      return !is_around_body(*field->getParent());
    if (!code_.declares(&named)) return false;
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(&named);
    if (e_ == nullptr && variable != nullptr) {
      if (variable->hasGlobalStorage()) return false;
      return !variable->isInitCapture() || code_.declaration_of(&named) != nullptr;
    }
    if (const clang::Stmt* statement = code_.declaration_of(&named)) return holds(*statement);
    // the parameter of a function that the expression calls
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(named.getDeclContext());
    return function != nullptr && function->getBody() != nullptr && holds(*function->getBody());
  }

  /// Whether the body stands in the class: its members then belong to the object around the body. The names
  /// of other objects identify them.
  bool is_around_body(const clang::RecordDecl& of) const {
    const clang::DeclContext* scope = code_.body().getParent();
    while (scope != nullptr && scope != &of) scope = scope->getParent();
    return scope != nullptr;
  }

  /// Whether an expression designates a part of an object that outlives the region.
  bool leads_outside(const clang::Expr& e) const {
    const clang::Expr& at = *e.IgnoreParenImpCasts();
    if (const auto* self = llvm::dyn_cast<clang::CXXThisExpr>(&at)) {
      const clang::CXXRecordDecl* of = self->getType()->getPointeeCXXRecordDecl();
      return of != nullptr && is_around_body(*of);
    }
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&at))
      return llvm::isa<clang::VarDecl, clang::BindingDecl>(name->getDecl()) &&
             !is_made_within(*name->getDecl());
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&at)) return leads_outside(*member->getBase());
    if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&at))
      return leads_outside(*subscript->getBase());
    const clang::Expr* object = object_of(at);
    return object != nullptr && leads_outside(*object);
  }

  /// Whether it is a pointer of the code's own, followed from its source.
  bool is_local_pointer(const clang::Expr& e) const {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e.IgnoreParens());
    const auto* variable = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    return variable != nullptr && !variable->getType()->isReferenceType() && is_made_within(*variable) &&
           !is_given_by_others(*variable);
  }
  /// Whether it is a parameter of a function that the code passes on, as to std::for_each.
  bool is_given_by_others(const clang::VarDecl& variable) const {
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(variable.getDeclContext());
    if (!llvm::isa<clang::ParmVarDecl>(variable) || function == nullptr) return false;
    const auto& callers = code_.callers(function);
    return code_.hidden().count(function) != 0 ||
           std::any_of(callers.begin(), callers.end(),
                       [](const clang::Expr* caller) { return !llvm::isa<clang::CallExpr>(caller); });
  }

  /// Whether a call may give the target of a pointer, and its function's text does not tell.
  bool gives_a_target(const clang::CallExpr& call) const {
    const clang::FunctionDecl* callee = call.getDirectCallee();
    if (callee == nullptr || is_in_api(*callee)) return false;
    if (is_in_std(*callee) && !is_users(*callee)) return is_of_pointer(*callee);
    return is_users(*callee) && code_.in_sight(callee) == nullptr;
  }
  /// *pointer, pointer.get(), view[j], std::get<0>(references).
  static bool is_of_pointer(const clang::FunctionDecl& callee) {
    static constexpr llvm::StringLiteral owners[] = {"shared_ptr", "__shared_ptr", "__shared_ptr_access",
                                                     "unique_ptr", "span",         "reference_wrapper"};
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
    const clang::IdentifierInfo* name =
        method != nullptr ? method->getParent()->getIdentifier() : callee.getIdentifier();
    if (name == nullptr) return false;
    if (method == nullptr) return name->getName() == "get" || name->getName() == "to_address";
    return name->getName().contains("iterator") ||
           std::find(std::begin(owners), std::end(owners), name->getName()) != std::end(owners);
  }

  const clang::Stmt* above(const clang::Expr& e) const {
    const clang::Stmt* found = code_.above(&e);
    while (llvm::isa_and_nonnull<clang::ParenExpr, clang::ImplicitCastExpr>(found))
      found = code_.above(found);
    return found;
  }

  /// Whether a step or an assignment changes the name itself; for pointers to const, `changes` does not see
  /// that.
  bool is_moved(const clang::Expr& name) const {
    const clang::Stmt* outer = above(name);
    const auto* step = llvm::dyn_cast_or_null<clang::UnaryOperator>(outer);
    if (step != nullptr) return step->isIncrementDecrementOp();
    const auto* op = llvm::dyn_cast_or_null<clang::BinaryOperator>(outer);
    return op != nullptr && op->isAssignmentOp() && op->getLHS()->IgnoreParens() == &name;
  }

  bool changes_named(const clang::Expr& name) {
    const clang::CXXMethodDecl* method = called_on(name);
    if (method == nullptr || !is_in_sight(*method)) return changes(name) || changes_pointed_to(name);
    return changes_own_object(*method);
  }

  /// The member function that is called on an object, or on a pointer's target.
  const clang::CXXMethodDecl* called_on(const clang::Expr& object) const {
    const clang::Stmt* outer = above(object);
    if (const auto* member = llvm::dyn_cast_or_null<clang::MemberExpr>(outer))
      return llvm::dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl());
    const auto* call = llvm::dyn_cast_or_null<clang::CXXOperatorCallExpr>(outer);
    const clang::Expr* called = call == nullptr ? nullptr : object_of(*call);
    if (called == nullptr || called->IgnoreParenImpCasts() != &object) return nullptr;
    return llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call->getDirectCallee());
  }
  bool is_in_sight(const clang::CXXMethodDecl& method) const {
    return code_.in_sight(&method) != nullptr && !method.isVirtual();
  }

  /// Whether a member function changes its object.
  bool changes_own_object(const clang::CXXMethodDecl& method) {
    if (leaves_object(code_, method)) return false;
    if (!is_in_sight(method)) return true;
    const auto& definition = llvm::cast<clang::CXXMethodDecl>(*visible_definition(&method));
    if (!open_.insert(&definition).second) return false;
    const auto changes_by = [&](const clang::CXXThisExpr* self) {
      if (function_around(*self) != &definition) return false;
      const auto* member = llvm::dyn_cast_or_null<clang::MemberExpr>(above(*self));
      if (member == nullptr) return true;
      const auto* called = llvm::dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl());
      return called != nullptr ? changes_own_object(*called) : changes(*member);
    };
    const bool found = std::any_of(code_.this_uses().begin(), code_.this_uses().end(), changes_by);
    open_.erase(&definition);
    return found;
  }

  /// The function around a node; lambdas count as part of their functions.
  const clang::FunctionDecl* function_around(const clang::Stmt& node) const {
    const clang::FunctionDecl* function = code_.function_of(&node);
    for (const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function);
         method != nullptr && method->getParent()->isLambda();
         method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function)) {
      function = llvm::dyn_cast<clang::FunctionDecl>(method->getParent()->getDeclContext());
    }
    return function;
  }

  bool changes_pointed_to(const clang::Expr& name) {
    return points(name.getType()) && (uses_.bits_of_handle(name) & use_write) != 0;
  }
  static bool points(clang::QualType type) {
    if (type->isPointerType())
      return !type->getPointeeType().isConstQualified() && !type->isFunctionPointerType();
    const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
    if (record == nullptr || record->getIdentifier() == nullptr || !is_in_std(*record)) return false;
    return record->getName() == "span" || record->getName().contains("iterator");
  }

  const region& code_;
  const clang::Expr* const e_;
  bool counts_containers_ = false;
  use_reader uses_;
  std::set<const clang::CXXMethodDecl*> open_;  // on the current path
};

/// All nodes of an expression, itself among them.
std::vector<const clang::Stmt*> parts_of(const clang::Expr& e) {
  std::vector<const clang::Stmt*> found{&e};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const clang::Stmt* child : found[i]->children()) {
      if (child != nullptr) found.push_back(child);
    }
  }
  return found;
}

/// Whether a node calls a function or changes a variable, itself.
bool has_an_effect(const clang::Stmt* node) {
  if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(node)) return step->isIncrementDecrementOp();
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(node)) return op->isAssignmentOp();
  return llvm::isa<clang::CallExpr, clang::CXXConstructExpr, clang::LambdaExpr, clang::StmtExpr>(node);
}

/// The variable of which an expression designates a part; null if it is another's.
const clang::ValueDecl* root_of(const clang::Expr& place) {
  const clang::Expr& e = *place.IgnoreParenImpCasts();
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&e)) return name->getDecl();
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e)) return root_of(*member->getBase());
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&e))
    return root_of(*subscript->getBase());
  const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&e);
  return call != nullptr && call->getOperator() == clang::OO_Subscript ? root_of(*call->getArg(0)) : nullptr;
}

/// Whether a part of a place leads on by the values of named variables alone: no pointer, no reference to a
/// number, no call but a subscript.
bool decides_by_names(const clang::Stmt& node) {
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node)) {
    const clang::QualType type = name->getDecl()->getType();
    return !type->isReferenceType() || is_container(type.getNonReferenceType());
  }
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node))
    return !member->isArrow() && !member->getType()->isReferenceType();
  if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(&node))
    return step->getOpcode() != clang::UO_Deref && !step->isIncrementDecrementOp();
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&node)) return !op->isAssignmentOp();
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) {
    const clang::FunctionDecl* callee = call->getDirectCallee();
    return callee != nullptr && !is_users(*callee) && callee->getOverloadedOperator() == clang::OO_Subscript;
  }
  return llvm::isa<clang::IntegerLiteral, clang::CharacterLiteral, clang::ParenExpr, clang::CastExpr,
                   clang::ArraySubscriptExpr, clang::MaterializeTemporaryExpr, clang::ConstantExpr>(node);
}

}  // namespace

bool runs_within(const region& code, const clang::Stmt& node, const clang::Expr& e) {
  return reader(code, &e).holds(node);
}

bool changes_object(const region& code, const clang::Expr& element, const clang::Expr& e) {
  return reader(code, &e).changes(element);
}

const clang::ValueDecl* changed_outside(const region& code, const clang::Expr& e) {
  reader within(code, &e);
  for (const clang::Stmt* node : code.nodes()) {
    if (const clang::ValueDecl* variable = within.changed_by(*node)) return variable;
  }
  return nullptr;
}

bool may_move(const region& code, const clang::Expr& place, const clang::Expr& e) {
  const clang::ValueDecl* const root = root_of(place);
  std::set<const clang::ValueDecl*> names;
  bool is_plain = true;
  for (const clang::Stmt* node : parts_of(place)) {
    const clang::ValueDecl* named = reader::named_by(*node);
    if (named != nullptr && named == root) continue;
    if (named != nullptr) names.insert(named);
    is_plain &= decides_by_names(*node);
  }
  if (names.empty() && is_plain) return false;  // `sum`, `sums[3].of`
  const std::vector<const clang::Stmt*> parts = parts_of(e);
  if (std::none_of(parts.begin(), parts.end(), has_an_effect)) return false;
  reader within(code, &e);
  within.count_containers();
  return std::any_of(code.nodes().begin(), code.nodes().end(), [&](const clang::Stmt* node) {
    const auto* part = llvm::dyn_cast<clang::Expr>(node);
    if (part == nullptr || !within.holds(*part)) return false;
    const clang::ValueDecl* changed = within.changed_by(*part);
    if (changed != nullptr && changed != root && (!is_plain || names.count(changed) != 0)) return true;
    return within.changed_behind(*part) != nullptr || within.changes_loaded(*part);
  });
}

std::vector<outer_change> outer_changes(const region& code) {
  std::vector<outer_change> found;
  reader all(code, nullptr);
  for (const clang::Stmt* node : code.nodes()) {
    const auto* e = llvm::dyn_cast<clang::Expr>(node);
    if (e == nullptr || code.function_of(e) == nullptr) continue;  // captures are made before the calls
    const clang::ValueDecl* changed = all.changed_by(*e);
    if (changed == nullptr) changed = all.changed_behind(*e);
    const auto* self = llvm::dyn_cast<clang::CXXThisExpr>(e);
    if (changed != nullptr)
      found.push_back({e, changed});
    else if (self != nullptr && all.changes_self(*self))
      found.push_back({e});
  }
  return found;
}

std::vector<const clang::Expr*> changed_loads(const region& code) {
  std::vector<const clang::Expr*> found;
  reader all(code, nullptr);
  for (const clang::Stmt* node : code.nodes()) {
    const auto* e = llvm::dyn_cast<clang::Expr>(node);
    if (e != nullptr && code.function_of(e) != nullptr && all.changes_loaded(*e)) found.push_back(e);
  }
  return found;
}

}  // namespace stradsap::pp
