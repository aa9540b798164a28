#include "analyze/code/place_comparisons.hpp"

#include <algorithm>
#include <utility>

#include "analyze/code/known_functions.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace {

/// Reads addresses of one container, and collects the subscripts that decide them.
class place_reader {
 public:
  place_reader(const region& code, place_comparison& to) : code_(code), to_(to) {}

  /// Whether the value of a pointer is understood.
  bool pointer(const clang::Expr& given) {
    const clang::Expr& e = *given.IgnoreParens();
    if (const auto* full = llvm::dyn_cast<clang::FullExpr>(&e)) return pointer(*full->getSubExpr());
    if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&e)) return converted(*cast);
    if (const auto* op = llvm::dyn_cast<clang::UnaryOperator>(&e))
      return op->getOpcode() == clang::UO_AddrOf && object(*op->getSubExpr());
    if (const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(&e)) return moved(*sum);
    const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&e);
    return call != nullptr && start_of(*call);
  }

 private:
  bool converted(const clang::ImplicitCastExpr& cast) {
    const clang::Expr& from = *cast.getSubExpr();
    switch (cast.getCastKind()) {
      case clang::CK_NullToPointer:
        return true;
      case clang::CK_NoOp:
      case clang::CK_BitCast:  // to a pointer to void
        return pointer(from);
      case clang::CK_ArrayToPointerDecay:
        return object(from);
      case clang::CK_LValueToRValue:
        return named(from, /*is_pointer=*/true);
      default:
        return false;
    }
  }

  /// p + k, k + p, p - k
  bool moved(const clang::BinaryOperator& sum) {
    const bool adds = sum.getOpcode() == clang::BO_Add;
    if (!adds && sum.getOpcode() != clang::BO_Sub) return false;
    const bool left = sum.getLHS()->getType()->isPointerType();
    const clang::Expr& base = left ? *sum.getLHS() : *sum.getRHS();
    to_.subscripts.push_back(left ? sum.getRHS() : sum.getLHS());
    to_.is_ordered = true;  // so copies must have the neighbours of the elements
    return base.getType()->isPointerType() && (left || adds) && pointer(base);
  }

  /// X.data(), X.span(first, n).data(), X[i].data() of an array
  bool start_of(const clang::CXXMemberCallExpr& call) {
    const clang::CXXMethodDecl* method = call.getMethodDecl();
    if (method == nullptr || method->getIdentifier() == nullptr) return false;
    const clang::Expr& owner = *call.getImplicitObjectArgument()->IgnoreParens();
    if (is_dvector(owner)) {
      const bool starts = method->getName() == "data" || method->getName() == "begin";
      return starts && element_of(call, owner);
    }
    if (method->getName() != "data" || !is_in_std(*method)) return false;
    const clang::CXXRecordDecl* record = owner.getType()->getAsCXXRecordDecl();
    if (record != nullptr && record->getName() == "array") return object(owner);
    const auto* span = llvm::dyn_cast<clang::CXXMemberCallExpr>(owner.IgnoreImplicit());
    if (span == nullptr || span->getMethodDecl() == nullptr) return false;
    const clang::Expr& container = *span->getImplicitObjectArgument();
    return is_dvector(container) && span->getMethodDecl()->getName() == "span" &&
           element_of(*span, container);
  }

  /// Whether the address of an object is understood.
  bool object(const clang::Expr& given) {
    const clang::Expr& e = *given.IgnoreParens();
    if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&e))
      return cast->getCastKind() == clang::CK_NoOp && object(*cast->getSubExpr());
    if (llvm::isa<clang::DeclRefExpr>(e)) return named(e, /*is_pointer=*/false);
    if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&e)) {
      to_.subscripts.push_back(subscript->getIdx());
      return pointer(*subscript->getBase());
    }
    if (const auto* op = llvm::dyn_cast<clang::UnaryOperator>(&e))
      return op->getOpcode() == clang::UO_Deref && pointer(*op->getSubExpr());
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e)) return member_of(*member);
    const clang::Expr* owner = llvm::isa<clang::CallExpr>(e) ? object_of(e) : nullptr;
    if (owner == nullptr || !e.isGLValue()) return false;
    if (is_dvector(*owner)) return is_subscript(e) && element_of(e, *owner);
    if (!is_subscript_of_array(e)) return false;
    add_arguments(e);
    return object(*owner);
  }

  bool member_of(const clang::MemberExpr& member) {
    const auto* field = llvm::dyn_cast<clang::FieldDecl>(member.getMemberDecl());
    if (field == nullptr || field->getType()->isReferenceType() || field->isBitField()) return false;
    return member.isArrow() ? pointer(*member.getBase()) : object(*member.getBase());
  }

  static bool is_dvector(const clang::Expr& e) { return container_name(e.getType()) == api::dvector; }

  /// X[i], X.at(i)
  static bool is_subscript(const clang::Expr& call) {
    if (const auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&call))
      return op->getOperator() == clang::OO_Subscript;
    const auto* member = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call);
    const clang::CXXMethodDecl* method = member == nullptr ? nullptr : member->getMethodDecl();
    return method != nullptr && method->getIdentifier() != nullptr && method->getName() == "at";
  }

  bool element_of(const clang::Expr& access, const clang::Expr& container) {
    to_.accesses.push_back(&access);
    add_arguments(access);
    return is_of_one(behind_as_const(container));
  }

  void add_arguments(const clang::Expr& call) {
    for (const clang::Expr* argument : arguments_of(call)) to_.subscripts.push_back(argument);
  }

  /// Whether the name is that of the one container, outside the body.
  bool is_of_one(const clang::Expr& name) {
    const clang::Expr* base = nullptr;
    const clang::ValueDecl* declared = nullptr;
    if (const auto* plain = llvm::dyn_cast<clang::DeclRefExpr>(&name)) {
      declared = plain->getDecl();
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared);
      if (variable == nullptr || (code_.declares(variable) && !variable->isInitCapture())) return false;
    } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&name)) {
      declared = member->getMemberDecl();
      base = member->getBase()->IgnoreParenImpCasts();
    }
    const clang::ValueDecl* around = nullptr;
    if (const auto* plain = llvm::dyn_cast_or_null<clang::DeclRefExpr>(base)) {
      around = plain->getDecl();
      if (code_.declares(around)) return false;
    } else if (base != nullptr && !llvm::isa<clang::CXXThisExpr>(base)) {
      return false;
    }
    const std::pair found(declared, around);
    if (declared == nullptr || (container_ && *container_ != found)) return false;
    container_ = found;
    return true;
  }

  /// A local variable of the body that keeps the address of its declaration.
  bool named(const clang::Expr& e, bool is_pointer) {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e.IgnoreParens());
    const auto* local = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    const clang::Stmt* declared = local == nullptr ? nullptr : code_.declaration_of(local);
    if (declared == nullptr || !local->hasInit() || !local->hasLocalStorage() || local->isInitCapture() ||
        llvm::isa<clang::ParmVarDecl>(local) || code_.function_of(declared) != &code_.body())
      return false;
    const bool fits =
        is_pointer ? local->getType()->isPointerType() : local->getType()->isLValueReferenceType();
    if (!fits || (is_pointer && !is_only_read(*local))) return false;
    to_.names.push_back(local);
    return is_pointer ? pointer(*local->getInit()) : object(*local->getInit());
  }

  /// Whether each use of a pointer only takes its value.
  bool is_only_read(const clang::VarDecl& variable) const {
    const auto& uses = code_.uses(&variable);
    return std::all_of(uses.begin(), uses.end(), [&](const clang::Expr* use) {
      const clang::Stmt* above = code_.above(use);
      while (llvm::isa_and_nonnull<clang::ParenExpr>(above)) above = code_.above(above);
      const auto* cast = llvm::dyn_cast_or_null<clang::ImplicitCastExpr>(above);
      return cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue;
    });
  }

  const region& code_;
  place_comparison& to_;
  std::optional<std::pair<const clang::ValueDecl*, const clang::ValueDecl*>> container_;
};

}  // namespace

bool compares_pointers(const clang::Stmt& node) {
  const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&node);
  return op != nullptr && (op->isComparisonOp() || op->getOpcode() == clang::BO_Sub) &&
         op->getLHS()->getType()->isPointerType() && op->getRHS()->getType()->isPointerType();
}

std::optional<place_comparison> place_comparison_of(const region& code, const clang::Stmt& node) {
  if (!compares_pointers(node) || code.function_of(&node) != &code.body()) return std::nullopt;
  const auto& op = *llvm::cast<clang::BinaryOperator>(&node);
  place_comparison found;
  found.is_ordered = !op.isEqualityOp();
  place_reader reader(code, found);
  if (!reader.pointer(*op.getLHS()) || !reader.pointer(*op.getRHS())) return std::nullopt;
  return found.accesses.empty() ? std::nullopt : std::optional(std::move(found));
}

/// a.data() of the standard library
static bool is_data_of_std(const clang::CXXMemberCallExpr& call) {
  const clang::CXXMethodDecl* method = call.getMethodDecl();
  return method != nullptr && method->getIdentifier() != nullptr && method->getName() == "data" &&
         is_in_std(*method);
}

/// Whether the address of `part` becomes that of `node`, which is above it.
static bool passes_address(const clang::Stmt& node, const clang::Stmt& part) {
  if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&node))
    return cast->getCastKind() != clang::CK_LValueToRValue;
  if (llvm::isa<clang::ParenExpr, clang::FullExpr, clang::MaterializeTemporaryExpr, clang::MemberExpr>(node))
    return true;
  if (const auto* op = llvm::dyn_cast<clang::UnaryOperator>(&node))
    return op->getOpcode() == clang::UO_AddrOf || op->getOpcode() == clang::UO_Deref;
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&node))
    return subscript->getBase() == &part;
  if (const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(&node))
    return sum->isAdditiveOp() && sum->getType()->isPointerType() &&
           llvm::cast<clang::Expr>(part).getType()->isPointerType();
  if (const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&node))
    return call->getCallee() == &part && is_data_of_std(*call);
  const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&node);
  return call != nullptr && object_of(*call) == &part && is_subscript_of_array(*call);
}

bool is_only_compared(const region& code, const clang::Expr& access,
                      const std::function<bool(const clang::VarDecl&)>& is_place) {
  const clang::Stmt* at = &access;
  while (true) {
    const parent_link above = code.parent(at);
    if (above.variable != nullptr) return is_place(*above.variable);
    if (above.statement == nullptr) return false;
    if (place_comparison_of(code, *above.statement)) return true;
    if (!passes_address(*above.statement, *at)) return false;
    at = above.statement;
  }
}

}  // namespace stradsap::pp
