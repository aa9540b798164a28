// The rules for Eigen: matrices and arrays own their coefficients; expressions of them, such as
// blocks and products, refer to matrices. Pure functions; one thread at a time.
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Type.h>

#include <cstdint>
#include <optional>

namespace stradsap::pp {

/// Whether the type is Eigen::Matrix or Eigen::Array.
bool is_matrix(clang::QualType type);
/// The type of a matrix's coefficients; null for other types.
clang::QualType coefficient_of(clang::QualType type);
/// Whether the type is of another class of Eigen's, which may refer to a matrix: a block, a product, a map.
bool is_expression(clang::QualType type);
/// Whether nothing can be changed through an object of the type or its copies: a block of a const matrix, a
/// product. Not a const block: its copies are not const.
bool is_const_expression(clang::QualType type);

/// The matrix of which an Eigen::Map has the coefficients; null for other types.
clang::QualType mapped_by(clang::QualType type);
/// For an Eigen::Map of coefficients in one piece, their bytes, or 0 if their number is known at run time
/// only; nothing for other types.
std::optional<std::int64_t> bytes_mapped_by(clang::QualType type);

/// Whether the object that is made may refer to the matrix of its argument. Decompositions copy it, or work
/// in place at once.
bool makes_view(const clang::CXXConstructExpr& made);
/// x.swap(y), L.solveInPlace(x): they change an argument that they take as const.
bool writes_arguments(const clang::FunctionDecl& function);
/// it[k], it->, x.const_cast_derived(): const, but their results permit changes.
bool gives_changeable(const clang::CXXMethodDecl& method);

/// x(i, j), x[i], x.x(): functions of a matrix or expression that return a reference to a coefficient.
bool selects_coefficient(const clang::FunctionDecl& function);
/// x.row(i), x.transpose(), x.array(): functions that return an expression of their object, and change
/// nothing.
bool gives_expression(const clang::FunctionDecl& function);
/// x.noalias(), x.row(i), x.array(): the same, if additions to the expression are additions to coefficients
/// of the object.
bool gives_coefficients(const clang::FunctionDecl& function);
/// X::Random() and x.setRandom(), by std::rand.
bool draws_numbers(const clang::FunctionDecl& function);
/// x = y, where the left side gets new values and keeps none.
bool assigns_matrix(const clang::CXXMethodDecl& method);

}  // namespace stradsap::pp
