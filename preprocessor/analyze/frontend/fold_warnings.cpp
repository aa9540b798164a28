#include "analyze/frontend/fold_warnings.hpp"

#include <clang/AST/DeclTemplate.h>

#include "analyze/frontend/stated_models.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// A whole number, or an array or a vector of such: a sum of differences is seldom meant for them.
static bool is_of_whole_numbers(const clang::ASTContext& ast, clang::QualType type) {
  if (const clang::ArrayType* array = ast.getAsArrayType(type))
    return is_of_whole_numbers(ast, array->getElementType());
  const auto* made =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  if (made != nullptr && is_in_std(*made) && (made->getName() == "vector" || made->getName() == "array"))
    return is_of_whole_numbers(ast, made->getTemplateArgs()[0].getAsType());
  return type->isIntegralOrEnumerationType() && !type->isBooleanType();
}

static void warn(const clang::ASTContext& ast, const clang::ValueDecl& container, const doubtful_change& one,
                 bool is_summed, diagnostics& out) {
  const std::string name = container.getNameAsString();
  const std::string text = excerpt(ast, one.where->getSourceRange()).value_or(":");
  const std::string& changed = text == ":" ? name : text;  // of a `for` over the container
  switch (one.why) {
    case doubtful_change::reason::chosen:
      return out.report(refusal::chosen_store, one.where->getExprLoc(), {changed, name});
    case doubtful_change::reason::mixed:
      return out.report(
          refusal::mixed_changes, one.where->getExprLoc(),
          {changed, name,
           is_summed ? "the differences of shards are summed" : "the last shard's value counts"});
    case doubtful_change::reason::hidden:
      if (is_of_whole_numbers(ast, element_of(container.getType())))
        out.report(refusal::hidden_change, one.where->getExprLoc(), {name, changed});
      return;
  }
}

void warn_of_folds(const loop_facts& facts, const container_modes& modes, diagnostics& out) {
  for (const outer_variable& variable : facts.outer) {
    if (!is_container(variable.type())) continue;
    const clang::ValueDecl& container = *variable.storage();
    if (!facts.options.folds_by_text && !folds_by_text(facts.ast, container)) continue;
    const found_fold fold = modes.fold_of(&container);
    const bool is_summed = fold.how == copy_fold::differences;
    for (const doubtful_change& one : fold.doubts) warn(facts.ast, container, one, is_summed, out);
  }
}

}  // namespace stradsap::pp
