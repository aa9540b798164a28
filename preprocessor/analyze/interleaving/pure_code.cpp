#include "analyze/interleaving/pure_code.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>

#include "analyze/code/counting_loop.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

bool is_simple(clang::QualType type) {
  return (type->isArithmeticType() || type->isEnumeralType() || type->isPointerType()) &&
         !type.isVolatileQualified();
}

const clang::FunctionDecl* free_helper(const region& code, const clang::CallExpr& call) {
  if (llvm::isa<clang::CXXMemberCallExpr, clang::CXXOperatorCallExpr>(call)) return nullptr;
  const clang::FunctionDecl* helper = visible_definition(call.getDirectCallee());
  if (helper == nullptr || llvm::isa<clang::CXXMethodDecl>(helper) || !code.contains(helper)) return nullptr;
  return helper->isVariadic() || helper->getBody() == nullptr ? nullptr : helper;
}

const clang::VarDecl* changed_variable(const region& code, const clang::Stmt& node) {
  const clang::Expr* target = nullptr;
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node)) {
    if (binary->isAssignmentOp()) target = binary->getLHS();
  } else if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node)) {
    if (unary->isIncrementDecrementOp()) target = unary->getSubExpr();
  }
  const auto* name = target == nullptr ? nullptr : llvm::dyn_cast<clang::DeclRefExpr>(target->IgnoreParens());
  const auto* variable = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
  if (variable == nullptr || variable == code.index() || !variable->isLocalVarDeclOrParm()) return nullptr;
  const clang::FunctionDecl* function = code.function_of(&node);
  const bool own = variable->getDeclContext() == static_cast<const clang::DeclContext*>(function);
  const bool is_number = is_simple(variable->getType()) && !variable->getType()->isPointerType();
  return own && variable->hasLocalStorage() && is_number ? variable : nullptr;
}

/// Whether an expression names a variable on the stack without reading its value.
static bool refers_to_local(const clang::Stmt& node) {
  const auto* cast = llvm::dyn_cast<clang::CastExpr>(&node);
  if (cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue) return false;
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node);
  const auto* variable = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
  if (variable != nullptr && variable->hasLocalStorage() && !variable->getType()->isReferenceType() &&
      !name->refersToEnclosingVariableOrCapture())
    return true;
  return std::any_of(node.child_begin(), node.child_end(),
                     [](const clang::Stmt* child) { return child != nullptr && refers_to_local(*child); });
}

namespace {

class reader {
 public:
  explicit reader(const region& code) : code_(code) {}

  bool only_computes(const clang::Stmt* node) {
    if (node == nullptr) return true;
    if (const auto* statement = llvm::dyn_cast<clang::DeclStmt>(node)) return declares(*statement);
    if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(node))
      return counts(*loop) && computes_within(*node);
    if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(node))
      return !branch->isConsteval() && computes_within(*node);
    if (llvm::isa<clang::CompoundStmt, clang::NullStmt>(node)) return computes_within(*node);
    const auto* expression = llvm::dyn_cast<clang::Expr>(node);
    return expression != nullptr && computes(*expression);
  }

 private:
  bool computes_within(const clang::Stmt& node) {
    return std::all_of(node.child_begin(), node.child_end(),
                       [&](const clang::Stmt* child) { return only_computes(child); });
  }

  bool counts(const clang::ForStmt& loop) const {
    const std::optional<counting_loop> counted = counting_loop_of(code_, loop);
    return counted && counted->surely_ends();
  }

  /// Whether a statement declares only numbers, classes that are copied as bytes, and references to objects
  /// declared elsewhere.
  bool declares(const clang::DeclStmt& statement) {
    return std::all_of(statement.decl_begin(), statement.decl_end(), [&](const clang::Decl* declaration) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
      if (variable == nullptr || !variable->hasLocalStorage() || variable->isConstexpr()) return false;
      if (!only_names_fields(*variable)) return false;
      const clang::QualType type = variable->getType();
      const bool is_kept = type->isLValueReferenceType() || is_simple(type) || is_small_class(type);
      if (!has_value(*variable)) return false;
      const bool outlives = !type->isReferenceType() && !type->isPointerType();
      if (!outlives && refers_to_local(*variable->getInit())) return false;
      return is_kept && only_computes(variable->getInit());
    });
  }

  static bool has_value(const clang::VarDecl& variable) {
    const auto* made = llvm::dyn_cast_or_null<clang::CXXConstructExpr>(variable.getInit());
    return variable.getInit() != nullptr && (made == nullptr || made->getNumArgs() > 0);
  }

  /// Whether a structured binding only names the fields of another object; true for all other declarations.
  static bool only_names_fields(const clang::VarDecl& variable) {
    const auto* tuple = llvm::dyn_cast<clang::DecompositionDecl>(&variable);
    if (tuple == nullptr) return true;
    const llvm::ArrayRef<clang::BindingDecl*> bindings = tuple->bindings();
    return variable.getType()->isLValueReferenceType() &&
           std::all_of(bindings.begin(), bindings.end(),
                       [](const clang::BindingDecl* binding) { return binding->getHoldingVar() == nullptr; });
  }

  bool is_small_class(clang::QualType type) const {
    const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
    if (record == nullptr || type.isVolatileQualified() || !record->isTrivial() ||
        !record->hasSimpleCopyAssignment())
      return false;
    return code_.ast().getTypeSizeInChars(type).getQuantity() <= 64;
  }

  bool computes(const clang::Expr& node) {
    if (node.getType().isVolatileQualified() || node.getType()->isAtomicType()) return false;
    if (changed_variable(code_, node) != nullptr) return computes_within(node);
    if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node)) {
      return !binary->isAssignmentOp() && !binary->isPtrMemOp() && divides_well(*binary) &&
             computes_within(node);
    }
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node))
      return !unary->isIncrementDecrementOp() && computes_within(node);
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&node))
      return is_plain(*cast) && computes_within(node);
    if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&node))
      return made->getConstructor()->isTrivial() && computes_within(node);
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) return computes(*call);
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node))
      return llvm::isa<clang::FieldDecl>(member->getMemberDecl()) && computes_within(node);
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node)) return is_readable(*name->getDecl());
    return llvm::isa<clang::IntegerLiteral, clang::FloatingLiteral, clang::CharacterLiteral,
                     clang::CXXBoolLiteralExpr, clang::ParenExpr, clang::ConditionalOperator,
                     clang::ArraySubscriptExpr, clang::SubstNonTypeTemplateParmExpr, clang::ConstantExpr,
                     clang::UnaryExprOrTypeTraitExpr>(node) &&
           computes_within(node);
  }

  /// Whether code may read a name. Variables from outside must be constant for the loop, which excludes
  /// reductions.
  bool is_readable(const clang::ValueDecl& named) const {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(&named);
    if (variable != nullptr && !code_.declares(variable) && !is_container(variable->getType()) &&
        (use_reader(code_).bits_of_variable(*variable) & use_write) != 0)
      return false;
    return llvm::isa<clang::VarDecl, clang::BindingDecl, clang::EnumConstantDecl, clang::FunctionDecl>(
               named) &&
           !named.getType().isVolatileQualified();
  }

  /// Whether a division is safe. Integers may be divided by constants only: a division by 0 ends the program,
  /// out of program order.
  bool divides_well(const clang::BinaryOperator& op) const {
    const bool divides = op.getOpcode() == clang::BO_Div || op.getOpcode() == clang::BO_Rem;
    return !divides || op.getType()->isRealFloatingType() || op.getRHS()->isEvaluatable(code_.ast());
  }

  static bool is_plain(const clang::CastExpr& cast) {
    switch (cast.getCastKind()) {
      case clang::CK_LValueToRValue:
      case clang::CK_NoOp:
      case clang::CK_IntegralCast:
      case clang::CK_IntegralToBoolean:
      case clang::CK_IntegralToFloating:
      case clang::CK_FloatingToIntegral:
      case clang::CK_FloatingToBoolean:
      case clang::CK_FloatingCast:
      case clang::CK_BooleanToSignedIntegral:
      case clang::CK_ArrayToPointerDecay:
      case clang::CK_FunctionToPointerDecay:
      case clang::CK_BuiltinFnToFnPtr:
        return true;
      default:
        return false;
    }
  }

  bool computes(const clang::CallExpr& call) {
    if (call.getDirectCallee() == nullptr) return false;
    const bool known = is_subscript(call) || asks_for_size(call) || is_function_of_numbers(call);
    if (!known && !is_helper(call)) return false;
    return computes_within(call);
  }

  static bool is_subscript(const clang::CallExpr& call) {
    const auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&call);
    if (op == nullptr || op->getOperator() != clang::OO_Subscript) return false;
    return container_name(op->getArg(0)->getType()) == api::dvector ||
           selects_a_part(*call.getDirectCallee());
  }

  static bool asks_for_size(const clang::CallExpr& call) {
    const clang::FunctionDecl& callee = *call.getDirectCallee();
    const auto* member = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call);
    if (member == nullptr || callee.getIdentifier() == nullptr || callee.getName() != "size") return false;
    return is_in_std(callee) || is_container(member->getImplicitObjectArgument()->getType());
  }

  /// Whether the call is a function of numbers: std::exp, std::max and the like.
  static bool is_function_of_numbers(const clang::CallExpr& call) {
    const clang::FunctionDecl& callee = *call.getDirectCallee();
    const bool known = (is_in_std(callee) && !is_users(callee)) || callee.getBuiltinID() != 0;
    if (!known || callee.isNoReturn() || llvm::isa<clang::CXXMethodDecl>(callee)) return false;
    const auto is_number = [](clang::QualType type) { return type->isArithmeticType(); };
    return is_pure(callee) && is_number(call.getType()) &&
           std::all_of(call.arg_begin(), call.arg_end(),
                       [&](const clang::Expr* argument) { return is_number(argument->getType()); }) &&
           std::all_of(callee.param_begin(), callee.param_end(), [&](const clang::ParmVarDecl* parameter) {
             const clang::QualType type = parameter->getType();
             return is_number(type) ||
                    (type->isLValueReferenceType() && type.getNonReferenceType().isConstQualified());
           });
  }

  /// Whether the call's function consists of statements that compute, and then one `return`.
  bool is_helper(const clang::CallExpr& call) {
    const clang::FunctionDecl* helper = free_helper(code_, call);
    if (helper == nullptr || std::find(open_.begin(), open_.end(), helper) != open_.end()) return false;
    const auto* body = llvm::dyn_cast<clang::CompoundStmt>(helper->getBody());
    const auto* last = body == nullptr || body->body_empty()
                           ? nullptr
                           : llvm::dyn_cast<clang::ReturnStmt>(body->body_back());
    if (last == nullptr || last->getRetValue() == nullptr || !is_simple(helper->getReturnType()))
      return false;
    open_.push_back(helper);
    const bool found = std::all_of(body->body_begin(), body->body_end(), [&](const clang::Stmt* statement) {
      return statement == last ? only_computes(last->getRetValue()) : only_computes(statement);
    });
    open_.pop_back();
    return found;
  }

  const region& code_;
  std::vector<const clang::FunctionDecl*> open_;  // on the current path
};

}  // namespace

bool only_computes(const region& code, const clang::Stmt& node) { return reader(code).only_computes(&node); }

}  // namespace stradsap::pp
