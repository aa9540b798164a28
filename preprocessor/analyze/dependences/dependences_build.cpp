// The part of dependences that walks the region and collects its edges.
#include "analyze/dependences/dependences.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>

#include "analyze/code/constants.hpp"
#include "analyze/code/control.hpp"
#include "analyze/code/fields.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/code/types.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

dependences::dependences(const region& code) : code_(code) {
  for (const clang::Stmt* node : code_.nodes()) {
    // a throw ends the loop: elements missing from its reconnaissance cause another error, never another
    // result
    if (llvm::isa<clang::ReturnStmt, clang::BreakStmt, clang::ContinueStmt>(node)) exits_.push_back(node);
    if (llvm::isa<clang::GotoStmt>(node)) jumps_.push_back(node);
    catches_ |= llvm::isa<clang::CXXTryStmt>(node);
  }
  // References may be chained, so collect their targets until nothing changes.
  std::size_t before = 0;
  std::size_t after = 1;
  while (before != after) {
    before = after;
    for (auto& [variable, found] : sources_) found.clear();
    edges_.clear();
    changed_whole_.clear();
    changes_.clear();
    outside_.clear();
    control_.clear();
    for (const clang::VarDecl* variable : code_.variables()) collect_variable(*variable);
    for (const clang::Stmt* node : code_.nodes()) collect(*node);
    collect_hidden();
    after = 1 + changed_fields_.size();
    for (const auto& [variable, found] : edges_) after += found.size();
    for (const auto& [variable, found] : sources_) after += found.size();
    aliases_ = sources_;
  }
}

/// Whether the origin is the unknown, or a global variable that is not a constant.
static bool may_change(const clang::ValueDecl* origin) {
  const auto* variable = llvm::dyn_cast_or_null<clang::VarDecl>(origin);
  if (variable == nullptr) return origin == nullptr;
  return variable->hasGlobalStorage() && !is_same_everywhere(*variable);
}

/// Adds code that runs without a call in the text: its arguments are unknown, and its queries may steer
/// anything.
void dependences::collect_hidden() {
  for (const clang::FunctionDecl* function : code_.hidden()) {
    const origins& outside = outside_of(*function);
    if (std::any_of(outside.begin(), outside.end(), may_change)) depends_on_unknown_ = true;
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
    // the place that passes a lambda on determines its arguments
    if (method != nullptr && method->getParent()->isLambda()) continue;
    for (const clang::ParmVarDecl* parameter : function->parameters()) edges_[parameter].insert(nullptr);
    unknown_.insert(function->param_begin(), function->param_end());
  }
  for (const clang::VarDecl* variable : code_.variables()) collect_end(*variable);
}

/// Adds the changes by a destructor: it may change anything that its object refers to.
void dependences::collect_end(const clang::VarDecl& variable) {
  if (variable.getType()->isReferenceType() || !runs_users_destructor(variable.getType())) return;
  origins changed;
  origins open;
  add_alias(variable, changed, open);
  origins values{&variable};
  if (variable.getInit() != nullptr) values.merge(conditions(*variable.getInit()));
  for (const clang::ValueDecl* target : changed) {
    edges_[target].insert(values.begin(), values.end());
    if (target != &variable) changed_whole_.insert(target);
    if (variable.getInit() != nullptr) changes_[target].push_back(variable.getInit());
  }
}

/// Whether a type only designates an object: making the reference or pointer reads nothing of it.
static bool only_designates(clang::QualType type) { return type->isReferenceType() || type->isPointerType(); }

void dependences::collect_variable(const clang::VarDecl& variable) {
  const clang::Expr* init = variable.getInit();
  if (init == nullptr || llvm::isa<clang::ParmVarDecl>(variable)) return;
  origins& found = edges_[&variable];
  add_mentions(init, found, /*whole=*/!only_designates(variable.getType()));
  // the use of a variable implies its declaration: the conditions above that decide the use as well
  if (catches_) found.insert(nullptr);
  if (may_refer(variable.getType())) sources_[&variable].push_back(init);
}

void dependences::collect(const clang::Stmt& node) {
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&node)) {
    if (!op->isAssignmentOp()) return;
    assign(*op->getLHS(), mentions(op->getRHS()), node);
    if (may_refer(op->getRHS()->getType())) {
      for (const clang::ValueDecl* target : storage(*op->getLHS())) sources_[target].push_back(op->getRHS());
    }
  } else if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(&node)) {
    if (step->isIncrementDecrementOp()) assign(*step->getSubExpr(), {}, node);
  } else if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node)) {
    const clang::CXXRecordDecl* closure = closure_class(name->getType());
    if (closure != nullptr) {
      if (const auto* method = closure->getLambdaCallOperator()) feed_handed_on(*method, *name);
    }
  } else if (const auto* temporary = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(&node)) {
    const clang::Expr& made = *temporary->getSubExpr();
    if (runs_users_destructor(made.getType())) assign(made, mentions(&made), node);
  } else if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&node)) {
    feed_handed_on(*lambda->getCallOperator(), *lambda);
  } else if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(&node)) {
    collect_members(*list);
  } else if (llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(node)) {
    collect_call(llvm::cast<clang::Expr>(node));
  }
}

/// Notes what members that are references or pointers refer to: `out{x}` of struct out { int& to; }.
void dependences::collect_members(const clang::InitListExpr& list) {
  const auto* type = list.getType()->getAsCXXRecordDecl();
  if (type == nullptr || type->isUnion() || runs_users_destructor(list.getType())) return;  // collect_end()
  unsigned i = type->getNumBases();
  for (const clang::FieldDecl* field : type->fields()) {
    if (field->isUnnamedBitField()) continue;
    if (i < list.getNumInits() && may_refer(field->getType())) sources_[field].push_back(list.getInit(i));
    ++i;
  }
}

static bool inserts_or_erases(const clang::FunctionDecl* callee) {
  if (callee == nullptr || callee->getIdentifier() == nullptr) return false;
  return callee->getName() == "insert" || callee->getName() == "erase";
}

/// Whether an iterator or a view comes from a const object, so that it permits no change.
static bool comes_from_const(const clang::Expr& expression) {
  const clang::Expr* at = expression.IgnoreImplicit();
  while (const auto* copy = llvm::dyn_cast<clang::CXXConstructExpr>(at)) {
    if (copy->getNumArgs() != 1) return false;
    at = copy->getArg(0)->IgnoreImplicit();
  }
  const clang::Expr* object = object_of(*at);
  return object != nullptr && object->IgnoreParens()->getType().isConstQualified();
}

void dependences::collect_call(const clang::Expr& call) {
  const clang::FunctionDecl* callee = callee_of(call);
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  origins values = mentions(&call);
  std::vector<const clang::Expr*> targets;
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const clang::QualType type = callee != nullptr && i < callee->getNumParams()
                                     ? callee->getParamDecl(i)->getType()
                                     : arguments[i]->getType();
    const bool by_reference =
        (type->isReferenceType() || type->isPointerType()) && !type->getPointeeType().isConstQualified();
    const bool by_unknown = callee == nullptr && arguments[i]->isGLValue() && !type.isConstQualified();
    const bool changeable = (by_reference || by_unknown) && !only_takes_values(callee);
    const bool handle =
        !type->isReferenceType() && may_refer(type) && !only_reads(type) && !comes_from_const(*arguments[i]);
    if (changeable || handle) targets.push_back(arguments[i]);
  }
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(callee);
  const clang::Expr* object = object_of(call);
  // A call that returns a part or an iterator changes nothing; later uses of the result are followed.
  const bool gives_access = method != nullptr && (selects_a_part(*method) || gives_a_handle(*method));
  if (object != nullptr && (method == nullptr || !leaves_object(code_, *method)) && !gives_access)
    targets.push_back(object);
  if (only_calls_lambdas(call)) targets.clear();
  for (const clang::Expr* target : targets) {
    // reaching an element changes nothing yet; a handle is followed into the function that takes it
    if (is_container(target->getType()) && !inserts_or_erases(callee)) continue;
    assign(*target, values, call);
    for (const clang::ValueDecl* variable : storage(*target)) {
      // a reference keeps its target; only the target may come to refer to an argument
      if (!may_be_redirected(variable->getType().getNonReferenceType())) continue;
      for (const clang::Expr* argument : arguments) sources_[variable].push_back(argument);
    }
  }
  const clang::FunctionDecl* definition = code_.in_sight(callee);
  if (definition == nullptr) return;
  feed_parameters(*definition, arguments);
  const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(definition);
  if (constructor == nullptr || runs_users_destructor(call.getType())) return;  // collect_end()
  for (const clang::CXXCtorInitializer* init : constructor->inits()) {
    const clang::FieldDecl* field = init->getMember();
    if (field != nullptr && may_refer(field->getType())) sources_[field].push_back(init->getInit());
  }
}

void dependences::feed_parameters(const clang::FunctionDecl& callee,
                                  const std::vector<const clang::Expr*>& arguments) {
  for (unsigned i = 0; i < arguments.size() && i < callee.getNumParams(); ++i) {
    const clang::ParmVarDecl* parameter = callee.getParamDecl(i);
    add_mentions(arguments[i], edges_[parameter], /*whole=*/!only_designates(parameter->getType()));
    if (may_refer(parameter->getType())) sources_[parameter].push_back(arguments[i]);
  }
}

/// Whether the node calls a function, or one of the standard library's function objects (std::ranges::sort).
static bool hands_on(const clang::Stmt& node) {
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
  const clang::Expr* object = call == nullptr ? nullptr : object_of(*call);
  if (object == nullptr) return call != nullptr;
  const clang::CXXRecordDecl* record = object->getType()->getAsCXXRecordDecl();
  return record != nullptr && is_in_std(*record) && record->isEmpty();
}

/// Whether `node` calls the lambda behind `part`, which determines its parameters.
static bool is_called_by(const clang::Stmt& node, const clang::Stmt& part) {
  const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&node);
  return call != nullptr && call->getOperator() == clang::OO_Call && call->getArg(0) == &part &&
         closure_class(call->getArg(0)->getType()) != nullptr;
}

/// Feeds the parameters of a lambda that is passed to a function such as std::for_each: the function may call
/// it with anything that it knows.
void dependences::feed_handed_on(const clang::CXXMethodDecl& lambda, const clang::Expr& name) {
  const clang::Stmt* top = &name;
  bool is_kept = false;  // in a std::function, in a container
  for (const clang::Stmt* next = code_.above(top); next != nullptr && llvm::isa<clang::Expr>(next);
       next = code_.above(next)) {
    if (is_called_by(*next, *top)) return;
    top = next;
    if (hands_on(*next)) break;
    is_kept |= closure_class(llvm::cast<clang::Expr>(next)->getType()) == nullptr;
  }
  if (is_kept) unknown_.insert(lambda.param_begin(), lambda.param_end());
  const auto* call = llvm::dyn_cast<clang::CallExpr>(top);
  if (call == nullptr) return;
  for (const clang::ParmVarDecl* parameter : lambda.parameters()) {
    for (const clang::Expr* argument : call->arguments()) {
      if (closure_class(argument->getType()) != nullptr) continue;
      add_mentions(argument, edges_[parameter]);
      if (may_refer(parameter->getType())) sources_[parameter].push_back(argument);
    }
  }
}

/// Whether a node is a step or an assignment of the language, or a step of a library iterator. Moving a
/// pointer or an iterator changes nothing of its target.
static bool changes_only_itself(const clang::Stmt& where) {
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&where)) return op->isAssignmentOp();
  if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(&where)) return step->isIncrementDecrementOp();
  const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&where);
  if (call == nullptr || call->getDirectCallee() == nullptr || !is_in_std(*call->getDirectCallee()))
    return false;
  const auto kind = call->getOperator();
  return kind == clang::OO_PlusPlus || kind == clang::OO_MinusMinus || kind == clang::OO_PlusEqual ||
         kind == clang::OO_MinusEqual;
}

origins dependences::changed_by(const clang::Expr& target, const clang::Stmt& where) const {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(target.IgnoreParens());
  const auto* variable = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
  const bool plain =
      variable != nullptr && !variable->getType()->isReferenceType() && changes_only_itself(where);
  return plain ? origins{variable} : storage(target);
}

void dependences::assign(const clang::Expr& target, const origins& values, const clang::Stmt& where) {
  origins found = values;
  add_mentions(&target, found);
  const clang::FieldDecl* field = named_field(target);
  origins changed = field != nullptr ? origins{field} : changed_by(target, where);
  if (field != nullptr && field->getType()->isReferenceType()) {
    const bool at_end = llvm::isa_and_nonnull<clang::CXXDestructorDecl>(code_.function_of(&where));
    if (!at_end) changed.merge(storage(target));  // else collect_end() has it
  }
  for (const clang::ValueDecl* variable : changed) {
    const origins decided = deciders_of_change(*variable, where);
    edges_[variable].insert(found.begin(), found.end());
    edges_[variable].insert(decided.begin(), decided.end());
    changes_[variable].push_back(&where);
    if (variable != field) changed_whole_.insert(variable);
  }
  if (field != nullptr) changed_fields_.insert(field);
}

/// The data that decide whether a change happens. For a local variable, the conditions between its
/// declaration and the change suffice: each use comes after the declaration, and code outside its scope sees
/// no value of it.
origins dependences::deciders_of_change(const clang::ValueDecl& variable, const clang::Stmt& where) const {
  const clang::Stmt* declared = code_.declaration_of(&variable);
  if (declared == nullptr || code_.function_of(declared) != code_.function_of(&where)) {
    origins found = conditions(where);
    found.merge(control(where));
    return found;
  }
  origins found;
  if (catches_) found.insert(nullptr);
  std::set<const clang::Stmt*> around;
  for (const clang::Stmt* at = declared; at != nullptr; at = code_.above(at)) around.insert(at);
  const std::vector<const clang::Stmt*> before = conditions_above(code_, *declared);
  const auto add_conditions = [&](const clang::Stmt& node) {
    for (const clang::Stmt* condition : conditions_above(code_, node)) {
      if (std::find(before.begin(), before.end(), condition) == before.end()) add_mentions(condition, found);
    }
  };
  add_conditions(where);
  for (const clang::Stmt* exit : exits_) {
    const clang::Stmt* left = left_by(code_, *exit);
    if (left == nullptr || around.count(left) != 0 || code_.function_of(exit) != code_.function_of(&where))
      continue;
    if (decides(code_, *exit, where)) add_conditions(*exit);
  }
  for (const clang::Stmt* jump : jumps_) {
    if (jump_decides(*jump, where)) add_conditions(*jump);
  }
  return found;
}

const std::vector<const clang::Stmt*>& dependences::changes_of(const clang::ValueDecl* changed) const {
  static const std::vector<const clang::Stmt*> none;
  const auto at = changes_.find(changed);
  return at == changes_.end() ? none : at->second;
}

const clang::Expr& dependences::behind_names(const clang::Expr& e) const {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&bare(e));
  const auto* local = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
  const bool keeps = local != nullptr && local->hasInit() && code_.declares(local) &&
                     !llvm::isa<clang::ParmVarDecl>(local) && !local->getType()->isReferenceType() &&
                     changes_of(local).empty();
  return keeps ? behind_names(*local->getInit()) : bare(e);
}

bool dependences::leaves_alone(const clang::ValueDecl* container, const origins& steering) const {
  return changed_whole_.count(container) == 0 &&
         std::none_of(changed_fields_.begin(), changed_fields_.end(),
                      [&](const clang::FieldDecl* field) { return steering.count(field) != 0; });
}

}  // namespace stradsap::pp
