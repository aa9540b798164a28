#include "analyze/dependences/index_names.hpp"

#include <algorithm>
#include <set>

#include "analyze/code/uses.hpp"

namespace stradsap::pp {

namespace {

class reader {
 public:
  explicit reader(const region& code) : code_(code), uses_(code) {}

  bool is_index(const clang::Expr& expression) {
    const auto* name = llvm::dyn_cast_or_null<clang::DeclRefExpr>(behind_conversions(expression));
    const auto* variable = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    return variable != nullptr && stands_for_index(*variable);
  }

 private:
  /// Whether the conversion keeps an index: it is not negative and has at most 63 bits.
  bool keeps_index(const clang::CastExpr& cast) const {
    if (cast.getCastKind() == clang::CK_LValueToRValue || cast.getCastKind() == clang::CK_NoOp) return true;
    if (cast.getCastKind() != clang::CK_IntegralCast) return false;
    const clang::QualType from = cast.getSubExpr()->getType(), to = cast.getType();
    const std::uint64_t bits = code_.ast().getTypeSize(to), before = code_.ast().getTypeSize(from);
    if (bits != before) return bits > before;
    return bits == 64 || to->isUnsignedIntegerType() || from->isSignedIntegerType();
  }

  /// The operand; null if a conversion may change the value.
  const clang::Expr* behind_conversions(const clang::Expr& expression) const {
    const clang::Expr* at = &expression;
    while (true) {
      if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(at)) {
        if (!keeps_index(*cast)) return nullptr;
        at = cast->getSubExpr();
      } else if (const auto* paren = llvm::dyn_cast<clang::ParenExpr>(at)) {
        at = paren->getSubExpr();
      } else if (const auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(at)) {
        at = temporary->getSubExpr();
      } else {
        return at;
      }
    }
  }

  bool stands_for_index(const clang::VarDecl& variable) {
    if ((uses_.bits_of_variable(variable) & use_write) != 0) return false;
    if (&variable == code_.index()) return true;
    if (!code_.declares(&variable) || variable.hasGlobalStorage()) return false;
    if (!open_.insert(&variable).second) return true;  // a recursive call with the same argument
    const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(&variable);
    if (parameter != nullptr) return is_given_index(*parameter);
    return variable.getInit() != nullptr && is_index(*variable.getInit());
  }

  /// Whether all callers pass the index. The callers of a lambda from elsewhere are unknown.
  bool is_given_index(const clang::ParmVarDecl& parameter) {
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(parameter.getDeclContext());
    if (function == nullptr || function == &code_.body() || code_.hidden().count(function) != 0) return false;
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
    if (method != nullptr && method->getParent()->isLambda()) return false;
    const auto& callers = code_.callers(function);
    return !callers.empty() && std::all_of(callers.begin(), callers.end(), [&](const clang::Expr* call) {
      if (!llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(call)) return false;
      const std::vector<const clang::Expr*> arguments = arguments_of(*call);
      const unsigned i = parameter.getFunctionScopeIndex();
      return i < arguments.size() && is_index(*arguments[i]);
    });
  }

  const region& code_;
  use_reader uses_;
  std::set<const clang::VarDecl*> open_;
};

}  // namespace

bool is_loop_index(const region& code, const clang::Expr& expression) {
  return reader(code).is_index(expression);
}

}  // namespace stradsap::pp
