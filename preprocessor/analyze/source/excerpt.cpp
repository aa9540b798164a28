#include "analyze/source/excerpt.hpp"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <cctype>

namespace stradsap::pp {

std::optional<std::string> excerpt(const clang::ASTContext& ast, clang::SourceRange range) {
  return excerpt(ast, range, {});
}

std::optional<std::string> excerpt(const clang::ASTContext& ast, clang::SourceRange range,
                                   const other_texts& changed) {
  const clang::SourceManager& sources = ast.getSourceManager();
  const clang::CharSourceRange chars = clang::Lexer::makeFileCharRange(
      clang::CharSourceRange::getTokenRange(range), sources, ast.getLangOpts());
  if (chars.isInvalid()) return std::nullopt;
  const auto [file, from] = sources.getDecomposedLoc(chars.getBegin());
  const unsigned to = sources.getFileOffset(chars.getEnd());
  const llvm::StringRef text = sources.getBufferData(file);
  clang::Lexer lexer(sources.getLocForStartOfFile(file), ast.getLangOpts(), text.begin(), text.begin() + from,
                     text.end());
  std::string result;
  unsigned replaced = 0;  // the end of the last replaced part
  clang::Token token;
  while (!lexer.LexFromRawLexer(token)) {
    const unsigned at = sources.getFileOffset(token.getLocation());
    if (at >= to) break;
    if (at < replaced) continue;
    const llvm::StringRef spelled = text.substr(at, token.getLength());
    if (spelled.contains('\n') || (token.is(clang::tok::hash) && token.isAtStartOfLine()))
      return std::nullopt;
    const bool apart = !result.empty() && (token.hasLeadingSpace() || token.isAtStartOfLine());
    if (apart) result += " ";
    const auto other = changed.find(at);
    if (other == changed.end()) {
      result += spelled;
      continue;
    }
    if (!other->second.text) return std::nullopt;
    replaced = at + other->second.length;
    result += *other->second.text;
  }
  return result;
}

/// Whether the name at `at` is that of a member: `v.at`, `p->at`.
static bool is_member_at(const std::string& text, std::size_t at) {
  if (at < 2) return false;
  return (text[at - 1] == '.' && text[at - 2] != '.') || (text[at - 1] == '>' && text[at - 2] == '-');
}

bool names_in(const std::string& text, const std::string& name) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find(name); !name.empty() && at != std::string::npos;
       at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool is_whole = (at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]));
    if (is_whole && !is_member_at(text, at)) return true;
  }
  return false;
}

}  // namespace stradsap::pp
