#include "analyze/slice.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <cctype>

#include "analyze/control.hpp"
#include "analyze/excerpt.hpp"
#include "analyze/source.hpp"

namespace stradsap::pp {

namespace {

/// Thrown where a body is beyond what slices can express.
struct not_sliceable {};

class slicer {
 public:
  slicer(const region& code, const dependences& depends, const std::vector<const access*>& targets,
         const origins& written)
      : code_(code), depends_(depends), written_(written) {
    for (const access* one : targets) targets_.insert(one->call);
  }

  slice make() {
    for (const clang::Stmt* node : code_.nodes()) refuse_declarations(*node);
    for (const clang::Stmt* target : targets_) need_target(llvm::cast<clang::Expr>(*target));
    if (!follows_are_total()) throw not_sliceable{};
    print(*code_.body().getBody());
    refuse_missing_names();
    slice made{std::move(text_), {}, std::move(left_out_)};
    return made;
  }
  bool looks_at(const clang::ValueDecl* variable) const { return needed_.count(variable) != 0; }
  bool prints(const clang::Stmt& node) const {
    for (const clang::Stmt* at = &node; at != nullptr; at = code_.above(at)) {
      if (printed_.count(at) != 0) return true;
    }
    return false;
  }

 private:
  /// Types and names that are declared in the body would be missing in the slice, or unused there.
  void refuse_declarations(const clang::Stmt& node) const {
    const auto* statement = llvm::dyn_cast<clang::DeclStmt>(&node);
    if (statement == nullptr || !is_in_body(node)) return;
    for (const clang::Decl* declaration : statement->decls()) {
      if (!llvm::isa<clang::VarDecl>(declaration)) throw not_sliceable{};
    }
  }

  // ---- what the slice needs ----

  bool is_in_body(const clang::Stmt& node) const { return code_.function_of(&node) == &code_.body(); }

  void need_target(const clang::Expr& target) {
    if (!is_in_body(target)) throw not_sliceable{};
    for (const clang::Expr* argument : arguments_of(target)) need_value(*argument);
    if (const clang::Expr* object = object_of(target)) need_value(*object);
    need_control(target);
  }

  /// Everything that an expression names.
  void need_value(const clang::Stmt& node) {
    if (llvm::isa<clang::LambdaExpr>(node)) throw not_sliceable{};
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node))
      need_variable(storage_of(name->getDecl()));
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node)) need_field(member->getMemberDecl());
    for (const clang::Stmt* child : node.children()) {
      if (child != nullptr) need_value(*child);
    }
  }

  void need_variable(const clang::ValueDecl* variable) {
    if (variable == nullptr || !needed_.insert(variable).second) return;
    const auto* local = llvm::dyn_cast<clang::VarDecl>(variable);
    if (local == nullptr || !code_.declares(variable)) return;
    if (local->hasGlobalStorage()) throw not_sliceable{};
    if (local->isInitCapture()) return;  // the closure has it
    if (const clang::Expr* init = local->getInit()) {
      need_value(*init);
      need_control(*init);
    }
    for (const clang::Stmt* change : depends_.changes_of(variable)) need_statement(*change);
  }

  void need_field(const clang::ValueDecl* field) {
    if (!llvm::isa<clang::FieldDecl>(field) || !needed_.insert(field).second) return;
    for (const clang::Stmt* change : depends_.changes_of(field)) need_statement(*change);
  }

  /// The whole statement in which something is changed.
  void need_statement(const clang::Stmt& change) {
    if (!is_in_body(change)) {
      // in a function: the calls of it are what the body has
      for (const clang::Expr* call : code_.callers(code_.function_of(&change))) {
        if (is_in_body(*call)) need_statement(*call);
      }
      return;
    }
    const clang::Stmt* statement = &change;
    const clang::Stmt* above = code_.above(statement);
    while (above != nullptr && (llvm::isa<clang::Expr>(above) || llvm::isa<clang::DeclStmt>(above))) {
      statement = above;
      above = code_.above(above);
    }
    if (!kept_.insert(statement).second) return;
    if (const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(statement)) {
      for (const clang::Decl* declaration : declarations->decls())
        need_variable(llvm::dyn_cast<clang::VarDecl>(declaration));
    }
    need_value(*statement);
    need_control(*statement);
  }

  bool is_decided_by_writes(const clang::Stmt& condition) const {
    const origins found = depends_.of_value(condition);
    return std::any_of(written_.begin(), written_.end(),
                       [&](const auto* container) { return found.count(container) != 0; });
  }

  void need_control(const clang::Stmt& node) {
    for (const clang::Stmt* condition : conditions_above(code_, node)) need_condition(*condition);
    for (const clang::Stmt* exit : code_.nodes()) {
      if (!llvm::isa<clang::ReturnStmt, clang::BreakStmt, clang::ContinueStmt>(exit) || !is_in_body(*exit))
        continue;
      if (decides(code_, *exit, node)) need_exit(*exit);
    }
  }

  void need_condition(const clang::Stmt& condition) {
    if (!is_decided_by_writes(condition)) return need_value(condition);
    const auto* branch = llvm::dyn_cast_or_null<clang::IfStmt>(code_.above(&condition));
    if (branch == nullptr || branch->getCond() != &condition) throw not_sliceable{};
    left_out_.insert(&condition);
  }

  void need_exit(const clang::Stmt& exit) {
    if (exits_.count(&exit) != 0) return;
    const auto conditions = conditions_above(code_, exit);
    const bool decided = std::any_of(conditions.begin(), conditions.end(), [&](const clang::Stmt* condition) {
      return is_decided_by_writes(*condition) && llvm::isa_and_nonnull<clang::IfStmt>(code_.above(condition));
    });
    if (decided) {
      for (const clang::Stmt* condition : conditions) {
        if (is_decided_by_writes(*condition)) left_out_.insert(condition);
      }
      dropped_.insert(&exit);
      return;
    }
    exits_.insert(&exit);
    need_control(exit);
  }

  // ---- text ----

  std::string text_of(clang::SourceRange range) const {
    const std::optional<std::string> text = excerpt(code_.ast(), range);
    if (!text) throw not_sliceable{};
    return *text;
  }
  std::string text_of(const clang::Stmt& node) const { return text_of(node.getSourceRange()); }

  bool holds_something(const clang::Stmt* node) const {
    if (node == nullptr) return false;
    if (targets_.count(node) != 0 || kept_.count(node) != 0 || exits_.count(node) != 0) return true;
    if (const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(node)) {
      for (const clang::Decl* declaration : declarations->decls()) {
        if (is_needed(*declaration)) return true;
      }
    }
    return std::any_of(node->child_begin(), node->child_end(),
                       [&](const clang::Stmt* child) { return holds_something(child); });
  }
  bool is_needed(const clang::Decl& declaration) const {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
    return variable != nullptr && needed_.count(variable) != 0;
  }

  void print(const clang::Stmt& node) {
    if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&node)) return print_block(*block);
    if (!holds_something(&node)) return;
    if (const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(&node))
      return print_declarations(*declarations);
    if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(&node)) return print_if(*branch);
    if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(&node)) {
      return print_loop(*loop, {loop->getForLoc(), loop->getRParenLoc()}, *loop->getBody());
    }
    if (const auto* loop = llvm::dyn_cast<clang::CXXForRangeStmt>(&node)) {
      return print_loop(*loop, {loop->getForLoc(), loop->getRParenLoc()}, *loop->getBody());
    }
    if (const auto* loop = llvm::dyn_cast<clang::WhileStmt>(&node)) {
      return print_loop(*loop, {loop->getWhileLoc(), loop->getRParenLoc()}, *loop->getBody());
    }
    if (const auto* exit = llvm::dyn_cast<clang::ReturnStmt>(&node)) {
      if (exit->getRetValue() != nullptr) throw not_sliceable{};
      text_ += "return; ";
      return;
    }
    if (llvm::isa<clang::BreakStmt>(node)) return void(text_ += "break; ");
    if (llvm::isa<clang::ContinueStmt>(node)) return void(text_ += "continue; ");
    if (!llvm::isa<clang::Expr>(node)) throw not_sliceable{};
    if (kept_.count(&node) != 0) return print_whole(node);
    print_targets(node);
  }

  void print_whole(const clang::Stmt& node) {
    printed_.insert(&node);
    const std::string text = text_of(node);
    text_ += text + (text.ends_with(';') ? " " : "; ");
  }

  /// The accesses of an expression whose value nobody needs, outermost first: they contain the others.
  void print_targets(const clang::Stmt& node) {
    if (targets_.count(&node) != 0) {
      text_ += "(void)(" + text_of(node) + "); ";
      printed_arguments(llvm::cast<clang::Expr>(node));
      return;
    }
    const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&node);
    const bool may_skip =
        llvm::isa<clang::AbstractConditionalOperator>(node) || (op != nullptr && op->isLogicalOp());
    for (const clang::Stmt* child : node.children()) {
      if (!holds_something(child)) continue;
      if (may_skip && child != *node.child_begin()) throw not_sliceable{};
      print_targets(*child);
    }
  }
  /// What stands in a subscript is looked at.
  void printed_arguments(const clang::Expr& target) {
    for (const clang::Expr* argument : arguments_of(target)) printed_.insert(argument);
    if (const clang::Expr* object = object_of(target)) printed_.insert(object);
  }

  void print_block(const clang::CompoundStmt& block) {
    text_ += "{ ";
    for (const clang::Stmt* child : block.children()) print(*child);
    text_ += "} ";
  }

  void print_declarations(const clang::DeclStmt& statement) {
    const auto needed = [&](const clang::Decl* declaration) { return is_needed(*declaration); };
    if (std::none_of(statement.decl_begin(), statement.decl_end(), needed) && kept_.count(&statement) == 0) {
      for (const clang::Decl* declaration : statement.decls()) {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
        if (variable != nullptr && variable->getInit() != nullptr) print_targets(*variable->getInit());
      }
      return;
    }
    if (!std::all_of(statement.decl_begin(), statement.decl_end(), needed)) throw not_sliceable{};
    print_whole(statement);
    for (const clang::Decl* declaration : statement.decls()) {
      const auto* variable = llvm::cast<clang::VarDecl>(declaration);
      mark_used(*variable);
    }
  }
  void mark_used(const clang::VarDecl& variable) {
    const auto* tuple = llvm::dyn_cast<clang::DecompositionDecl>(&variable);
    if (tuple == nullptr) return mark_name_used(variable.getNameAsString());
    for (const clang::BindingDecl* binding : tuple->bindings()) mark_name_used(binding->getNameAsString());
  }
  void mark_name_used(const std::string& name) {
    declared_.insert(name);
    text_ += "(void)" + name + "; ";
  }

  /// Names in types, `int row[width]`, are no expressions of the tree: a local that is missing must not be
  /// named.
  void refuse_missing_names() const {
    for (const clang::VarDecl* variable : code_.variables()) {
      const bool local = variable->getDeclContext() == static_cast<const clang::DeclContext*>(&code_.body());
      const bool missing = local && needed_.count(variable) == 0 && variable != code_.index();
      const bool declared = declared_.count(variable->getNameAsString()) != 0;
      if (missing && !declared && !variable->getName().empty() && names(variable->getName()))
        throw not_sliceable{};
    }
  }
  bool names(llvm::StringRef identifier) const {
    const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (std::size_t at = text_.find(identifier.str()); at != std::string::npos;
         at = text_.find(identifier.str(), at + 1)) {
      const std::size_t end = at + identifier.size();
      if ((at == 0 || !is_part(text_[at - 1])) && (end == text_.size() || !is_part(text_[end]))) return true;
    }
    return false;
  }

  void print_if(const clang::IfStmt& branch) {
    if (branch.getInit() != nullptr || branch.getConditionVariable() != nullptr || branch.isConsteval())
      throw not_sliceable{};
    if (left_out_.count(branch.getCond()) != 0) {
      print_targets(*branch.getCond());
      print_unguarded(branch.getThen());
      print_unguarded(branch.getElse());
      return;
    }
    const bool matters = holds_something(branch.getThen()) || holds_something(branch.getElse());
    if (!matters) return print_targets(*branch.getCond());
    printed_.insert(branch.getCond());
    text_ +=
        std::string(branch.isConstexpr() ? "if constexpr (" : "if (") + text_of(*branch.getCond()) + ") { ";
    if (branch.getThen() != nullptr) print(*branch.getThen());
    text_ += "} ";
    if (!holds_something(branch.getElse())) return;
    text_ += "else { ";
    print(*branch.getElse());
    text_ += "} ";
  }

  /// What stood under a condition that was left out: only what cannot go wrong where the condition does not
  /// hold.
  void print_unguarded(const clang::Stmt* node) {
    if (!holds_something(node)) return;
    if (!is_total(*node)) throw not_sliceable{};
    text_ += "{ ";
    print(*node);
    text_ += "} ";
  }
  /// What follows a jump that was left out is run where it would not have been.
  bool follows_are_total() const {
    bool after = false;
    for (const clang::Stmt* child : code_.body().getBody()->children()) {
      after |= std::any_of(dropped_.begin(), dropped_.end(),
                           [&](const clang::Stmt* exit) { return is_below(*exit, *child); });
      if (after && !is_total(*child)) return false;
    }
    return true;
  }
  bool is_below(const clang::Stmt& node, const clang::Stmt& top) const {
    const clang::Stmt* at = &node;
    while (at != nullptr && at != &top) at = code_.above(at);
    return at == &top;
  }
  static bool asks_for_size(const clang::CallExpr& call) {
    const clang::FunctionDecl* callee = call.getDirectCallee();
    if (callee == nullptr || callee->getIdentifier() == nullptr || !is_in_std(*callee)) return false;
    return callee->getName() == "size" || callee->getName() == "empty";
  }
  bool is_total(const clang::Stmt& node) const {
    if (!holds_something(&node) && !llvm::isa<clang::Expr>(node)) return true;  // will not be printed
    if (llvm::isa<clang::WhileStmt, clang::DoStmt, clang::ReturnStmt, clang::BreakStmt, clang::ContinueStmt,
                  clang::ArraySubscriptExpr, clang::CXXThrowExpr, clang::CXXNewExpr>(node)) {
      return false;
    }
    if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&node)) {
      if (op->isMultiplicativeOp() && op->getOpcode() != clang::BO_Mul &&
          !op->getRHS()->isEvaluatable(code_.ast()))
        return false;
      if (op->isAssignmentOp() && kept_.count(&node) != 0) return false;
    }
    if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(&node)) {
      if (step->getOpcode() == clang::UO_Deref) return false;
    }
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) {
      const clang::Expr* object = object_of(*call);
      const bool access = object != nullptr && (is_container(object->getType()) || asks_for_size(*call));
      if (!access && (call->getDirectCallee() == nullptr || call->getDirectCallee()->getBuiltinID() == 0))
        return false;
    }
    if (const auto* loop = llvm::dyn_cast<clang::CXXForRangeStmt>(&node)) {
      return is_total(*loop->getRangeInit()) && is_total(*loop->getBody());
    }
    if (const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(&node)) {
      for (const clang::Decl* declaration : declarations->decls()) {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
        if (variable == nullptr) return false;
        if (variable->getInit() != nullptr && !is_total(*variable->getInit())) return false;
      }
      return true;
    }
    return std::all_of(node.child_begin(), node.child_end(),
                       [&](const clang::Stmt* child) { return child == nullptr || is_total(*child); });
  }

  void print_loop(const clang::Stmt& loop, clang::SourceRange head, const clang::Stmt& body) {
    for (const clang::Stmt* child : loop.children()) {
      if (child != nullptr && child != &body) printed_.insert(child);
    }
    for (const clang::VarDecl* variable : code_.variables()) {
      const clang::Stmt* declaration = code_.declaration_of(variable);
      if (declaration != nullptr && code_.above(declaration) == &loop)
        declared_.insert(variable->getNameAsString());
    }
    text_ += text_of(head) + " { ";
    if (const auto* ranged = llvm::dyn_cast<clang::CXXForRangeStmt>(&loop))
      mark_used(*ranged->getLoopVariable());
    print(body);
    text_ += "} ";
  }

  const region& code_;
  const dependences& depends_;
  const origins& written_;
  std::set<const clang::Stmt*> targets_;
  std::set<const clang::ValueDecl*> needed_;  // variables and fields
  std::set<const clang::Stmt*> kept_;         // statements whose effect is needed
  std::set<const clang::Stmt*> exits_;        // jumps that are
  std::set<const clang::Stmt*> left_out_;     // conditions
  std::set<const clang::Stmt*> printed_;      // whose values are computed in the slice
  std::set<const clang::Stmt*> dropped_;      // jumps that were left out
  std::set<std::string> declared_;            // names of the slice's own variables
  std::string text_;
};

}  // namespace

std::optional<slice> find_slice(const region& code, const dependences& depends,
                                const std::vector<const access*>& targets, const origins& written) {
  try {
    slicer work(code, depends, targets, written);
    slice made = work.make();
    for (const access* one : targets) {
      for (const clang::ValueDecl* container : one->containers) made.only_named.insert(container);
    }
    for (const access* one : targets) {
      if (!work.prints(*one->call)) continue;
      for (const clang::ValueDecl* container : one->containers) made.only_named.erase(container);
    }
    return made;
  } catch (const not_sliceable&) {
    return std::nullopt;
  }
}

}  // namespace stradsap::pp
