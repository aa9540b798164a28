// Expressions that are available at an access, the anchor: text of them there has the value that they have at
// their own position. Compilers eliminate common subexpressions by the same property: J. Cocke, "Global
// common subexpression elimination", 1970. Borrows from the region; one thread at a time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyze/code/region.hpp"
#include "analyze/dependences/dependences.hpp"

namespace stradsap::pp {

class availability {
 public:
  /// `is_read_only` returns whether no iteration writes a container.
  availability(const region& code, const dependences& depends, const clang::Expr& anchor,
               std::function<bool(const clang::ValueDecl*)> is_read_only)
      : code_(code), depends_(depends), anchor_(anchor), is_read_only_(std::move(is_read_only)) {}

  /// Whether an expression, with all its parts, is available.
  bool is_available(const clang::Stmt& node) const;
  /// Whether the name of a variable denotes it at the anchor.
  bool is_visible(const clang::ValueDecl& variable) const;
  /// Whether the text of a name in the anchor's function, as `T.A` of a captured object, denotes the same at
  /// the anchor.
  bool is_visible_text(const clang::DeclRefExpr& name) const;
  /// Whether nothing changes a variable while the pointer is used.
  bool is_unchanged(const clang::ValueDecl& variable) const;
  /// The same for an expression that names a variable, or a member of one; false for any other expression.
  bool is_unchanged(const clang::Expr& e) const;
  /// The name at the anchor of a member of a captured object: `K` or `X.K` in the anchor's function, which
  /// has returned through these calls on or with the object to the function where it is `A.K`.
  std::optional<std::string> member_at_anchor(const clang::DeclRefExpr& member,
                                              const std::vector<const clang::Expr*>& calls) const;
  /// Whether the index of a loop around the anchor keeps its value: within one round of that loop.
  bool keeps_its_value(const clang::VarDecl& index) const;

  /// Calls `follow` while the variables hold the pointer. A loop's index is unchanged only during their
  /// lives.
  template <class Follow>
  void hold(const std::vector<const clang::VarDecl*>& variables, const Follow& follow) {
    holders_.insert(holders_.end(), variables.begin(), variables.end());
    follow();
    holders_.resize(holders_.size() - variables.size());
  }

 private:
  bool is_of_anchors_function(const clang::Stmt& node) const;
  bool is_behind_in(const clang::Stmt& declaration, const clang::ValueDecl& variable) const;
  bool is_shadowed(llvm::StringRef name, const clang::ValueDecl* variable) const;
  bool is_visible_member(const clang::DeclRefExpr& name) const;
  std::optional<std::string> within_call(const clang::Expr& call, const std::string& member) const;
  bool is_told_by_name(const clang::Expr& object, const clang::Expr& call) const;
  bool is_captured_up_to(const clang::ValueDecl& variable, const clang::Stmt* scope) const;
  bool is_available_name(const clang::DeclRefExpr& name) const;
  bool may_look_elsewhere(const clang::Expr& call, const clang::FunctionDecl& callee) const;
  bool is_available_call(const clang::Expr& call) const;
  bool is_available_getter(const clang::Stmt& node) const;
  bool is_kept_value(const clang::Stmt& node) const;
  bool is_available_constant(const clang::MemberExpr& member) const;
  bool is_available_object(const clang::CXXThisExpr& self) const;
  bool is_of_unchanged(const clang::Expr& e) const;
  bool stays_within(const clang::Stmt& loop) const;
  bool is_of_one_round(const clang::ValueDecl& variable) const;

  const region& code_;
  const dependences& depends_;
  const clang::Expr& anchor_;
  std::function<bool(const clang::ValueDecl*)> is_read_only_;
  std::vector<const clang::VarDecl*> holders_;
};

}  // namespace stradsap::pp
