// The identity of a loop: its function, its number in the function, and its place for messages. Immutable;
// borrows from the ASTContext.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "analyze/captures/captured_lambdas.hpp"
#include "analyze/findings/translation_unit.hpp"
#include "analyze/frontend/editable_text.hpp"

namespace stradsap::pp {

class loop_names {
 public:
  /// Numbers all lambdas of a function, so that instantiations by other code change no number.
  loop_names(const clang::ASTContext& ast, const lambda_table& lambdas, const editable_text& text);

  /// Names a loop with its text in place.
  void name(loop_site& site, const clang::CallExpr& call, const clang::LambdaExpr& lambda) const;
  /// FILE:LINE
  std::string place_of_loop(clang::SourceLocation where) const;

 private:
  const clang::ASTContext& ast_;
  std::map<std::pair<std::string, std::string>, std::set<text_position>> lambdas_of_;  // by file and function
};

}  // namespace stradsap::pp
