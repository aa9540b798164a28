#include "analyze/slicing/slice.hpp"

#include <algorithm>

#include "analyze/access/inserted_reaches.hpp"
#include "analyze/code/control.hpp"
#include "analyze/slicing/slice_parts.hpp"
#include "analyze/slicing/slice_text.hpp"
#include "analyze/slicing/speculation_safety.hpp"

namespace stradsap::pp {

static bool computes_fractions(const clang::Stmt* node) {
  const auto* e = llvm::dyn_cast_or_null<clang::Expr>(node);
  if (e != nullptr && e->getType()->isRealFloatingType()) return true;
  return node != nullptr && std::any_of(node->child_begin(), node->child_end(), computes_fractions);
}

/// Whether the slice computes only with integers. Floating-point results may differ from the body's, because
/// the compiler contracts expressions differently.
static bool is_integral(const region& code, const slice_parts& parts) {
  for (const clang::Stmt* target : parts.targets) {
    for (const clang::Expr* argument : arguments_of(llvm::cast<clang::Expr>(*target))) {
      if (computes_fractions(argument)) return false;
    }
    for (const clang::Stmt* condition : conditions_above(code, *target)) {
      if (computes_fractions(condition)) return false;
    }
  }
  if (std::any_of(parts.kept.begin(), parts.kept.end(), computes_fractions)) return false;
  return std::none_of(parts.needed.begin(), parts.needed.end(), [&](const clang::ValueDecl* variable) {
    return code.declares(variable) && variable->getType()->isRealFloatingType();
  });
}

/// The containers with elements that the slice names but never reads.
static origins only_named(const region& code, const std::vector<const access*>& targets,
                          const slice_text& text) {
  origins found;
  for (const access* one : targets) found.insert(one->containers.begin(), one->containers.end());
  for (const access* one : targets) {
    const bool in_body = code.function_of(one->call) == &code.body();  // otherwise the caller may read it
    if (in_body && !text.computes(*one->call)) continue;
    for (const clang::ValueDecl* container : one->containers) found.erase(container);
  }
  return found;
}

slice find_slice(const region& code, const dependences& depends, const slice_goal& goal) {
  slice made;
  try {
    slice_parts parts = find_slice_parts(code, depends, goal);
    if (!follows_are_safe_to_speculate(code, parts))
      throw not_sliceable{"after a return that is decided by what the loop writes stands what may fail"};
    const slice_text text(code, parts, reaches_in(code, goal.accesses));
    made.text = text.text();
    made.is_exact = parts.left_out.empty() && is_integral(code, parts);
    made.only_named = only_named(code, goal.targets, text);
    made.left_out = std::move(parts.left_out);
  } catch (const not_sliceable& limit) {
    made.why_not = limit.why;
  }
  return made;
}

}  // namespace stradsap::pp
