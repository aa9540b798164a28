// The text of statements for several iterations at once: what they have in common is written once, the rest
// once for each, a statement at a time. Also of functions that such statements call.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyze/excerpt.hpp"
#include "analyze/region.hpp"
#include "analyze/translation_unit.hpp"

namespace stradsap::pp {

/// As many iterations as <stradsap/jam.hpp> says.
inline constexpr unsigned jam_width = 4;

/// Thrown where text cannot be written for several iterations.
struct not_jammable {};

/// What a variable is called in iteration number i of those side by side. Other names that are made up have
/// their number first: no variable's begins so.
std::string in_iteration(const std::string& name, unsigned i);

/// The variables that a statement declares, the names of structured bindings in place of what they take
/// apart.
std::vector<const clang::ValueDecl*> variables_of(const clang::DeclStmt& statement);

/// (void)p; for each of them.
std::string marked_used(const clang::DeclStmt& statement);

/// A whole number that may stand where the language wants a constant.
bool is_constant_expression(const clang::VarDecl& variable, const clang::ASTContext& ast);

/// Whether what stands below a node runs under a condition, but for loops, or after other parts of it.
bool decides_below(const clang::Stmt& node);

/// Copies of the user's functions that sum up in a loop, for several iterations at once.
class jammed_helpers {
 public:
  explicit jammed_helpers(const region& code) : code_(code) {}

  struct helper {
    bool sums_up = false;
    std::set<const clang::VarDecl*> bounds;  // parameters on which the number of steps depends
  };
  /// What is known of a helper that a call names.
  const helper& known(const clang::FunctionDecl& function);
  /// Writes the copy that a call needs.
  void need(const clang::FunctionDecl& function);
  /// What the copy is called.
  static std::string name_of_copy(const clang::FunctionDecl& function);
  /// By where they are to be inserted.
  const std::map<text_position, std::string>& texts() const { return texts_; }

 private:
  helper look_at(const clang::FunctionDecl& function);
  std::string copy_of(const clang::FunctionDecl& function);

  const region& code_;
  std::map<const clang::FunctionDecl*, helper> known_;
  std::map<text_position, std::string> texts_;
};

class jammed_code {
 public:
  jammed_code(const region& code, jammed_helpers& helpers) : code_(code), helpers_(helpers) {}

  /// The variable may have another value in each of the iterations.
  void vary(const clang::ValueDecl& variable) {
    varying_.insert(&variable);
    own_.insert(&variable);
  }
  /// The same of those that a statement declares, but for constants that have one value in all.
  void note_declared(const clang::Stmt& statement);
  /// From now on the expression goes by this name, which varies.
  void name_otherwise(const clang::Expr& node, const std::string& name) { names_[&node] = name; }

  /// Whether a statement holds a sum over a loop that takes as many steps in all iterations.
  bool sums_up(const clang::Stmt& statement);
  void print(const clang::Stmt& statement);
  /// What an expression calls that has a copy for several iterations: they go by other names from now on.
  void print_calls(const clang::Stmt& statement);
  /// A value as a variable of each iteration.
  void print_values(const clang::Expr& value, const std::string& name);
  const std::string& text() const { return text_; }

  /// The user's text, in one line; of a node, as it is in iteration number i.
  std::string text_of(clang::SourceRange range, const other_texts& changed = {}) const;
  std::string text_of(const clang::Stmt& node, unsigned i) const;
  void replace(clang::SourceRange range, const std::string& text, other_texts& to) const;
  std::string parameter_of(const clang::ParmVarDecl& parameter, unsigned i) const;

 private:
  bool is_common(const clang::Stmt& node) const;
  bool is_common_loop(const clang::ForStmt& loop) const;
  bool has_chain(const clang::ForStmt& loop) const;
  bool is_jammed_call(const clang::CallExpr& call);
  std::vector<const clang::CallExpr*> jammed_calls(const clang::Stmt& statement);
  bool declares_own(const clang::DeclStmt& statement) const;
  void refuse_mixed(const clang::DeclStmt& statement);
  void print_within(const clang::Stmt& node);
  void print_copy(const clang::Stmt& statement, unsigned i);
  std::string callee_text(const clang::CallExpr& call) const;
  void add_renamed(const clang::Stmt& node, unsigned i, other_texts& to) const;
  void replace_name(clang::SourceLocation where, const clang::ValueDecl& variable, unsigned i,
                    other_texts& to) const;

  const region& code_;
  jammed_helpers& helpers_;
  std::set<const clang::ValueDecl*> varying_;
  std::set<const clang::ValueDecl*> own_;            // of which each iteration has one
  std::map<const clang::Expr*, std::string> names_;  // of expressions
  std::map<const clang::Expr*, std::string> calls_;  // and where the values of calls are
  std::string text_;
};

}  // namespace stradsap::pp
