#include "analyze/slicing/bounds.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/StmtCXX.h>

#include <optional>

#include "analyze/code/counting_loop.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace {

struct subscript_parts {
  const clang::Expr* object = nullptr;
  const clang::Expr* index = nullptr;
};

std::string class_name(clang::QualType type) {
  const clang::CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  const bool standard = record != nullptr && is_in_std(*record) && record->getIdentifier() != nullptr;
  return standard ? record->getNameAsString() : std::string();
}

subscript_parts parts_of(const clang::Expr& subscript) {
  if (const auto* plain = llvm::dyn_cast<clang::ArraySubscriptExpr>(&subscript)) {
    return {&bare(*plain->getBase()), &bare(*plain->getIdx())};
  }
  const auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&subscript);
  if (op == nullptr || op->getOperator() != clang::OO_Subscript || op->getNumArgs() != 2) return {};
  const std::string name = class_name(op->getArg(0)->getType());
  if (name != "vector" && name != "array") return {};
  return {&bare(*op->getArg(0)), &bare(*op->getArg(1))};
}

/// The elements of an array, if its type says how many.
std::optional<std::uint64_t> extent_of(const clang::ASTContext& ast, clang::QualType type) {
  if (const auto* array = ast.getAsConstantArrayType(type)) return array->getZExtSize();
  if (class_name(type) != "array") return std::nullopt;
  const auto* special = llvm::cast<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  return special->getTemplateArgs()[1].getAsIntegral().getZExtValue();
}

/// Whether a loop counts `index` up from a constant that is not negative.
bool counts_up(const region& code, const counting_loop& loop, const clang::VarDecl& index) {
  clang::Expr::EvalResult start;
  if (loop.index != &index || !loop.step->isIncrementOp() || index.getInit() == nullptr) return false;
  return index.getInit()->EvaluateAsInt(start, code.ast()) && !start.Val.getInt().isNegative();
}

/// `k < bound`
const clang::Expr* bound_of(const counting_loop& loop) {
  const bool below = loop.test != nullptr && loop.test->getOpcode() == clang::BO_LT;
  return below ? &bare(*loop.test->getRHS()) : nullptr;
}

/// A capture or something reached as const: no iteration changes it.
bool stays(const region& code, const clang::Expr& object) {
  if (object.getType().isConstQualified()) return true;
  const clang::Expr* at = &object;
  while (const auto* member = llvm::dyn_cast<clang::MemberExpr>(at)) {
    if (member->isArrow()) return false;
    at = &bare(*member->getBase());
  }
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(at);
  return name != nullptr && !code.declares(name->getDecl());
}

bool is_size_of(const region& code, const clang::Expr& bound, const clang::Expr& object) {
  const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&bound);
  if (call == nullptr || call->getMethodDecl() == nullptr || !is_in_std(*call->getMethodDecl())) return false;
  if (call->getMethodDecl()->getNameAsString() != "size") return false;
  return are_same(code.ast(), *call->getImplicitObjectArgument(), object) && stays(code, object);
}

bool is_below(const region& code, const clang::Expr& bound, const clang::Expr& object) {
  if (is_size_of(code, bound, object)) return true;
  const std::optional<std::uint64_t> extent = extent_of(code.ast(), object.getType());
  clang::Expr::EvalResult most;
  if (!extent || !bound.EvaluateAsInt(most, code.ast())) return false;
  return most.Val.getInt().isNegative() || most.Val.getInt().getZExtValue() <= *extent;
}

/// row[2] of an array that has so many.
bool is_constant_below(const clang::ASTContext& ast, const subscript_parts& parts) {
  clang::Expr::EvalResult at;
  if (parts.index == nullptr || !parts.index->EvaluateAsInt(at, ast)) return false;
  const std::optional<std::uint64_t> extent = extent_of(ast, parts.object->getType());
  return extent && !at.Val.getInt().isNegative() && at.Val.getInt().getZExtValue() < *extent;
}

}  // namespace

bool is_within_bounds(const region& code, const clang::Expr& subscript) {
  const subscript_parts parts = parts_of(subscript);
  if (is_constant_below(code.ast(), parts)) return true;
  const auto* name = llvm::dyn_cast_or_null<clang::DeclRefExpr>(parts.index);
  const auto* index = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
  if (index == nullptr || !index->getType()->isIntegerType()) return false;
  for (const clang::Stmt* at = code.above(&subscript); at != nullptr; at = code.above(at)) {
    const auto* loop = llvm::dyn_cast<clang::ForStmt>(at);
    const auto counted = loop == nullptr ? std::nullopt : counting_loop_of(code, *loop);
    if (!counted || !counts_up(code, *counted, *index)) continue;
    const clang::Expr* bound = bound_of(*counted);
    return bound != nullptr && is_below(code, *bound, *parts.object);
  }
  return false;
}

}  // namespace stradsap::pp
