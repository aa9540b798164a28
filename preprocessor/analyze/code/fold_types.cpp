#include "analyze/code/fold_types.hpp"

#include <clang/AST/ASTContext.h>

#include <algorithm>
#include <string_view>

#include "analyze/source/api_names.hpp"

namespace stradsap::pp {

static bool is_integer(clang::QualType type) { return type->isIntegralOrUnscopedEnumerationType(); }

/// Without the sign.
static unsigned value_bits(const clang::ASTContext& ast, clang::QualType type) {
  return ast.getIntWidth(type) - (type->isSignedIntegerOrEnumerationType() ? 1 : 0);
}

/// Whether every value of one type is a value of another.
static bool keeps_values(const clang::ASTContext& ast, clang::QualType from, clang::QualType to) {
  if (ast.hasSameUnqualifiedType(from, to)) return true;
  if (from->isRealFloatingType()) return to->isRealFloatingType() && ast.getFloatingTypeOrder(from, to) <= 0;
  if (!is_integer(from)) return false;
  if (to->isRealFloatingType()) {
    return value_bits(ast, from) <= llvm::APFloat::semanticsPrecision(ast.getFloatTypeSemantics(to));
  }
  if (!is_integer(to)) return false;
  const bool loses_sign = from->isSignedIntegerOrEnumerationType() && !to->isSignedIntegerOrEnumerationType();
  return !loses_sign && value_bits(ast, from) <= value_bits(ast, to);
}

/// The same of the values that an expression may have: `0` fits everywhere.
static bool keeps_values(const clang::ASTContext& ast, const clang::Expr& e, clang::QualType to) {
  const clang::QualType from = bare(e).getType();
  if (keeps_values(ast, from, to)) return true;
  clang::Expr::EvalResult constant;
  if (!is_integer(from) || !is_integer(to) || bare(e).isValueDependent()) return false;
  if (!bare(e).EvaluateAsInt(constant, ast)) return false;
  const llvm::APSInt& value = constant.Val.getInt();
  if (value.isNegative()) {
    return to->isSignedIntegerOrEnumerationType() && value.getSignificantBits() <= ast.getIntWidth(to);
  }
  return value.getActiveBits() <= value_bits(ast, to);
}

/// Whether a larger value never becomes a smaller one. Rounding and cutting off are so, wrapping is not.
static bool keeps_order(const clang::ASTContext& ast, clang::QualType from, clang::QualType to) {
  if (to->isBooleanType()) return from->isBooleanType();
  return to->isRealFloatingType() || from->isRealFloatingType() || keeps_values(ast, from, to);
}

/// Of the smaller or larger of the variable and `operand`, chosen as values of the type `made.computed`. It
/// is the end of all of them, converted, if no conversion changes the variable's value, or the order of the
/// others.
static bool is_choice_free_of_order(const clang::ASTContext& ast, const update& made,
                                    const clang::Expr& operand) {
  const clang::QualType own = made.target->getType();
  if (!keeps_values(ast, own, made.computed)) return false;
  if (keeps_values(ast, operand, made.computed)) {
    return keeps_values(ast, operand, own) || keeps_order(ast, bare(operand).getType(), own);
  }
  const bool rounds = made.computed->isRealFloatingType();
  return (made.keeps_computed || rounds) && keeps_order(ast, made.computed, own);
}

/// Surely 0 or 1.
static bool is_truth_value(const clang::ASTContext& ast, const clang::Expr& e) {
  const clang::Expr& value = bare(e);
  if (value.getType()->isBooleanType() || value.isKnownToHaveBooleanValue(/*Semantic=*/true)) return true;
  clang::Expr::EvalResult constant;
  if (!value.isValueDependent() && value.EvaluateAsInt(constant, ast))
    return constant.Val.getInt() == 0 || constant.Val.getInt() == 1;
  const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&value);
  if (op == nullptr) return false;
  const bool left = is_truth_value(ast, *op->getLHS());
  const bool right = is_truth_value(ast, *op->getRHS());
  return op->getOpcode() == clang::BO_And ? left || right : op->isBitwiseOp() && left && right;
}

static fold_fault fault_of_bits(const clang::ASTContext& ast, const update& made) {
  if (!made.target->getType()->isBooleanType() || std::string_view(made.op) != api::fold_bit_xor)
    return fold_fault::none;
  const auto is_truth = [&](const clang::Expr* operand) { return is_truth_value(ast, *operand); };
  return std::all_of(made.operands.begin(), made.operands.end(), is_truth) ? fold_fault::none
                                                                           : fold_fault::no_truth;
}

static bool is_choice(std::string_view op) {
  return op == api::fold_minimum || op == api::fold_maximum || op == api::fold_minimum_number ||
         op == api::fold_maximum_number;
}

fold_fault fault_of(const clang::ASTContext& ast, const update& made) {
  const std::string_view op = made.op;
  const clang::QualType own = made.target->getType();
  if (made.target->refersToBitField()) return fold_fault::bit_field;
  if (made.computed.isNull()) return fold_fault::none;  // ++x
  if (is_choice(op)) {
    const bool is_free =
        std::all_of(made.operands.begin(), made.operands.end(),
                    [&](const clang::Expr* operand) { return is_choice_free_of_order(ast, made, *operand); });
    if (!is_free) return fold_fault::converted;
    return made.takes_nan ? fold_fault::takes_nan : fold_fault::none;
  }
  if (op != api::fold_sum && op != api::fold_product) return fault_of_bits(ast, made);
  const bool drops_part = made.computed->isAnyComplexType() && !own->isAnyComplexType();
  const bool drops_fraction = own->isIntegerType() && made.computed->isRealFloatingType();
  return drops_part || drops_fraction ? fold_fault::cut_off : fold_fault::none;
}

}  // namespace stradsap::pp
