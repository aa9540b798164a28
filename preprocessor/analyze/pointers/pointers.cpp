#include "analyze/pointers/pointers.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

#include "analyze/code/known_functions.hpp"
#include "analyze/code/types.hpp"
#include "analyze/pointers/pointer_functions.hpp"
#include "analyze/pointers/pointer_moves.hpp"
#include "analyze/pointers/role_follower.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace {

/// The variable of a range-for over a list in braces; null for other lists.
const clang::VarDecl* variable_of_loop_over(const region& code, const clang::Expr& list) {
  parent_link above = code.parent(&list);
  while (llvm::isa_and_nonnull<clang::CXXStdInitializerListExpr, clang::MaterializeTemporaryExpr,
                               clang::FullExpr, clang::ImplicitCastExpr>(above.statement))
    above = code.parent(above.statement);
  if (above.variable == nullptr || !above.variable->isImplicit()) return nullptr;
  for (const clang::Stmt* node : code.nodes()) {
    const auto* loop = llvm::dyn_cast<clang::CXXForRangeStmt>(node);
    if (loop != nullptr && loop->getRangeStmt()->getSingleDecl() == above.variable)
      return loop->getLoopVariable();
  }
  return nullptr;
}

class pointer_follower : private role_follower {
 public:
  using role_follower::role_follower;

  std::optional<pointer_reach> find() {
    pointer_reach found;
    try {
      position start{{number(0), element_size_}};
      if (is_view(access_.getType()) && !access_.isGLValue()) {  // an element may be a view itself
        start_in_span(start);
      } else {
        start.way = {code_.function_of(&access_), &access_};
        is_pointer(access_.getType()) ? pointer(access_, start, {}) : object(access_, start, {});
      }
      if (takes_address_ && repeated_ != nullptr) lose(*repeated_, "a function passes it to itself");
    } catch (const unbounded& limit) {
      found.lost = limit.where != nullptr ? limit.where : &access_;
      found.why = limit.why;
      found.lacks_offset = limit.is_offset;
      found.sure = reached_.sure_text();
      if (!found.sure.empty()) found.parts = reached_.parts();
      return found;
    }
    const bool adds_none = within_ ? reached_.is_within(*within_) : reached_.is_alone();
    if (!takes_address_ || adds_none) return std::nullopt;
    found.offsets = reached_.text();
    found.sure = reached_.sure_text();
    found.parts = reached_.parts();
    return found;
  }

 private:
  /// Starts in m.span(first, n), which reaches its elements in any case.
  void start_in_span(const position& start) {
    const std::vector<const clang::Expr*> arguments = arguments_of(access_);
    element_view seen{start};
    seen.first.is_stated = true;
    try {
      seen.count = offsets_.of(*arguments[1], {});
      seen.end = moved(seen.first, *seen.count, element_size_);
    } catch (const unbounded&) {  // the end is known only at run time
    }
    within_ = seen.count;
    view(access_, seen, {});
  }

  void pointer(const clang::Expr& e, const position& at, const call_path& path) override {
    takes_address_ = true;
    if (at.is_lost) lose(e, "which element of the span it is made from is not known");
    ++departures_;
    const parent_link above = code_.parent(&e);
    if (above.variable != nullptr) return kept_in(*above.variable, e, at, path);
    const auto* outer = llvm::dyn_cast_or_null<clang::Expr>(above.statement);
    if (llvm::isa_and_nonnull<clang::CXXConstructorDecl>(above.function))  // a member that it initialises
      return goes_out_of_sight(at, e, "it is stored in an object");
    if (outer == nullptr) {
      if (!llvm::isa_and_nonnull<clang::ReturnStmt>(above.statement)) return;  // the value is not used
      const clang::FunctionDecl* function = code_.function_of(&e);
      if (function == nullptr || function == &code_.body())
        return goes_out_of_sight(at, e, "it leaves the body");
      return into_callers(*function, e, at, path);
    }
    switch (outer->getStmtClass()) {
#define STRADSAP_POINTER(kind, function, example, recorded) \
  case clang::Stmt::kind##Class:                            \
    return function(*outer, e, at, path);
#include "analyze/code/accesses.def"
      default:
        goes_out_of_sight(at, at.is_stated ? e : *outer, "it is stored in an object");
    }
  }

  void same_pointer(const clang::Expr& outer, const clang::Expr&, const position& at, const call_path& path) {
    pointer(outer, at, path);
  }

  void pointer_in_subscript(const clang::Expr& outer, const clang::Expr& e, const position& at,
                            const call_path& path) {
    const clang::Expr& index = *llvm::cast<clang::ArraySubscriptExpr>(outer).getIdx();
    if (&index == &e) lose(e, "it is used as an index");
    object(outer, moved(at, offset_of(index, at, path), target_size(e)), path);
  }

  void pointer_in_choice(const clang::Expr& outer, const clang::Expr& e, const position& at,
                         const call_path& path) {
    if (llvm::cast<clang::ConditionalOperator>(outer).getCond() != &e) pointer(outer, unsure(at), path);
  }

  void pointer_in_cast(const clang::Expr& outer, const clang::Expr&, const position& at,
                       const call_path& path) {
    const auto& cast = llvm::cast<clang::CastExpr>(outer);
    switch (cast.getCastKind()) {
      case clang::CK_LValueToRValue:
      case clang::CK_NoOp:
      case clang::CK_BitCast:
      case clang::CK_ConstructorConversion:
      case clang::CK_UserDefinedConversion:
        return pointer(cast, at, path);
      case clang::CK_DerivedToBase:
      case clang::CK_UncheckedDerivedToBase:
      case clang::CK_BaseToDerived:
        if (const auto there = in_class(cast, at)) return pointer(cast, *there, path);
        break;
      case clang::CK_ToVoid:
      case clang::CK_PointerToBoolean:
        return;
      default:
        break;
    }
    lose(cast, "it is converted to something else");
  }

  void pointer_in_step(const clang::Expr& outer, const clang::Expr&, const position& at,
                       const call_path& path) {
    const auto& step = llvm::cast<clang::UnaryOperator>(outer);
    switch (step.getOpcode()) {
      case clang::UO_Deref:
        return object(step, at, path);
      case clang::UO_LNot:
        return;
      case clang::UO_PostInc:
      case clang::UO_PostDec:  // the variable's earlier positions are known already
      case clang::UO_PreInc:
      case clang::UO_PreDec:
        return pointer(step, at, path);
      case clang::UO_AddrOf:
        lose(step, "the address of the pointer is taken");
      default:
        lose(step, "it is converted to something else");
    }
  }

  void pointer_in_binary(const clang::Expr& outer, const clang::Expr& e, const position& at,
                         const call_path& path) {
    const auto& op = llvm::cast<clang::BinaryOperator>(outer);
    if (op.isComparisonOp() || op.isLogicalOp()) return;
    const bool is_left = op.getLHS() == &e;
    switch (op.getOpcode()) {
      case clang::BO_Add:
      case clang::BO_Sub: {
        if (!op.getType()->isPointerType()) return;  // the distance of two pointers
        const offset by = offset_of(is_left ? *op.getRHS() : *op.getLHS(), at, path);
        const offset signed_by = op.getOpcode() == clang::BO_Add ? by : subtract(number(0), by);
        return pointer(op, moved(at, signed_by, target_size(e)), path);
      }
      case clang::BO_Comma:
        return is_left ? void() : pointer(op, at, path);
      case clang::BO_AddAssign:
      case clang::BO_SubAssign:
        if (is_left) return pointer(op, at, path);
        break;
      case clang::BO_Assign:
        return is_left ? void() : assigned(op, at, path);
      case clang::BO_PtrMemI:
        return through_member_pointer(op, e, at, path);
      default:
        break;
    }
    lose(op, "it is converted to something else");
  }

  /// Follows a list of pointers that a range-for goes through into the loop's variable.
  void pointer_in_list(const clang::Expr& outer, const clang::Expr& e, const position& at,
                       const call_path& path) {
    const clang::VarDecl* variable = variable_of_loop_over(code_, outer);
    if (variable == nullptr || !variable->getType().getNonReferenceType()->isPointerType() ||
        variable->hasAttr<clang::CleanupAttr>())
      return goes_out_of_sight(at, at.is_stated ? e : outer, "it is stored in an object");
    if (!open_.insert(variable).second) lose(e, "it is assigned from itself");
    hold(*variable, [&] { used(*variable, unsure(at), path); });
    open_.erase(variable);
  }

  /// Follows an assignment to a variable into all uses of the variable.
  void assigned(const clang::BinaryOperator& op, const position& at, const call_path& path) {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(op.getLHS()->IgnoreParens());
    const auto* variable = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    const bool local = variable != nullptr && code_.declares(variable) && !variable->hasGlobalStorage() &&
                       !variable->getType()->isReferenceType();
    if (!local || variable->getDeclContext() != code_.function_of(&op))
      return goes_out_of_sight(at, op, "it is stored in an object");
    if (open_.count(variable) != 0) {
      if (pointer_moves::own_step(op, *variable) == nullptr) lose(op, "it is assigned from itself");
      return;
    }
    kept_in(*variable, op, unsure(at), path);
    pointer(op, unsure(at), path);
  }

  void kept_in(const clang::VarDecl& variable, const clang::Expr& e, const position& at,
               const call_path& path) {
    if (variable.hasAttr<clang::CleanupAttr>()) lose(e, "a function cleans up its variable");
    if (llvm::isa<clang::DecompositionDecl>(variable) || variable.hasGlobalStorage())
      return goes_out_of_sight(at, e, "it is stored in an object");
    if (!variable.getType()->isPointerType()) {
      if (variable.getType()->isIntegralOrEnumerationType()) return;
      return goes_out_of_sight(at, e, "it is stored in an object");
    }
    if (!open_.insert(&variable).second) lose(e, "it is assigned from itself");
    hold(variable, [&] { used(variable, at, path); });
    open_.erase(&variable);
  }

  /// Follows a variable, initialised with the pointer, to all its uses.
  void used(const clang::VarDecl& variable, const position& start, const call_path& path) {
    const std::vector<const clang::Expr*>& uses = code_.uses(&variable);
    const bool changes = !std::all_of(uses.begin(), uses.end(), [&](const clang::Expr* use) {
      const clang::Stmt* above = code_.above(use);
      while (llvm::isa_and_nonnull<clang::ParenExpr>(above)) above = code_.above(above);
      const auto* cast = llvm::dyn_cast_or_null<clang::CastExpr>(above);
      return cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue;
    });
    const position at = changes ? unsure(start) : start;
    for (const clang::Expr* use : uses) pointer(*use, places_.at_use(variable, *use, at, path), path);
  }

  void pointer_in_call(const clang::Expr& call, const clang::Expr& e, const position& at,
                       const call_path& path) {
    const clang::FunctionDecl* callee = callee_of(call);
    if (callee == nullptr)
      return goes_out_of_sight(at, e, "it is passed to a function that is known at run time only");
    const std::vector<const clang::Expr*> arguments = arguments_of(call);
    const auto found = std::find(arguments.begin(), arguments.end(), &e);
    const auto i = static_cast<unsigned>(found - arguments.begin());
    if (found == arguments.end()) lose(e, "it is called");
    const clang::FunctionDecl* definition = code_.in_sight(callee);
    if (definition != nullptr && i < callee->getNumParams()) {
      return into(*definition, i, call, path, [&](const clang::ParmVarDecl& inner, const call_path& deeper) {
        if (!inner.getType()->isPointerType()) lose(e, "it is passed by reference");
        used(inner, entering(*definition, call, at, deeper), deeper);
      });
    }
    const std::optional<pointer_role> role = role_of_pointer(call, *callee, i);
    if (!role) {
      const std::string name = spoken_name(*callee);
      const bool is_of_an_object =
          llvm::isa<clang::CXXMethodDecl>(callee) && ranges_algorithm(*callee).empty();
      if (is_in_std(*callee) && is_of_an_object) return goes_out_of_sight(at, e, "it is stored in an object");
      if (i < callee->getNumParams() && is_changeable(callee->getParamDecl(i)->getType()))
        return goes_out_of_sight(at, e, "`" + name + "` gets it by reference and may move it");
      return goes_out_of_sight(at, e,
                               "it is passed to `" + name +
                                   (is_in_std(*callee) ? "`, with a length that the text does not show"
                                                       : "`, of which only the name is known"));
    }
    const bool ends_here = role->what != pointer_role::same && role->what != pointer_role::moved &&
                           role->what != pointer_role::moved_back;
    if (at.is_own && ends_here) return touch(at, 1, e);
    given(call, e, *role, arguments, at, path);
  }

  static bool is_changeable(clang::QualType parameter) {
    return parameter->isLValueReferenceType() && !parameter.getNonReferenceType().isConstQualified();
  }

  std::optional<offset> within_;  // the length of the span, if the access makes one
};

}  // namespace

std::optional<pointer_reach> reach_of(const region& code, const dependences& depends,
                                      const clang::Expr& access, clang::QualType element,
                                      const std::function<bool(const clang::ValueDecl*)>& is_read_only) {
  return pointer_follower(code, depends, access, element, is_read_only).find();
}

}  // namespace stradsap::pp
