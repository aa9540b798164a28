#include "analyze/access/places_before_loops.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>

#include <algorithm>

namespace stradsap::pp {
namespace {

/// Whether control may enter the loop at another place than its beginning: a label of a `goto`, or a `case`
/// of a switch around it.
bool may_be_entered(const clang::Stmt& node, bool in_switch = false) {
  if (llvm::isa<clang::LabelStmt>(node) || (!in_switch && llvm::isa<clang::SwitchCase>(node))) return true;
  if (llvm::isa<clang::Expr>(node)) return false;
  const bool within = in_switch || llvm::isa<clang::SwitchStmt>(node);
  return std::any_of(node.child_begin(), node.child_end(), [&](const clang::Stmt* child) {
    return child != nullptr && may_be_entered(*child, within);
  });
}

/// The text without its last comment, or its last line if that is a directive; the same text if it has none.
llvm::StringRef without_last_note(llvm::StringRef text, bool& is_pragma) {
  if (text.ends_with("*/")) return text.take_front(text.rfind("/*")).rtrim();
  const std::size_t begin = text.rfind('\n') + 1;  // npos + 1 is 0
  llvm::StringRef line = text.substr(begin).ltrim();
  if (line.consume_front("#")) {
    is_pragma = line.ltrim().starts_with("pragma");
    return text.take_front(begin).rtrim();
  }
  const std::size_t comment = text.substr(begin).find("//");
  return comment == llvm::StringRef::npos ? text : text.take_front(begin + comment).rtrim();
}

/// Whether a word may stand before a statement. Any other may be a macro with a pragma of the compiler.
bool precedes_statements(llvm::StringRef word) {
  return llvm::StringSwitch<bool>(word)
      .Cases("", "else", "do", "if", "constexpr", "while", "for", "switch", true)
      .Default(false);
}
llvm::StringRef last_word(llvm::StringRef text) {
  const auto is_part = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  std::size_t begin = text.size();
  while (begin != 0 && is_part(text[begin - 1])) --begin;
  return text.substr(begin);
}
llvm::StringRef without_parentheses(llvm::StringRef text) {
  std::size_t at = text.size();
  int depth = 0;
  do {
    --at;
    depth += (text[at] == ')' ? 1 : 0) - (text[at] == '(' ? 1 : 0);
  } while (at != 0 && depth != 0);
  return text.take_front(at).rtrim();
}

/// Whether a pragma of the compiler, or an attribute, may be about the loop.
bool follows_pragma(const clang::ASTContext& ast, clang::SourceLocation loop) {
  const clang::SourceManager& sources = ast.getSourceManager();
  const auto [file, offset] = sources.getDecomposedLoc(loop);
  llvm::StringRef before = sources.getBufferData(file).take_front(offset).rtrim();
  bool is_pragma = false;
  for (llvm::StringRef whole; before.size() != whole.size() && !is_pragma;) {
    whole = before;
    before = without_last_note(whole, is_pragma);
  }
  if (is_pragma || before.ends_with("]]")) return true;
  return !precedes_statements(last_word(before.ends_with(")") ? without_parentheses(before) : before));
}

}  // namespace

clang::SourceLocation place_before(const clang::ASTContext& ast, const clang::Stmt& loop) {
  const clang::SourceLocation keyword = loop.getBeginLoc();
  const bool has_place = !llvm::isa<clang::DoStmt>(loop) && keyword.isValid() && !keyword.isMacroID() &&
                         !may_be_entered(loop) && !follows_pragma(ast, keyword);
  return has_place ? keyword : clang::SourceLocation();
}

}  // namespace stradsap::pp
