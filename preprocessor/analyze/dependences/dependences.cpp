#include "analyze/dependences/dependences.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>

#include "analyze/code/constants.hpp"
#include "analyze/code/control.hpp"
#include "analyze/code/fields.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/code/place_comparisons.hpp"
#include "analyze/code/types.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

// ---- names in an expression -----------------------------------------------------------------------------

origins dependences::mentions(const clang::Stmt* node) const {
  origins found;
  add_mentions(node, found);
  return found;
}

const clang::ValueDecl* storage_of(const clang::ValueDecl* declaration) {
  const auto* binding = llvm::dyn_cast<clang::BindingDecl>(declaration);
  if (binding == nullptr) return llvm::isa<clang::VarDecl>(declaration) ? declaration : nullptr;
  if (const clang::VarDecl* holder = binding->getHoldingVar()) return holder;
  if (is_container(binding->getType())) return binding;  // one of several in an object or array
  return llvm::dyn_cast_or_null<clang::ValueDecl>(binding->getDecomposedDecl());
}

/// Whether a call such as x.size() depends on no element of x; this requires that only one container can be
/// x.
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

/// Adds all fields of an object that is read whole.
void dependences::add_fields_within(const clang::Expr& object, origins& found) const {
  if (object.getType()->isScalarType() && !object.getType()->isPointerType()) return;
  const auto [at, fresh] = fields_of_.try_emplace(object.getType().getCanonicalType().getAsOpaquePtr());
  if (fresh) at->second = fields_within(object.getType());
  found.insert(at->second.begin(), at->second.end());
}

/// Collects the mentions below a node. `whole`: the designated object is read, not only one field that its
/// parent names.
void dependences::add_mentions(const clang::Stmt* node, origins& found, bool whole) const {
  if (node == nullptr || llvm::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr>(node)) return;
  if (asks_for_shape_of_one(*node)) return;
  if (const auto compared = place_comparison_of(code_, *node)) {
    for (const clang::Expr* subscript : compared->subscripts) add_mentions(subscript, found);
    return;
  }
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(node)) {
    if (const clang::ValueDecl* variable = storage_of(name->getDecl())) found.insert(variable);
    if (const clang::FieldDecl* field = bound_field(*name->getDecl())) found.insert(field);
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

bool dependences::is_unknown(const clang::Expr& call) const {
  const clang::FunctionDecl* callee = callee_of(call);
  if (callee != nullptr && (is_pure(*callee) || code_.is_stated_pure(*callee))) return false;
  return code_.in_sight(callee) == nullptr;
}

void dependences::add_call_mentions(const clang::Expr& call, origins& found) const {
  const clang::FunctionDecl* callee = callee_of(call);
  if (callee != nullptr && callee->isDefaulted() && llvm::isa<clang::CXXConstructorDecl>(callee)) {
    const clang::FunctionDecl* made = nullptr;
    if (callee->isDefined(made) && outside_of(*made).count(nullptr) != 0) found.insert(nullptr);
    return;
  }
  if (is_random(callee)) found.insert(callee->getCanonicalDecl());
  if (is_unknown(call)) {
    found.insert(nullptr);
    return;
  }
  if (callee == nullptr || is_pure(*callee) || code_.is_stated_pure(*callee)) return;
  const origins& outside = outside_of(*visible_definition(callee));
  found.insert(outside.begin(), outside.end());
}

/// The data besides the arguments that a function's result may depend on: outer variables of a lambda, the
/// unknown.
const origins& dependences::outside_of(const clang::FunctionDecl& function) const {
  static const origins unknown{nullptr};
  static const origins nothing;
  if (const auto at = outside_.find(&function); at != outside_.end()) return at->second;
  // direct recursion adds nothing; mutual recursion is not followed
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
    const auto* local = llvm::dyn_cast_or_null<clang::VarDecl>(variable);
    const bool captured = local != nullptr && local->isInitCapture();
    if (variable == nullptr || captured || variable->getDeclContext() != scope) outside.insert(variable);
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

/// Whether a jump decides if a node runs. A jump ahead decides the code behind it. If the function also jumps
/// back, each of its jumps decides all of it.
bool dependences::jump_decides(const clang::Stmt& jump, const clang::Stmt& node) const {
  const clang::FunctionDecl* function = code_.function_of(&jump);
  if (function != code_.function_of(&node)) return false;
  return decides(code_, jump, node) || std::any_of(jumps_.begin(), jumps_.end(), [&](const clang::Stmt* one) {
           return code_.function_of(one) == function && jumps_back(code_, llvm::cast<clang::GotoStmt>(*one));
         });
}

origins dependences::early_exits(const clang::Stmt& node) const {
  origins found;
  const clang::FunctionDecl* function = code_.function_of(&node);
  for (const clang::Stmt* exit : exits_) {
    if (code_.function_of(exit) == function && decides(code_, *exit, node)) found.merge(conditions(*exit));
  }
  for (const clang::Stmt* jump : jumps_) {
    if (jump_decides(*jump, node)) found.merge(conditions(*jump));
  }
  return found;
}

/// The data that decide whether, or how often, the text around a node runs; without the node's own
/// conditions.
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
    found.insert(nullptr);  // a catch steers all later code, and the analysis does not follow throws
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

/// Whether the expression is a value, or a temporary that holds one: `int(j)`.
static bool is_own_value(const clang::Expr& e) {
  const auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(e.IgnoreParens());
  const bool value = temporary != nullptr || !e.isGLValue();
  return value && !may_refer(temporary != nullptr ? temporary->getSubExpr()->getType() : e.getType());
}

void dependences::add_storage(const clang::Expr& lvalue, origins& found, origins& open) const {
  if (is_own_value(lvalue)) return;
  const clang::Expr& e = *lvalue.IgnoreParenCasts();
  const auto follow = [&](const clang::Expr* part) {
    if (part != nullptr) add_storage(*part, found, open);
  };
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&e)) {
    if (const clang::ValueDecl* variable = storage_of(name->getDecl())) add_alias(*variable, found, open);
  } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e)) {
    const bool own = llvm::isa<clang::CXXThisExpr>(member->getBase()->IgnoreImpCasts());
    if (own) add_alias(*member->getMemberDecl(), found, open);
    if (!own || follows_this_) follow(member->getBase());
  } else if (llvm::isa<clang::CXXThisExpr>(e)) {
    if (follows_this_) found.insert(code_.function_of(&e));
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
    return;  // its captures by reference are named in its body
  } else {
    for (const clang::Stmt* child : e.children()) follow(llvm::dyn_cast_or_null<clang::Expr>(child));
  }
}

/// Whether the call finds an entry in a map or set of the standard library: m[key], m.find(key).
static bool finds_entry(const clang::CallExpr& call) {
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call.getDirectCallee());
  if (method == nullptr || !is_in_std(*method) || is_users(*method)) return false;
  return selects_a_part(*method) || gives_a_handle(*method) ||
         method->getOverloadedOperator() == clang::OO_Subscript;
}

/// Adds the storage that a call's result may refer to: that of its object and of its arguments.
void dependences::add_call_storage(const clang::CallExpr& call, origins& found, origins& open) const {
  if (const clang::Expr* object = object_of(call)) {
    add_storage(*object, found, open);
    // an element belongs to its container for any key
    if (is_container(object->getType()) || finds_entry(call)) return;
  }
  for (const clang::Expr* argument : arguments_of(call)) {
    if (argument->isGLValue() || may_refer(argument->getType())) add_storage(*argument, found, open);
  }
  const clang::FunctionDecl* callee = callee_of(call);
  if (callee == nullptr || !may_refer(callee->getReturnType())) return;
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  const bool calls_object = method != nullptr && method->getOverloadedOperator() == clang::OO_Call;
  if (calls_object && method->getParent()->isLambda()) return add_returned(*method, found, open);
  add_returned_globals(*callee, found, open);
  if (!calls_object) return;
  // std::function and similar types may hold any lambda of the region
  for (const clang::Stmt* node : code_.nodes()) {
    const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(node);
    if (lambda != nullptr) add_captured(*lambda->getCallOperator(), found, open);
  }
}

/// Adds the storage that a lambda's result may refer to.
void dependences::add_returned(const clang::FunctionDecl& lambda, origins& found, origins& open) const {
  if (!code_.contains(&lambda)) return add_captured(lambda, found, open);
  if (!open.insert(&lambda).second) return;
  for (const clang::Stmt* exit : exits_) {
    const auto* leaves = llvm::dyn_cast<clang::ReturnStmt>(exit);
    if (leaves == nullptr || leaves->getRetValue() == nullptr || code_.function_of(exit) != &lambda) continue;
    add_storage(*leaves->getRetValue(), found, open);
  }
}

/// Adds the globals to which a user function returns references. The caller adds its arguments.
void dependences::add_returned_globals(const clang::FunctionDecl& callee, origins& found,
                                       origins& open) const {
  const clang::FunctionDecl* definition = visible_definition(&callee);
  if (definition == nullptr || !open.insert(definition).second) return;
  origins returned;
  origins seen = open;
  for (const clang::Stmt* exit : exits_) {
    const auto* leaves = llvm::dyn_cast<clang::ReturnStmt>(exit);
    if (leaves == nullptr || leaves->getRetValue() == nullptr || code_.function_of(exit) != definition)
      continue;
    add_storage(*leaves->getRetValue(), returned, seen);
  }
  for (const clang::ValueDecl* variable : returned) {
    const auto* global = llvm::dyn_cast_or_null<clang::VarDecl>(variable);
    if (global != nullptr && global->hasGlobalStorage()) found.insert(global);
  }
}

void dependences::add_captured(const clang::FunctionDecl& lambda, origins& found, origins& open) const {
  for (const clang::ValueDecl* variable : outside_of(lambda)) {
    if (variable != nullptr) add_alias(*variable, found, open);
  }
}

// ---- results --------------------------------------------------------------------------------------------

origins dependences::of_access(const clang::Expr& access) const {
  origins reached = mentions(&access);
  if (const clang::Expr* object = object_of(access)) {
    // the container's name alone is no read
    reached.clear();
    for (const clang::Expr* argument : arguments_of(access)) add_mentions(argument, reached);
    if (!llvm::isa<clang::DeclRefExpr, clang::MemberExpr>(behind_as_const(*object))) {
      add_mentions(object, reached);
    }
  }
  reached.merge(conditions(access));
  reached.merge(control(access));
  if (depends_on_unknown_) reached.insert(nullptr);
  return to_the_roots(std::move(reached));
}

dependences dependences::without(std::set<const clang::Stmt*> conditions) const {
  dependences fewer = *this;
  fewer.ignored_ = std::move(conditions);
  fewer.control_.clear();
  return fewer;
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
