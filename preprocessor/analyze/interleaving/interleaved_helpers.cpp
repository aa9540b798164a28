#include "analyze/interleaving/interleaved_helpers.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>

#include "analyze/code/uses.hpp"
#include "analyze/interleaving/interleaved_code.hpp"
#include "analyze/interleaving/pure_code.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

std::string interleaved_helpers::name_of_copy(const clang::FunctionDecl& function) {
  if (function.getIdentifier() == nullptr) throw not_interleavable{"a sum calls an operator"};
  return "stradsap_interleaved_" + function.getNameAsString();
}

const interleaved_helpers::helper& interleaved_helpers::known(const clang::FunctionDecl& function) {
  const auto [at, fresh] = known_.emplace(&function, helper());
  if (fresh) {
    helper seen = look_at(function);  // this may add other helpers
    known_[&function] = std::move(seen);
  }
  return known_[&function];
}

/// Collects the `candidates` that a node names.
static void add_named(const clang::Stmt& node, const std::set<const clang::VarDecl*>& candidates,
                      std::set<const clang::VarDecl*>& found) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node);
  const auto* named = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
  if (named != nullptr && candidates.count(named) != 0) found.insert(named);
  for (const clang::Stmt* child : node.children()) {
    if (child != nullptr) add_named(*child, candidates, found);
  }
}

static std::vector<const clang::Stmt*> statements_of(const clang::FunctionDecl& function) {
  const auto* body = llvm::dyn_cast_or_null<clang::CompoundStmt>(function.getBody());
  if (body == nullptr) return {};
  return {body->body_begin(), body->body_end()};
}

static bool has_requirements(const clang::FunctionDecl& function) {
  const clang::FunctionTemplateDecl* made_from = function.getPrimaryTemplate();
  return function.getTrailingRequiresClause() != nullptr ||
         (made_from != nullptr && made_from->getTemplateParameters()->getRequiresClause() != nullptr);
}

/// Whether a parameter is an integer in each instance and the function does not change it.
static bool may_be_bound(const region& code, const clang::FunctionDecl& function, unsigned parameter) {
  const clang::FunctionDecl* pattern = function.getTemplateInstantiationPattern();
  const clang::FunctionDecl& written = pattern != nullptr ? *pattern : function;
  return written.getNumParams() == function.getNumParams() &&
         !written.getParamDecl(parameter)->getType()->isDependentType() &&
         function.getParamDecl(parameter)->getType()->isIntegerType() &&
         (use_reader(code).bits_of_variable(*function.getParamDecl(parameter)) & use_write) == 0;
}

interleaved_helpers::helper interleaved_helpers::look_at(const clang::FunctionDecl& function) {
  const std::vector<const clang::Stmt*> statements = statements_of(function);
  const auto* last = statements.empty() ? nullptr : llvm::dyn_cast<clang::ReturnStmt>(statements.back());
  if (last == nullptr || last->getRetValue() == nullptr || !function.getReturnType()->isArithmeticType())
    return {};
  if (function.getReturnType()->getContainedDeducedType() != nullptr || has_requirements(function)) return {};
  interleaved_code trial(code_, *this);
  std::set<const clang::VarDecl*> numbers;
  for (unsigned i = 0; i < function.getNumParams(); ++i) {
    const clang::ParmVarDecl* parameter = function.getParamDecl(i);
    if (parameter->getName().empty() || parameter->isParameterPack()) return {};
    may_be_bound(code_, function, i) ? void(numbers.insert(parameter)) : trial.vary(*parameter);
  }
  helper found;
  for (const clang::Stmt* statement : statements) {
    const clang::Stmt& part = statement == last ? *last->getRetValue() : *statement;
    if (!only_computes(code_, part)) return {};
    if (trial.sums_up(part)) {
      found.sums_up = true;
      add_named(part, numbers, found.bounds);
    }
    trial.note_declared(part);
  }
  return found;
}

void interleaved_helpers::need(const clang::FunctionDecl& function) {
  const auto end = position_after(code_.ast(), function.getBody()->getEndLoc());
  const bool is_before = code_.ast().getSourceManager().isBeforeInTranslationUnit(
      function.getBody()->getEndLoc(), code_.place());
  if (!end || !is_before)
    throw not_interleavable{"a sum calls a function that is defined behind the loop or by a macro"};
  const auto [known, fresh] = texts_.emplace(*end, copy_of(function));
  if (!fresh && known->second != copy_of(function))
    throw not_interleavable{"sums call several instances of one template"};  // instances differ
}

/// Makes `template <size_t K> ` from the user's text.
static std::string template_head(const interleaved_code& text, const clang::FunctionDecl& function) {
  const clang::FunctionTemplateDecl* made_from = function.getPrimaryTemplate();
  if (function.getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization)
    throw not_interleavable{"a sum calls an explicit specialisation"};
  if (made_from == nullptr || made_from->getTemplateParameters()->getTemplateLoc().isInvalid()) return {};
  return text.text_of(made_from->getTemplateParameters()->getSourceRange()) + " ";
}

std::string interleaved_helpers::copy_of(const clang::FunctionDecl& function) {
  interleaved_code code(code_, *this);
  const std::set<const clang::VarDecl*> bounds = known(function).bounds;
  for (const clang::ParmVarDecl* parameter : function.parameters()) {
    if (bounds.count(parameter) == 0) code.vary(*parameter);
  }
  std::string parameters;
  for (unsigned i = 0; i < interleave_width; ++i) {
    for (const clang::ParmVarDecl* parameter : function.parameters()) {
      if (i > 0 && bounds.count(parameter) != 0) continue;
      parameters += (parameters.empty() ? "" : ", ") + code.parameter_of(*parameter, i);
    }
  }
  const std::vector<const clang::Stmt*> statements = statements_of(function);
  const clang::Expr& result = *llvm::cast<clang::ReturnStmt>(*statements.back()).getRetValue();
  for (const clang::Stmt* statement : statements) {
    if (statement != statements.back()) code.print(*statement);
  }
  code.print_calls(result);
  const std::string type = code.text_of(function.getReturnTypeSourceRange());
  std::string values;
  for (unsigned i = 0; i < interleave_width; ++i)
    values += (i == 0 ? "" : ", ") + ("static_cast<" + type + ">(" + code.text_of(result, i) + ")");
  // uses no name of the API: its headers may follow later
  return " " + template_head(code, function) + "inline auto " + name_of_copy(function) + "(" + parameters +
         ") { " + code.text() + "struct stradsap_sums { " + type + " " + api::of + "[" +
         std::to_string(interleave_width) + "]; }; return stradsap_sums{{" + values + "}}; }";
}

}  // namespace stradsap::pp
