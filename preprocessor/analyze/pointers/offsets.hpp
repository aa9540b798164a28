// The reach of a pointer from the element that it starts at, as text for the place where it is made: a number
// or an interval, computed from values that are known there.
//
//   float* row = &m[i * dim]; for (int k = 1; k < dim; ++k) row[k] = row[k - 1];
//   row[k]: between(1, dim)          row[k - 1]: between(1, dim) - 1
//
// Interval arithmetic over counting loops: R. E. Moore, "Interval Analysis", 1966. Borrows from the region;
// one thread at a time.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/code/index_loop.hpp"
#include "analyze/code/region.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/dependences/dependences.hpp"

namespace stradsap::pp {

/// Thrown if a pointer's reach cannot be established.
struct unbounded {
  const clang::Expr* where;
  std::string why;
};

struct offset {
  std::string text = "0";
  std::optional<std::pair<std::int64_t, std::int64_t>> bounds = std::pair<std::int64_t, std::int64_t>{0, 0};
  bool is_compound = false;                    // needs parentheses as an operand
  std::vector<const clang::Expr*> parts = {};  // expressions in the region with values that it uses

  bool is_zero() const { return bounds && bounds->first == 0 && bounds->second == 0; }
};

offset number(std::int64_t n);
offset add(const offset& a, const offset& b);
offset subtract(const offset& a, const offset& b);
offset multiply(const offset& a, const offset& b);
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

/// The calls on the way from the element to the text; their arguments replace parameters.
using call_path = std::vector<const clang::Expr*>;

class offset_reader {
 public:
  /// `anchor` is the access that will contain the text. `is_read_only` returns whether no iteration writes a
  /// container.
  offset_reader(const region& code, const dependences& depends, const clang::Expr& anchor,
                std::function<bool(const clang::ValueDecl*)> is_read_only)
      : code_(code), depends_(depends), anchor_(anchor), is_read_only_(std::move(is_read_only)) {}

  /// All values that an integer may have at its position. Throws unbounded.
  offset of(const clang::Expr& number, const call_path& path);
  /// All values of a loop's index in its body. Throws unbounded.
  offset of_index(const clang::ForStmt& loop, const call_path& path);

  /// The possible numbers of a loop's rounds. Throws unbounded.
  offset of_rounds(const clang::Stmt& loop, const call_path& path);

  /// Calls of the anchor's function to which it has returned the pointer; their arguments have other names
  /// there.
  std::vector<const clang::Expr*>& returned_to() { return returned_to_; }
  /// Variables that hold the pointer: a loop's index keeps its value only during their lives.
  std::vector<const clang::VarDecl*>& carriers() { return carriers_; }

  /// Sets a value that the follower of the pointer knows, such as `s.size()` of a span made from it.
  void set_value(const clang::Expr& e, const offset& value) { known_.insert_or_assign(&e, value); }

  /// The statement around a node; that of a lambda's body is the lambda.
  const clang::Stmt* lexically_above(const clang::Stmt* node) const;
  bool is_around(const clang::Stmt* outer, const clang::Stmt* node) const;

 private:
  offset of_part(const clang::Expr& e, const call_path& path);
  std::optional<offset> constant(const clang::Expr& e) const;
  bool is_of_anchors_function(const clang::Stmt& node) const;
  offset of_cast(const clang::CastExpr& cast, const call_path& path);
  offset of_operator(const clang::BinaryOperator& op, const call_path& path);
  offset of_name(const clang::DeclRefExpr& name, const call_path& path);
  offset of_plain(const clang::Expr& e);
  offset end_of(const index_bound& found, const call_path& path);
  offset of_counted(const counted_variable& found, const clang::Expr& use, const call_path& path);
  offset of_meeting(const index_loop& found, const offset& start, const offset& bound, const call_path& path);
  offset of_narrow(const index_loop& found, const offset& values, const call_path& path);
  offset of_start(const clang::VarDecl& variable, const clang::Stmt& loop, const call_path& path);
  std::optional<offset> of_argument(const clang::Expr& e);
  std::optional<offset> given_to(const clang::ParmVarDecl& parameter, const call_path& path);
  bool is_repeated_since(const clang::VarDecl& variable, const clang::Stmt& loop) const;
  bool is_plain(const clang::Stmt& node);
  bool is_plain_here(const clang::Expr& e);
  bool is_plain_name(const clang::DeclRefExpr& name);
  bool is_plain_call(const clang::Expr& call);
  bool is_of_unchanged(const clang::Expr& e);
  bool is_behind_in(const clang::Stmt& declaration, const clang::ValueDecl& variable) const;
  bool is_visible(const clang::ValueDecl& variable) const;
  bool is_shadowed(const clang::ValueDecl& variable) const;
  bool is_captured_up_to(const clang::ValueDecl& variable, const clang::Stmt* scope) const;
  bool is_unchanged(const clang::ValueDecl& variable);
  bool stays_within(const clang::Stmt& loop) const;
  bool keeps_its_value(const clang::VarDecl& index) const;
  bool is_of_one_round(const clang::ValueDecl& variable) const;
  const clang::ForStmt* loop_of(const clang::VarDecl& index) const;

  const region& code_;
  const dependences& depends_;
  const clang::Expr& anchor_;
  std::function<bool(const clang::ValueDecl*)> is_read_only_;
  std::vector<const clang::VarDecl*> carriers_;
  std::vector<const clang::Expr*> returned_to_;
  std::vector<const clang::ValueDecl*> open_;
  std::map<const clang::Expr*, offset> known_;
};

}  // namespace stradsap::pp
