#include "analyze/refusals/option_functions.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>

#include <algorithm>
#include <set>

#include "analyze/captures/functors.hpp"
#include "analyze/code/constants.hpp"
#include "analyze/code/effects.hpp"
#include "analyze/code/region.hpp"
#include "analyze/dependences/const_writes.hpp"
#include "analyze/dependences/dependences.hpp"
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

/// Reports changes of variables and objects that exist before the call.
static void refuse_outer_changes(const option_function& one, const region& code, diagnostics& out) {
  std::set<clang::SourceLocation> refused;
  const auto refuse = [&](const clang::Expr& where, const std::string& name) {
    if (!refused.insert(where.getExprLoc()).second) return;
    out.report(refusal::option_changes, where.getExprLoc(), {one.called, name});
  };
  for (const outer_change& change : outer_changes(code)) {
    const bool is_stream = change.of != nullptr && !is_users(*change.of);  // std::cerr
    if (!is_stream) refuse(*change.where, change.of == nullptr ? "*this" : change.of->getNameAsString());
  }
  const dependences depends(code);
  for (const auto& [variable, place] : writes_through_const(code, depends)) {
    const auto* local = llvm::dyn_cast_or_null<clang::VarDecl>(variable);
    const bool is_own = local != nullptr && local->hasLocalStorage() && code.declares(local);
    if (!is_own)
      refuse(*place, variable == nullptr ? "an object through const" : variable->getNameAsString());
  }
}

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
  refuse_outer_changes(one, reached, out);
  if (one.use == called_as::by_all) refuse_globals(one, reached, out);
  out.name_code(before);
}

}  // namespace stradsap::pp
