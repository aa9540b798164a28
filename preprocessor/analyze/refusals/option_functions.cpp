#include "analyze/refusals/option_functions.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>

#include <algorithm>
#include <set>
#include <utility>

#include "analyze/captures/functors.hpp"
#include "analyze/code/constants.hpp"
#include "analyze/code/effects.hpp"
#include "analyze/code/region.hpp"
#include "analyze/dependences/const_writes.hpp"
#include "analyze/dependences/dependences.hpp"
#include "analyze/dependences/reached_objects.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

static bool is_class(const clang::CXXRecordDecl& record, llvm::StringRef name) {
  return is_in_api(record) && record.getIdentifier() != nullptr && record.getName() == name;
}

std::optional<option_function> option_function_of(const clang::CallExpr& call) {
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call.getDirectCallee());
  if (method == nullptr || method->getIdentifier() == nullptr || call.getNumArgs() == 0) return std::nullopt;
  if (!is_class(*method->getParent(), api::dynamic_schedule)) return std::nullopt;
  const llvm::StringRef name = method->getName();
  if ((name != api::priority && name != api::depends) || call.getArg(0)->isTypeDependent())
    return std::nullopt;
  return option_function{call.getArg(0), "the function of `" + name.str() + "`"};
}

std::optional<option_function> option_function_of(const clang::CXXConstructExpr& made) {
  const clang::CXXConstructorDecl& constructor = *made.getConstructor();
  if (!is_class(*constructor.getParent(), api::merge_rule) || constructor.getPrimaryTemplate() == nullptr ||
      made.getNumArgs() != 1 || made.getArg(0)->isTypeDependent())
    return std::nullopt;
  return option_function{made.getArg(0), "the merge function", called_as::by_all};
}

/// Whether no call operator of a lambda or a class is const.
static bool is_changeable_functor(clang::QualType type) {
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition()) return false;
  bool is_changeable = false;
  for (const clang::Decl* member : record->decls()) {
    const auto* pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(member);
    const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(
        pattern != nullptr ? pattern->getTemplatedDecl() : member);
    if (method == nullptr || method->getOverloadedOperator() != clang::OO_Call) continue;
    if (method->isConst() || method->isStatic()) return false;
    is_changeable = true;
  }
  return is_changeable;
}

bool refuse_changeable(const option_function& one, diagnostics& out) {
  const clang::QualType type = one.given->getType().getNonReferenceType();
  if (one.use == called_as::by_all || !is_changeable_functor(type)) return false;
  const bool is_lambda = closure_class(type) != nullptr;
  out.report(refusal::option_not_const, one.given->getExprLoc(),
             {one.called, is_lambda ? "is `mutable`" : "has an operator() that is not const",
              is_lambda ? "leave out `mutable`" : "declare the operator() const"});
  return true;
}

/// The function that an expression names, as in `f` and `&f`; null for others.
static const clang::FunctionDecl* named_function(const clang::Expr& e) {
  const clang::Expr* name = e.IgnoreParenImpCasts();
  const auto* address = llvm::dyn_cast<clang::UnaryOperator>(name);
  if (address != nullptr && address->getOpcode() == clang::UO_AddrOf)
    name = address->getSubExpr()->IgnoreParenImpCasts();
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(name);
  return reference == nullptr ? nullptr : llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl());
}

/// The call operators of the class, and the instances of those that are templates.
static std::vector<const clang::FunctionDecl*> callable_functions(const clang::CXXRecordDecl& functor) {
  std::vector<const clang::FunctionDecl*> found;
  for (const clang::Decl* member : functor.decls()) {
    const auto* pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(member);
    const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(
        pattern != nullptr ? pattern->getTemplatedDecl() : member);
    if (method == nullptr || method->getOverloadedOperator() != clang::OO_Call) continue;
    if (pattern == nullptr) {
      found.push_back(method);
    } else {
      found.insert(found.end(), pattern->spec_begin(), pattern->spec_end());
    }
  }
  return found;
}

/// The definitions of the functions with text in sight.
static std::vector<const clang::FunctionDecl*> in_sight(
    const std::vector<const clang::FunctionDecl*>& called) {
  std::vector<const clang::FunctionDecl*> found;
  for (const clang::FunctionDecl* one : called) {
    if (const clang::FunctionDecl* definition = visible_definition(one)) found.push_back(definition);
  }
  return found;
}

static bool is_declared_pure(const clang::FunctionDecl& function) {
  return function.hasAttr<clang::ConstAttr>() || function.hasAttr<clang::PureAttr>();
}

std::vector<const clang::FunctionDecl*> functions_of(const clang::ASTContext& ast, const option_function& one,
                                                     const lambda_table& lambdas, diagnostics& out) {
  const clang::QualType type = one.given->getType().getNonReferenceType();
  std::vector<const clang::FunctionDecl*> called;
  std::string what = "a `" + type_name(ast, type) + "`";
  if (const clang::CXXRecordDecl* closure = closure_class(type)) {
    const auto lambda = lambdas.find(closure);
    if (lambda != lambdas.end()) {
      const std::vector<const clang::CXXMethodDecl*> operators = call_operators_of(*lambda->second);
      return {operators.begin(), operators.end()};
    }
    what = "a lambda of another file";
  } else if (const clang::CXXRecordDecl* functor = functor_class(type)) {
    called = in_sight(callable_functions(*functor));
  } else if (const clang::FunctionDecl* named = named_function(*one.given)) {
    if (is_declared_pure(*named)) return {};
    what = "`" + named->getNameAsString() + "`";
    called = in_sight({named});
  }
  if (called.empty()) out.report(refusal::option_out_of_sight, one.given->getExprLoc(), {one.called, what});
  return called;
}

/// Adds the lambdas that a variable holds, or that captures of these hold.
static void add_lambdas(const clang::QualType type, const lambda_table& lambdas,
                        std::vector<const clang::LambdaExpr*>& found) {
  const clang::CXXRecordDecl* closure = closure_class(type);
  const auto held = closure == nullptr ? lambdas.end() : lambdas.find(closure);
  if (held == lambdas.end() || std::find(found.begin(), found.end(), held->second) != found.end()) return;
  found.push_back(held->second);
  for (const clang::LambdaCapture& capture : held->second->captures()) {
    if (capture.capturesVariable()) add_lambdas(capture.getCapturedVar()->getType(), lambdas, found);
  }
}

static std::vector<const clang::LambdaExpr*> lambdas_held_by(const clang::CXXRecordDecl& of,
                                                             const clang::LambdaExpr* lambda,
                                                             const lambda_table& lambdas) {
  std::vector<const clang::LambdaExpr*> found;
  if (lambda != nullptr) {
    add_lambdas(lambda->getType(), lambdas, found);
    found.erase(found.begin());  // the lambda itself
  } else {
    for (const clang::FieldDecl* field : of.fields()) add_lambdas(field->getType(), lambdas, found);
  }
  return found;
}

/// Reports the uses of variables that differ between processes, by code that all of them run.
static void refuse_globals(const option_function& one, const region& code, diagnostics& out) {
  for (const clang::Stmt* node : code.nodes()) {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(node);
    const auto* variable = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    if (variable == nullptr || !variable->hasGlobalStorage() || !is_users(*variable) ||
        is_same_everywhere(*variable))
      continue;
    out.report(refusal::merge_reads_global, name->getExprLoc(), {one.called, variable->getNameAsString()});
  }
}

namespace {

/// Reports changes of variables and objects that exist before the call, each once.
class outer_changes_check {
 public:
  outer_changes_check(const option_function& one, const region& code, diagnostics& out)
      : one_(one), code_(code), out_(out) {}

  void refuse() {
    refuse_named();
    dependences depends(code_);
    for (const auto& [variable, place] : writes_through_const(code_, depends)) {
      const auto* local = llvm::dyn_cast_or_null<clang::VarDecl>(variable);
      if (local == nullptr || !is_own(*local) || is_given(*local))
        refuse(*place, variable,
               variable == nullptr ? "an object through const" : variable->getNameAsString());
    }
    depends.follow_this();
    for (const clang::Expr* load : changed_loads(code_)) refuse_load(*load, depends);
  }

 private:
  void refuse(const clang::Expr& where, const clang::ValueDecl* of, const std::string& name) {
    if (of != nullptr) changed_.insert(of);
    if (!places_.insert(where.getExprLoc()).second) return;
    out_.report(refusal::option_changes, where.getExprLoc(), {one_.called, name});
  }

  void refuse_named() {
    for (const outer_change& change : outer_changes(code_)) {
      const bool is_stream = change.of != nullptr && !is_users(*change.of);  // std::cerr
      if (is_stream) continue;
      refuse(*change.where, change.of, change.of == nullptr ? "*this" : change.of->getNameAsString());
    }
  }

  /// Whether the variable lives in one call.
  bool is_own(const clang::VarDecl& variable) const {
    const bool is_capture = variable.isInitCapture() && code_.declaration_of(&variable) == nullptr;
    return variable.hasLocalStorage() && code_.declares(&variable) && !is_capture;
  }
  /// Whether the caller's object has this name in the function among the options.
  bool is_given(const clang::VarDecl& variable) const {
    const bool refers = variable.getType()->isReferenceType();
    return refers && llvm::isa<clang::ParmVarDecl>(variable) && variable.getDeclContext() == &code_.body();
  }
  bool is_outer(const clang::ValueDecl* object) const {
    const auto* variable = llvm::dyn_cast_or_null<clang::VarDecl>(object);
    if (variable != nullptr) return !is_own(*variable) && is_users(*variable);
    return object == nullptr || (llvm::isa<clang::BindingDecl>(object) && !code_.declares(object));
  }

  void refuse_load(const clang::Expr& load, const dependences& depends) {
    const clang::Expr& loaded = llvm::isa<clang::CastExpr>(load) ? *load.IgnoreParenCasts() : load;
    const origins reached = reached_objects::with_outer_this(code_, depends).of(loaded);
    const bool is_unnamed = reached.empty() && is_out_of_sight(loaded);
    if (!is_unnamed &&
        std::none_of(reached.begin(), reached.end(), [&](const auto* object) { return is_outer(object); }))
      return;
    const auto is_known = [&](const auto* object) {
      return object != nullptr && changed_.count(object) != 0;
    };
    const clang::Expr& named = leading_name(loaded);
    if (begins_at_own(named) && std::any_of(reached.begin(), reached.end(), is_known)) return;
    const clang::ValueDecl* name = declared_by(named);
    const unsigned line = place_of(code_.ast(), named.getExprLoc()).line;
    if (!loads_.emplace(name, line).second) return;
    if (name != nullptr && name->isImplicit()) {  // a range
      const auto outer = std::find_if(reached.begin(), reached.end(), [&](const auto* object) {
        return object != nullptr && is_outer(object);
      });
      name = outer == reached.end() ? nullptr : *outer;
    }
    refuse(named, nullptr, name == nullptr ? "an object behind a pointer" : name->getNameAsString());
  }

  /// Whether a function without text gives the object.
  static bool is_out_of_sight(const clang::Expr& e) {
    const auto* call = llvm::dyn_cast<clang::CallExpr>(e.IgnoreParenCasts());
    const clang::FunctionDecl* callee = call == nullptr ? nullptr : call->getDirectCallee();
    return callee != nullptr && is_users(*callee) && visible_definition(callee) == nullptr;
  }

  /// Whether the way to the object begins at a variable of the code's own: `at->next`.
  bool begins_at_own(const clang::Expr& name) const {
    const clang::Expr* at = &name;
    while (const auto* member = llvm::dyn_cast<clang::MemberExpr>(at)) at = &leading_name(*member->getBase());
    const auto* local = llvm::dyn_cast_or_null<clang::VarDecl>(declared_by(*at));
    return local != nullptr && is_own(*local);
  }

  static const clang::ValueDecl* declared_by(const clang::Expr& e) {
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&e)) return name->getDecl();
    const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e);
    return member == nullptr ? nullptr : member->getMemberDecl();
  }

  /// The variable or member that leads to an object: `m` in `m->x[j]`, `raw` in `model.raw[j]`.
  static const clang::Expr& leading_name(const clang::Expr& e) {
    const clang::Expr& at = *e.IgnoreParenCasts();
    const auto* member = llvm::dyn_cast<clang::MemberExpr>(&at);
    if (llvm::isa<clang::DeclRefExpr>(at) || member != nullptr) return at;
    const clang::Expr* part = nullptr;
    if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&at)) part = subscript->getBase();
    if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(&at)) part = step->getSubExpr();
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&at)) {
      part = object_of(at);
      if (part == nullptr && call->getNumArgs() > 0) part = call->getArg(0);
    }
    return part == nullptr ? at : leading_name(*part);
  }

  const option_function& one_;
  const region& code_;
  diagnostics& out_;
  std::set<clang::SourceLocation> places_;
  std::set<const clang::ValueDecl*> changed_;
  std::set<std::pair<const clang::ValueDecl*, unsigned>> loads_;  // reported, with their lines
};

}  // namespace

void refuse_in_option(const option_function& one, const clang::FunctionDecl& code,
                      const lambda_table& lambdas, const captured_objects& none, diagnostics& out) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&code);
  const auto made = method == nullptr ? lambdas.end() : lambdas.find(method->getParent());
  const clang::LambdaExpr* lambda = made == lambdas.end() ? nullptr : made->second;
  std::vector<const clang::LambdaExpr*> held;
  if (method != nullptr) held = lambdas_held_by(*method->getParent(), lambda, lambdas);
  const region reached(code.getASTContext(), lambda, code, held, none);
  const std::string before = out.name_code(one.called);
  refuse_in_region(reached, out, one.use);
  outer_changes_check(one, reached, out).refuse();
  if (one.use == called_as::by_all) refuse_globals(one, reached, out);
  out.name_code(before);
}

}  // namespace stradsap::pp
