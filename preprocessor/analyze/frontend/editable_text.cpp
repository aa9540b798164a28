#include "analyze/frontend/editable_text.hpp"

#include <clang/Lex/Lexer.h>

#include <algorithm>

#include "analyze/source/source.hpp"

namespace stradsap::pp {

std::optional<text_range> editable_text::range_of(clang::SourceRange range) const {
  const auto begin = position_of(ast_, range.getBegin());
  const auto last = position_of(ast_, range.getEnd());
  const auto end = position_after(ast_, range.getEnd());
  if (begin && last && end && begin->file == end->file) return text_range{*begin, *last, *end};
  const auto first = expansions_.position_of(range.getBegin());
  const auto final = expansions_.position_of(range.getEnd());
  const bool one_macro = first && final && first->file == final->file && first->offset == final->offset;
  if (!one_macro) return std::nullopt;
  return text_range{*first, *final, *expansions_.position_after(range.getEnd())};
}

std::optional<text_range> editable_text::subscript_range(clang::SourceRange range) const {
  const clang::SourceManager& sources = ast_.getSourceManager();
  const clang::CharSourceRange chars = clang::Lexer::makeFileCharRange(
      clang::CharSourceRange::getTokenRange(range), sources, ast_.getLangOpts());
  const auto begin = chars.isValid() ? position_of(ast_, chars.getBegin()) : std::nullopt;
  if (!begin) return range_of(range);
  text_position end = *begin;
  end.offset = sources.getFileOffset(chars.getEnd());
  return text_range{*begin, end, end};
}

void editable_text::keep_expansion(const text_position& place) {
  if (place.token >= 0) replaced_.emplace(text_position{place.file, place.offset}, expansions_.at(place));
}

bool editable_text::is_in_replaced(const text_position& place) const {
  const auto is_around = [&](const auto& expansion) {
    const auto& [invocation, whole] = expansion;
    return place.file == invocation.file && place.offset >= invocation.offset &&
           place.offset < invocation.offset + whole.length;
  };
  return place.token < 0 && std::any_of(replaced_.begin(), replaced_.end(), is_around);
}

}  // namespace stradsap::pp
