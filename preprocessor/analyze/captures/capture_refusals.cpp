#include "analyze/captures/capture_refusals.hpp"

#include <clang/AST/DeclCXX.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "analyze/code/member_captures.hpp"
#include "analyze/code/object_places.hpp"
#include "analyze/code/region.hpp"
#include "analyze/code/types.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

static bool is_reduction(const std::vector<loop_argument>& arguments, const std::string& name) {
  return std::any_of(arguments.begin(), arguments.end(), [&](const loop_argument& a) {
    return a.name == name && a.kind == argument_kind::reduction;
  });
}

/// The way to a captured part of an object: `P` for a member of `this`, `model.P`; empty for a variable.
static std::string path_of(const outer_variable& capture) {
  if (!capture.path.empty()) return capture.path;
  if (llvm::isa<clang::FieldDecl>(capture.declaration) || capture.is_added) return capture.name;
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(capture.declaration);
  const bool refers = variable != nullptr && variable->getType()->isReferenceType();
  return refers && variable->getInit() != nullptr ? path_to_member(*variable->getInit()) : std::string();
}

/// Refuses `[&total = stats.total, &seen = stats.total]`, and a local reference instead of either.
static void refuse_same_members(const std::vector<outer_variable>& variables,
                                const std::vector<loop_argument>& arguments, diagnostics& out) {
  for (const outer_variable& first : variables) {
    for (const outer_variable& second : variables) {
      const std::string path = path_of(first);
      const bool within = !path.empty() && (path_of(second) + ".").starts_with(path + ".");
      const bool reduced = is_reduction(arguments, first.name) || is_reduction(arguments, second.name);
      if (&first == &second || !within || !reduced) continue;
      out.report(refusal::reduction_read, second.where, {first.name}, first.where);
    }
  }
}

/// The variable that a capture denotes as a whole; null if the text does not show it.
static const clang::ValueDecl* variable_of(const outer_variable& capture) {
  if (capture.evaluated != nullptr) return whole_variable(*capture.evaluated);
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(capture.declaration);
  const bool refers = variable != nullptr && variable->getType()->isReferenceType();
  if (!refers || variable->getInit() == nullptr) return capture.path.empty() ? capture.declaration : nullptr;
  const clang::ValueDecl* whole = whole_variable(*variable->getInit());
  return whole != nullptr || !capture.path.empty() ? whole : capture.declaration;
}

/// Whether two captures name one object. A path with a call or an increment leads to another object each
/// time.
static bool are_one(const outer_variable& first, const outer_variable& second) {
  const clang::ValueDecl* variable = variable_of(first);
  if (variable != nullptr && variable == variable_of(second)) return true;
  const std::string path = path_of(first);
  return !path.empty() && path == path_of(second) && path.find_first_of("(=") == std::string::npos &&
         path.find("++") == std::string::npos && path.find("--") == std::string::npos;
}

/// Refuses `auto& y = x;` and then `[&x, &y]`: a process could not see that both are one container.
static void refuse_same_containers(const std::vector<outer_variable>& variables,
                                   const std::vector<loop_argument>& arguments, diagnostics& out) {
  const auto is_written = [&](const outer_variable& variable) {
    return std::any_of(arguments.begin(), arguments.end(), [&](const loop_argument& a) {
      return a.name == variable.name && a.kind == argument_kind::container && (a.bits & api::mode_write) != 0;
    });
  };
  for (auto second = variables.begin(); second != variables.end(); ++second) {
    if (!is_container(second->type()) || second->holder != nullptr) continue;
    const auto first = std::find_if(variables.begin(), second, [&](const outer_variable& v) {
      return is_container(v.type()) && v.holder == nullptr && are_one(v, *second);
    });
    if (first == second || (!is_written(*first) && !is_written(*second))) continue;
    out.report(refusal::captured_twice, second->where, {first->name, second->name}, first->where);
  }
}

static const clang::ValueDecl* referred_to(const clang::ValueDecl& declaration) {
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
  if (variable == nullptr || !variable->getType()->isReferenceType()) return nullptr;
  const clang::Expr* at = variable->getInit();
  while (at != nullptr) {
    at = at->IgnoreParenImpCasts();
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(at)) {
      const clang::ValueDecl* further = referred_to(*name->getDecl());
      return further != nullptr ? further : name->getDecl();
    }
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(at)) {
      at = member->getBase();
    } else if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(at)) {
      at = subscript->getBase();
    } else {
      at = object_of(*at);
    }
  }
  return nullptr;
}

void refuse_second_names(const std::vector<outer_variable>& variables,
                         const std::vector<loop_argument>& arguments, diagnostics& out) {
  refuse_same_members(variables, arguments, out);
  refuse_same_containers(variables, arguments, out);
  for (const outer_variable& second : variables) {
    const clang::ValueDecl* first = referred_to(*second.declaration);
    const auto is_first = [&](const outer_variable& v) { return v.declaration == first; };
    if (first == nullptr || std::none_of(variables.begin(), variables.end(), is_first)) continue;
    const std::string name = first->getNameAsString();
    if (!is_reduction(arguments, name) && !is_reduction(arguments, second.name)) continue;
    out.report(refusal::reduction_read, second.where, {name}, second.declaration->getLocation());
  }
}

static llvm::StringRef name_in_std(clang::QualType type) {
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  const bool known = record != nullptr && record->getIdentifier() != nullptr && is_in_std(*record);
  return known ? record->getName() : llvm::StringRef();
}

bool is_engine(clang::QualType type) {
  const llvm::StringRef name = name_in_std(type);
  return name.ends_with("_engine") || name == "random_device";
}

bool is_distribution(clang::QualType type) { return name_in_std(type).ends_with("_distribution"); }

refusal refusal_of_write(clang::QualType type) {
  if (is_engine(type)) return refusal::captured_engine;
  if (is_distribution(type)) return refusal::captured_distribution;
  return type->isArithmeticType() ? refusal::write_through_capture : refusal::object_changed;
}

/// Writes a size as 32 MiB or 1.5 MiB.
static std::string in_mebibytes(std::int64_t bytes) {
  const std::int64_t tenths = (bytes * 10 + (std::int64_t{1} << 19)) >> 20;
  return std::to_string(tenths / 10) + (tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10)) + " MiB";
}

void warn_of_size(const clang::ASTContext& ast, const outer_variable& variable, diagnostics& out) {
  constexpr std::int64_t most = 1 << 20;  // a thread's stack has 8
  const clang::QualType type = variable.type();
  if (!variable.by_copy || type->isDependentType() || type->isIncompleteType()) return;
  const std::int64_t bytes = ast.getTypeSizeInChars(type).getQuantity();
  if (bytes >= most) out.report(refusal::large_copy, variable.where, {variable.name, in_mebibytes(bytes)});
}

bool draws_from_shared_engine(const region& code, const clang::Expr& name) {
  const auto* draw = llvm::dyn_cast_or_null<clang::CXXOperatorCallExpr>(code.above(&name));
  if (draw == nullptr || !is_distribution(name.getType())) return false;
  const std::vector<const clang::Expr*> arguments = arguments_of(*draw);
  return std::any_of(arguments.begin(), arguments.end(), [&](const clang::Expr* argument) {
    const auto* engine = llvm::dyn_cast<clang::DeclRefExpr>(argument->IgnoreParenImpCasts());
    if (engine == nullptr || !is_engine(engine->getType())) return false;
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(engine->getDecl());
    return variable != nullptr && (!code.declares(variable) || variable->hasGlobalStorage());
  });
}

/// Whether an object, or a pointer's target, is an element of a container or a part of one.
static bool comes_from_container(const clang::Expr& whole, std::set<const clang::Decl*>& seen);

static bool comes_from_container(const clang::ValueDecl& name, std::set<const clang::Decl*>& seen) {
  const auto* binding = llvm::dyn_cast<clang::BindingDecl>(&name);
  const clang::ValueDecl* holder = binding != nullptr ? binding->getDecomposedDecl() : &name;
  const auto* variable = llvm::dyn_cast_or_null<clang::VarDecl>(holder);
  if (variable == nullptr || variable->getInit() == nullptr || !seen.insert(variable).second) return false;
  const clang::QualType type = variable->getType();
  const bool refers = type->isReferenceType() || type->isPointerType() || is_view(type);
  return refers && comes_from_container(*variable->getInit(), seen);
}

static bool returns_element(const clang::Stmt* node, std::set<const clang::Decl*>& seen) {
  if (node == nullptr || llvm::isa<clang::LambdaExpr>(node)) return false;
  const auto* returned = llvm::dyn_cast<clang::ReturnStmt>(node);
  if (returned != nullptr && returned->getRetValue() != nullptr)
    return comes_from_container(*returned->getRetValue(), seen);
  return std::any_of(node->child_begin(), node->child_end(),
                     [&](const clang::Stmt* child) { return returns_element(child, seen); });
}

static bool may_refer(const clang::Expr& e) {
  return e.isGLValue() || e.getType()->isPointerType() || is_view(e.getType());
}

/// The operand without casts; null if the expression copies the object.
static const clang::Expr* without_casts(const clang::Expr* e) {
  while (e != nullptr && may_refer(*e)) {
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(e)) {
      e = cast->getSubExpr();
    } else if (const auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(e)) {
      e = temporary->getSubExpr();
    } else if (const clang::Expr* next = e->IgnoreParens(); next != e) {
      e = next;
    } else if (const auto* full = llvm::dyn_cast<clang::FullExpr>(e)) {
      e = full->getSubExpr();
    } else {
      return e;
    }
  }
  return nullptr;
}

static bool comes_from_container(const clang::Expr& whole, std::set<const clang::Decl*>& seen) {
  const clang::Expr* bare = without_casts(&whole);
  if (bare == nullptr) return false;
  const clang::Expr& e = *bare;
  if (is_container(e.getType())) return true;
  const auto comes = [&](const clang::Expr* part) {
    return part != nullptr && comes_from_container(*part, seen);
  };
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&e))
    return comes_from_container(*name->getDecl(), seen);
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e)) return comes(member->getBase());
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&e))
    return comes(subscript->getBase());
  if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(&e)) return comes(step->getSubExpr());
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&e))
    return (op->getOpcode() != clang::BO_Comma && comes(op->getLHS())) || comes(op->getRHS());
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&e))
    return comes(choice->getTrueExpr()) || comes(choice->getFalseExpr());
  const clang::FunctionDecl* callee = callee_of(e);
  if (callee == nullptr) return false;
  const std::vector<const clang::Expr*> arguments = arguments_of(e);
  if (comes(object_of(e)) || std::any_of(arguments.begin(), arguments.end(), comes)) return true;
  const clang::FunctionDecl* definition = visible_definition(callee);
  return definition != nullptr && seen.insert(definition).second &&
         returns_element(definition->getBody(), seen);
}

bool is_element_reference(const outer_variable& capture) {
  std::set<const clang::Decl*> seen;
  if (capture.by_copy || capture.evaluated != nullptr || is_container(capture.type())) return false;
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(capture.declaration);
  const bool refers = llvm::isa<clang::BindingDecl>(capture.declaration) ||
                      (variable != nullptr && variable->getType()->isReferenceType());
  return refers && comes_from_container(*capture.declaration, seen);
}

}  // namespace stradsap::pp
