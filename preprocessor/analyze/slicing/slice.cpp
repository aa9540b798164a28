#include "analyze/slicing/slice.hpp"

#include <algorithm>
#include <functional>

#include "analyze/access/given_reaches.hpp"
#include "analyze/code/control.hpp"
#include "analyze/code/place_comparisons.hpp"
#include "analyze/code/returned_places.hpp"
#include "analyze/slicing/slice_cost.hpp"
#include "analyze/slicing/slice_parts.hpp"
#include "analyze/slicing/slice_text.hpp"
#include "analyze/slicing/sliced_functions.hpp"
#include "analyze/slicing/speculation_safety.hpp"

namespace stradsap::pp {

namespace {

/// Finds floating-point values on which places depend. Their results in the slice may differ from the body's,
/// because the compiler contracts expressions differently.
class fraction_finder {
 public:
  fraction_finder(const region& code, const dependences& depends, const slice_goal& goal)
      : code_(code), depends_(depends), goal_(goal) {}

  static bool is_fraction(clang::QualType type) { return type.getNonReferenceType()->isRealFloatingType(); }

  static bool are_in(const clang::Stmt* node) {
    const auto* e = llvm::dyn_cast_or_null<clang::Expr>(node);
    if (e != nullptr && is_fraction(e->getType())) return true;
    return node != nullptr && std::any_of(node->child_begin(), node->child_end(), are_in);
  }

  /// Whether the place of the access depends on some.
  bool are_behind(const clang::Expr& access) {
    const std::vector<const clang::Expr*> arguments = arguments_of(access);
    const auto computes = [&](const clang::Expr* argument) { return are_computed_in(argument); };
    if (std::any_of(arguments.begin(), arguments.end(), computes)) return true;
    const origins found = depends_.of_access(access);
    return std::any_of(found.begin(), found.end(), [&](const clang::ValueDecl* declared) {
      const auto* variable = llvm::dyn_cast_or_null<clang::VarDecl>(declared);
      return variable != nullptr && is_computed_from_some(*variable);
    });
  }

  /// Whether the text has some, or a function that it calls.
  bool are_computed_in(const clang::Stmt* node) {
    if (node == nullptr || are_in(node)) return node != nullptr;
    const auto* e = llvm::dyn_cast<clang::Expr>(node);
    if (e != nullptr && are_computed_by(callee_of(*e))) return true;
    return std::any_of(node->child_begin(), node->child_end(),
                       [&](const clang::Stmt* child) { return are_computed_in(child); });
  }

 private:
  bool is_computed_from_some(const clang::VarDecl& variable) {
    const bool declared = code_.declares(&variable);
    if (!declared && goal_.written_aligned.count(&variable) == 0) return false;
    const std::vector<const clang::Stmt*>& changes = depends_.changes_of(&variable);
    return (declared && (is_fraction(variable.getType()) || are_computed_in(variable.getInit()))) ||
           std::any_of(changes.begin(), changes.end(),
                       [&](const clang::Stmt* change) { return are_computed_in(change); });
  }

  bool are_computed_by(const clang::FunctionDecl* function) {
    const clang::FunctionDecl* definition = code_.in_sight(function);
    return definition != nullptr && searched_.insert(definition).second &&
           are_computed_in(definition->getBody());
  }

  const region& code_;
  const dependences& depends_;
  const slice_goal& goal_;
  std::set<const clang::FunctionDecl*> searched_;
};

}  // namespace

/// Whether the slice computes only with integers.
static bool is_integral(const region& code, const dependences& depends, const slice_goal& goal,
                        const slice_parts& parts) {
  fraction_finder fractions(code, depends, goal);
  const auto computes = [&](const clang::Stmt* node) { return fractions.are_computed_in(node); };
  for (const clang::Stmt* target : parts.targets) {
    const std::vector<const clang::Expr*> arguments =
        parts.needed_arguments(llvm::cast<clang::Expr>(*target));
    const std::vector<const clang::Stmt*> conditions = conditions_above(code, *target);
    if (std::any_of(arguments.begin(), arguments.end(), fraction_finder::are_in)) return false;
    if (std::any_of(conditions.begin(), conditions.end(), computes)) return false;
  }
  if (std::any_of(goal.targets.begin(), goal.targets.end(),
                  [&](const access* one) { return fractions.are_behind(*one->call); }))
    return false;
  if (std::any_of(parts.kept.begin(), parts.kept.end(), fraction_finder::are_in)) return false;
  return std::none_of(parts.needed.begin(), parts.needed.end(), [&](const clang::ValueDecl* variable) {
    return code.declares(variable) && fraction_finder::is_fraction(variable->getType());
  });
}

namespace {

/// Writes the slices of a body and of the functions that it calls.
class slicer {
 public:
  slicer(const region& code, const dependences& depends, const slice_goal& goal, bool apart)
      : code_(code),
        goal_(goal),
        parts_(find_slice_parts(code, depends, goal, apart)),
        inserted_(reaches_in(code, goal.accesses)),
        functions_(write_sliced_functions(code, parts_, inserted_, names_)),
        text_(code, parts_, inserted_, code.body(), names_),
        is_integral_(is_integral(code, depends, goal, parts_)) {}

  slice finish() {
    if (!follows_are_safe_to_speculate(code_, parts_))
      throw not_sliceable{"after a return that is decided by what the loop writes stands what may fail"};
    slice made;
    made.text = text_.text();
    made.is_exact = parts_.left_out.empty() && is_integral_;
    made.is_mostly_body = is_mostly_slice(code_, parts_);
    made.only_named = only_named();
    for (const auto& [function, one] : functions_) made.functions[one.place] += one.text;
    made.left_out = std::move(parts_.left_out);
    return made;
  }

 private:
  /// The containers with elements that the slice names but never reads.
  [[nodiscard]] origins only_named() const {
    origins found;
    for (const access* one : goal_.targets) found.insert(one->containers.begin(), one->containers.end());
    for (const access* one : goal_.targets) {
      if (!may_be_read(*one->call)) continue;
      for (const clang::ValueDecl* container : one->containers) found.erase(container);
    }
    return found;
  }

  /// The slice computes an access, or calls the function around it whole. A function that only returns the
  /// place reads nothing; the text may have the value of its call.
  [[nodiscard]] bool may_be_read(const clang::Expr& access) const {
    const clang::FunctionDecl* function = code_.function_of(&access);
    if (function == &code_.body()) return computes(access) && !is_only_compared(code_, access, is_place());
    if (functions_.count(function) == 0) return is_got_and_read(access);
    const std::vector<const clang::Expr*>& callers = code_.callers(function);
    return computes(access) || std::any_of(callers.begin(), callers.end(),
                                           [&](const clang::Expr* call) { return computes(*call); });
  }

  /// Tells of a variable whether the slice uses it in comparisons of addresses alone.
  [[nodiscard]] std::function<bool(const clang::VarDecl&)> is_place() const {
    return [this](const clang::VarDecl& variable) {
      return parts_.places.count(&variable) != 0 && parts_.needed.count(&variable) == 0;
    };
  }

  /// Whether a function that the slice calls whole reads an access, or the text its call.
  [[nodiscard]] bool is_got_and_read(const clang::Expr& access) const {
    const std::vector<const clang::Expr*> users = users_of_place(code_, access);
    return std::any_of(users.begin(), users.end(),
                       [&](const clang::Expr* user) { return user == nullptr || computes(*user); });
  }

  /// Whether the texts have the value of a node. All of a function without a slice is in its callers' text.
  [[nodiscard]] bool computes(const clang::Stmt& node) const {
    const clang::FunctionDecl* function = code_.function_of(&node);
    if (function == &code_.body()) return text_.computes(node);
    const auto known = functions_.find(function);
    return known == functions_.end() || known->second.body->computes(node);
  }

  const region& code_;
  const slice_goal& goal_;
  slice_parts parts_;
  other_texts inserted_;
  function_names names_;
  sliced_functions functions_;
  slice_text text_;
  bool is_integral_;
};

}  // namespace

slice find_slice(const region& code, const dependences& depends, const slice_goal& goal) {
  try {
    return slicer(code, depends, goal, /*apart=*/true).finish();
  } catch (const not_sliceable&) {  // a function stands in the way, perhaps
  }
  try {
    return slicer(code, depends, goal, /*apart=*/false).finish();
  } catch (const not_sliceable& limit) {
    slice none;
    none.why_not = limit.why;
    return none;
  }
}

}  // namespace stradsap::pp
