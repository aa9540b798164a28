#include "analyze/dependences.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>

#include "analyze/constants.hpp"
#include "analyze/control.hpp"
#include "analyze/fields.hpp"
#include "analyze/known_functions.hpp"
#include "analyze/source.hpp"
#include "analyze/types.hpp"
#include "analyze/uses.hpp"

namespace stradsap::pp {

// ---- building -----------------------------------------------------------------------------------------

dependences::dependences(const region& code) : code_(code) {
  for (const clang::Stmt* node : code_.nodes()) {
    // a throw ends the loop: elements that its reconnaissance missed make another error, never another result
    if (llvm::isa<clang::ReturnStmt, clang::BreakStmt, clang::ContinueStmt>(node)) exits_.push_back(node);
    catches_ |= llvm::isa<clang::CXXTryStmt>(node);
  }
  // References may be chained, so what they stand for is collected until nothing new comes up.
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

/// The unknown, or a global variable that is not a constant.
static bool may_change(const clang::ValueDecl* origin) {
  const auto* variable = llvm::dyn_cast_or_null<clang::VarDecl>(origin);
  if (variable == nullptr) return origin == nullptr;
  return variable->hasGlobalStorage() && !is_same_everywhere(*variable);
}

/// What runs without being called in the text: nobody knows with what, and what it asks may steer anything.
void dependences::collect_hidden() {
  for (const clang::FunctionDecl* function : code_.hidden()) {
    const origins& outside = outside_of(*function);
    if (std::any_of(outside.begin(), outside.end(), may_change)) opaque_ = true;
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
    // where a lambda was handed on, that place says what it may be called with
    if (method != nullptr && method->getParent()->isLambda()) continue;
    for (const clang::ParmVarDecl* parameter : function->parameters()) edges_[parameter].insert(nullptr);
  }
  for (const clang::VarDecl* variable : code_.variables()) collect_end(*variable);
}

/// A destructor may change whatever its object refers to.
void dependences::collect_end(const clang::VarDecl& variable) {
  if (variable.getType()->isReferenceType() || !runs_users_destructor(variable.getType())) return;
  origins changed;
  origins open;
  add_alias(variable, changed, open);
  origins values{&variable};
  if (variable.getInit() != nullptr) values.merge(conditions(*variable.getInit()));
  for (const clang::ValueDecl* target : changed) {
    edges_[target].insert(values.begin(), values.end());
    if (variable.getInit() != nullptr) changes_[target].push_back(variable.getInit());
  }
}

/// A reference or pointer made from an object has read nothing of it yet.
static bool only_designates(clang::QualType type) { return type->isReferenceType() || type->isPointerType(); }

void dependences::collect_variable(const clang::VarDecl& variable) {
  const clang::Expr* init = variable.getInit();
  if (init == nullptr || llvm::isa<clang::ParmVarDecl>(variable)) return;
  origins& found = edges_[&variable];
  add_mentions(init, found, /*whole=*/!only_designates(variable.getType()));
  // where the variable is used, its declaration was reached: what decided that decides the use as well
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
  } else if (llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(node)) {
    collect_call(llvm::cast<clang::Expr>(node));
  }
}

static bool inserts(const clang::FunctionDecl* callee) {
  return callee != nullptr && callee->getIdentifier() != nullptr && callee->getName() == "insert";
}

/// Whether what an iterator or a view was made from is const, so that nothing can be changed through it.
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
    const bool handle = !type->isReferenceType() && may_refer(type) && !comes_from_const(*arguments[i]);
    if (changeable || handle) targets.push_back(arguments[i]);
  }
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(callee);
  const clang::Expr* object = object_of(call);
  // a part or an iterator that is handed out changes nothing by itself, and what is done through it is
  // followed
  const bool hands_out = method != nullptr && (selects_a_part(*method) || gives_a_handle(*method));
  if (object != nullptr && (method == nullptr || !method->isConst()) && !hands_out) targets.push_back(object);
  for (const clang::Expr* target : targets) {
    // reaching an element changes nothing yet, and a handle is followed into the function that takes it
    if (is_container(target->getType()) && !inserts(callee)) continue;
    assign(*target, values, call);
    for (const clang::ValueDecl* variable : storage(*target)) {
      // a reference stays what it is; only what it refers to may come to hold a reference to an argument
      if (!may_refer(variable->getType().getNonReferenceType())) continue;
      for (const clang::Expr* argument : arguments) sources_[variable].push_back(argument);
    }
  }
  const clang::FunctionDecl* definition = visible_definition(callee);
  if (definition != nullptr && code_.contains(definition)) feed_parameters(*definition, arguments);
}

void dependences::feed_parameters(const clang::FunctionDecl& callee,
                                  const std::vector<const clang::Expr*>& arguments) {
  for (unsigned i = 0; i < arguments.size() && i < callee.getNumParams(); ++i) {
    const clang::ParmVarDecl* parameter = callee.getParamDecl(i);
    add_mentions(arguments[i], edges_[parameter], /*whole=*/!only_designates(parameter->getType()));
    if (may_refer(parameter->getType())) sources_[parameter].push_back(arguments[i]);
  }
}

/// A call of a function, or of one of the objects that the standard library has for functions
/// (std::ranges::sort).
static bool hands_on(const clang::Stmt& node) {
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
  const clang::Expr* object = call == nullptr ? nullptr : object_of(*call);
  if (object == nullptr) return call != nullptr;
  const clang::CXXRecordDecl* record = object->getType()->getAsCXXRecordDecl();
  return record != nullptr && is_in_std(*record) && record->isEmpty();
}

/// A lambda given to a function such as std::for_each is called with anything that function knows.
void dependences::feed_handed_on(const clang::CXXMethodDecl& lambda, const clang::Expr& name) {
  const clang::Stmt* top = &name;
  for (const clang::Stmt* next = code_.above(top); next != nullptr && llvm::isa<clang::Expr>(next);
       next = code_.above(next)) {
    top = next;
    if (hands_on(*next)) break;
  }
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

/// Steps and assignments of the language, and steps of the standard library's iterators: a pointer or an
/// iterator that moves changes nothing of what it points to.
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
  const origins changed = field != nullptr ? origins{field} : changed_by(target, where);
  for (const clang::ValueDecl* variable : changed) {
    const origins decided = deciders_of_change(*variable, where);
    edges_[variable].insert(found.begin(), found.end());
    edges_[variable].insert(decided.begin(), decided.end());
    changes_[variable].push_back(&where);
    if (field == nullptr) changed_whole_.insert(variable);
  }
  if (field != nullptr) changed_fields_.insert(field);
}

/// What decides whether a change happens. Of a local variable, since its declaration: whoever uses it came
/// through that, and what leaves its scope leaves no value of it.
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
  return found;
}

const std::vector<const clang::Stmt*>& dependences::changes_of(const clang::ValueDecl* changed) const {
  static const std::vector<const clang::Stmt*> none;
  const auto at = changes_.find(changed);
  return at == changes_.end() ? none : at->second;
}

bool dependences::leaves_alone(const clang::ValueDecl* container, const origins& steering) const {
  return changed_whole_.count(container) == 0 &&
         std::none_of(changed_fields_.begin(), changed_fields_.end(),
                      [&](const clang::FieldDecl* field) { return steering.count(field) != 0; });
}

// ---- what an expression names -------------------------------------------------------------------------

origins dependences::mentions(const clang::Stmt* node) const {
  origins found;
  add_mentions(node, found);
  return found;
}

const clang::ValueDecl* storage_of(const clang::ValueDecl* declaration) {
  const auto* binding = llvm::dyn_cast<clang::BindingDecl>(declaration);
  if (binding == nullptr) return llvm::isa<clang::VarDecl>(declaration) ? declaration : nullptr;
  if (const clang::VarDecl* holder = binding->getHoldingVar()) return holder;
  return llvm::dyn_cast_or_null<clang::ValueDecl>(binding->getDecomposedDecl());
}

/// x.size() depends on no element of x, if it is known which container x is.
bool dependences::asks_for_shape_of_one(const clang::Stmt& node) const {
  const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&node);
  const clang::CXXMethodDecl* method = call == nullptr ? nullptr : call->getMethodDecl();
  if (method == nullptr || method->getIdentifier() == nullptr) return false;
  if (method->getName() != "size" && method->getName() != "empty") return false;
  const clang::Expr& object = *call->getImplicitObjectArgument();
  if (!is_container(object.getType())) return false;
  if (!llvm::isa<clang::DeclRefExpr, clang::MemberExpr>(behind_as_const(object))) return false;
  const origins reached = storage(object);
  return std::count_if(reached.begin(), reached.end(), [&](const clang::ValueDecl* variable) {
           return variable != nullptr && !code_.declares(variable) && is_container(variable->getType());
         }) <= 1;
}

/// Who reads an object reads all its fields.
void dependences::add_fields_within(const clang::Expr& object, origins& found) const {
  if (object.getType()->isScalarType() && !object.getType()->isPointerType()) return;
  const auto [at, fresh] = fields_of_.try_emplace(object.getType().getCanonicalType().getAsOpaquePtr());
  if (fresh) at->second = fields_within(object.getType());
  found.insert(at->second.begin(), at->second.end());
}

/// `whole`: the object that the node designates is read, not only a field of it that is named above.
void dependences::add_mentions(const clang::Stmt* node, origins& found, bool whole) const {
  if (node == nullptr || llvm::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr>(node)) return;
  if (asks_for_shape_of_one(*node)) return;
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(node)) {
    if (const clang::ValueDecl* variable = storage_of(name->getDecl())) found.insert(variable);
  } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(node)) {
    const bool is_static = llvm::isa<clang::VarDecl>(member->getMemberDecl());
    const bool field = llvm::isa<clang::FieldDecl>(member->getMemberDecl());
    if (is_static || field) found.insert(member->getMemberDecl());
    if (field) {
      if (whole) add_fields_within(*member, found);
      return add_mentions(member->getBase(), found, /*whole=*/false);
    }
  } else if (const auto* argument = llvm::dyn_cast<clang::CXXDefaultArgExpr>(node)) {
    add_mentions(argument->getExpr(), found);
  } else if (const auto* initialiser = llvm::dyn_cast<clang::CXXDefaultInitExpr>(node)) {
    add_mentions(initialiser->getExpr(), found);
  } else if (llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(node)) {
    add_call_mentions(*llvm::cast<clang::Expr>(node), found);
  }
  const auto* expression = llvm::dyn_cast<clang::Expr>(node);
  if (whole && expression != nullptr) add_fields_within(*expression, found);
  const auto* step = llvm::dyn_cast<clang::UnaryOperator>(node);
  const bool same_object =
      llvm::isa<clang::ParenExpr, clang::ImplicitCastExpr, clang::FullExpr>(node) ||
      (step != nullptr && (step->getOpcode() == clang::UO_AddrOf || step->getOpcode() == clang::UO_Deref));
  for (const clang::Stmt* child : node->children()) add_mentions(child, found, whole || !same_object);
}

void dependences::add_call_mentions(const clang::Expr& call, origins& found) const {
  const clang::FunctionDecl* callee = callee_of(call);
  if (callee != nullptr && callee->isDefaulted() && llvm::isa<clang::CXXConstructorDecl>(callee)) {
    const clang::FunctionDecl* made = nullptr;
    if (callee->isDefined(made) && outside_of(*made).count(nullptr) != 0) found.insert(nullptr);
    return;
  }
  if (is_random(callee)) found.insert(callee->getCanonicalDecl());
  if (callee != nullptr && is_pure(*callee)) return;
  const clang::FunctionDecl* definition = visible_definition(callee);
  if (definition == nullptr || !code_.contains(definition)) {
    found.insert(nullptr);
    return;
  }
  const origins& outside = outside_of(*definition);
  found.insert(outside.begin(), outside.end());
}

/// What a function's result may depend on besides its arguments: outer variables of a lambda, the unknown.
const origins& dependences::outside_of(const clang::FunctionDecl& function) const {
  static const origins unknown{nullptr};
  static const origins nothing;
  if (const auto at = outside_.find(&function); at != outside_.end()) return at->second;
  // a plain recursion adds nothing new; functions that call each other in a ring are not followed
  if (!open_.empty() && open_.back() == &function) return nothing;
  if (std::find(open_.begin(), open_.end(), &function) != open_.end()) return unknown;
  open_.push_back(&function);
  origins outside;
  origins named = mentions(function.getBody());
  if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&function)) {
    for (const clang::CXXCtorInitializer* init : constructor->inits()) add_mentions(init->getInit(), named);
  }
  for (const clang::ValueDecl* variable : named) {
    const auto* scope = static_cast<const clang::DeclContext*>(&function);
    if (variable == nullptr || variable->getDeclContext() != scope) outside.insert(variable);
  }
  open_.pop_back();
  return outside_[&function] = outside;
}

// ---- control ------------------------------------------------------------------------------------------

origins dependences::conditions(const clang::Stmt& node) const {
  origins found;
  for (const clang::Stmt* condition : conditions_above(code_, node)) {
    if (ignored_.count(condition) == 0) add_mentions(condition, found);
  }
  return found;
}

origins dependences::early_exits(const clang::Stmt& node) const {
  origins found;
  const clang::FunctionDecl* function = code_.function_of(&node);
  for (const clang::Stmt* exit : exits_) {
    if (code_.function_of(exit) == function && decides(code_, *exit, node)) found.merge(conditions(*exit));
  }
  return found;
}

/// What decides whether the text around a node runs at all, or how often; its own conditions left out.
origins dependences::control(const clang::Stmt& node) const {
  const clang::FunctionDecl* function = code_.function_of(&node);
  if (function == nullptr) return {};
  if (const auto at = control_.find(&node); at != control_.end()) return at->second;
  if (!open_.empty() && open_.back() == function) return {};
  if (std::find(open_.begin(), open_.end(), function) != open_.end()) return {nullptr};
  open_.push_back(function);
  origins found = early_exits(node);
  for (const clang::Expr* call : code_.callers(function)) {
    found.merge(conditions(*call));
    if (function != &code_.body()) found.merge(control(*call));
  }
  if (catches_)
    found.insert(nullptr);  // what is caught steers what comes after, and who throws is not followed
  open_.pop_back();
  return control_[&node] = found;
}

// ---- storage --------------------------------------------------------------------------------------------

origins dependences::storage(const clang::Expr& lvalue) const {
  origins found;
  origins open;
  add_storage(lvalue, found, open);
  return found;
}

void dependences::add_alias(const clang::ValueDecl& variable, origins& found, origins& open) const {
  found.insert(&variable);
  if (!may_refer(variable.getType()) || !open.insert(&variable).second) return;
  const auto at = aliases_.find(&variable);
  if (at == aliases_.end()) return;
  for (const clang::Expr* source : at->second) add_storage(*source, found, open);
}

void dependences::add_storage(const clang::Expr& lvalue, origins& found, origins& open) const {
  if (!lvalue.isGLValue() && !may_refer(lvalue.getType())) return;  // a value of its own
  const clang::Expr& e = *lvalue.IgnoreParenCasts();
  const auto follow = [&](const clang::Expr* part) {
    if (part != nullptr) add_storage(*part, found, open);
  };
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&e)) {
    if (const clang::ValueDecl* variable = storage_of(name->getDecl())) add_alias(*variable, found, open);
  } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e)) {
    const bool own = llvm::isa<clang::CXXThisExpr>(member->getBase()->IgnoreImpCasts());
    own ? add_alias(*member->getMemberDecl(), found, open) : follow(member->getBase());
  } else if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&e)) {
    follow(subscript->getBase());
  } else if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(&e)) {
    follow(step->getSubExpr());
  } else if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&e)) {
    if (op->getOpcode() != clang::BO_Comma) follow(op->getLHS());
    if (!op->isAssignmentOp()) follow(op->getRHS());
  } else if (const auto* choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(&e)) {
    follow(choice->getTrueExpr());
    follow(choice->getFalseExpr());
  } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&e)) {
    add_call_storage(*call, found, open);
  } else if (llvm::isa<clang::LambdaExpr>(e)) {
    return;  // what it captures by reference is named, and so seen, in its body
  } else {
    for (const clang::Stmt* child : e.children()) follow(llvm::dyn_cast_or_null<clang::Expr>(child));
  }
}

/// m[key], m.find(key) of the standard library's maps and sets.
static bool finds_entry(const clang::CallExpr& call) {
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call.getDirectCallee());
  if (method == nullptr || !is_in_std(*method) || is_users(*method)) return false;
  return selects_a_part(*method) || gives_a_handle(*method) ||
         method->getOverloadedOperator() == clang::OO_Subscript;
}

/// A call's result may refer to its object and to whatever its arguments refer to.
void dependences::add_call_storage(const clang::CallExpr& call, origins& found, origins& open) const {
  if (const clang::Expr* object = object_of(call)) {
    add_storage(*object, found, open);
    // an element belongs to its container, whatever the key
    if (is_container(object->getType()) || finds_entry(call)) return;
  }
  for (const clang::Expr* argument : arguments_of(call)) {
    if (argument->isGLValue() || may_refer(argument->getType())) add_storage(*argument, found, open);
  }
  // a lambda may also return what it captured
  const clang::FunctionDecl* callee = callee_of(call);
  if (callee == nullptr || !callee->getReturnType()->isReferenceType()) return;
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  if (method == nullptr || !method->getParent()->isLambda()) return;
  for (const clang::ValueDecl* variable : outside_of(*callee)) {
    if (variable != nullptr) add_alias(*variable, found, open);
  }
}

// ---- asking ---------------------------------------------------------------------------------------------

origins dependences::of_access(const clang::Expr& access) const {
  origins reached = mentions(&access);
  if (const clang::Expr* object = object_of(access)) {
    // naming the container is not reading it
    reached.clear();
    for (const clang::Expr* argument : arguments_of(access)) add_mentions(argument, reached);
    if (!llvm::isa<clang::DeclRefExpr, clang::MemberExpr>(behind_as_const(*object))) {
      add_mentions(object, reached);
    }
  }
  reached.merge(conditions(access));
  reached.merge(control(access));
  if (opaque_) reached.insert(nullptr);
  return to_the_roots(std::move(reached));
}

void dependences::ignore(std::set<const clang::Stmt*> conditions) {
  ignored_ = std::move(conditions);
  control_.clear();
}

origins dependences::to_the_roots(origins reached) const {
  std::vector<const clang::ValueDecl*> waiting(reached.begin(), reached.end());
  while (!waiting.empty()) {
    const clang::ValueDecl* next = waiting.back();
    waiting.pop_back();
    const auto at = edges_.find(next);
    if (at == edges_.end()) continue;
    for (const clang::ValueDecl* variable : at->second) {
      if (reached.insert(variable).second) waiting.push_back(variable);
    }
  }
  return reached;
}

}  // namespace stradsap::pp
