// What is done with an object through an expression that designates it: is it read, is it written?
// A whitelist climbed from the expression upwards: what is not known to be a read is a read and a write.
// Follows references into the functions of the user's that they are passed to.
#pragma once

#include <functional>
#include <optional>
#include <set>

#include "analyze/region.hpp"

namespace stradsap::pp {

inline constexpr unsigned use_none = 0;
inline constexpr unsigned use_read = 1;
inline constexpr unsigned use_write = 2;
inline constexpr unsigned use_both = 3;

/// v.begin(), m.find(key), std::begin(v): functions of the standard library that only say where something is.
bool gives_a_handle(const clang::FunctionDecl& function);

/// std::span<const float>(v), std::span<const float>(first, n): views through which nothing is written.
bool makes_const_view(const clang::Expr& call);

/// Whether one of an algorithm's arguments may be called for entries of another, and could change them.
bool may_change_entries(const std::vector<const clang::Expr*>& arguments);

class use_reader {
 public:
  explicit use_reader(const region& code) : code_(code) {}
  /// A reference that a function returns is followed to those calls alone that `is_followed` takes.
  use_reader(const region& code, std::function<bool(const clang::Expr&)> is_followed)
      : code_(code), is_followed_(std::move(is_followed)) {}

  /// Bits of what happens to the object that `designator` designates.
  unsigned bits(const clang::Expr& designator);
  /// The same of the object into which the value of an expression, an iterator, a pointer or a span, points.
  unsigned bits_of_handle(const clang::Expr& handle) { return through_handle(handle); }
  /// The same of a variable by one of its names: where the region casts const away, a number of its own that
  /// is seen as const may be written.
  unsigned bits_of_name(const clang::Expr& name);
  /// The same over all places where a variable is named.
  unsigned bits_of_variable(const clang::ValueDecl& variable);

  /// Whether a write has come up that is written in the text, not only feared of code that nobody looks into.
  bool saw_write() const { return saw_write_; }
  void forget_writes() { saw_write_ = false; }

 private:
  unsigned seen_as_const() {
    saw_const_ = true;
    return use_read;
  }
  unsigned climb(const clang::Expr& part, bool whole);
  unsigned bound_to(const clang::VarDecl& variable, const clang::Expr& part);
  unsigned through_cast(const clang::CastExpr& cast, bool whole);
  unsigned through_member(const clang::MemberExpr& member, bool whole);
  unsigned through_call(const clang::Expr& call, const clang::Expr& part, bool whole);
  unsigned through_operator(const clang::Stmt& node, const clang::Expr& part, bool whole);
  unsigned as_object(const clang::Expr& call, const clang::CXXMethodDecl& method, bool whole);
  unsigned as_argument(const clang::Expr& call, const clang::FunctionDecl& callee, const clang::Expr& part);
  unsigned returned(const clang::FunctionDecl* function);
  unsigned ranged_over(const clang::CXXForRangeStmt& loop, const clang::Expr& range);

  // handles.cpp: what happens to the object into which an iterator or a pointer points
  unsigned through_handle(const clang::Expr& part);
  unsigned kept_in(const clang::VarDecl& variable);
  unsigned member_pointed_to(const clang::MemberExpr& member);
  unsigned member_of_span(const clang::MemberExpr& member);
  unsigned handle_through_cast(const clang::CastExpr& cast);
  unsigned handle_through_operator(const clang::Stmt& node, const clang::Expr& part);
  unsigned handle_through_call(const clang::Expr& call, const clang::Expr& part);
  unsigned handle_through_std(const clang::Expr& call, const clang::FunctionDecl& callee,
                              const clang::Expr& part);
  unsigned handle_as_operand(const clang::CXXOperatorCallExpr& call, const clang::Expr& part);
  /// Given to an algorithm or a view of std::ranges; nothing if that is not known.
  std::optional<unsigned> in_ranges(const clang::Expr& call, const clang::FunctionDecl& callee,
                                    const clang::Expr& part);

  const region& code_;
  std::function<bool(const clang::Expr&)> is_followed_;
  bool saw_write_ = false;
  bool saw_const_ = false;
  std::set<const clang::ValueDecl*> open_;  // being followed: a cycle adds nothing new
  std::set<const clang::FunctionDecl*> returning_;
};

}  // namespace stradsap::pp
