// What is known of functions whose text is not the user's: the standard library's and the API's.
#pragma once

#include <clang/AST/Expr.h>

#include <string>

namespace stradsap::pp {

/// Known not to depend on anything but its arguments, and to change nothing else.
bool is_pure(const clang::FunctionDecl& function);

/// stradsap::random: a function of the seed, the launch and its argument.
bool is_random(const clang::ValueDecl* function);

/// Known to give something else in each process or at each call.
bool is_unrepeatable(const clang::FunctionDecl& function);

/// As users write it: `std::ranges::transform` of an object that is called as a function.
std::string spoken_name(const clang::FunctionDecl& function);

/// The name behind an object of std::ranges that is called: `count` of std::ranges::count; else empty.
llvm::StringRef ranges_algorithm(const clang::FunctionDecl& function);

/// std::plus<>()(a, b), std::exchange(x, e), o.value_or(e): a function of the standard library that takes its
/// argument number `i`, an lvalue, by any reference and only reads it.
bool only_reads(const clang::Expr& call, unsigned i);

/// Whether an expression is a[i] of a std::array.
bool is_subscript_of_array(const clang::Expr& expression);

/// Functions of the standard library that take arguments by any reference, only to make values from them.
bool only_takes_values(const clang::FunctionDecl* function);

/// Whether a call is std::as_const(...).
bool is_as_const(const clang::Stmt& node);

/// The container that an expression names, looked for behind std::as_const.
const clang::Expr& behind_as_const(const clang::Expr& container);

/// std::for_each, std::apply, std::invoke and their like, given lambdas: they do nothing but through these.
bool only_calls_lambdas(const clang::Expr& call);

/// v[i], a.at(i), *optional, std::get: the standard library hands out a part of an object and does nothing to
/// it.
bool selects_a_part(const clang::FunctionDecl& function);

}  // namespace stradsap::pp
