#include "analyze/code/constants.hpp"

#include <clang/AST/APValue.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <set>

#include "analyze/code/known_functions.hpp"
#include "analyze/code/region.hpp"
#include "analyze/code/types.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

static clang::QualType without_arrays(clang::QualType type) {
  while (const auto* array = type->getAsArrayTypeUnsafe()) type = array->getElementType();
  return type;
}

static bool has_mutable_part(clang::QualType type) {
  const clang::CXXRecordDecl* record = without_arrays(type)->getAsCXXRecordDecl();
  return record != nullptr && record->hasDefinition() && is_users(*record) && record->hasMutableFields();
}

static bool is_fixed_base(const clang::APValue::LValueBase& base) {
  if (base.isNull()) return true;
  if (const auto* expression = base.dyn_cast<const clang::Expr*>()) {
    if (llvm::isa<clang::StringLiteral, clang::PredefinedExpr>(expression)) return true;
    return expression->getType().isConstQualified() && !may_refer(expression->getType());
  }
  const auto* declaration = base.dyn_cast<const clang::ValueDecl*>();
  if (declaration == nullptr) return base.is<clang::TypeInfoLValue>();
  if (llvm::isa<clang::FunctionDecl>(declaration))
    return true;  // a function's effects are analysed at its uses
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
  return variable != nullptr && is_same_everywhere(*variable);
}

/// Whether everything behind a constant's pointers is constant too.
static bool is_fixed_value(const clang::APValue& value) {
  switch (value.getKind()) {
    case clang::APValue::LValue:
      return is_fixed_base(value.getLValueBase());
    case clang::APValue::Struct: {
      for (unsigned i = 0; i < value.getStructNumBases(); ++i) {
        if (!is_fixed_value(value.getStructBase(i))) return false;
      }
      for (unsigned i = 0; i < value.getStructNumFields(); ++i) {
        if (!is_fixed_value(value.getStructField(i))) return false;
      }
      return true;
    }
    case clang::APValue::Array: {
      for (unsigned i = 0; i < value.getArrayInitializedElts(); ++i) {
        if (!is_fixed_value(value.getArrayInitializedElt(i))) return false;
      }
      return !value.hasArrayFiller() || is_fixed_value(value.getArrayFiller());
    }
    case clang::APValue::Union:
      return value.getUnionField() == nullptr || is_fixed_value(value.getUnionValue());
    default:
      return true;
  }
}

/// Whether a reference keeps a temporary alive, as `const std::vector<int>& t = make();` does: it is then an
/// object of its own.
static bool keeps_a_temporary(const clang::VarDecl& variable) {
  const clang::Expr* init = variable.getAnyInitializer();
  while (init != nullptr && llvm::isa<clang::FullExpr, clang::CastExpr>(init)) {
    const auto* full = llvm::dyn_cast<clang::FullExpr>(init);
    init = full != nullptr ? full->getSubExpr() : llvm::cast<clang::CastExpr>(init)->getSubExpr();
  }
  return init != nullptr && llvm::isa<clang::MaterializeTemporaryExpr>(init);
}

namespace {

/// Whether an initialiser has the same result in each process.
class initialiser {
 public:
  explicit initialiser(const clang::VarDecl& variable) : owner_(variable.getParentFunctionOrMethod()) {}

  bool is_repeatable(const clang::Stmt* node) {
    if (node == nullptr) return true;
    if (owner_ != nullptr && llvm::isa<clang::CXXThisExpr>(node)) return false;
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(node)) {
      const auto* named = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
      if (named != nullptr && !is_repeatable_name(*named)) return false;
    }
    const auto* expression = llvm::dyn_cast<clang::Expr>(node);
    const clang::FunctionDecl* callee = expression == nullptr ? nullptr : callee_of(*expression);
    if (callee != nullptr && is_unrepeatable(*callee)) return false;
    const clang::FunctionDecl* definition = visible_definition(callee);
    const bool fresh = definition != nullptr && seen_.insert(definition).second;
    if (fresh && !is_repeatable(definition->getBody())) return false;
    return std::all_of(node->child_begin(), node->child_end(),
                       [&](const clang::Stmt* child) { return is_repeatable(child); });
  }

 private:
  /// Whether a name in the initialiser has the same value in each process. Inside a function, a static local
  /// is initialised by its first call, which is another one in each process.
  bool is_repeatable_name(const clang::VarDecl& named) const {
    if (owner_ == nullptr || named.isConstexpr()) return true;
    if (named.hasGlobalStorage()) return is_same_everywhere(named);
    return named.getParentFunctionOrMethod() != owner_;
  }

  const clang::DeclContext* owner_;
  std::set<const clang::FunctionDecl*> seen_;
};

}  // namespace

bool has_constant_value(const clang::VarDecl& variable) {
  const clang::Expr* init = variable.getAnyInitializer();
  if (init == nullptr || init->isValueDependent() || variable.getInit() != init) return false;
  return is_same_everywhere(variable) && variable.evaluateValue() != nullptr;
}

bool is_same_everywhere(const clang::VarDecl& variable) {
  clang::QualType type = variable.getType();
  const bool reference = type->isReferenceType();
  if (reference) type = type->getPointeeType();
  const bool is_const = without_arrays(type).isConstQualified() || (variable.isConstexpr() && !reference);
  if (variable.getTSCSpec() != clang::TSCS_unspecified && !variable.isConstexpr()) return false;
  if (!is_const) return false;
  // the standard library and the API declare constants as const
  if (!is_users(variable)) return true;
  if (has_mutable_part(type)) return false;
  const bool computed = variable.hasGlobalStorage() && !variable.isConstexpr();
  if (computed && !initialiser(variable).is_repeatable(variable.getAnyInitializer())) return false;
  if (!may_refer(type) && (!reference || keeps_a_temporary(variable))) return true;
  const clang::Expr* init = variable.getAnyInitializer();
  if (init == nullptr || init->isValueDependent()) return false;
  const clang::APValue* value = variable.getInit() == init ? variable.evaluateValue() : nullptr;
  return value != nullptr && is_fixed_value(*value);
}

}  // namespace stradsap::pp
