#include "analyze/code/matrix_folds.hpp"

#include "analyze/code/eigen.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

static bool is_same_object(const clang::Expr& above) {
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&above)) {
    const clang::CastKind kind = cast->getCastKind();
    return kind == clang::CK_NoOp || kind == clang::CK_DerivedToBase ||
           kind == clang::CK_UncheckedDerivedToBase || kind == clang::CK_ConstructorConversion;
  }
  return llvm::isa<clang::ParenExpr, clang::FullExpr, clang::MaterializeTemporaryExpr,
                   clang::CXXBindTemporaryExpr>(above);
}

/// The widest expression that designates the same object: without casts to bases and parentheses.
static const clang::Expr& same_object(const region& code, const clang::Expr& part) {
  const clang::Expr* same = &part;
  while (code.parent(same).variable == nullptr) {
    const auto* above = llvm::dyn_cast_or_null<clang::Expr>(code.above(same));
    if (above == nullptr || !is_same_object(*above)) break;
    same = above;
  }
  return *same;
}

/// The call of a function of Eigen's that has the expression as its object; null if there is none.
static const clang::CallExpr* call_on(const region& code, const clang::Expr& object) {
  const clang::Stmt* above = code.parent(&object).statement;
  if (const auto* member = llvm::dyn_cast_or_null<clang::MemberExpr>(above))
    above = member->isArrow() ? nullptr : code.parent(member).statement;
  const auto* call = llvm::dyn_cast_or_null<clang::CallExpr>(above);
  if (call == nullptr || object_of(*call) != &object) return nullptr;
  const clang::FunctionDecl* callee = call->getDirectCallee();
  return callee != nullptr && is_in_eigen(*callee) ? call : nullptr;
}

const clang::Expr* coefficient_at(const region& code, const clang::Expr& matrix) {
  if (!is_matrix(matrix.getType()) && !is_expression(matrix.getType())) return nullptr;
  const clang::CallExpr* call = call_on(code, same_object(code, matrix));
  return call != nullptr && selects_coefficient(*call->getDirectCallee()) ? call : nullptr;
}

update addition_to_matrix(const region& code, const clang::Expr& matrix) {
  if (!is_matrix(matrix.getType()) && !is_expression(matrix.getType())) return {};
  const clang::CallExpr* call = call_on(code, same_object(code, matrix));
  while (call != nullptr && gives_coefficients(*call->getDirectCallee()))
    call = call_on(code, same_object(code, *call));
  const auto* op = llvm::dyn_cast_or_null<clang::CXXOperatorCallExpr>(call);
  if (op == nullptr ||
      (op->getOperator() != clang::OO_PlusEqual && op->getOperator() != clang::OO_MinusEqual))
    return {};
  update found;
  found.statement = op;
  found.target = &matrix;
  found.op = api::fold_sum;
  return found;
}

clang::QualType number_of(clang::QualType type) {
  const clang::QualType matrix = mapped_by(type).isNull() ? type : mapped_by(type);
  return is_matrix(matrix) ? coefficient_of(matrix) : type;
}

std::vector<const clang::Expr*> uses_of_map_at(const region& code, const clang::Expr& address) {
  const auto* made = llvm::dyn_cast_or_null<clang::CXXConstructExpr>(code.parent(&address).statement);
  if (made == nullptr || !bytes_mapped_by(made->getType()) || made->getArg(0) != &address) return {};
  const clang::Expr& map = same_object(code, *made);
  const clang::VarDecl* variable = code.parent(&map).variable;
  if (variable == nullptr) return {made};
  const std::vector<const clang::Expr*>& uses = code.uses(variable);
  return uses.empty() ? std::vector<const clang::Expr*>{nullptr} : uses;
}

}  // namespace stradsap::pp
