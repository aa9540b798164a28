// Whether two expressions of one iteration have equal values, though their text differs: locals that keep
// their values, parameters and loops that count alike are looked through. "Not equal" may be wrong, "equal"
// never is. Borrows from the region; one thread at a time.
#pragma once

#include <map>
#include <vector>

#include "analyze/code/region.hpp"
#include "analyze/dependences/dependences.hpp"

namespace stradsap::pp {

/// Calls from the body to a function, the outermost first.
using call_path = std::vector<const clang::Expr*>;

/// An expression in a function that `calls` lead to.
struct place_in_call {
  const clang::Expr* e;
  call_path calls;

  place_in_call with(const clang::Expr& other) const { return {&other, calls}; }
  /// The node that the place belongs to in the body, or in the function that the first calls lead to.
  const clang::Stmt& after_calls(std::size_t count) const {
    return calls.size() > count ? *calls[count] : *e;
  }
};

/// Compares the values of expressions of one iteration. Loops that it has found alike stay pairs.
class place_comparison {
 public:
  place_comparison(const region& code, const dependences& depends) : code_(code), depends_(depends) {}

  /// Whether two expressions surely have one value.
  bool are_equal(const place_in_call& first, const place_in_call& second);

  /// Whether two containers are one.
  bool are_one(const place_in_call& first, const place_in_call& second);

  /// The loops of the first side, each with that of the second side that counts alike.
  const std::map<const clang::Stmt*, const clang::Stmt*>& alike() const { return alike_; }

 private:
  bool have_one_type(const clang::Expr& a, const clang::Expr& b) const;
  bool have_one_type(const clang::ValueDecl& a, const clang::ValueDecl& b) const;
  bool are_same_constant(const clang::Expr& a, const clang::Expr& b) const;
  bool are_equal_parts(const place_in_call& a, const place_in_call& b);
  bool are_equal_members(const clang::MemberExpr& mine, const place_in_call& a,
                         const clang::MemberExpr& other, const place_in_call& b);
  bool name_the_same(const clang::ValueDecl& mine, const place_in_call& a, const clang::ValueDecl& other,
                     const place_in_call& b);

  /// Whether an outer or a local variable has one value where both sides read it.
  bool stays(const clang::ValueDecl& variable) const;

  /// The counting or ranged loop that declares a variable; nothing else changes it.
  const clang::Stmt* loop_of(const clang::ValueDecl& variable) const;

  /// Whether two variables take the same values in the rounds of two loops.
  bool count_alike(const clang::ValueDecl& mine, const place_in_call& a, const clang::ValueDecl& other,
                   const place_in_call& b);

  /// Whether another loop of the first side counts like this one: their rounds are pairs.
  bool is_taken(const clang::Stmt& second) const;
  bool have_same_rounds(const clang::Stmt& mine, const place_in_call& a, const clang::Stmt& other,
                        const place_in_call& b);

  /// The expression that a parameter, a reference or an unchanged local variable stands for.
  place_in_call behind_names(place_in_call place) const;

  const region& code_;
  const dependences& depends_;
  std::map<const clang::Stmt*, const clang::Stmt*> alike_;
};

}  // namespace stradsap::pp
