// The values of integers as text for the access that a pointer starts from: each is computed from values that
// are available there.
//
//   float* row = &m[i * dim]; for (int k = 1; k < dim; ++k) row[k] = row[k - 1];
//   row[k]: between(1, dim)          row[k - 1]: between(1, dim) - 1
//
// Borrows from the region; one thread at a time.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyze/code/index_loop.hpp"
#include "analyze/code/region.hpp"
#include "analyze/pointers/availability.hpp"
#include "analyze/pointers/offsets.hpp"

namespace stradsap::pp {

/// Thrown if a pointer's reach cannot be established.
struct unbounded {
  const clang::Expr* where;
  std::string why;
  bool is_offset = false;  // the pointer itself is not lost, but an offset is unknown
};

/// The calls on the way from the element to the text; their arguments replace parameters.
using call_path = std::vector<const clang::Expr*>;

class offset_reader {
 public:
  /// `available` knows the access that will contain the text.
  offset_reader(const region& code, const availability& available) : code_(code), available_(available) {}

  /// All values that an integer may have at its position. Throws unbounded.
  offset of(const clang::Expr& number, const call_path& path);
  /// All values of a loop's index in its body. Throws unbounded.
  offset of_index(const clang::ForStmt& loop, const call_path& path);

  /// The possible numbers of a loop's rounds. Throws unbounded.
  offset of_rounds(const clang::Stmt& loop, const call_path& path);

  /// Calls of the anchor's function to which it has returned the pointer; their arguments have other names
  /// there.
  std::vector<const clang::Expr*>& returned_to() { return returned_to_; }
  /// Sets a value that the follower of the pointer knows, such as `s.size()` of a span made from it.
  void set_value(const clang::Expr& e, const offset& value) { known_.insert_or_assign(&e, value); }

 private:
  offset of_part(const clang::Expr& e, const call_path& path);
  std::optional<offset> constant(const clang::Expr& e) const;
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

  const region& code_;
  const availability& available_;
  std::vector<const clang::Expr*> returned_to_;
  std::vector<const clang::ValueDecl*> open_;
  std::map<const clang::Expr*, offset> known_;
};

}  // namespace stradsap::pp
