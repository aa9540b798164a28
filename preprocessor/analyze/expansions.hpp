// What the macros of the user's files expand to, token by token, so that text which only a macro's definition
// spells can be edited too: the whole invocation is then replaced by its expansion. Filled in while the
// source is parsed; afterwards immutable. Borrows from the SourceManager.
#pragma once

#include <clang/Lex/Preprocessor.h>

#include <map>
#include <optional>
#include <vector>

#include "analyze/translation_unit.hpp"

namespace stradsap::pp {

class macro_expansions {
 public:
  explicit macro_expansions(clang::Preprocessor& preprocessor);

  /// The place before, or just after, the token at `where` in the expansion of the outermost macro; nothing
  /// if no macro of the user's files made it.
  std::optional<text_position> position_of(clang::SourceLocation where) const { return place(where, 0); }
  std::optional<text_position> position_after(clang::SourceLocation where) const { return place(where, 1); }

  /// The invocation at which such a position stands, with its tokens.
  macro_expansion at(const text_position& place) const;

 private:
  void keep(const clang::Token& token);
  std::optional<text_position> place(clang::SourceLocation where, int step) const;

  const clang::Preprocessor& preprocessor_;
  const clang::SourceManager& sources_;
  std::map<clang::SourceLocation, std::vector<clang::Token>>
      tokens_;  // by where the outermost macro is invoked
};

}  // namespace stradsap::pp
