#include "analyze/slice_parts.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>

#include "analyze/control.hpp"
#include "analyze/source.hpp"

namespace stradsap::pp {

bool slice_parts::needs(const clang::Decl& declaration) const {
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
  return variable != nullptr && needed.count(variable) != 0;
}

bool slice_parts::holds(const clang::Stmt* node) const {
  if (node == nullptr) return false;
  if (targets.count(node) != 0 || kept.count(node) != 0 || exits.count(node) != 0) return true;
  if (const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(node)) {
    const auto is_needed = [&](const clang::Decl* declaration) { return needs(*declaration); };
    if (std::any_of(declarations->decl_begin(), declarations->decl_end(), is_needed)) return true;
  }
  return std::any_of(node->child_begin(), node->child_end(),
                     [&](const clang::Stmt* child) { return holds(child); });
}

namespace {

class collector {
 public:
  collector(const region& code, const dependences& depends, const std::vector<const access*>& targets,
            const origins& written)
      : code_(code), depends_(depends), written_(written) {
    for (const access* one : targets) parts_.targets.insert(one->call);
  }

  slice_parts collect() {
    const std::set<const clang::Stmt*> accesses = parts_.targets;
    for (const clang::Stmt* target : accesses) need_target(llvm::cast<clang::Expr>(*target));
    return std::move(parts_);
  }

 private:
  bool is_in_body(const clang::Stmt& node) const { return code_.function_of(&node) == &code_.body(); }

  void need_target(const clang::Expr& target) {
    if (!is_in_body(target)) return need_calls_of(code_.function_of(&target));
    for (const clang::Expr* argument : arguments_of(target)) need_value(*argument);
    if (const clang::Expr* object = object_of(target)) need_value(*object);
    need_place(target);
  }

  /// What happens in a function happens in the slice by calling it.
  void need_calls_of(const clang::FunctionDecl* function) {
    if (function == nullptr || code_.hidden().count(function) != 0)
      throw not_sliceable{"an element is reached by a function that nobody calls in the text"};
    if (!called_.insert(function).second) return;
    for (const clang::Expr* call : code_.callers(function)) {
      if (!is_in_body(*call)) {
        need_calls_of(code_.function_of(call));
      } else if (!llvm::isa<clang::CallExpr>(call)) {
        need_statement(*call);
      } else if (parts_.targets.insert(call).second) {
        need_target(*call);
      }
    }
  }

  /// Everything that an expression, or a statement that is kept, names.
  void need_value(const clang::Stmt& node) {
    if (const auto* self = llvm::dyn_cast<clang::CXXThisExpr>(&node)) refuse_unless_member(*self);
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node))
      need_variable(storage_of(name->getDecl()));
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node)) need_field(member->getMemberDecl());
    if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&node)) {
      if (lambda->getDependentCallOperator() != nullptr)
        throw not_sliceable{"a subscript needs a generic lambda"};
      need_value(*lambda->getBody());
    }
    for (const clang::Stmt* child : node.children()) {
      if (child != nullptr) need_value(*child);
    }
  }

  /// In a slice the members of a functor are parameters of their names, and there is no `this`.
  void refuse_unless_member(const clang::CXXThisExpr& self) const {
    const clang::Stmt* above = code_.above(&self);
    while (above != nullptr && llvm::isa<clang::ImplicitCastExpr>(above)) above = code_.above(above);
    const auto* member = llvm::dyn_cast_or_null<clang::MemberExpr>(above);
    const bool by_name =
        self.isImplicit() && member != nullptr && llvm::isa<clang::FieldDecl>(member->getMemberDecl());
    if (!by_name) throw not_sliceable{"a subscript needs a member function of the functor"};
  }

  void need_variable(const clang::ValueDecl* variable) {
    if (variable == nullptr || !parts_.needed.insert(variable).second) return;
    const auto* local = llvm::dyn_cast<clang::VarDecl>(variable);
    if (local == nullptr || !code_.declares(variable)) return;
    if (local->hasGlobalStorage()) throw not_sliceable{"a subscript needs a static variable"};
    if (local->isInitCapture()) return;  // the closure has it
    const auto* scope = static_cast<const clang::DeclContext*>(&code_.body());
    if (local->getDeclContext() != scope) return;  // of a lambda, which is kept whole
    if (const clang::Expr* init = local->getInit()) {
      need_value(*init);
      need_place(*init);
    }
    need_neighbours(*local);
    for (const clang::Stmt* change : depends_.changes_of(variable)) need_statement(*change);
  }

  /// `int target, label;` is one text: the initialisers of all of them come along.
  void need_neighbours(const clang::VarDecl& variable) {
    const auto* statement = llvm::dyn_cast_or_null<clang::DeclStmt>(code_.declaration_of(&variable));
    if (statement == nullptr || statement->isSingleDecl()) return;
    for (const clang::Decl* declaration : statement->decls()) {
      const auto* other = llvm::dyn_cast<clang::VarDecl>(declaration);
      if (other == nullptr) throw not_sliceable{"a declaration mixes variables and types"};
      if (other->getInit() != nullptr) need_value(*other->getInit());
    }
  }

  void need_field(const clang::ValueDecl* field) {
    if (!llvm::isa<clang::FieldDecl>(field) || !parts_.needed.insert(field).second) return;
    if (is_container(field->getType())) return;  // a functor's, captured as others are
    for (const clang::Stmt* change : depends_.changes_of(field)) need_statement(*change);
  }

  /// The whole statement in which something is changed.
  void need_statement(const clang::Stmt& change) {
    if (!is_in_body(change)) return need_calls_of(code_.function_of(&change));
    const clang::Stmt* statement = &change;
    const clang::Stmt* above = code_.above(statement);
    while (above != nullptr && (llvm::isa<clang::Expr>(above) || llvm::isa<clang::DeclStmt>(above))) {
      statement = above;
      above = code_.above(above);
    }
    keep(*statement);
    need_place(*statement);
  }

  void keep(const clang::Stmt& statement) {
    if (!parts_.kept.insert(&statement).second) return;
    if (const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(&statement)) {
      for (const clang::Decl* declaration : declarations->decls())
        need_variable(llvm::dyn_cast<clang::VarDecl>(declaration));
    }
    need_value(statement);
  }

  bool is_decided_by_writes(const clang::Stmt& condition) const {
    const origins found = depends_.of_value(condition);
    return std::any_of(written_.begin(), written_.end(),
                       [&](const auto* container) { return found.count(container) != 0; });
  }

  /// The statements around a node, and what decides whether it runs.
  void need_place(const clang::Stmt& node) {
    for (const clang::Stmt* at = code_.above(&node); at != nullptr; at = code_.above(at)) {
      if (llvm::isa<clang::SwitchStmt>(at)) keep(*at);
    }
    for (const clang::Stmt* condition : conditions_above(code_, node)) {
      if (condition != nullptr) need_condition(*condition);
    }
    for (const clang::Stmt* exit : code_.nodes()) {
      if (!llvm::isa<clang::ReturnStmt, clang::BreakStmt, clang::ContinueStmt>(exit) || !is_in_body(*exit))
        continue;
      if (decides(code_, *exit, node)) need_exit(*exit);
    }
  }

  /// A branch that can be taken both ways: more may be found than will be touched.
  static bool is_branch(const clang::Stmt& node, const clang::Stmt& condition) {
    if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(&node)) return branch->getCond() == &condition;
    if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&node)) return op->isLogicalOp();
    return llvm::isa<clang::ConditionalOperator>(node);
  }

  void need_condition(const clang::Stmt& condition) {
    const clang::Stmt* above = code_.above(&condition);
    if (is_decided_by_writes(condition)) {
      if (above == nullptr || !is_branch(*above, condition))
        throw not_sliceable{"what decides is written by the loop, and is no branch"};
      parts_.left_out.insert(&condition);
      return;
    }
    need_value(condition);
    const auto* branch = llvm::dyn_cast_or_null<clang::IfStmt>(above);
    if (branch == nullptr) return;
    if (branch->getInit() != nullptr) keep(*branch->getInit());
    if (branch->getConditionVariableDeclStmt() != nullptr) keep(*branch->getConditionVariableDeclStmt());
  }

  void need_exit(const clang::Stmt& exit) {
    if (parts_.exits.count(&exit) != 0) return;
    const auto conditions = conditions_above(code_, exit);
    const bool decided = std::any_of(conditions.begin(), conditions.end(), [&](const clang::Stmt* condition) {
      return condition != nullptr && is_decided_by_writes(*condition) &&
             llvm::isa_and_nonnull<clang::IfStmt>(code_.above(condition));
    });
    if (decided) {
      for (const clang::Stmt* condition : conditions) {
        if (condition != nullptr && is_decided_by_writes(*condition)) parts_.left_out.insert(condition);
      }
      parts_.dropped.insert(&exit);
      return;
    }
    parts_.exits.insert(&exit);
    need_place(exit);
  }

  const region& code_;
  const dependences& depends_;
  const origins& written_;
  std::set<const clang::FunctionDecl*> called_;
  slice_parts parts_;
};

}  // namespace

slice_parts find_slice_parts(const region& code, const dependences& depends,
                             const std::vector<const access*>& targets, const origins& written) {
  return collector(code, depends, targets, written).collect();
}

}  // namespace stradsap::pp
