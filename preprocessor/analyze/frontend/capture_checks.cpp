#include "analyze/frontend/capture_checks.hpp"

#include <algorithm>
#include <optional>

#include "analyze/captures/capture_refusals.hpp"
#include "analyze/captures/captured_lambdas.hpp"
#include "analyze/captures/write_advice.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/fix_its.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

std::vector<const clang::Expr*> names_of(const region& code, const clang::ValueDecl* variable) {
  std::vector<const clang::Expr*> names;
  for (const clang::Expr* use : code.uses(variable)) {
    const clang::VarDecl* alias = code.parent(use).variable;
    const bool renamed = alias != nullptr && alias->getType()->isReferenceType() &&
                         !alias->isCXXForRangeDecl() && !llvm::isa<clang::DecompositionDecl>(alias);
    if (!renamed) names.push_back(use);
    if (!renamed) continue;
    const std::vector<const clang::Expr*> more = names_of(code, alias);
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

void capture_checks::refuse_initialisers() {
  for (const access& one : facts_.accesses) {
    if (facts_.code.function_of(one.call) != nullptr) continue;
    out_.report(refusal::capture_reads_container, one.call->getExprLoc(),
                {(*one.containers.begin())->getNameAsString()});
  }
  for (const clang::LambdaExpr* lambda : facts_.code.made_before()) refuse_initialisers(*lambda);
}
void capture_checks::refuse_initialisers(const clang::LambdaExpr& lambda) {
  for (const clang::LambdaCapture& capture : lambda.captures()) {
    if (!lambda.isInitCapture(&capture)) continue;
    const auto& variable = llvm::cast<clang::VarDecl>(*capture.getCapturedVar());
    if (variable.getType()->isReferenceType()) continue;
    const outer_variable own{&variable, variable.getNameAsString(), capture.getLocation(), /*by_copy=*/true,
                             /*is_constant=*/false};
    refuse_casts(own);
    refuse_type(own);
  }
}

void capture_checks::refuse_changed_constants() {
  for (const auto& [variable, place] : facts_.written_through_const) {
    if (variable == nullptr) out_.report(refusal::unknown_const_write, place->getExprLoc(), {});
    const auto* global = llvm::dyn_cast_or_null<clang::VarDecl>(variable);
    if (global == nullptr || !global->hasGlobalStorage() || is_container(global->getType())) continue;
    out_.report(refusal::global_write, place->getExprLoc(), {global->getNameAsString()});
  }
}

void capture_checks::refuse_casts(const outer_variable& variable) {
  const auto cast = facts_.written_through_const.find(variable.storage());
  if (cast == facts_.written_through_const.end()) return;
  out_.report(refusal::write_through_capture, cast->second->getExprLoc(),
              {variable.name, advice_on_number(facts_.code, *cast->second)}, variable.where);
}

void capture_checks::refuse_writes(const outer_variable& variable,
                                   const std::vector<const clang::Expr*>& folds) {
  refuse_casts(variable);
  use_reader reader(facts_.code);
  if (owns_memory(facts_.ast, variable.type())) reader.follow_owned();
  std::vector<const clang::Expr*> changes;
  for (const clang::Expr* name : names_of(facts_.code, variable.declaration)) {
    if ((reader.bits(*name) & use_write) == 0) continue;
    if (std::find(folds.begin(), folds.end(), name) != folds.end()) continue;
    if (is_moved_into_capture(facts_.code, *name) || draws_from_shared_engine(facts_.code, *name)) continue;
    changes.push_back(name);
  }
  if (changes.empty() || follows_another_change(facts_.code, changes)) return;
  const clang::Expr& change = clearest_change(facts_.code, changes);
  const refusal kind = refusal_of_write(variable.type());
  std::vector<std::string> words = {variable.name};
  if (kind == refusal::object_changed) {
    words.push_back(advice_on_object(facts_.code, change));
    words.push_back(advice_on_sharing(facts_.code, change));
  } else {
    words.push_back(advice_on_number(facts_.code, change));
  }
  out_.report(kind, change.getExprLoc(), words, variable.where);
}

bool capture_checks::is_written(const clang::ValueDecl& variable) const {
  return (use_reader(facts_.code).bits_of_variable(variable) & use_write) != 0;
}

bool capture_checks::refuse_tool(const outer_variable& variable) {
  if (!is_lock(variable.type()) && !is_view(variable.type()) && !is_braced_list(variable.type()))
    return false;
  out_.report(is_lock(variable.type()) ? refusal::captured_lock : refusal::captured_view, variable.where,
              {variable.name, type_name(facts_.ast, variable.type())});
  return true;
}

bool capture_checks::refuse_element(const outer_variable& variable) {
  if (!is_element_reference(variable)) return false;
  out_.report(refusal::captured_element_reference, variable.where, {variable.name}, {},
              is_written(*variable.declaration)
                  ? fix_its()
                  : captured_by_value(facts_.ast, facts_.capturing(variable), *variable.declaration));
  return true;
}

/// The object of which a pointer's initialiser takes the address: `h` of `h.data()` and `&h[i].weight`.
static const clang::VarDecl* pointed_into(const clang::Expr& init) {
  const clang::Expr* at = &bare(init);
  while (
      llvm::isa<clang::CallExpr, clang::MemberExpr, clang::UnaryOperator, clang::ArraySubscriptExpr>(*at)) {
    const clang::Expr* part = nullptr;
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(at)) part = member->getBase();
    if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(at)) part = step->getSubExpr();
    if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(at)) part = subscript->getBase();
    if (llvm::isa<clang::CallExpr>(at)) part = object_of(*at);
    if (part == nullptr) return nullptr;
    at = &bare(*part);
  }
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(at);
  return name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
}

/// Advice for a pointer to an object: a name for that object. A member `data_` gives `data`.
static std::string named_before_loop(const outer_variable& pointer) {
  const clang::QualType target = pointer.type().getNonReferenceType()->getPointeeType();
  const auto* record = target.isNull() ? nullptr : target->getAsCXXRecordDecl();
  const bool is_known = record != nullptr && (record->isInStdNamespace() || is_users(*record) ||
                                              is_container(target.getCanonicalType().getUnqualifiedType()));
  if (!is_known) return {};  // as FILE
  std::string name = pointer.name.substr(pointer.name.find_last_of(".>") + 1);
  while (name.size() > 1 && name.back() == '_') name.pop_back();
  if (name == pointer.name) name = "one";
  return ": write `auto& " + name + " = *" + pointer.name + ";` before the loop, capture `&" + name +
         "`, and use that in the body";
}

/// Whether the code does more with the variable than read it: it may change, as by `std::swap(cur, next)`.
static bool may_change(const clang::Stmt& code, const clang::VarDecl& variable) {
  for (const clang::Stmt* part : code.children()) {
    if (part == nullptr) continue;
    const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&code);
    const bool is_read = cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue;
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(part);
    if (name != nullptr && name->getDecl() == &variable && !is_read && !llvm::isa<clang::LambdaExpr>(code))
      return true;
    if (may_change(*part, variable)) return true;
  }
  return false;
}

static bool may_change(const clang::VarDecl& variable) {
  const auto* function = llvm::dyn_cast<clang::FunctionDecl>(variable.getDeclContext());
  if (variable.getType().isConstQualified()) return false;
  return function == nullptr || !function->hasBody() || may_change(*function->getBody(), variable);
}

/// Advice for a pointer that can be made anew in each iteration; empty for others.
static std::string made_in_body(const clang::ASTContext& ast, const clang::ValueDecl& pointer) {
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(&pointer);
  const clang::Expr* init = variable == nullptr ? nullptr : variable->getInit();
  const clang::VarDecl* object = init == nullptr ? nullptr : pointed_into(*init);
  const auto text = object == nullptr ? std::nullopt : excerpt(ast, init->getSourceRange());
  if (!text || object->getType()->isAnyPointerType()) return {};
  const clang::QualType target = init->getType()->getPointeeType();
  const bool to_container = !target.isNull() && is_container(target.getCanonicalType().getUnqualifiedType());
  if (may_change(*variable)) {
    if (to_container || !is_container(object->getType().getCanonicalType())) return {};
    return "; here `" + variable->getNameAsString() +
           "` changes, so exchange the containers instead, as in `std::swap(" + object->getNameAsString() +
           ", other)`, and make the pointer in the body: `auto* " + variable->getNameAsString() + " = " +
           *text + ";`";
  }
  if (to_container) return "; here `" + object->getNameAsString() + "`, and use it without the pointer";
  return "; here `" + object->getNameAsString() + "`, and make the pointer in the body: `auto* " +
         variable->getNameAsString() + " = " + *text + ";`";
}

bool capture_checks::refuse_type(const outer_variable& variable) {
  if (refuse_tool(variable)) return true;
  clang::QualType type = variable.type();
  if (remade_lambda(facts_.lambdas, type) != nullptr)
    return false;  // its captures are analysed as captures of the loop
  const bool is_older = facts_.options.is_kept || variable.holder != nullptr;
  if (variable.of_both && is_older && !type.getNonReferenceType().isConstQualified()) {
    out_.report(refusal::unserialisable_capture, variable.where,
                {variable.name, variable.name, "is captured by value, as it is now, and by reference",
                 ", or compute the value in a variable before the lambda and capture that"});
  }
  if (type->isAnyPointerType() && !type->isFunctionPointerType()) {
    const std::string known = made_in_body(facts_.ast, *variable.declaration);
    out_.report(refusal::captured_pointer, variable.where,
                {variable.name, known.empty() ? named_before_loop(variable) : known});
    return false;
  }
  if (refuse_element(variable)) return true;
  if (is_engine(type) && is_written(*variable.declaration)) return false;  // another refusal reports it
  const std::optional<obstacle> found = types_.add(type, variable.name);
  if (!found) return false;
  const clang::SourceLocation advice = found->where;
  out_.report(refusal::unserialisable_capture, variable.where,
              {variable.name, found->path, found->what, advice_to_describe(*found)}, advice);
  return found->is_container;
}

}  // namespace stradsap::pp
