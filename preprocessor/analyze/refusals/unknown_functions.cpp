#include "analyze/refusals/unknown_functions.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/Builtins.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <set>

#include "analyze/code/known_functions.hpp"
#include "analyze/code/types.hpp"
#include "analyze/refusals/refusals.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// The function that a node calls or names, constructors included.
static const clang::FunctionDecl* function_named(const clang::Stmt& node) {
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node))
    return llvm::dyn_cast<clang::FunctionDecl>(name->getDecl());
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node))
    return llvm::dyn_cast<clang::FunctionDecl>(member->getMemberDecl());
  const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&node);
  return made == nullptr ? nullptr : made->getConstructor();
}

/// Whether the function belongs to the C library, with known behaviour; other rules refuse its hidden state
/// by name.
static bool is_in_c_library(const clang::FunctionDecl& function) {
  static constexpr llvm::StringLiteral headers[] = {
      "math.h",    "mathcalls.h", "mathcalls-narrow.h", "complex.h", "cmathcalls.h", "fenv.h",   "string.h",
      "strings.h", "stdlib.h",    "stdlib-float.h",     "stdio.h",   "stdio2.h",     "ctype.h",  "wchar.h",
      "wctype.h",  "inttypes.h",  "stdint.h",           "time.h",    "locale.h",     "assert.h", "errno.h",
      "malloc.h",  "uchar.h",     "stdlib-bsearch.h",   "cxxabi.h",  "setjmp.h",     "alloca.h"};
  const clang::SourceManager& sources = function.getASTContext().getSourceManager();
  const clang::SourceLocation at = sources.getExpansionLoc(function.getFirstDecl()->getLocation());
  if (at.isInvalid() || !sources.isInSystemHeader(at)) return false;
  return llvm::is_contained(headers, sources.getFilename(at).rsplit('/').second);
}

/// Whether the name belongs to a common numerical library, such as BLAS, with functions of their arguments.
static bool is_in_numerical_library(llvm::StringRef name) {
  return name.starts_with("cblas_") || name.starts_with("LAPACKE_") || name.starts_with("gsl_sf_");
}

/// Whether the function takes a lock, as pthread_mutex_lock does; the refusal of the lock suffices.
static bool takes_lock(const clang::FunctionDecl& function) {
  return std::any_of(function.param_begin(), function.param_end(), [](const clang::ParmVarDecl* parameter) {
    return parameter->getType()->isPointerType() && is_lock(parameter->getType()->getPointeeType());
  });
}

static bool is_known(const region& code, const clang::FunctionDecl& function) {
  if (is_in_api(function) || (is_in_std(function) && !is_users(function))) return true;
  if (function.getBuiltinID() != 0 || function.isImplicit() || function.isDefaulted() ||
      function.isPureVirtual())
    return true;
  if (function.hasAttr<clang::ConstAttr>() || function.hasAttr<clang::PureAttr>()) return true;
  if (function.isReplaceableGlobalAllocationFunction() || code.is_stated_pure(function) ||
      takes_lock(function))
    return true;
  const bool has_name = function.getIdentifier() != nullptr;
  return is_in_c_library(function) || (has_name && is_in_numerical_library(function.getName()));
}

static std::string advice_for(const clang::FunctionDecl& function, const std::string& name) {
  if (llvm::isa<clang::CXXConstructorDecl>(function)) return "write its text in the header";
  const bool is_member = llvm::isa<clang::CXXMethodDecl>(function);
  return "say `access(pure(" + std::string(is_member ? "&" : "") + name +
         "))` at the loop, or declare it [[gnu::pure]]";
}

void warn_of_unknown_functions(const region& code, diagnostics& out) {
  std::set<const clang::FunctionDecl*> seen;
  for (const clang::Stmt* node : code.nodes()) {
    const clang::FunctionDecl* function = function_named(*node);
    if (function == nullptr || function->isDefined() || is_known(code, *function)) continue;
    if (is_refused_by_name(*function) || !seen.insert(function->getCanonicalDecl()).second) continue;
    const std::string name = function->getQualifiedNameAsString();
    out.report(refusal::unknown_function, llvm::cast<clang::Expr>(node)->getExprLoc(),
               {name, advice_for(*function, name)}, function->getLocation());
  }
}

// ---- the process ----------------------------------------------------------------------------------------

/// Whether a library function queries the process: streams, locales, files, conversions between numbers and
/// text.
static bool asks_by_name(const clang::FunctionDecl& function) {
  static constexpr llvm::StringLiteral names[] = {
      "stoi",      "stol",       "stoll",    "stoul",     "stoull",    "stof",         "stod",     "stold",
      "to_string", "to_wstring", "isalpha",  "isdigit",   "isalnum",   "isspace",      "isupper",  "islower",
      "ispunct",   "isprint",    "isgraph",  "iscntrl",   "isblank",   "isxdigit",     "toupper",  "tolower",
      "use_facet", "put_time",   "get_time", "put_money", "get_money", "current_path", "absolute", "quoted"};
  if (function.getIdentifier() != nullptr && llvm::is_contained(names, function.getName())) return true;
  for (const clang::DeclContext* scope = function.getDeclContext(); scope != nullptr;
       scope = scope->getParent()) {
    const auto* named = llvm::dyn_cast<clang::NamedDecl>(scope);
    if (named == nullptr || named->getIdentifier() == nullptr) continue;
    const llvm::StringRef name = named->getName();
    if (name.contains("stream") || name.contains("locale") || name.contains("regex") ||
        name.contains("filesystem"))
      return true;
  }
  return false;
}

/// Whether the function depends on its arguments only: memcpy, sqrt, malloc.
static bool knows_arguments_only(const clang::FunctionDecl& function) {
  const unsigned id = function.getBuiltinID();
  const auto& builtins = function.getASTContext().BuiltinInfo;
  if (id != 0 && (builtins.isConst(id) || builtins.isConstWithoutErrnoAndExceptions(id))) return true;
  const llvm::StringRef name = function.getIdentifier() == nullptr ? llvm::StringRef() : function.getName();
  static constexpr llvm::StringLiteral names[] = {"malloc",        "calloc", "realloc", "free",
                                                  "aligned_alloc", "abs",    "labs",    "llabs",
                                                  "strlen",        "strcmp", "strncmp"};
  return name.starts_with("mem") || name.starts_with("__builtin") || name.starts_with("_mm") ||
         name.starts_with("operator") || llvm::is_contained(names, name);
}

static bool may_ask(const region& code, const clang::FunctionDecl& function) {
  if (is_in_api(function) || visible_definition(&function) != nullptr || function.isImplicit() ||
      function.isDefaulted() || function.isReplaceableGlobalAllocationFunction() ||
      code.is_stated_pure(function))
    return false;
  if (function.hasAttr<clang::ConstAttr>()) return false;
  if (is_in_std(function)) return asks_by_name(function);
  return !knows_arguments_only(function);
}

bool asks_process(const region& code) {
  return std::any_of(code.nodes().begin(), code.nodes().end(), [&](const clang::Stmt* node) {
    const clang::FunctionDecl* function = function_named(*node);
    return function != nullptr && may_ask(code, *function);
  });
}

}  // namespace stradsap::pp
