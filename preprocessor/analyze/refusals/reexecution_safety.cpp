#include "analyze/refusals/reexecution_safety.hpp"

#include <algorithm>

#include "analyze/code/known_functions.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// Whether the stream is a value: std::ostringstream and the like.
static bool is_in_memory(llvm::StringRef name) { return name.contains("stringstream"); }

static const clang::IdentifierInfo* name_of_class(clang::QualType type) {
  type = type.getNonReferenceType();
  if (type->isPointerType()) type = type->getPointeeType();
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (record != nullptr) return is_in_api(*record) ? nullptr : record->getIdentifier();
  const auto* plain = type->getAs<clang::RecordType>();
  return plain == nullptr ? nullptr : plain->getDecl()->getIdentifier();
}

/// Whether the type denotes something outside the program: a file, a terminal.
static bool is_outside(clang::QualType type) {
  const clang::IdentifierInfo* name = name_of_class(type);
  if (name == nullptr) return false;
  return name->getName() == "_IO_FILE" ||
         (name->getName().contains("stream") && !is_in_memory(name->getName()));
}

/// The stream on the left of `to << a << b`.
static const clang::Expr& leftmost(const clang::Expr& argument) {
  const clang::Expr* at = argument.IgnoreParenImpCasts();
  while (const auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(at)) {
    const bool shifts =
        op->getOperator() == clang::OO_LessLess || op->getOperator() == clang::OO_GreaterGreater;
    if (!shifts) break;
    at = op->getArg(0)->IgnoreParenImpCasts();
  }
  return *at;
}

static bool reaches_outside(const clang::Expr& call) {
  const auto is_one = [](const clang::Expr* e) { return is_outside(leftmost(*e).getType()); };
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  const clang::Expr* object = object_of(call);
  if (llvm::isa<clang::CXXConstructExpr>(call) && is_outside(call.getType())) return true;
  return std::any_of(arguments.begin(), arguments.end(), is_one) || (object != nullptr && is_one(object));
}

/// Whether the function prints or reads without a stream argument.
static bool prints(const clang::FunctionDecl& callee) {
  static constexpr llvm::StringLiteral names[] = {"printf", "vprintf", "puts",  "putchar", "perror",
                                                  "scanf",  "vscanf",  "print", "println", "getchar"};
  return callee.getIdentifier() != nullptr &&
         std::find(std::begin(names), std::end(names), callee.getName()) != std::end(names);
}

static bool belongs_to_stream(const clang::FunctionDecl& callee) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
  const clang::IdentifierInfo* owner = method == nullptr ? nullptr : method->getParent()->getIdentifier();
  return owner != nullptr && is_in_std(callee) && owner->getName().contains("stream");
}

/// Whether a call may be repeated, if the function's text is hidden and it gets nothing from outside.
static bool may_be_repeated(const clang::FunctionDecl& callee) {
  if (is_in_api(callee) || callee.isNoReturn() || belongs_to_stream(callee)) return true;
  if (callee.hasAttr<clang::ConstAttr>() || callee.hasAttr<clang::PureAttr>()) return true;
  return is_pure(callee) && !prints(callee);
}

static std::string quoted(const clang::FunctionDecl& callee) { return "`" + callee.getNameAsString() + "`"; }

static std::optional<single_effect> effect_of(const region& code, const clang::Expr& call) {
  const clang::FunctionDecl* callee = callee_of(call);
  if (callee == nullptr) {
    const auto* made = llvm::dyn_cast<clang::CallExpr>(&call);
    const bool is_call = made != nullptr && !llvm::isa<clang::CXXPseudoDestructorExpr>(made->getCallee());
    if (!is_call) return std::nullopt;
    return single_effect{&call, "a function that only the run knows"};
  }
  if (code.in_sight(callee) != nullptr) return std::nullopt;
  if (reaches_outside(call)) return single_effect{&call, "output or input"};
  if (may_be_repeated(*callee) || code.is_stated_pure(*callee)) return std::nullopt;
  if (prints(*callee)) return single_effect{&call, quoted(*callee)};
  return single_effect{&call, quoted(*callee) + ", of which only the name is known"};
}

std::optional<single_effect> why_only_once(const region& code) {
  for (const clang::Stmt* node : code.nodes()) {
    if (!llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(node)) continue;
    if (auto found = effect_of(code, *llvm::cast<clang::Expr>(node))) return found;
  }
  return std::nullopt;
}

}  // namespace stradsap::pp
