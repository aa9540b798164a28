#include "analyze/inserted_reaches.hpp"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include "analyze/api_names.hpp"
#include "analyze/source.hpp"

namespace stradsap::pp {

std::string reach_begin() { return std::string(api::reach) + "("; }
std::string reach_end(const std::string& offsets) { return ", " + offsets + ")"; }

std::vector<inserted_reach> inserted_reaches(const std::vector<access>& accesses) {
  std::vector<inserted_reach> found;
  for (const access& one : accesses) {
    if (!one.reach) continue;
    const std::string offsets =
        one.reach->offsets.empty() ? std::string(api::everything) + "()" : one.reach->offsets;
    const std::vector<const clang::Expr*> arguments = arguments_of(*one.call);
    if (arguments.empty()) {
      const auto* call = llvm::cast<clang::CallExpr>(one.call);
      found.push_back({clang::SourceRange(call->getRParenLoc()), "0", offsets});
    } else {
      found.push_back({arguments[0]->getSourceRange(), {}, offsets});
    }
  }
  return found;
}

other_texts reaches_in(const region& code, const std::vector<access>& accesses) {
  const clang::SourceManager& sources = code.ast().getSourceManager();
  const auto home = sources.getDecomposedLoc(sources.getFileLoc(code.place())).first;
  other_texts changed;
  for (const inserted_reach& one : inserted_reaches(accesses)) {
    const clang::CharSourceRange range = clang::Lexer::makeFileCharRange(
        clang::CharSourceRange::getTokenRange(one.subscript), sources, code.ast().getLangOpts());
    const auto text = excerpt(code.ast(), one.subscript);
    const bool is_said = range.isValid() && text;
    const auto [file, begin] = sources.getDecomposedLoc(
        is_said ? range.getBegin() : sources.getFileLoc(one.subscript.getBegin()));
    if (file != home) continue;
    if (!is_said) {
      changed[begin] = {};
      continue;
    }
    const unsigned length = sources.getFileOffset(range.getEnd()) - begin;
    changed[begin] = {length, one.index.empty() ? reach_begin() + *text + reach_end(one.offsets)
                                                : reach_begin() + one.index + reach_end(one.offsets) + ")"};
  }
  return changed;
}

std::string subscript_text(const clang::ASTContext& ast, const clang::Expr& call) {
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  const auto text = arguments.empty() ? std::nullopt : excerpt(ast, arguments[0]->getSourceRange());
  return text.value_or("first");
}

}  // namespace stradsap::pp
