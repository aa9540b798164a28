#include "analyze/source/expansions.hpp"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>

namespace stradsap::pp {

macro_expansions::macro_expansions(clang::Preprocessor& preprocessor)
    : preprocessor_(preprocessor), sources_(preprocessor.getSourceManager()) {
  preprocessor.setTokenWatcher([this](const clang::Token& token) { keep(token); });
}

void macro_expansions::keep(const clang::Token& token) {
  if (!token.getLocation().isMacroID()) return;
  const clang::SourceLocation invoked = sources_.getExpansionLoc(token.getLocation());
  if (!sources_.isInSystemHeader(invoked)) tokens_[invoked].push_back(token);
}

std::optional<text_position> macro_expansions::place(clang::SourceLocation where, int step) const {
  if (!where.isMacroID()) return std::nullopt;
  const clang::SourceLocation invoked = sources_.getExpansionLoc(where);
  const auto expansion = tokens_.find(invoked);
  if (expansion == tokens_.end()) return std::nullopt;
  const auto& tokens = expansion->second;
  const auto is_text = [](const clang::Token& t) { return !t.isAnnotation(); };
  const auto found = std::find_if(tokens.begin(), tokens.end(),
                                  [&](const clang::Token& t) { return t.getLocation() == where; });
  if (found == tokens.end() || !std::all_of(tokens.begin(), tokens.end(), is_text)) return std::nullopt;
  const auto [file, offset] = sources_.getDecomposedLoc(invoked);
  const auto entry = sources_.getFileEntryRefForID(file);
  if (!entry) return std::nullopt;
  return text_position{entry->getName().str(), offset, static_cast<int>(found - tokens.begin()) + step};
}

macro_expansion macro_expansions::at(const text_position& place) const {
  const auto is_there = [&](const auto& one) {
    const auto [file, offset] = sources_.getDecomposedLoc(one.first);
    const auto entry = sources_.getFileEntryRefForID(file);
    return offset == place.offset && entry && entry->getName() == place.file;
  };
  const auto found = std::find_if(tokens_.begin(), tokens_.end(), is_there);
  if (found == tokens_.end()) return {};
  const clang::SourceLocation last = sources_.getExpansionRange(found->second.front().getLocation()).getEnd();
  macro_expansion made;
  made.length = sources_.getFileOffset(last) - place.offset +
                clang::Lexer::MeasureTokenLength(last, sources_, preprocessor_.getLangOpts());
  for (const clang::Token& token : found->second) made.tokens.push_back(preprocessor_.getSpelling(token));
  return made;
}

}  // namespace stradsap::pp
