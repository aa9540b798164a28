#include "analyze/excerpt.hpp"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

namespace stradsap::pp {

std::optional<std::string> excerpt(const clang::ASTContext& ast, clang::SourceRange range) {
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
  clang::Token token;
  while (!lexer.LexFromRawLexer(token)) {
    const unsigned at = sources.getFileOffset(token.getLocation());
    if (at >= to) break;
    const llvm::StringRef spelled = text.substr(at, token.getLength());
    if (spelled.contains('\n') || (token.is(clang::tok::hash) && token.isAtStartOfLine()))
      return std::nullopt;
    const bool apart = !result.empty() && (token.hasLeadingSpace() || token.isAtStartOfLine());
    result += (apart ? " " : "") + spelled.str();
  }
  return result;
}

}  // namespace stradsap::pp
