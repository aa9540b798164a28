// Known properties of library functions: the standard library's and the API's. Stateless.
#pragma once

#include <clang/AST/Expr.h>

#include <string>

namespace stradsap::pp {

/// Whether the function is known to depend on its arguments only and to change nothing else.
bool is_pure(const clang::FunctionDecl& function);

/// Whether it is a member of an iterator of a dmap or dmultimap.
bool is_of_iterator(const clang::FunctionDecl& function);

/// Whether it is stradsap::random, a function of the seed, the launch and its argument.
bool is_random(const clang::ValueDecl* function);

/// Whether its result is known to differ between processes or calls.
bool is_unrepeatable(const clang::FunctionDecl& function);

/// The name in the user's spelling: `std::ranges::transform` for its function object.
std::string spoken_name(const clang::FunctionDecl& function);

/// The name of a function object of std::ranges: `count` of std::ranges::count; else empty.
llvm::StringRef ranges_algorithm(const clang::FunctionDecl& function);

/// Whether the call only reads its argument number `i`, an lvalue, although it takes it by any reference:
/// std::plus<>()(a, b), std::exchange(x, e), o.value_or(e).
bool only_reads(const clang::Expr& call, unsigned i);

/// Whether an expression is a[i] of a std::array.
bool is_subscript_of_array(const clang::Expr& expression);
/// The same of a std::vector, and of a std::span.
bool is_subscript_of_vector(const clang::Expr& expression);
bool is_subscript_of_span(const clang::Expr& expression);

/// Whether objects of the type, or of types in its template's arguments, may be made by a constructor of the
/// user's that changes its arguments.
bool makes_changes(clang::QualType type);

/// Whether a library function takes arguments by any reference, but only makes values from them.
bool only_takes_values(const clang::FunctionDecl* function);

/// Whether a call is std::as_const(...).
bool is_as_const(const clang::Stmt& node);

/// The expression that names the container, without std::as_const.
const clang::Expr& behind_as_const(const clang::Expr& container);

/// Whether a call only runs the lambdas among its arguments: std::for_each, std::apply, std::invoke and the
/// like.
bool only_calls_lambdas(const clang::Expr& call);

/// Whether a library function only returns a part of an object: v[i], a.at(i), *optional, std::get.
bool selects_a_part(const clang::FunctionDecl& function);

}  // namespace stradsap::pp
