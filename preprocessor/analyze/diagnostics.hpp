// The table of refusals as values, and the collector that turns a place into a finished diagnostic.
// One thread at a time.
#pragma once

#include <clang/AST/ASTContext.h>

#include <string>
#include <vector>

#include "analyze/fix_its.hpp"
#include "analyze/translation_unit.hpp"

namespace stradsap::pp {

enum class refusal {
#define STRADSAP_DIAGNOSTIC(name, number, severity, text, note) name,
#include "analyze/diagnostics.def"
#undef STRADSAP_DIAGNOSTIC
};

class diagnostics {
 public:
  explicit diagnostics(const clang::ASTContext& ast) : ast_(ast) {}

  /// Reports at `where`; the advice stands at `advice`, or at `where` if that is not given; `fixes` do what
  /// it says.
  void report(refusal kind, clang::SourceLocation where, const std::vector<std::string>& words,
              clang::SourceLocation advice = {}, const fix_its& fixes = {});

  /// All of them in the order of their places, none twice: instances of one template say the same.
  std::vector<diagnostic> sorted() const;

 private:
  const clang::ASTContext& ast_;
  std::vector<diagnostic> found_;
};

}  // namespace stradsap::pp
