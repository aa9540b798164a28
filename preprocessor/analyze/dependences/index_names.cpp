#include "analyze/dependences/index_names.hpp"

#include <algorithm>
#include <set>

#include "analyze/code/uses.hpp"

namespace stradsap::pp {

namespace {

class reader {
 public:
  explicit reader(const region& code) : code_(code), uses_(code) {}

  /// The bits of the narrowest copy that an index has passed through.
  unsigned bits() const { return bits_; }

  bool is_index(const clang::Expr& expression) {
    const auto* name = llvm::dyn_cast_or_null<clang::DeclRefExpr>(behind_conversions(expression));
    const auto* variable = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    return variable != nullptr && stands_for_index(*variable);
  }

 private:
  /// Whether the conversion keeps an index that fits its type: it is not negative. Smaller types have
  /// 32 bits: programs make use of the wrapping of `uint8_t(j)`.
  bool keeps_index(const clang::CastExpr& cast) {
    if (cast.getCastKind() == clang::CK_LValueToRValue || cast.getCastKind() == clang::CK_NoOp) return true;
    if (cast.getCastKind() != clang::CK_IntegralCast) return false;
    const unsigned from = value_bits(cast.getSubExpr()->getType()), to = value_bits(cast.getType());
    if (to < from && to != 31 && to != 32) return false;
    if (to < from) bits_ = std::min(bits_, to);
    return true;
  }

  /// The number of bits of values that are not negative.
  unsigned value_bits(clang::QualType type) const {
    const auto bits = static_cast<unsigned>(code_.ast().getIntWidth(type));
    return std::min(type->isSignedIntegerOrEnumerationType() ? bits - 1 : bits, index_bits);
  }

  /// The operand; null if a conversion may change the value.
  const clang::Expr* behind_conversions(const clang::Expr& expression) {
    const clang::Expr* at = &expression;
    while (true) {
      if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(at)) {
        if (!keeps_index(*cast)) return nullptr;
        at = cast->getSubExpr();
      } else if (const auto* paren = llvm::dyn_cast<clang::ParenExpr>(at)) {
        at = paren->getSubExpr();
      } else if (const auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(at)) {
        at = temporary->getSubExpr();
      } else if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(at);
                 list && list->getNumInits() == 1) {
        at = list->getInit(0);
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

  /// Whether all callers pass the index. The lambda in a variable, or made before the loop, is called by its
  /// name.
  bool is_given_index(const clang::ParmVarDecl& parameter) {
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(parameter.getDeclContext());
    if (function == nullptr || function == &code_.body() || code_.hidden().count(function) != 0) return false;
    const auto& callers = code_.callers(function);
    return !callers.empty() && std::all_of(callers.begin(), callers.end(), [&](const clang::Expr* call) {
      if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(call)) return is_in_variable(*lambda);
      if (!llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(call)) return false;
      const std::vector<const clang::Expr*> arguments = arguments_of(*call);
      const unsigned i = parameter.getFunctionScopeIndex();
      return i < arguments.size() && is_index(*arguments[i]);
    });
  }

  /// Whether a lambda initialises a variable of its own class.
  bool is_in_variable(const clang::LambdaExpr& lambda) const {
    const clang::Stmt* at = &lambda;
    const clang::VarDecl* variable = nullptr;
    while (at != nullptr && variable == nullptr) {
      const parent_link above = code_.parent(at);
      variable = above.variable;
      at = above.statement;
      if (at != nullptr && !llvm::isa<clang::ImplicitCastExpr, clang::ExprWithCleanups,
                                      clang::MaterializeTemporaryExpr, clang::CXXBindTemporaryExpr>(at))
        return false;
    }
    return variable != nullptr &&
           variable->getType().getNonReferenceType()->getAsCXXRecordDecl() == lambda.getLambdaClass();
  }

  const region& code_;
  use_reader uses_;
  std::set<const clang::VarDecl*> open_;
  unsigned bits_ = index_bits;
};

}  // namespace

unsigned bits_of_index(const region& code, const clang::Expr& expression) {
  reader names(code);
  return names.is_index(expression) ? names.bits() : 0;
}

bool is_loop_index(const region& code, const clang::Expr& expression) {
  return bits_of_index(code, expression) != 0;
}

}  // namespace stradsap::pp
