// The distance of a pointer from the element that it starts at, as text: a number or an interval. Interval
// arithmetic: R. E. Moore, "Interval Analysis", 1966. Values.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stradsap::pp {

struct offset {
  std::string text = "0";
  std::optional<std::pair<std::int64_t, std::int64_t>> bounds = std::pair<std::int64_t, std::int64_t>{0, 0};
  bool is_compound = false;                    // needs parentheses as an operand
  std::vector<const clang::Expr*> parts = {};  // expressions in the region with values that it uses
  bool is_exact =
      false;  // both ends are values that it has if the loops over `indices` have all their rounds
  std::vector<const clang::VarDecl*> indices = {};

  bool is_number() const { return bounds && bounds->first == bounds->second; }
  bool is_zero() const { return bounds && bounds->first == 0 && bounds->second == 0; }
};

offset number(std::int64_t n);
offset add(const offset& a, const offset& b);
offset subtract(const offset& a, const offset& b);
offset multiply(const offset& a, const offset& b);
/// Combines an interval and a number of any type by an operator; the number becomes an interval, so that
/// interval arithmetic applies.
offset combined(const offset& a, const char* op, const offset& b);
/// A call of one of the runtime's interval functions.
offset call_of(const char* function, const std::vector<offset>& arguments);
/// The interval begin, begin + 1, ... end - 1.
offset between(const offset& begin, const offset& end);

/// The distance between two positions.
struct displacement {
  offset from = number(0);
  std::int64_t unit = 1;  // bytes

  /// Changes the unit so that it divides an object of `size` bytes.
  void count_in(std::int64_t size) {
    if (size % unit == 0) return;
    from = multiply(from, number(unit));
    unit = 1;
  }
  /// Moves by `by` objects of `size` bytes.
  void move(const offset& by, std::int64_t size) {
    count_in(size);
    from = add(from, multiply(by, number(size / unit)));
  }
};

std::int64_t size_of_object(const clang::ASTContext& ast, clang::QualType type);
/// The size of a pointer's target; 1 if it is unknown, as for void.
std::int64_t size_of_target(const clang::ASTContext& ast, clang::QualType pointer);

}  // namespace stradsap::pp
