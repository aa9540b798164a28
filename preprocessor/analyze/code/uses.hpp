// Finds reads and writes of an object, starting from an expression that designates it. Climbs from the
// expression upwards by a list of known reads; all else counts as a read and a write. Follows references into
// user functions. Borrows from the region; one thread at a time.
#pragma once

#include <functional>
#include <optional>
#include <set>

#include "analyze/code/region.hpp"

namespace stradsap::pp {

inline constexpr unsigned use_none = 0;
inline constexpr unsigned use_read = 1;
inline constexpr unsigned use_write = 2;
inline constexpr unsigned use_both = 3;

/// v.begin(), m.find(key), std::begin(v): functions of the standard library that return a handle to an
/// element.
bool gives_a_handle(const clang::FunctionDecl& function);

/// Whether a handle of this type permits no writes, neither of its target nor through pointers there:
/// const int*, std::span<const float>.
bool only_reads(clang::QualType type);

/// Whether an object of the type stays as it is, since it is const and its class has no `mutable` member.
bool is_protected(clang::QualType type);
/// Whether it is the reference to an element of a std::vector<bool> or std::bitset. That of a vector changes
/// the element even if it is const.
bool is_bit_reference(const clang::CXXRecordDecl& type);
/// Whether a member function leaves its object as it is: it is static, or it is const. If the class has
/// `mutable` members, that holds for functions out of sight only; the text of others tells.
bool leaves_object(const region& code, const clang::CXXMethodDecl& method);

/// std::span<float>(v): a view of a range, or of a handle and a length, that runs no user code.
bool makes_view_of_range(const clang::Expr& call);

/// std::span<const float>(v), std::span<const float>(first, n): views that permit no writes.
bool makes_const_view(const clang::Expr& call);

/// Whether an algorithm may call one of its arguments for entries of another argument, and change them.
bool may_change_entries(const std::vector<const clang::Expr*>& arguments);

/// Whether objects of the type may own memory behind pointers, so that const does not protect all of them: a
/// class that encodes itself, or a collection of such.
bool owns_memory(const clang::ASTContext& ast, clang::QualType type);

/// std::visit(f, variant): whether `f` leaves the alternative as it is that it gets.
bool visits_as_const(const clang::Expr& call);

class use_reader {
 public:
  explicit use_reader(const region& code) : code_(code) {}
  /// Follows a reference that a function returns only to the calls that `is_followed` accepts.
  use_reader(const region& code, std::function<bool(const clang::Expr&)> is_followed)
      : code_(code), is_followed_(std::move(is_followed)) {}

  /// The use bits of the object that `designator` designates.
  unsigned bits(const clang::Expr& designator);
  /// The same for the object behind a handle: an iterator, a pointer or a span.
  unsigned bits_of_handle(const clang::Expr& handle) { return through_handle(handle); }
  /// The same for one use of a variable's name. If the region casts const away, a local number that is passed
  /// as const may be written.
  unsigned bits_of_name(const clang::Expr& name);
  /// The same over all uses of a variable's name.
  unsigned bits_of_variable(const clang::ValueDecl& variable);

  /// Also follows methods of containers that give elements, as `[]` of those of the library. Else they count
  /// as writes of the container: the accesses of a body are found apart.
  void follow_containers() { follows_containers_ = true; }
  /// Also follows handles that functions return, and member functions that `keeps` accepts: they leave their
  /// object as it is. A handle or reference that is stored in an object counts as no use: its loads from
  /// there are uses of their own.
  void follow_loads(std::function<bool(const clang::CXXMethodDecl&)> keeps) { keeps_ = std::move(keeps); }

  /// Also follows pointers within the object, also from const members, to what they lead to. A class that
  /// encodes itself may own memory in this way.
  void follow_owned() { follows_owned_ = true; }

  /// Whether the text contains a write, as opposed to unknown code that may write.
  bool saw_write() const { return saw_write_; }
  void forget_writes() { saw_write_ = false; }

 private:
  unsigned seen_as_const() {
    saw_const_ = true;
    return use_read;
  }
  unsigned passed_as_const(const clang::Expr& part);
  bool protects(clang::QualType type) const;
  bool leads_on(clang::QualType type) const;
  unsigned through_const_member(const clang::Expr& call, const clang::CXXMethodDecl& method);
  unsigned changes_by_const(const clang::FunctionDecl& method);
  unsigned climb(const clang::Expr& part, bool whole);
  unsigned bound_to(const clang::VarDecl& variable, const clang::Expr& part);
  unsigned through_cast(const clang::CastExpr& cast, bool whole);
  unsigned through_member(const clang::MemberExpr& member, bool whole);
  unsigned through_call(const clang::Expr& call, const clang::Expr& part, bool whole);
  unsigned through_operator(const clang::Stmt& node, const clang::Expr& part, bool whole);
  unsigned as_object(const clang::Expr& call, const clang::CXXMethodDecl& method, bool whole);
  unsigned as_argument(const clang::Expr& call, const clang::FunctionDecl& callee, const clang::Expr& part);
  unsigned returned(const clang::FunctionDecl* function);
  unsigned returned_handle(const clang::FunctionDecl* function);
  bool is_stored(const clang::Stmt* node, const clang::Expr& part) const;
  unsigned ranged_over(const clang::CXXForRangeStmt& loop, const clang::Expr& range);

  // handles.cpp: uses of the object behind an iterator or a pointer
  unsigned through_handle(const clang::Expr& part);
  unsigned kept_in(const clang::VarDecl& variable);
  unsigned kept_in_parts(const clang::DecompositionDecl& parts);
  unsigned member_pointed_to(const clang::MemberExpr& member);
  unsigned member_of_span(const clang::MemberExpr& member);
  unsigned handle_through_cast(const clang::CastExpr& cast);
  unsigned assigned_handle(const clang::BinaryOperator& op, const clang::Expr& part);
  unsigned handle_through_operator(const clang::Stmt& node, const clang::Expr& part);
  unsigned handle_through_call(const clang::Expr& call, const clang::Expr& part);
  unsigned handle_through_eigen(const clang::Expr& call, const clang::Expr& part);
  unsigned handle_through_std(const clang::Expr& call, const clang::FunctionDecl& callee,
                              const clang::Expr& part);
  unsigned handle_as_operand(const clang::CXXOperatorCallExpr& call, const clang::Expr& part);
  /// The use bits of an argument of an algorithm or view of std::ranges; nothing if the function is unknown.
  std::optional<unsigned> in_ranges(const clang::Expr& call, const clang::FunctionDecl& callee,
                                    const clang::Expr& part);

  const region& code_;
  std::function<bool(const clang::Expr&)> is_followed_;
  bool follows_containers_ = false;
  bool follows_owned_ = false;
  std::function<bool(const clang::CXXMethodDecl&)> keeps_;
  bool saw_write_ = false;
  bool saw_const_ = false;
  std::set<const clang::ValueDecl*> open_;  // variables on the current path: a cycle adds no bits
  std::set<const clang::FunctionDecl*> returning_;
  std::set<const clang::FunctionDecl*> calling_;  // const member functions
};

}  // namespace stradsap::pp
