#include "analyze/slicing/slice_parts.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <map>

#include "analyze/code/control.hpp"
#include "analyze/code/counting_loop.hpp"
#include "analyze/code/fields.hpp"
#include "analyze/code/place_comparisons.hpp"
#include "analyze/slicing/sliced_functions.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

bool slice_parts::needs(const clang::Decl& declaration) const {
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
  return variable != nullptr && (needed.count(variable) != 0 || places.count(variable) != 0);
}

std::vector<const clang::Expr*> slice_parts::needed_arguments(const clang::Expr& target) const {
  std::vector<const clang::Expr*> arguments = arguments_of(target);
  const auto known = functions.find(visible_definition(callee_of(target)));
  if (known == functions.end()) return arguments;
  std::vector<const clang::Expr*> needed;
  for (const unsigned i : known->second) {
    if (i < arguments.size()) needed.push_back(arguments[i]);
  }
  return needed;
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

/// Thrown if the slice must call a function whole.
struct needed_whole {
  const clang::FunctionDecl* function;
};

class collector {
 public:
  collector(const region& code, const dependences& depends, const slice_goal& goal,
            const std::set<const clang::FunctionDecl*>& apart)
      : code_(code), depends_(depends), goal_(goal), apart_(apart) {
    for (const access* one : goal.targets) parts_.targets.insert(one->call);
    for (const access& one : goal.accesses) {
      if (one.reach) reaches_[one.call] = &*one.reach;
      for (const given_reach& by : one.given) reaches_[by.call] = &*one.reach;
    }
  }

  slice_parts collect() {
    const std::set<const clang::Stmt*> accesses = parts_.targets;
    for (const clang::Stmt* target : accesses) need_target(llvm::cast<clang::Expr>(*target));
    for (const auto& [loop, ends] : ended_by_writes_) {
      if (repeats_itself(*loop)) {
        parts_.once.insert(loop);
      } else if (!ends) {
        throw not_sliceable{"a loop that what this loop writes ends comes to other elements each time"};
      }
    }
    return std::move(parts_);
  }

 private:
  bool is_in_body(const clang::Stmt& node) const { return code_.function_of(&node) == &code_.body(); }

  /// Whether the slice runs the text around a node statement by statement.
  bool is_taken_apart(const clang::Stmt& node) const {
    return is_in_body(node) || apart_.count(code_.function_of(&node)) != 0;
  }

  void need_target(const clang::Expr& target) {
    const clang::FunctionDecl* function = code_.function_of(&target);
    if (!is_in_body(target)) {
      need_changes_behind(depends_.of_access(target));
      need_calls_of(function, /*change=*/false);
    }
    if (!is_taken_apart(target)) return;
    need_reach(target);
    if (const clang::Expr* object = object_of(target)) need_value(*object);
    for (const clang::Expr* argument : parts_.needed_arguments(target)) need_value(*argument);
    need_place(target);
  }

  /// Adds the arguments that calls pass for a parameter of a function with a slice of its own.
  void need_parameter(const clang::FunctionDecl& function, const clang::ParmVarDecl& parameter) {
    const unsigned number = parameter.getFunctionScopeIndex();
    if (!parts_.functions.at(&function).insert(number).second) return;
    for (const clang::Expr* call : code_.callers(&function)) {
      if (parts_.targets.count(call) == 0) continue;
      const std::vector<const clang::Expr*> arguments = arguments_of(*call);
      if (number >= arguments.size() || llvm::isa<clang::CXXDefaultArgExpr>(arguments[number]))
        throw needed_whole{&function};
      need_value(*arguments[number]);
    }
  }

  /// Adds the calls of a function: as accesses, or as whole statements if the slice needs its changes, so
  /// that they happen as often as in the body.
  void need_calls_of(const clang::FunctionDecl* function, bool change) {
    if (function == nullptr || code_.hidden().count(function) != 0)
      throw not_sliceable{"an element is reached by a function that nobody calls in the text"};
    if (!called_.emplace(function, change).second) return;
    if (apart_.count(function) != 0) {
      if (change) throw needed_whole{function};
      parts_.functions[function];
    }
    for (const clang::Expr* call : code_.callers(function)) {
      const clang::FunctionDecl* around = code_.function_of(call);
      const bool is_apart = !is_in_body(*call) && apart_.count(around) != 0;
      if (is_apart && (change || !llvm::isa<clang::CallExpr>(call))) throw needed_whole{around};
      if (!is_taken_apart(*call)) {
        if (apart_.count(function) != 0) throw needed_whole{function};
        need_calls_of(around, change);
      } else if (change || !llvm::isa<clang::CallExpr>(call)) {
        need_statement(*call);
      } else if (parts_.targets.insert(call).second) {
        need_target(*call);
      }
    }
  }

  /// Adds all names in an expression or a kept statement.
  void need_value(const clang::Stmt& node) {
    if (const auto compared = place_comparison_of(code_, node)) return need_places(*compared);
    if (const auto* self = llvm::dyn_cast<clang::CXXThisExpr>(&node)) refuse_unless_member(*self);
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node)) need_name(*name->getDecl());
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node)) need_field(member->getMemberDecl());
    if (const auto* expression = llvm::dyn_cast<clang::Expr>(&node)) {
      need_reach(*expression);
      need_changes_before(*expression);
      need_function(*expression);
    }
    if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&node)) {
      if (lambda->getDependentCallOperator() != nullptr)
        throw not_sliceable{"a subscript needs a generic lambda"};
      need_value(*lambda->getBody());
    }
    for (const clang::Stmt* child : node.children()) {
      if (child != nullptr) need_value(*child);
    }
  }

  /// Adds what decides a comparison of addresses. The elements themselves do not.
  void need_places(const place_comparison& compared) {
    for (const clang::Expr* subscript : compared.subscripts) need_value(*subscript);
    for (const clang::Expr* access : compared.accesses) {
      need_value(*object_of(*access));
      need_reach(*access);
    }
    for (const clang::VarDecl* name : compared.names) {
      if (!parts_.places.insert(name).second) continue;
      need_place(*name->getInit());
      need_neighbours(*name);
    }
  }

  /// Adds the expressions in the reach of a pointer that starts at an access.
  void need_reach(const clang::Expr& access) {
    const auto known = reaches_.find(&access);
    if (known == reaches_.end()) return;
    const pointer_reach* const reach = known->second;
    reaches_.erase(known);
    for (const clang::Expr* part : reach->parts) need_value(*part);
  }

  /// Adds earlier writes of the same iteration to an element: `X[j] = c; ... w[X[j]]`. A reference to the
  /// element may be read later, so that all writes to it are added.
  void need_changes_before(const clang::Expr& element) {
    const clang::Expr* object = object_of(element);
    if (object == nullptr || !is_container(object->getType())) return;
    const bool at_once = is_read_at_once(element);
    for (const clang::ValueDecl* container : depends_.storage(*object)) {
      if (goal_.written_aligned.count(container) == 0) continue;
      for (const clang::Stmt* change : depends_.changes_of(container)) {
        if (!at_once || may_precede(code_, *change, element)) need_change(*change);
      }
    }
  }

  /// Adds the writes of the same iteration to elements of these containers, for a function that reads them.
  void need_changes_behind(const origins& found) {
    for (const clang::ValueDecl* container : goal_.written_aligned) {
      if (found.count(container) == 0) continue;
      for (const clang::Stmt* change : depends_.changes_of(container)) need_change(*change);
    }
  }

  void need_change(const clang::Stmt& change) {
    if (changes_.insert(&change).second) need_statement(change);
  }

  /// Whether the element's value is read here: X[j], X[j].field, X[j][2].
  bool is_read_at_once(const clang::Expr& element) const {
    const clang::Stmt* at = &element;
    do at = code_.above(at);
    while (at != nullptr && llvm::isa<clang::MemberExpr, clang::ArraySubscriptExpr, clang::ParenExpr>(at));
    const auto* cast = llvm::dyn_cast_or_null<clang::ImplicitCastExpr>(at);
    return cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue;
  }

  /// Adds the data besides the arguments that a called function reads.
  void need_function(const clang::Expr& call) {
    const clang::FunctionDecl* function = callee_of(call);
    if (visible_definition(function) == nullptr) {
      for (const clang::Expr* argument : arguments_of(call)) need_fields_within(argument->getType());
      if (const clang::Expr* object = object_of(call)) need_fields_within(object->getType());
      return;
    }
    need_fields_in(function);
    need_changes_behind(depends_.of_value(call));
  }

  /// Adds the fields that a function reads.
  void need_fields_in(const clang::FunctionDecl* function) {
    const clang::FunctionDecl* definition = visible_definition(function);
    if (definition == nullptr || !looked_into_.insert(definition).second) return;
    need_fields_in(*definition->getBody());
    const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(definition);
    if (constructor == nullptr) return;
    for (const clang::CXXCtorInitializer* init : constructor->inits()) need_fields_in(*init->getInit());
  }
  void need_fields_in(const clang::Stmt& node) {
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node)) need_field(member->getMemberDecl());
    if (const auto* expression = llvm::dyn_cast<clang::Expr>(&node)) need_fields_in(callee_of(*expression));
    for (const clang::Stmt* child : node.children()) {
      if (child != nullptr) need_fields_in(*child);
    }
  }

  /// Refuses `this` of a functor except before a member's name. In a slice the members of a functor are
  /// parameters of the same names. The slice of a lambda has the lambda's own `this`.
  void refuse_unless_member(const clang::CXXThisExpr& self) const {
    if (code_.lambda() != nullptr) return;
    const clang::Stmt* above = code_.above(&self);
    while (above != nullptr && llvm::isa<clang::ImplicitCastExpr>(above)) above = code_.above(above);
    const auto* member = llvm::dyn_cast_or_null<clang::MemberExpr>(above);
    const bool by_name =
        self.isImplicit() && member != nullptr && llvm::isa<clang::FieldDecl>(member->getMemberDecl());
    if (!by_name) throw not_sliceable{"a subscript needs a member function of the functor"};
  }

  void need_name(const clang::ValueDecl& name) {
    need_variable(storage_of(&name));
    if (const clang::FieldDecl* field = bound_field(name)) need_field(field);
    const auto* binding = llvm::dyn_cast<clang::BindingDecl>(&name);
    if (binding != nullptr && binding->getHoldingVar() != nullptr)  // std::get knows the field
      need_fields_within(llvm::cast<clang::ValueDecl>(binding->getDecomposedDecl())->getType());
  }

  void need_variable(const clang::ValueDecl* variable) {
    if (variable == nullptr || !parts_.needed.insert(variable).second) return;
    const auto* local = llvm::dyn_cast<clang::VarDecl>(variable);
    if (local == nullptr || !code_.declares(variable)) return;
    if (local->hasGlobalStorage()) throw not_sliceable{"a subscript needs a static variable"};
    if (local->isInitCapture()) return;  // the closure has it
    const auto* scope = llvm::dyn_cast<clang::FunctionDecl>(local->getDeclContext());
    const bool is_apart = parts_.functions.count(scope) != 0;
    if (scope != &code_.body() && !is_apart) return;  // of a lambda, which is kept whole
    if (is_apart) return need_variable_of(*scope, *local);
    if (const clang::Expr* init = local->getInit()) {
      need_value(*init);
      need_place(*init);
    }
    need_neighbours(*local);
    for (const clang::Stmt* change : depends_.changes_of(variable)) need_statement(*change);
  }

  /// The same for a variable of a function with a slice of its own. Its changes must be in the function, and
  /// change nothing else.
  void need_variable_of(const clang::FunctionDecl& function, const clang::VarDecl& local) {
    const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(&local);
    static const std::vector<const clang::Stmt*> none;  // need_changes_before() adds those of elements
    const std::vector<const clang::Stmt*>& changes =
        is_container(local.getType()) ? none : depends_.changes_of(&local);
    const bool refers = local.getType()->isReferenceType() || local.getType()->isPointerType();
    for (const clang::Stmt* change : changes) {
      if (refers || code_.function_of(change) != &function) throw needed_whole{&function};
    }
    if (parameter != nullptr) need_parameter(function, *parameter);
    if (parameter == nullptr && local.getInit() != nullptr) {
      need_value(*local.getInit());
      need_place(*local.getInit());
    }
    need_neighbours(local);
    for (const clang::Stmt* change : changes) keep_around(*change);
  }

  /// Adds the initialisers of all variables in one declaration, such as `int target, label;`.
  void need_neighbours(const clang::VarDecl& variable) {
    const auto* statement = llvm::dyn_cast_or_null<clang::DeclStmt>(code_.declaration_of(&variable));
    if (statement == nullptr || statement->isSingleDecl()) return;
    for (const clang::Decl* declaration : statement->decls()) {
      const auto* other = llvm::dyn_cast<clang::VarDecl>(declaration);
      if (other == nullptr) throw not_sliceable{"a declaration mixes variables and types"};
      if (other->getInit() != nullptr) need_value(*other->getInit());
    }
  }

  void need_fields_within(clang::QualType type) {
    if (is_container(type)) return;
    for (const clang::FieldDecl* field : fields_within(type)) need_field(field);
  }

  void need_field(const clang::ValueDecl* field) {
    if (!llvm::isa<clang::FieldDecl>(field) || !parts_.needed.insert(field).second) return;
    if (is_container(field->getType())) return;  // a functor's member is captured like others
    for (const clang::Stmt* change : depends_.changes_of(field)) need_statement(*change);
  }

  /// Adds the whole statement around a change.
  void need_statement(const clang::Stmt& change) {
    if (!is_in_body(change)) return need_calls_of(code_.function_of(&change), /*change=*/true);
    keep_around(change);
  }

  void keep_around(const clang::Stmt& change) {
    const clang::Stmt* statement = &change;
    const clang::Stmt* above = code_.above(statement);
    while (above != nullptr && (llvm::isa<clang::Expr>(above) || llvm::isa<clang::DeclStmt>(above))) {
      statement = above;
      above = code_.above(above);
    }
    keep(*statement);
    need_place(*statement);
  }

  /// Slices of functions return nothing.
  static bool returns(const clang::Stmt* node) {
    if (node == nullptr || llvm::isa<clang::LambdaExpr>(node)) return false;
    return llvm::isa<clang::ReturnStmt>(node) || std::any_of(node->child_begin(), node->child_end(), returns);
  }

  /// Adds a statement for its effects. A variable that it declares counts only if something else needs it: in
  /// `Row& b = out[draw() % n];` the slice needs the draw, and no changes of the row.
  void keep(const clang::Stmt& statement) {
    if (!parts_.kept.insert(&statement).second) return;
    if (!is_in_body(statement) && returns(&statement)) throw needed_whole{code_.function_of(&statement)};
    if (const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(&statement)) refuse_statics(*declarations);
    need_value(statement);
  }

  static void refuse_statics(const clang::DeclStmt& statement) {
    for (const clang::Decl* declaration : statement.decls()) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
      if (variable != nullptr && variable->hasGlobalStorage())
        throw not_sliceable{"a subscript needs a static variable"};
    }
  }

  /// Whether the slice omits the condition.
  bool is_omitted(const clang::Stmt& condition) const {
    if (goal_.omissible.count(&condition) != 0) return true;
    const origins found = depends_.of_value(condition);
    return std::any_of(goal_.written.begin(), goal_.written.end(),
                       [&](const auto* container) { return found.count(container) != 0; });
  }

  /// Adds the statements around a node, and the conditions and jumps that decide whether it runs.
  void need_place(const clang::Stmt& node) {
    for (const clang::Stmt* at = code_.above(&node); at != nullptr; at = code_.above(at)) {
      if (llvm::isa<clang::SwitchStmt>(at)) keep(*at);
    }
    for (const clang::Stmt* condition : conditions_above(code_, node)) {
      if (condition != nullptr) need_condition(*condition);
    }
    for (const clang::Stmt* exit : code_.nodes()) {
      if (!llvm::isa<clang::ReturnStmt, clang::BreakStmt, clang::ContinueStmt>(exit) ||
          code_.function_of(exit) != code_.function_of(&node))
        continue;
      if (decides(code_, *exit, node)) need_exit(*exit);
    }
  }

  bool is_within(const clang::Stmt* node, const clang::Stmt& top) const {
    while (node != nullptr && node != &top) node = code_.above(node);
    return node != nullptr;
  }

  /// Whether the variable is declared in the repeated part of a loop.
  bool is_made_anew(const clang::ValueDecl* variable, const clang::Stmt& loop) const {
    const clang::Stmt* declared = code_.declaration_of(variable);
    if (!is_within(declared, loop)) return false;
    if (const auto* plain = llvm::dyn_cast<clang::ForStmt>(&loop)) return declared != plain->getInit();
    const auto* ranged = llvm::dyn_cast<clang::CXXForRangeStmt>(&loop);
    return ranged == nullptr || (declared != ranged->getRangeStmt() && declared != ranged->getBeginStmt() &&
                                 declared != ranged->getEndStmt());
  }

  /// Whether the variable is the index of a loop and the loop's body does not use it.
  bool only_counts(const clang::ValueDecl* variable, const clang::Stmt& loop) const {
    const auto* plain = llvm::dyn_cast<clang::ForStmt>(&loop);
    const auto counted = plain == nullptr ? std::nullopt : counting_loop_of(code_, *plain);
    if (!counted || counted->index != variable) return false;
    const auto& uses = code_.uses(variable);
    return std::none_of(uses.begin(), uses.end(),
                        [&](const clang::Expr* use) { return is_within(use, *plain->getBody()); });
  }

  /// Whether all rounds of a loop find the same: the slice's data from outside the loop do not change, and no
  /// jump leaves it.
  bool repeats_itself(const clang::Stmt& loop) const {
    const auto changes_there = [&](const clang::Stmt* change) {
      return !is_in_body(*change) || is_within(change, loop);
    };
    const auto stays = [&](const clang::ValueDecl* needed) {
      if (goal_.written.count(needed) != 0 || is_made_anew(needed, loop)) return true;
      if (only_counts(needed, loop)) return true;
      const auto& changes = depends_.changes_of(needed);
      return std::none_of(changes.begin(), changes.end(), changes_there);
    };
    const auto leaves = [&](const clang::Stmt* exit) {
      const clang::Stmt* left = left_by(code_, *exit);
      return is_within(exit, loop) && (left == nullptr || left == &loop || !is_within(left, loop));
    };
    return !declares_in_condition(loop) && std::all_of(parts_.needed.begin(), parts_.needed.end(), stays) &&
           std::none_of(parts_.exits.begin(), parts_.exits.end(), leaves);
  }

  static bool declares_in_condition(const clang::Stmt& loop) {
    if (const auto* plain = llvm::dyn_cast<clang::ForStmt>(&loop))
      return plain->getConditionVariable() != nullptr;
    const auto* loop_while = llvm::dyn_cast<clang::WhileStmt>(&loop);
    return loop_while != nullptr && loop_while->getConditionVariable() != nullptr;
  }

  bool surely_ends(const clang::Stmt& loop) const {
    const auto* plain = llvm::dyn_cast<clang::ForStmt>(&loop);
    const auto counted = plain == nullptr ? std::nullopt : counting_loop_of(code_, *plain);
    return llvm::isa<clang::CXXForRangeStmt>(loop) || (counted && counted->surely_ends());
  }

  /// Drops a jump. A loop that it would leave might then never end.
  void drop(const clang::Stmt& exit) {
    parts_.dropped.insert(&exit);
    if (llvm::isa<clang::ContinueStmt>(exit)) return;
    const clang::Stmt* left = left_by(code_, exit);
    for (const clang::Stmt* at = code_.above(&exit); at != nullptr; at = code_.above(at)) {
      if (is_loop(*at)) ended_by_writes_.emplace(at, surely_ends(*at));
      if (at == left) return;
    }
  }

  /// Whether the slice can take both ways of a branch; it may then find more accesses than the body performs.
  static bool is_branch(const clang::Stmt& node, const clang::Stmt& condition) {
    if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(&node)) return branch->getCond() == &condition;
    if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&node)) return op->isLogicalOp();
    return llvm::isa<clang::ConditionalOperator>(node);
  }

  /// The statement that a condition decides: its parent; for the range of a loop, the loop.
  const clang::Stmt* decided_by(const clang::Stmt& condition) const {
    const clang::Stmt* above = code_.above(&condition);
    const clang::Stmt* next = above == nullptr ? nullptr : code_.above(above);
    const auto* ranged = llvm::dyn_cast_or_null<clang::CXXForRangeStmt>(next);
    return ranged != nullptr && ranged->getRangeInit() == &condition ? next : above;
  }

  void need_condition(const clang::Stmt& condition) {
    const clang::Stmt* above = decided_by(condition);
    if (is_omitted(condition)) {
      if (!is_in_body(condition)) throw needed_whole{code_.function_of(&condition)};
      const bool ends_loop = above != nullptr && is_loop(*above);
      if (above == nullptr || (!ends_loop && !is_branch(*above, condition)))
        throw not_sliceable{"what decides is written by the loop, and is no branch"};
      parts_.left_out.insert(&condition);
      if (ends_loop) ended_by_writes_[above] = false;
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
      return condition != nullptr && is_omitted(*condition) &&
             llvm::isa_and_nonnull<clang::IfStmt>(code_.above(condition));
    });
    if (decided && !is_in_body(exit)) throw needed_whole{code_.function_of(&exit)};
    if (decided) {
      for (const clang::Stmt* condition : conditions) {
        if (condition != nullptr && is_omitted(*condition)) parts_.left_out.insert(condition);
      }
      drop(exit);
      return;
    }
    parts_.exits.insert(&exit);
    need_place(exit);
  }

  const region& code_;
  const dependences& depends_;
  const slice_goal& goal_;
  const std::set<const clang::FunctionDecl*>& apart_;             // functions that may have slices
  std::map<const clang::Expr*, const pointer_reach*> reaches_;    // by accesses that are still to come
  std::map<const clang::Stmt*, bool> ended_by_writes_;            // loops; whether their heads end them too
  std::set<std::pair<const clang::FunctionDecl*, bool>> called_;  // and whether for their changes
  std::set<const clang::FunctionDecl*> looked_into_;
  std::set<const clang::Stmt*> changes_;  // of elements
  slice_parts parts_;
};

}  // namespace

slice_parts find_slice_parts(const region& code, const dependences& depends, const slice_goal& goal,
                             bool apart) {
  std::set<const clang::FunctionDecl*> functions;
  for (const access* one : goal.targets) {
    const clang::FunctionDecl* function = code.function_of(one->call);
    if (apart && function != nullptr && may_be_sliced(code, *function)) functions.insert(function);
  }
  while (true) {
    try {
      return collector(code, depends, goal, functions).collect();
    } catch (const needed_whole& one) {
      functions.erase(one.function);
    }
  }
}

}  // namespace stradsap::pp
