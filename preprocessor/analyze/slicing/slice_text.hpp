// Writes the text of a slice: its parts in the body's own words, on one line. One thread at a time.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "analyze/code/counting_loop.hpp"
#include "analyze/slicing/slice_parts.hpp"
#include "analyze/source/excerpt.hpp"

namespace stradsap::pp {

/// The names of the slices of functions.
using function_names = std::map<const clang::FunctionDecl*, std::string>;

class slice_text {
 public:
  /// Writes the slice of the body, or of a function that it calls. Throws not_sliceable if that cannot be.
  slice_text(const region& code, const slice_parts& parts, other_texts inserted,
             const clang::FunctionDecl& function, const function_names& names_of_slices);

  const std::string& text() const { return text_; }
  /// Whether the slice computes the value of a node of the body.
  bool computes(const clang::Stmt& node) const;

 private:
  /// A loop of which the slice runs the first round only.
  struct span_of_rounds {
    const clang::VarDecl* index;
    std::string length;  // the number of rounds, as text in the first round
  };
  void write();
  void print(const clang::Stmt& node);
  void print_statement(const clang::Stmt& node);
  void print_within(const clang::Stmt& node);
  void add_once(const std::string& text);
  void print_in_braces(bool repeated, const std::function<void()>& print_inside);
  void print_conditional(const clang::Stmt* node, bool repeated, const clang::VarDecl* first = nullptr);
  void print_block(const clang::CompoundStmt& block);
  void print_declarations(const clang::DeclStmt& statement);
  bool print_only_effects(const clang::DeclStmt& statement);
  void print_type(const clang::DeclStmt& statement);
  void print_if(const clang::IfStmt& branch);
  void print_opened(const clang::IfStmt& branch);
  void print_loop(const clang::Stmt& loop, clang::SourceRange head, const clang::Stmt& body);
  void print_once(const clang::Stmt& loop);
  void print_ranged(const clang::CXXForRangeStmt& loop);
  void print_do(const clang::DoStmt& loop);
  void print_return(const clang::ReturnStmt& exit);
  void print_left_out(const clang::Stmt& condition, const clang::Stmt* if_true, const clang::Stmt* if_false);
  void print_unguarded(const clang::Stmt* node);
  void print_whole(const clang::Stmt& node);
  void print_targets(const clang::Stmt& node);
  void print_choice(const clang::Stmt& condition, const clang::Stmt* if_true, const clang::Stmt* if_false);
  bool print_choices_of(const clang::Stmt& node);
  void print_choices_within(const clang::Stmt& node);
  void note_arguments(const clang::Expr& target);
  bool only_finds(const clang::Stmt& body) const;
  std::optional<span_of_rounds> spans_instead_of_rounds(const counting_loop& loop,
                                                        const clang::Stmt& body) const;
  bool finds_spans(const clang::Stmt& node, const span_of_rounds& rounds) const;
  bool is_sum_with(const clang::Expr& sum, const clang::VarDecl& index) const;
  bool follows(const clang::Stmt& target, const span_of_rounds& rounds) const;
  std::string text_of_target(const clang::Stmt& target) const;
  const clang::FunctionDecl* sliced_callee(const clang::Stmt& target) const;
  void print_call_of_slice(const clang::CallExpr& call, const clang::FunctionDecl& callee);
  std::string name_of_slice(const clang::CallExpr& call, const clang::FunctionDecl& callee) const;
  void mark_used(const clang::VarDecl& variable);
  void mark_name_used(const std::string& name);
  void declare(const std::string& name);
  void note_names_within(const clang::Stmt& node);
  void refuse_missing_names() const;
  void refuse_computed_conditions() const;
  bool names(llvm::StringRef identifier) const;
  std::string text_of(clang::SourceRange range) const;
  std::string text_of(const clang::Stmt& node) const { return text_of(node.getSourceRange()); }

  const region& code_;
  const slice_parts& parts_;
  const clang::FunctionDecl& function_;
  const function_names& slice_names_;
  other_texts inserted_;                    // the body's own texts on the reach of pointers
  std::set<const clang::Stmt*> printed_;    // with computed values
  std::set<const clang::Stmt*> both_ways_;  // conditions with both branches printed
  std::set<std::string> declared_;          // names of the slice's variables
  std::set<std::string> types_;             // local types that the text names
  std::vector<std::string> found_;          // printed statements that only find elements
  const span_of_rounds* rounds_ = nullptr;
  unsigned num_effects_ = 0;  // printed statements that change variables
  std::string text_;
};

}  // namespace stradsap::pp
