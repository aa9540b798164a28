#include "analyze/interleaving/straight_code.hpp"

#include <algorithm>
#include <set>

#include "analyze/code/known_functions.hpp"
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

class straight_code {
 public:
  straight_code(const region& code, const std::vector<access>& accesses) : code_(code) {
    for (const access& one : accesses) {
      if (is_element_of_dvector(one)) elements_.insert(one.call);
    }
  }

  straightness of(const clang::Stmt& node) const {
    const auto* two = llvm::dyn_cast<clang::BinaryOperator>(&node);
    if (two != nullptr && may_fail(*two)) return straightness::none;
    const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
    if (call == nullptr) return is_plain(node) ? straightness::plain : straightness::none;
    if (elements_.count(call) != 0) return straightness::plain;
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
    if (!is_pure(function) || !takes_numbers || !is_number(function.getReturnType()) ||
        function.getIdentifier() == nullptr)
      return straightness::none;
    static const std::set<llvm::StringRef> instructions = {"abs", "fabs", "max", "min"};
    return instructions.count(function.getName()) != 0 ? straightness::plain : straightness::with_calls;
  }

  /// Whether a division of whole numbers may have a divisor of zero in an iteration that the program does not
  /// have.
  bool may_fail(const clang::BinaryOperator& two) const {
    const clang::BinaryOperatorKind kind =
        two.isCompoundAssignmentOp() ? clang::BinaryOperator::getOpForCompoundAssignment(two.getOpcode())
                                     : two.getOpcode();
    return (kind == clang::BO_Div || kind == clang::BO_Rem) && two.getRHS()->getType()->isIntegerType() &&
           depends_on_index(*two.getRHS());
  }
  bool depends_on_index(const clang::Stmt& part) const {
    const auto* e = llvm::dyn_cast<clang::Expr>(&part);
    if (e != nullptr && elements_.count(e) != 0) return false;
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
};

}  // namespace

straightness straightness_of(const region& code, const std::vector<access>& accesses) {
  const straight_code straight(code, accesses);
  auto found = straightness::plain;
  for (const clang::Stmt* node : code.nodes()) {
    found = std::min(found, straight.of(*node));
    if (found == straightness::none) break;
  }
  return found;
}

}  // namespace stradsap::pp
