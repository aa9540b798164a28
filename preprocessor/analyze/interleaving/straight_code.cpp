#include "analyze/interleaving/straight_code.hpp"

#include <clang/AST/DeclTemplate.h>

#include <algorithm>

#include "analyze/code/known_functions.hpp"
#include "analyze/dependences/index_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {
namespace {

bool is_number(clang::QualType type) {
  const clang::QualType value = type.getNonReferenceType();
  return value->isIntegralOrEnumerationType() || value->isRealFloatingType();
}

/// Numbers, and other names of containers.
bool declares_plain(const clang::DeclStmt& statement) {
  return std::all_of(statement.decl_begin(), statement.decl_end(), [](const clang::Decl* one) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(one);
    if (variable == nullptr || !variable->isLocalVarDecl() || variable->isStaticLocal()) return false;
    const clang::QualType type = variable->getType();
    return is_number(type) || (type->isReferenceType() && is_container(type.getNonReferenceType()));
  });
}

/// Whether the node, without its children, may be a part of a vectorised iteration.
bool is_plain(const clang::Stmt& node) {
  if (const auto* declares = llvm::dyn_cast<clang::DeclStmt>(&node)) return declares_plain(*declares);
  if (const auto* one = llvm::dyn_cast<clang::UnaryOperator>(&node))
    return one->getOpcode() != clang::UO_Deref && one->getOpcode() != clang::UO_AddrOf;
  return llvm::isa<clang::CompoundStmt, clang::NullStmt, clang::IfStmt, clang::ReturnStmt>(node) ||
         llvm::isa<clang::DeclRefExpr, clang::IntegerLiteral, clang::FloatingLiteral,
                   clang::CXXBoolLiteralExpr, clang::ConstantExpr, clang::SubstNonTypeTemplateParmExpr>(
             node) ||
         llvm::isa<clang::ParenExpr, clang::ImplicitCastExpr, clang::ExplicitCastExpr,
                   clang::MaterializeTemporaryExpr, clang::ExprWithCleanups>(node) ||
         llvm::isa<clang::BinaryOperator, clang::ConditionalOperator, clang::MemberExpr, clang::CXXThisExpr>(
             node);
}

/// Whether the type is a std::vector of numbers, with the usual allocator.
bool is_row(clang::QualType type) {
  const auto* record = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
      type.getNonReferenceType()->getAsCXXRecordDecl());
  if (record == nullptr || !record->isInStdNamespace() || record->getName() != "vector") return false;
  const auto& arguments = record->getTemplateArgs();
  if (arguments.size() != 2 || arguments[0].getKind() != clang::TemplateArgument::Type) return false;
  const clang::QualType number = arguments[0].getAsType();
  const auto* allocator = arguments[1].getAsType()->getAsCXXRecordDecl();
  return (number->isIntegerType() || number->isRealFloatingType()) && !number->isBooleanType() &&
         allocator != nullptr && allocator->isInStdNamespace() && allocator->getName() == "allocator";
}

class straight_code {
 public:
  straight_code(const region& code, const std::vector<access>& accesses) : code_(code) {
    for (const access& one : accesses) {
      if (is_element_of_dvector(one)) elements_.insert(one.call);
    }
    may_branch_ = std::any_of(code.nodes().begin(), code.nodes().end(), [](const clang::Stmt* node) {
      const auto* two = llvm::dyn_cast<clang::BinaryOperator>(node);
      return llvm::isa<clang::IfStmt, clang::ConditionalOperator>(node) ||
             (two != nullptr && two->isLogicalOp());
    });
  }

  /// The captured vector of which the call reads the element at the loop's index; else null.
  const clang::ValueDecl* row_of(const clang::Stmt& node) const {
    const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&node);
    if (call == nullptr || call->getOperator() != clang::OO_Subscript || call->getNumArgs() != 2)
      return nullptr;
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(call->getArg(0)->IgnoreParenImpCasts());
    if (name == nullptr || !is_row(name->getType()) || !is_loop_index(code_, *call->getArg(1)))
      return nullptr;
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    const bool is_captured =
        variable != nullptr && !variable->hasGlobalStorage() && !code_.declares(variable);
    return is_captured ? variable : nullptr;
  }

  straightness of(const clang::Stmt& node) const {
    const auto* two = llvm::dyn_cast<clang::BinaryOperator>(&node);
    if (two != nullptr && may_fail(*two)) return straightness::none;
    const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
    if (call == nullptr) return is_plain(node) ? straightness::plain : straightness::none;
    if (elements_.count(call) != 0 || row_of(*call) != nullptr) return straightness::plain;
    const clang::FunctionDecl* function = callee_of(*call);
    if (function == nullptr) return straightness::none;
    if (code_.contains(function)) return straightness::plain;  // its nodes are nodes of the region
    return of_library(*function);
  }

 private:
  static straightness of_library(const clang::FunctionDecl& function) {
    const bool takes_numbers =
        std::all_of(function.param_begin(), function.param_end(),
                    [](const clang::ParmVarDecl* one) { return is_number(one->getType()); });
    // a member function may refuse a further index, as std::vector::at does
    if (llvm::isa<clang::CXXMethodDecl>(function) || !is_pure(function) || !takes_numbers ||
        !is_number(function.getReturnType()) || function.getIdentifier() == nullptr)
      return straightness::none;
    static const std::set<llvm::StringRef> instructions = {"abs", "fabs", "max", "min"};
    return instructions.count(function.getName()) != 0 ? straightness::plain : straightness::with_calls;
  }

  /// Whether a division of whole numbers may have a divisor of zero in an iteration that the program does not
  /// have. The elements of these iterations are those of another one, which may have branched around it.
  bool may_fail(const clang::BinaryOperator& two) const {
    const clang::BinaryOperatorKind kind =
        two.isCompoundAssignmentOp() ? clang::BinaryOperator::getOpForCompoundAssignment(two.getOpcode())
                                     : two.getOpcode();
    return (kind == clang::BO_Div || kind == clang::BO_Rem) && two.getRHS()->getType()->isIntegerType() &&
           (may_branch_ ? !is_known_divisor(*two.getRHS()) : depends_on_index(*two.getRHS()));
  }
  bool is_known_divisor(const clang::Expr& divisor) const {
    clang::Expr::EvalResult value;
    return !divisor.isValueDependent() && divisor.EvaluateAsInt(value, code_.ast()) &&
           value.Val.getInt() != 0;
  }
  bool depends_on_index(const clang::Stmt& part) const {
    const auto* e = llvm::dyn_cast<clang::Expr>(&part);
    if (e != nullptr && (elements_.count(e) != 0 || row_of(*e) != nullptr)) return false;
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&part);
    if (name != nullptr &&
        (llvm::isa<clang::ParmVarDecl>(name->getDecl()) || code_.declares(name->getDecl())))
      return true;
    return std::any_of(part.child_begin(), part.child_end(), [this](const clang::Stmt* child) {
      return child != nullptr && depends_on_index(*child);
    });
  }

  const region& code_;
  std::set<const clang::Expr*> elements_;
  bool may_branch_ = false;
};

}  // namespace

bool is_added_once(const region& code, const clang::ValueDecl& variable) {
  const std::vector<const clang::Expr*>& names = code.uses(&variable);
  if (names.size() != 1 || code.function_of(names[0]) != &code.body()) return false;
  const auto* addition =
      llvm::dyn_cast_or_null<clang::CompoundAssignOperator>(code.parent(names[0]).statement);
  if (addition == nullptr || addition->getLHS() != names[0]) return false;
  const clang::QualType type = variable.getType().getNonReferenceType();
  return (addition->getOpcode() == clang::BO_AddAssign || addition->getOpcode() == clang::BO_SubAssign) &&
         code.ast().hasSameUnqualifiedType(addition->getComputationResultType(), type);
}

straight_findings find_straightness(const region& code, const std::vector<access>& accesses) {
  const straight_code straight(code, accesses);
  straight_findings all;
  for (const clang::Stmt* node : code.nodes()) {
    all.found = std::min(all.found, straight.of(*node));
    if (all.found == straightness::none) return {straightness::none, {}};
    const clang::ValueDecl* row = straight.row_of(*node);
    if (row == nullptr) continue;
    all.rows.insert(row);
    const auto& subscript = *llvm::cast<clang::CallExpr>(node)->getArg(1);
    all.bits_of_index = std::min(all.bits_of_index, bits_of_index(code, subscript));
  }
  return all;
}

}  // namespace stradsap::pp
