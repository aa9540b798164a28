#include "analyze/source/diagnostics.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace {

struct entry {
  int number;
  bool is_error;
  const char* text;
  const char* note;
};

}  // namespace

static constexpr bool error = true;
static constexpr bool warning = false;

static constexpr entry table[] = {
#define STRADSAP_DIAGNOSTIC(name, number, severity, text, note) {number, severity, text, note},
#include "analyze/source/diagnostics.def"
#undef STRADSAP_DIAGNOSTIC
};

/// The text with words in place of %0, %1 and so on, and `code` in place of %b.
static std::string filled(std::string_view text, const std::vector<std::string>& words,
                          const std::string& code) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    const bool slot = text[i] == '%' && ((next >= '0' && next <= '9') || next == 'b');
    if (!slot) {
      result += text[i];
    } else if (next == 'b') {
      result += code;
      ++i;
    } else if (const std::size_t word = static_cast<std::size_t>(text[++i] - '0'); word < words.size()) {
      result += words[word];
    }
  }
  return result;
}

void diagnostics::report(refusal kind, clang::SourceLocation where, const std::vector<std::string>& words,
                         clang::SourceLocation advice, const fix_its& fixes) {
  const entry& row = table[static_cast<int>(kind)];
  diagnostic made{.place = place_of(ast_, where),
                  .is_error = row.is_error,
                  .number = row.number,
                  .text = filled(row.text, words, code_),
                  .notes = {}};
  made.notes.push_back(
      {place_of(ast_, advice.isValid() ? advice : where), filled(row.note, words, code_), fixes});
  found_.push_back(std::move(made));
}

std::vector<diagnostic> diagnostics::sorted() const {
  const auto key = [](const diagnostic& d) { return std::tie(d.place, d.number, d.text); };
  std::vector<diagnostic> result = found_;
  std::stable_sort(result.begin(), result.end(),
                   [&](const diagnostic& a, const diagnostic& b) { return key(a) < key(b); });
  const auto same = [&](const diagnostic& a, const diagnostic& b) { return key(a) == key(b); };
  result.erase(std::unique(result.begin(), result.end(), same), result.end());
  return result;
}

}  // namespace stradsap::pp
