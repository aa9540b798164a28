#include "analyze/access/inserted_reaches.hpp"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

std::string reach_begin() { return std::string(api::reach) + "("; }
std::string reach_end(const std::string& offsets) { return ", " + offsets + ")"; }

std::string offsets_text(const pointer_reach& of) {
  return of.offsets.empty() ? std::string(api::everything) + "()" : of.offsets;
}

std::string offsets_and_sure(const pointer_reach& of) {
  const std::string all = offsets_text(of);
  if (of.sure == all) return std::string(api::sure) + "(" + all + ")";
  return of.sure.empty() ? all : all + ", " + of.sure;
}

std::string hull_of(const std::set<std::string>& offsets) {
  if (offsets.size() == 1) return *offsets.begin();
  std::string text;
  for (const std::string& one : offsets) text += (text.empty() ? "" : ", ") + one;
  return std::string(api::hull) + "(" + text + ")";
}

clang::SourceRange subscript_of(const clang::Expr& call) {
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  if (!arguments.empty()) return arguments[0]->getSourceRange();
  return clang::SourceRange(llvm::cast<clang::CallExpr>(call).getRParenLoc());
}

std::vector<inserted_reach> inserted_reaches(const std::vector<access>& accesses) {
  std::vector<inserted_reach> found;
  for (const access& one : accesses) {
    if (!one.reach || !one.given.empty()) continue;
    const std::string index = arguments_of(*one.call).empty() ? "0" : "";
    found.push_back({subscript_of(*one.call), index, offsets_and_sure(*one.reach)});
  }
  return found;
}

other_texts replacements_in(const region& code, const std::vector<inserted_reach>& reaches) {
  const clang::SourceManager& sources = code.ast().getSourceManager();
  const auto own_file = sources.getDecomposedLoc(sources.getFileLoc(code.place())).first;
  other_texts changed;
  for (const inserted_reach& one : reaches) {
    const clang::CharSourceRange range = clang::Lexer::makeFileCharRange(
        clang::CharSourceRange::getTokenRange(one.subscript), sources, code.ast().getLangOpts());
    const auto text = excerpt(code.ast(), one.subscript);
    const bool is_said = range.isValid() && text;
    const auto [file, begin] =
        sources.getDecomposedLoc(is_said ? range.getBegin() : sources.getFileLoc(one.subscript.getBegin()));
    if (file != own_file) continue;
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
