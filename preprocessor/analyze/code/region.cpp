#include "analyze/code/region.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

#include "analyze/code/member_captures.hpp"
#include "analyze/code/types.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

const clang::FunctionDecl* visible_definition(const clang::FunctionDecl* function) {
  const clang::FunctionDecl* definition = nullptr;
  if (function == nullptr || !function->isDefined(definition)) return nullptr;
  if (definition->isDefaulted() || !is_users(*definition) || definition->getBody() == nullptr) return nullptr;
  return definition;
}

/// The virtual function of a call that may run an override; null for all other calls.
static const clang::CXXMethodDecl* dispatched_method(const clang::Expr& call) {
  const auto* c = llvm::dyn_cast<clang::CallExpr>(&call);
  const clang::Expr* object = c == nullptr ? nullptr : object_of(call);
  const auto* method =
      c == nullptr ? nullptr : llvm::dyn_cast_or_null<clang::CXXMethodDecl>(c->getDirectCallee());
  if (object == nullptr || method == nullptr || !method->isVirtual()) return nullptr;
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(c->getCallee()->IgnoreParens());
  const bool qualified = member != nullptr && member->hasQualifier();
  const clang::CXXMethodDecl* known = method->getDevirtualizedMethod(object, /*IsAppleKext=*/false);
  // of `static_cast<base&>(derived).f()` the known function is another than the one named
  const bool is_named = known != nullptr && known->getCanonicalDecl() == method->getCanonicalDecl();
  return qualified || is_named ? nullptr : method;
}

const clang::FunctionDecl* callee_of(const clang::Expr& call) {
  if (dispatched_method(call) != nullptr) return nullptr;
  if (const auto* c = llvm::dyn_cast<clang::CallExpr>(&call)) return c->getDirectCallee();
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&call)) return made->getConstructor();
  return nullptr;
}

/// Whether the first argument is the object, as for an operator that is a member.
static bool object_comes_first(const clang::Expr& call) {
  if (!llvm::isa<clang::CXXOperatorCallExpr>(call)) return false;
  const auto* method =
      llvm::dyn_cast_or_null<clang::CXXMethodDecl>(llvm::cast<clang::CallExpr>(call).getDirectCallee());
  return method != nullptr && !method->isExplicitObjectMemberFunction();
}

std::vector<const clang::Expr*> arguments_of(const clang::Expr& call) {
  std::vector<const clang::Expr*> arguments;
  if (const auto* c = llvm::dyn_cast<clang::CallExpr>(&call)) {
    arguments.assign(c->arg_begin() + (object_comes_first(call) ? 1 : 0), c->arg_end());
  } else if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&call)) {
    arguments.assign(made->arg_begin(), made->arg_end());
  }
  return arguments;
}

const clang::Expr* object_of(const clang::Expr& call) {
  if (const auto* c = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call)) return c->getImplicitObjectArgument();
  if (object_comes_first(call)) return llvm::cast<clang::CallExpr>(call).getArg(0);
  return nullptr;
}

region::region(const clang::ASTContext& ast, const clang::LambdaExpr* lambda, const clang::FunctionDecl& body,
               std::vector<const clang::LambdaExpr*> captured, const captured_objects& objects,
               std::set<const clang::FunctionDecl*> stated_pure)
    : ast_(ast),
      lambda_(lambda),
      body_(body),
      made_before_(std::move(captured)),
      objects_(objects),
      stated_pure_(std::move(stated_pure)) {
  if (lambda != nullptr) made_before_.push_back(lambda);
  for (const clang::LambdaExpr* one : made_before_) walk_captures(*one);
  walk_function(body);
  walk_hidden();
  while (!waiting_.empty()) {
    const clang::FunctionDecl* next = waiting_.back();
    waiting_.pop_back();
    walk_function(*next);
    if (waiting_.empty()) walk_hidden();
  }
}

void region::walk_hidden() {
  bool more = true;
  while (more) {
    const std::vector<hidden_initialiser> initialisers = search_.take_initialisers();
    const std::vector<hidden_call> calls = search_.take_calls();
    more = !initialisers.empty() || !calls.empty();
    for (const hidden_initialiser& init : initialisers) walk(init.value, {.function = init.constructor});
    for (const hidden_call& found : calls) {
      hidden_.insert(found.callee);
      reach(found.callee, found.through);
    }
  }
}

parent_link region::parent(const clang::Stmt* node) const {
  const auto at = parents_.find(node);
  return at == parents_.end() ? parent_link{} : at->second;
}

const clang::Stmt* region::above(const clang::Stmt* node) const {
  const parent_link link = parent(node);
  if (link.variable == nullptr) return link.statement;
  const auto at = declared_.find(link.variable);
  return at == declared_.end() ? nullptr : at->second;
}

const clang::FunctionDecl* region::function_of(const clang::Stmt* node) const {
  const clang::FunctionDecl* function = nullptr;
  for (; node != nullptr && function == nullptr; node = above(node)) function = parent(node).function;
  return function;
}

const clang::Stmt* region::lexically_above(const clang::Stmt* node) const {
  if (const clang::Stmt* around = above(node)) return around;
  const clang::FunctionDecl* function = function_of(node);
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function);
  if (method == nullptr || method == &body_ || !method->getParent()->isLambda()) return nullptr;
  for (const clang::Expr* caller : callers(method)) {
    if (llvm::isa<clang::LambdaExpr>(caller)) return caller;
  }
  return nullptr;
}

bool region::is_around(const clang::Stmt* outer, const clang::Stmt* node) const {
  while (node != nullptr && node != outer) node = lexically_above(node);
  return node != nullptr;
}

const clang::FunctionDecl* region::in_sight(const clang::FunctionDecl* function) const {
  const clang::FunctionDecl* definition = visible_definition(function);
  return contains(definition) ? definition : nullptr;
}

const std::vector<const clang::Expr*>& region::callers(const clang::FunctionDecl* function) const {
  static const std::vector<const clang::Expr*> none;
  const auto at = callers_.find(function);
  return at == callers_.end() ? none : at->second;
}

const std::vector<const clang::Expr*>& region::uses(const clang::ValueDecl* variable) const {
  static const std::vector<const clang::Expr*> none;
  const auto at = uses_.find(variable);
  return at == uses_.end() ? none : at->second;
}

void region::walk_function(const clang::FunctionDecl& function) {
  walked_[&function] = true;
  functions_.push_back(&function);
  for (const clang::ParmVarDecl* parameter : function.parameters()) {
    declare(*parameter);
    if (!parameter->getType()->isReferenceType()) search_.end(parameter->getType());
  }
  if (const auto* destructor = llvm::dyn_cast<clang::CXXDestructorDecl>(&function)) {
    search_.end(function.getASTContext().getRecordType(destructor->getParent()));
  }
  if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&function)) {
    for (const clang::CXXCtorInitializer* init : constructor->inits()) {
      walk(init->getInit(), {.function = &function});
    }
  }
  walk(function.getBody(), {.function = &function});
}

void region::walk(const clang::Stmt* node, parent_link above) {
  above.order = nodes_.size();
  if (node == nullptr || !parents_.emplace(node, above).second) return;
  nodes_.push_back(node);
  if (const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(node)) {
    walk_declarations(*declarations);
  } else if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(node)) {
    walk_lambda(*lambda);
  } else if (llvm::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr, clang::CXXTypeidExpr>(node)) {
    return;  // not evaluated
  } else if (const auto* argument = llvm::dyn_cast<clang::CXXDefaultArgExpr>(node)) {
    walk(argument->getExpr(), {.statement = node});
  } else if (const auto* member = llvm::dyn_cast<clang::CXXDefaultInitExpr>(node)) {
    walk(member->getExpr(), {.statement = node});
  } else {
    walk_children(node);
  }
}

void region::walk_children(const clang::Stmt* node) {
  if (const auto* expression = llvm::dyn_cast<clang::Expr>(node)) {
    note_name(*expression);
    reach(callee_of(*expression), expression);
    reach_overrides(*expression);
    const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(expression);
    casts_const_away_ |= cast != nullptr && pp::casts_const_away(*cast);
    if (const auto* inherited = llvm::dyn_cast<clang::CXXInheritedCtorInitExpr>(node)) {
      reach(inherited->getConstructor(), expression);
    } else if (llvm::isa<clang::CXXBindTemporaryExpr>(node)) {
      search_.end(expression->getType());
    } else if (const auto* deletion = llvm::dyn_cast<clang::CXXDeleteExpr>(node)) {
      search_.end(deletion->getDestroyedType());
      search_.run(deletion->getOperatorDelete(), expression);
    } else if (const auto* made = llvm::dyn_cast<clang::CXXNewExpr>(node)) {
      search_.run(made->getOperatorNew(), expression);
      search_.run(made->getOperatorDelete(), expression);
    }
  }
  for (const clang::Stmt* child : node->children()) walk(child, {.statement = node});
}

void region::note_name(const clang::Expr& name) {
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&name)) {
    uses_[reference->getDecl()].push_back(&name);
    note_reference(*reference);
    note_lambda(*reference);
  } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&name)) {
    const bool own = llvm::isa<clang::CXXThisExpr>(member->getBase()->IgnoreImpCasts());
    if (own || llvm::isa<clang::VarDecl>(member->getMemberDecl()))
      uses_[member->getMemberDecl()].push_back(&name);
  } else if (const auto* self = llvm::dyn_cast<clang::CXXThisExpr>(&name)) {
    this_uses_.push_back(self);
  }
}

/// Records a lambda that is passed on instead of called: the receiver may call it.
void region::note_lambda(const clang::DeclRefExpr& name) {
  const clang::CXXRecordDecl* closure = closure_class(name.getType());
  const clang::Stmt* above = parent(&name).statement;
  while (llvm::isa_and_nonnull<clang::ImplicitCastExpr, clang::ParenExpr>(above))
    above = parent(above).statement;
  if (closure == nullptr || above == nullptr) return;
  const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(above);
  // the callee's object, or an argument of a visible function
  if (call != nullptr && visible_definition(call->getDirectCallee()) != nullptr) return;
  if (const clang::FunctionTemplateDecl* generic = closure->getDependentLambdaCallOperator()) {
    for (const clang::FunctionDecl* instance : generic->specializations())
      callers_[instance].push_back(&name);
  } else if (const clang::CXXMethodDecl* method = closure->getLambdaCallOperator()) {
    callers_[method].push_back(&name);
  }
}

/// Records a function that is named without a call: the receiver may call it. The same holds for functions
/// that a constant's initialiser names.
void region::note_reference(const clang::DeclRefExpr& reference) {
  if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(reference.getDecl())) {
    const clang::Stmt* above = parent(&reference).statement;
    while (above != nullptr && llvm::isa<clang::ImplicitCastExpr, clang::ParenExpr>(above)) {
      above = parent(above).statement;
    }
    const auto* call = llvm::dyn_cast_or_null<clang::CallExpr>(above);
    const bool called = call != nullptr && call->getCallee()->IgnoreParenImpCasts() == &reference;
    if (called) return;
    if (const clang::FunctionDecl* definition = visible_definition(function)) hidden_.insert(definition);
    return reach(function, &reference);
  }
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference.getDecl());
  if (variable == nullptr || !variable->hasGlobalStorage() || !is_users(*variable)) return;
  if (globals_.insert(variable->getCanonicalDecl()).second) search_.evaluate(variable->getAnyInitializer());
}

void region::reach(const clang::FunctionDecl* callee, const clang::Expr* call) {
  const clang::FunctionDecl* definition = visible_definition(callee);
  if (definition == nullptr) return search_.call(callee);
  if (call != nullptr) callers_[definition].push_back(call);
  if (definition == &body_ || !walked_.emplace(definition, true).second) return;
  waiting_.push_back(definition);
}

static bool overrides(const clang::CXXMethodDecl& method, const clang::CXXMethodDecl& overridden) {
  if (method.getCanonicalDecl() == overridden.getCanonicalDecl()) return true;
  return std::any_of(method.begin_overridden_methods(), method.end_overridden_methods(),
                     [&](const clang::CXXMethodDecl* next) { return overrides(*next, overridden); });
}

/// Collects the overrides of a method in the classes of a scope, local classes included.
static void add_overrides(const clang::DeclContext& scope, const clang::CXXMethodDecl& of,
                          std::vector<const clang::CXXMethodDecl*>& found) {
  for (const clang::Decl* declaration : scope.decls()) {
    if (!is_users(of.getASTContext(), declaration->getLocation())) continue;
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(declaration);
    if (method != nullptr && method->isVirtual() && overrides(*method, of)) found.push_back(method);
    if (const auto* pattern = llvm::dyn_cast<clang::ClassTemplateDecl>(declaration)) {
      for (const auto* instance : pattern->specializations()) add_overrides(*instance, of, found);
    } else if (const auto* inner = llvm::dyn_cast<clang::DeclContext>(declaration)) {
      add_overrides(*inner, of, found);
    }
  }
}

std::vector<const clang::CXXMethodDecl*> overrides_run_by(const clang::Expr& call) {
  const clang::CXXMethodDecl* method = dispatched_method(call);
  std::vector<const clang::CXXMethodDecl*> found;
  if (method != nullptr) add_overrides(*method->getASTContext().getTranslationUnitDecl(), *method, found);
  return found;
}

/// Walks all overrides that a virtual call may run, with unknown arguments.
void region::reach_overrides(const clang::Expr& call) {
  for (const clang::CXXMethodDecl* one : overrides_run_by(call)) {
    if (const clang::FunctionDecl* definition = visible_definition(one)) hidden_.insert(definition);
    reach(one, &call);
  }
}

void region::declare(const clang::VarDecl& variable, const clang::Stmt* statement) {
  if (declared_.emplace(&variable, statement).second) variables_.push_back(&variable);
  const auto* tuple = llvm::dyn_cast<clang::DecompositionDecl>(&variable);
  if (tuple == nullptr) return;
  for (const clang::BindingDecl* binding : tuple->bindings()) {
    declared_.emplace(binding, statement);
    // a tuple-like binding is a variable of its own, initialised by get<I>()
    if (const clang::VarDecl* holder = binding->getHoldingVar()) {
      declare(*holder, statement);
      walk(holder->getInit(), {.variable = holder});
    }
  }
}

void region::walk_declarations(const clang::DeclStmt& statement) {
  for (const clang::Decl* declaration : statement.decls()) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
    if (variable == nullptr) continue;
    declare(*variable, &statement);
    if (!variable->getType()->isReferenceType()) search_.end(variable->getType());
    if (const auto* cleanup = variable->getAttr<clang::CleanupAttr>())
      search_.run(cleanup->getFunctionDecl(), nullptr);
    walk(variable->getInit(), {.variable = variable});
  }
}

void region::walk_captures(const clang::LambdaExpr& lambda) {
  const bool before = std::find(made_before_.begin(), made_before_.end(), &lambda) != made_before_.end();
  const auto members = before ? captured_members(lambda) : std::map<const clang::VarDecl*, captured_part>();
  for (const clang::LambdaCapture& capture : lambda.captures()) {
    if (!lambda.isInitCapture(&capture)) continue;  // the uses of a plain capture name it already
    const auto* variable = llvm::cast<clang::VarDecl>(capture.getCapturedVar());
    if (members.count(variable) != 0) continue;  // another name of an outer variable
    // captures made before the loop have no declaring statement in the region
    declare(*variable, before ? nullptr : &lambda);
    walk(variable->getInit(), {.variable = variable});
  }
}

void region::walk_lambda(const clang::LambdaExpr& lambda) {
  walk_captures(lambda);
  const clang::CXXMethodDecl* method = lambda.getCallOperator();
  if (const auto* pattern = lambda.getDependentCallOperator()) {
    for (const clang::FunctionDecl* instance : pattern->specializations()) {
      if (walked_.emplace(instance, true).second) waiting_.push_back(instance);
      callers_[instance].push_back(&lambda);
    }
    return;
  }
  callers_[method].push_back(&lambda);
  if (walked_.emplace(method, true).second) walk_function(*method);
}

}  // namespace stradsap::pp
