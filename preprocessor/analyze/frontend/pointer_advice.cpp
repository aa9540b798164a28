#include "analyze/frontend/pointer_advice.hpp"

#include <llvm/ADT/StringRef.h>

#include "analyze/access/inserted_reaches.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/code/types.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// Whether the subscript needs parentheses before `+ k`.
static bool binds_weakly(const clang::Expr& subscript) {
  const clang::Expr& e = bare(subscript);
  const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&e);
  return llvm::isa<clang::ConditionalOperator>(e) ||
         (op != nullptr && !op->isMultiplicativeOp() && !op->isAdditiveOp());
}

static bool is_zero(const clang::Expr& subscript) {
  const auto* literal = llvm::dyn_cast<clang::IntegerLiteral>(&bare(subscript));
  return literal != nullptr && literal->getValue() == 0;
}

/// The first element, as the text of the access gives it: that of data() and begin() is 0.
static std::string first_of(const region& code, const access& lost) {
  const std::vector<const clang::Expr*> arguments = arguments_of(*lost.call);
  return arguments.empty() ? "0" : subscript_text(code.ast(), *lost.call);
}

static std::string index_form(const region& code, const access& lost, const std::string& container) {
  const std::vector<const clang::Expr*> arguments = arguments_of(*lost.call);
  if (arguments.empty() || is_zero(*arguments[0])) return container + "[k]";
  const std::string first = first_of(code, lost);
  return container + "[" + (binds_weakly(*arguments[0]) ? "(" + first + ")" : first) + " + k]";
}

/// Whether code that the analysis does not see needs the pointer itself.
static bool is_given_away(llvm::StringRef why) {
  return why.starts_with("it is passed to `") || why == "it is stored in an object";
}

/// The name of the variable that keeps the view; `s` if none does.
static std::string name_of_view(const region& code, const clang::Expr& call) {
  parent_link above = code.parent(&call);
  while (llvm::isa_and_nonnull<clang::CastExpr, clang::FullExpr, clang::MaterializeTemporaryExpr,
                               clang::CXXConstructExpr>(above.statement))
    above = code.parent(above.statement);
  const bool has_name = above.variable != nullptr && !above.variable->isImplicit();
  return has_name ? above.variable->getNameAsString() : "s";
}

std::string instead_of_pointer(const region& code, const access& lost, const std::string& container) {
  if (is_view(lost.call->getType())) return "by the span, `" + name_of_view(code, *lost.call) + "[k]`";
  const std::string element = "`" + container + "[" + first_of(code, lost) + "]`";
  const clang::ValueDecl& declared = **lost.containers.begin();
  if (container_name(declared.getType()) != api::dvector)
    return "by their keys; " + element + " is one value, and no other lies behind it";
  if (lost.reach->why == "it may leave the element")
    return "by the members of " + element + ", of which an array may be one";
  const std::string span = container + ".span(" + first_of(code, lost) + ", COUNT)";
  if (is_given_away(lost.reach->why))
    return "by a pointer from a span of all that the iteration uses, `" + span + ".data()`";
  return "by the container, `" + index_form(code, lost, container) +
         "`, or by a span of all that the iteration uses, `" + span + "`";
}

}  // namespace stradsap::pp
