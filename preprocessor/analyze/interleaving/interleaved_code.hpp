// Writes statements for several interleaved iterations: common expressions once, all others once for each
// iteration, one statement after the other. One thread at a time.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <stradsap/abi/loop_bits.hpp>

#include "analyze/code/region.hpp"
#include "analyze/interleaving/interleaved_helpers.hpp"
#include "analyze/source/excerpt.hpp"

namespace stradsap::pp {

using abi::interleave_width;

/// Thrown if a text cannot be written for several iterations.
struct not_interleavable {
  const char* why;
};

/// The name of a variable in interleaved iteration i. Other made-up names begin with their number, which no
/// variable's name does.
std::string in_iteration(const std::string& name, unsigned i);

/// The variables that a statement declares; for a structured binding, its names.
std::vector<const clang::ValueDecl*> variables_of(const clang::DeclStmt& statement);

/// Makes `(void)p;` for each of them.
std::string marked_used(const clang::DeclStmt& statement);

/// Whether the variable is an integer that is usable in constant expressions.
bool is_constant_expression(const clang::VarDecl& variable, const clang::ASTContext& ast);

/// Whether the parts of a node run under a condition, or after each other; loops do not count.
bool decides_below(const clang::Stmt& node);

class interleaved_code {
 public:
  interleaved_code(const region& code, interleaved_helpers& helpers) : code_(code), helpers_(helpers) {}

  /// Declares that the variable may differ between the iterations.
  void vary(const clang::ValueDecl& variable) {
    varying_.insert(&variable);
    own_.insert(&variable);
  }
  /// The same for the variables that a statement declares, except constants with one value in all iterations.
  void note_declared(const clang::Stmt& statement);
  /// From now on the expression has this name, which differs between the iterations.
  void name_otherwise(const clang::Expr& node, const std::string& name) { names_[&node] = name; }

  /// Whether a statement contains a sum over a loop with the same number of steps in all iterations.
  bool sums_up(const clang::Stmt& statement);
  void print(const clang::Stmt& statement);
  /// Writes the calls in a statement that have a copy for several iterations. From now on their values have
  /// other names.
  void print_calls(const clang::Stmt& statement);
  /// Writes a value as a variable of each iteration.
  void print_values(const clang::Expr& value, const std::string& name);
  const std::string& text() const { return text_; }

  /// The user's text on one line; for a node, in the form for iteration i.
  std::string text_of(clang::SourceRange range, const other_texts& changed = {}) const;
  std::string text_of(const clang::Stmt& node, unsigned i) const;
  void replace(clang::SourceRange range, const std::string& text, other_texts& to) const;
  std::string parameter_of(const clang::ParmVarDecl& parameter, unsigned i) const;

 private:
  bool is_common(const clang::Stmt& node) const;
  bool is_common_loop(const clang::ForStmt& loop) const;
  bool has_chain(const clang::ForStmt& loop) const;
  bool is_interleaved_call(const clang::CallExpr& call);
  std::vector<const clang::CallExpr*> interleaved_calls(const clang::Stmt& statement);
  bool declares_own(const clang::DeclStmt& statement) const;
  void refuse_mixed(const clang::DeclStmt& statement);
  void print_within(const clang::Stmt& node);
  void print_copy(const clang::Stmt& statement, unsigned i);
  std::string callee_text(const clang::CallExpr& call) const;
  void add_renamed(const clang::Stmt& node, unsigned i, other_texts& to) const;
  void replace_name(clang::SourceLocation where, const clang::ValueDecl& variable, unsigned i,
                    other_texts& to) const;

  const region& code_;
  interleaved_helpers& helpers_;
  std::set<const clang::ValueDecl*> varying_;
  std::set<const clang::ValueDecl*> own_;            // variables of which each iteration has its own
  std::map<const clang::Expr*, std::string> names_;  // of expressions
  std::map<const clang::Expr*, std::string> calls_;  // the names of calls' values
  std::string text_;
};

}  // namespace stradsap::pp
