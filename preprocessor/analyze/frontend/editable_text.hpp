// The text that the rewriter may edit: in a file, or in the expansion of one macro. Borrows from the
// ASTContext and the expansions; one thread at a time.
#pragma once

#include <clang/AST/ASTContext.h>

#include <map>
#include <optional>

#include "analyze/findings/translation_unit.hpp"
#include "analyze/source/expansions.hpp"

namespace stradsap::pp {

/// A range of text that can be edited: in the file, or in the expansion of one macro.
struct text_range {
  text_position begin;
  text_position last;  // its last token
  text_position end;   // just after it
};

class editable_text {
 public:
  editable_text(const clang::ASTContext& ast, const macro_expansions& expansions)
      : ast_(ast), expansions_(expansions) {}

  /// Nothing if the text cannot be edited.
  std::optional<text_range> range_of(clang::SourceRange range) const;
  /// The range of a subscript. Macros that are whole operands of it stay as they are.
  std::optional<text_range> subscript_range(clang::SourceRange range) const;

  /// Notes an edit. If it is in an expansion, the expansion replaces the invocation.
  void keep_expansion(const text_position& place);
  /// Whether the position is in the argument of a macro that its expansion replaces.
  bool is_in_replaced(const text_position& place) const;
  /// The replaced invocations.
  const std::map<text_position, macro_expansion>& replaced() const { return replaced_; }

 private:
  const clang::ASTContext& ast_;
  const macro_expansions& expansions_;
  std::map<text_position, macro_expansion> replaced_;
};

}  // namespace stradsap::pp
