#include "analyze/code/eigen.hpp"

#include <clang/AST/DeclTemplate.h>
#include <llvm/ADT/STLExtras.h>

#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// The instance of a class template of Eigen's; null for other types.
static const clang::ClassTemplateSpecializationDecl* instance_of(clang::QualType type) {
  const clang::CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  if (record == nullptr || record->getIdentifier() == nullptr || !is_in_eigen(*record)) return nullptr;
  return llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record);
}

bool is_matrix(clang::QualType type) { return !coefficient_of(type).isNull(); }

clang::QualType coefficient_of(clang::QualType type) {
  const clang::ClassTemplateSpecializationDecl* made = instance_of(type);
  if (made == nullptr || (made->getName() != "Matrix" && made->getName() != "Array")) return {};
  const clang::TemplateArgument& first = made->getTemplateArgs()[0];
  return first.getKind() == clang::TemplateArgument::Type ? first.getAsType() : clang::QualType();
}

bool is_expression(clang::QualType type) { return instance_of(type) != nullptr && !is_matrix(type); }

bool is_const_expression(clang::QualType type) {
  const clang::ClassTemplateSpecializationDecl* made = instance_of(type);
  if (made == nullptr || is_matrix(type)) return false;
  static constexpr llvm::StringLiteral computed[] = {"CwiseBinaryOp",  "CwiseUnaryOp", "CwiseNullaryOp",
                                                     "CwiseTernaryOp", "Product",      "Inverse",
                                                     "Solve",          "Replicate",    "Select"};
  if (llvm::is_contained(computed, made->getName())) return true;
  const clang::TemplateArgument& first = made->getTemplateArgs()[0];
  return first.getKind() == clang::TemplateArgument::Type && first.getAsType().isConstQualified();
}

/// Whether a Map's third argument, its strides, is the default: Stride<0, 0>.
static bool has_no_gaps(const clang::TemplateArgument& strides) {
  const auto* made = instance_of(strides.getAsType());
  if (made == nullptr || made->getName() != "Stride") return false;
  const llvm::ArrayRef<clang::TemplateArgument> numbers = made->getTemplateArgs().asArray();
  return llvm::all_of(numbers, [](const clang::TemplateArgument& one) {
    return one.getKind() == clang::TemplateArgument::Integral && one.getAsIntegral() == 0;
  });
}

clang::QualType mapped_by(clang::QualType type) {
  const clang::ClassTemplateSpecializationDecl* made = instance_of(type);
  if (made == nullptr || made->getName() != "Map") return {};
  const clang::QualType matrix = made->getTemplateArgs()[0].getAsType();
  return is_matrix(matrix) ? matrix : clang::QualType();
}

std::optional<std::int64_t> bytes_mapped_by(clang::QualType type) {
  const clang::ClassTemplateSpecializationDecl* made = instance_of(type);
  const clang::QualType matrix = mapped_by(type);
  if (matrix.isNull() || !has_no_gaps(made->getTemplateArgs()[2])) return std::nullopt;
  std::int64_t bytes = made->getASTContext().getTypeSizeInChars(coefficient_of(matrix)).getQuantity();
  for (const unsigned dimension : {1U, 2U}) {
    const std::int64_t size = instance_of(matrix)->getTemplateArgs()[dimension].getAsIntegral().getExtValue();
    bytes = size > 0 ? bytes * size : 0;
  }
  return bytes;
}

bool selects_coefficient(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  if (method == nullptr || !is_in_eigen(function) || !function.getReturnType()->isReferenceType())
    return false;
  static constexpr llvm::StringLiteral names[] = {"coeffRef", "x", "y", "z", "w"};
  const clang::OverloadedOperatorKind op = method->getOverloadedOperator();
  return op == clang::OO_Call || op == clang::OO_Subscript ||
         (method->getIdentifier() != nullptr && llvm::is_contained(names, method->getName()));
}

bool gives_expression(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  if (method == nullptr || !is_in_eigen(function) || method->getOverloadedOperator() == clang::OO_LessLess)
    return false;
  static constexpr llvm::StringLiteral handles[] = {"data",    "begin",  "end",  "derived",
                                                    "noalias", "matrix", "array"};
  const bool named = method->getIdentifier() != nullptr;
  if (named && llvm::is_contained(handles, method->getName())) return true;
  return is_expression(function.getReturnType()) && !function.getReturnType()->isReferenceType();
}

bool gives_coefficients(const clang::FunctionDecl& function) {
  static constexpr llvm::StringLiteral names[] = {
      "noalias",       "array",          "matrix",           "row",       "col",
      "head",          "tail",           "segment",          "block",     "topRows",
      "bottomRows",    "middleRows",     "leftCols",         "rightCols", "middleCols",
      "topLeftCorner", "topRightCorner", "bottomLeftCorner", "rowwise",   "colwise",
      "diagonal",      "transpose",      "bottomRightCorner"};
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  return method != nullptr && !method->isConst() && is_in_eigen(function) &&
         method->getIdentifier() != nullptr && llvm::is_contained(names, method->getName());
}

bool makes_view(const clang::CXXConstructExpr& made) {
  static constexpr llvm::StringLiteral copies[] = {"LLT",
                                                   "LDLT",
                                                   "PartialPivLU",
                                                   "FullPivLU",
                                                   "HouseholderQR",
                                                   "JacobiSVD",
                                                   "BDCSVD",
                                                   "ColPivHouseholderQR",
                                                   "FullPivHouseholderQR",
                                                   "EigenSolver",
                                                   "Quaternion",
                                                   "SelfAdjointEigenSolver"};
  const clang::ClassTemplateSpecializationDecl* const type = instance_of(made.getType());
  if (type == nullptr || is_matrix(made.getType())) return false;
  return !llvm::is_contained(copies, type->getName());
}

bool writes_arguments(const clang::FunctionDecl& function) {
  static constexpr llvm::StringLiteral names[] = {"swap", "solveInPlace", "applyTranspositionOnTheRight"};
  return is_in_eigen(function) && function.getIdentifier() != nullptr &&
         llvm::is_contained(names, function.getName());
}

bool gives_changeable(const clang::CXXMethodDecl& method) {
  if (!is_in_eigen(method) || !method.isConst()) return false;
  const clang::IdentifierInfo* const owner = method.getParent()->getIdentifier();
  if (owner != nullptr && owner->getName().contains("stl_iterator")) {
    const clang::OverloadedOperatorKind op = method.getOverloadedOperator();
    return op == clang::OO_Star || op == clang::OO_Subscript || op == clang::OO_Arrow;
  }
  return method.getIdentifier() != nullptr && method.getName() == "const_cast_derived";
}

bool draws_numbers(const clang::FunctionDecl& function) {
  return is_in_eigen(function) && function.getIdentifier() != nullptr &&
         (function.getName() == "Random" || function.getName() == "setRandom");
}

bool assigns_matrix(const clang::CXXMethodDecl& method) {
  return is_in_eigen(method) && method.getOverloadedOperator() == clang::OO_Equal;
}

}  // namespace stradsap::pp
