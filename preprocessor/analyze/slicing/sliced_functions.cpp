#include "analyze/slicing/sliced_functions.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>

#include "analyze/code/control.hpp"
#include "analyze/code/function_copies.hpp"
#include "analyze/source/source.hpp"
#include "analyze/source/text_hash.hpp"

namespace stradsap::pp {

static bool has_loop(const clang::Stmt* node) {
  return node != nullptr && (is_loop(*node) || std::any_of(node->child_begin(), node->child_end(), has_loop));
}

/// Whether a text leaves places in ways that slices do not follow.
static bool jumps(const clang::Stmt* node) {
  return node != nullptr && (llvm::isa<clang::GotoStmt, clang::IndirectGotoStmt, clang::LabelStmt,
                                       clang::CXXTryStmt, clang::CXXThrowExpr, clang::AsmStmt>(node) ||
                             std::any_of(node->child_begin(), node->child_end(), jumps));
}

static bool calls_itself(const region& code, const clang::FunctionDecl& function) {
  const std::vector<const clang::Expr*>& callers = code.callers(&function);
  return std::any_of(callers.begin(), callers.end(),
                     [&](const clang::Expr* call) { return code.function_of(call) == &function; });
}

bool may_be_sliced(const region& code, const clang::FunctionDecl& function) {
  return may_have_copy(code, function) && has_loop(function.getBody()) && !jumps(function.getBody()) &&
         !calls_itself(code, function);
}

namespace {

/// Writes the functions, callees first.
class writer {
 public:
  writer(const region& code, const slice_parts& parts, const other_texts& inserted, function_names& names)
      : code_(code), parts_(parts), inserted_(inserted), names_(names) {}

  sliced_functions write() {
    for (const auto& [function, parameters] : parts_.functions) write(*function);
    return std::move(made_);
  }

 private:
  void write(const clang::FunctionDecl& function) {
    if (made_.count(&function) != 0) return;
    if (!open_.insert(&function).second)
      throw not_sliceable{"a function that contains accesses calls itself"};
    for (const auto& [callee, parameters] : parts_.functions) {
      if (callee != &function && calls(function, *callee)) write(*callee);
    }
    const auto end = position_after(code_.ast(), function.getBody()->getEndLoc());
    if (!end || end->token >= 0) throw not_sliceable{"a function that contains accesses is made by a macro"};
    sliced_function& made = made_[&function];
    made.body = std::make_unique<slice_text>(code_, parts_, inserted_, function, names_);
    const std::string tail =
        "(" + parameters_of(function) + ")" + (is_const(function) ? " const " : " ") + made.body->text();
    const std::string name = "stradsap_sliced_" + function.getNameAsString() + "_" +
                             llvm::utohexstr(text_hash(tail), /*LowerCase=*/true);
    made.text = (is_static(function) ? " static " : " ") + std::string("inline void ") + name + tail;
    made.place = *end;
    names_[&function] = name;
  }

  bool calls(const clang::FunctionDecl& function, const clang::FunctionDecl& callee) const {
    const auto& callers = code_.callers(&callee);
    return std::any_of(callers.begin(), callers.end(),
                       [&](const clang::Expr* call) { return code_.function_of(call) == &function; });
  }

  std::string parameters_of(const clang::FunctionDecl& function) const {
    std::string text;
    for (const unsigned number : parts_.functions.at(&function)) {
      const auto one = excerpt(code_.ast(), function.getParamDecl(number)->getSourceRange());
      if (!one) throw not_sliceable{"a parameter of a function that contains accesses is made by a macro"};
      text += (text.empty() ? "" : ", ") + *one;
    }
    return text;
  }

  static bool is_const(const clang::FunctionDecl& function) {
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
    return method != nullptr && method->isConst();
  }
  /// A free function must not be the same as one of that text in another file.
  static bool is_static(const clang::FunctionDecl& function) {
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
    return method == nullptr || method->isStatic();
  }

  const region& code_;
  const slice_parts& parts_;
  const other_texts& inserted_;
  function_names& names_;
  std::set<const clang::FunctionDecl*> open_;
  sliced_functions made_;
};

}  // namespace

sliced_functions write_sliced_functions(const region& code, const slice_parts& parts,
                                        const other_texts& inserted, function_names& names) {
  return writer(code, parts, inserted, names).write();
}

}  // namespace stradsap::pp
