// The table of refusals as values, and the collector that makes diagnostics from locations. One thread at a
// time.
#pragma once

#include <clang/AST/ASTContext.h>

#include <string>
#include <utility>
#include <vector>

#include "analyze/findings/translation_unit.hpp"
#include "analyze/source/fix_its.hpp"

namespace stradsap::pp {

enum class refusal {
#define STRADSAP_DIAGNOSTIC(name, number, severity, text, note) name,
#include "analyze/source/diagnostics.def"
#undef STRADSAP_DIAGNOSTIC
};

class diagnostics {
 public:
  explicit diagnostics(const clang::ASTContext& ast) : ast_(ast) {}

  const clang::ASTContext& ast() const { return ast_; }

  /// Sets the words for the code that is analyzed, in place of %b in texts, and returns those before.
  std::string name_code(std::string words) { return std::exchange(code_, std::move(words)); }

  /// Reports at `where`, with the advice at `advice`, or at `where` if there is none; `fixes` carry out the
  /// advice.
  void report(refusal kind, clang::SourceLocation where, const std::vector<std::string>& words,
              clang::SourceLocation advice = {}, const fix_its& fixes = {});

  /// All diagnostics in the order of their places, without duplicates: the instances of a template cause the
  /// same ones.
  std::vector<diagnostic> sorted() const;

 private:
  const clang::ASTContext& ast_;
  std::string code_ = "the body of a loop";
  std::vector<diagnostic> found_;
};

}  // namespace stradsap::pp
