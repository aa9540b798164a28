// The expansions of the macros in user files, token by token. They permit edits of text that only a macro's
// definition spells: the expansion then replaces the whole invocation. Filled while the source is parsed,
// then immutable. Borrows from the SourceManager.
#pragma once

#include <clang/Lex/Preprocessor.h>

#include <map>
#include <optional>
#include <vector>

#include "analyze/findings/translation_unit.hpp"

namespace stradsap::pp {

class macro_expansions {
 public:
  explicit macro_expansions(clang::Preprocessor& preprocessor);

  /// The position before, or just after, the token at `where` in the expansion of the outermost macro.
  /// Nothing if the text comes from no macro of the user's files.
  std::optional<text_position> position_of(clang::SourceLocation where) const { return place(where, 0); }
  std::optional<text_position> position_after(clang::SourceLocation where) const { return place(where, 1); }

  /// The invocation at such a position, with its tokens.
  macro_expansion at(const text_position& place) const;

 private:
  void keep(const clang::Token& token);
  std::optional<text_position> place(clang::SourceLocation where, int step) const;

  const clang::Preprocessor& preprocessor_;
  const clang::SourceManager& sources_;
  std::map<clang::SourceLocation, std::vector<clang::Token>>
      tokens_;  // by the invocation of the outermost macro
};

}  // namespace stradsap::pp
