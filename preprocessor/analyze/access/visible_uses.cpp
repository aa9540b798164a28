#include "analyze/access/visible_uses.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <set>

#include "analyze/code/control.hpp"
#include "analyze/code/fold_types.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/code/types.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

template <std::size_t N>
static bool is_one_of(const clang::NamedDecl& named, const llvm::StringLiteral (&names)[N]) {
  return named.getIdentifier() != nullptr &&
         std::find(std::begin(names), std::end(names), named.getName()) != std::end(names);
}

static bool is_of_std(const clang::FunctionDecl& function) {
  return is_in_std(function) && !is_users(function);
}

/// Whether an operator adds: +=, -=, ++ and -- of number classes; += of a string appends instead.
static bool adds(const clang::CXXMethodDecl& method) {
  static constexpr llvm::StringLiteral adders[] = {"fetch_add", "fetch_sub"};
  const clang::IdentifierInfo* owner = method.getParent()->getIdentifier();
  if (owner != nullptr && owner->getName() == "basic_string") return false;
  const clang::OverloadedOperatorKind op = method.getOverloadedOperator();
  return op == clang::OO_PlusEqual || op == clang::OO_MinusEqual || op == clang::OO_PlusPlus ||
         op == clang::OO_MinusMinus || is_one_of(method, adders);
}

static bool changes(const clang::CXXMethodDecl& method) {
  static constexpr llvm::StringLiteral changers[] = {
      "push_back", "emplace_back", "pop_back", "clear", "assign", "fill", "resize",
      "erase",     "insert",       "emplace",  "swap",  "reset",  "store"};
  const clang::OverloadedOperatorKind op = method.getOverloadedOperator();
  return is_one_of(method, changers) || (op >= clang::OO_PlusEqual && op <= clang::OO_PipeEqual) ||
         op == clang::OO_Equal;
}

namespace {

class follower {
 public:
  explicit follower(const region& code) : code_(code), forms_(code) {}

  void follow(const clang::Expr& access) {
    const clang::FunctionDecl* method = callee_of(access);
    static constexpr llvm::StringLiteral askers[] = {"contains", "count"};
    if (method == nullptr) return;
    if (method->getReturnType()->isReferenceType()) return element(access);
    if (is_one_of(*method, askers)) return note(access, visible::read);
    if (method->getIdentifier() != nullptr && method->getName() == "insert")
      return note(access, visible::changed);
    handle(access);
  }

  /// The uses, without the second x of x = x + e, which belongs to the change.
  std::vector<visible_use> found() && {
    std::erase_if(found_, [&](const visible_use& use) {
      return use.what == visible::read && named_again_.count(&bare(*use.where)) != 0;
    });
    return std::move(found_);
  }

 private:
  void note(const clang::Expr& where, visible what) { found_.push_back({&where, what}); }

  /// Follows `part`, which designates an element or a part of one.
  void element(const clang::Expr& part) {
    if (!seen_.insert(&part).second) return;
    const parent_link above = code_.parent(&part);
    if (above.variable != nullptr) return bound_to(*above.variable, part);
    if (above.statement == nullptr) return;
    const clang::Stmt& node = *above.statement;
    if (llvm::isa<clang::ReturnStmt>(node)) return returned(code_.function_of(&node));
    const auto* outer = llvm::dyn_cast<clang::Expr>(&node);
    if (outer == nullptr) return;
    if (llvm::isa<clang::ParenExpr, clang::FullExpr, clang::MaterializeTemporaryExpr>(outer)) {
      return element(*outer);
    }
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(outer)) return through_cast(*cast, part);
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(outer)) {
      return member->isArrow() ? void() : member_of_element(*member);
    }
    if (llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(outer)) return through_call(*outer, part);
    through_operator(*outer, part);
  }

  void through_cast(const clang::CastExpr& cast, const clang::Expr& part) {
    switch (cast.getCastKind()) {
      case clang::CK_LValueToRValue:
        return note(part, visible::read);
      case clang::CK_NoOp:
      case clang::CK_DerivedToBase:
      case clang::CK_UncheckedDerivedToBase:
        return element(cast);
      case clang::CK_ArrayToPointerDecay:
        return handle(cast);
      default:
        return;
    }
  }

  void through_operator(const clang::Expr& node, const clang::Expr& part) {
    if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&node)) {
      if (op->isAssignmentOp() && op->getLHS() == &part) return updated(*op, part);
      if (op->getOpcode() == clang::BO_Comma && op->getRHS() == &part) element(node);
    } else if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(&node)) {
      if (step->isIncrementDecrementOp()) updated(*step, part);
      if (step->getOpcode() == clang::UO_AddrOf) handle(*step);
    } else if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&node)) {
      if (choice->getCond() != &part) element(node);
    }
  }

  void updated(const clang::Expr& statement, const clang::Expr& target) {
    const update made = forms_.update_of(target);
    const bool sums = made.op != nullptr && llvm::StringRef(made.op) == api::fold_sum &&
                      fault_of(code_.ast(), made) == fold_fault::none;
    note(statement, sums ? visible::added : visible::changed);
    named_again_.insert(made.reads.begin(), made.reads.end());
    if (sums && !forms_.is_dropped(statement)) note(statement, visible::read);
  }

  // ---- names ----

  void bound_to(const clang::VarDecl& variable, const clang::Expr& part) {
    if (!variable.getType()->isReferenceType()) return;
    const clang::CXXForRangeStmt* loop = loop_over(code_, variable);
    loop != nullptr ? ranged_over(*loop, part) : named_by(variable);
  }

  /// Follows the uses of a variable.
  void named_by(const clang::VarDecl& variable) {
    if (const auto* tuple = llvm::dyn_cast<clang::DecompositionDecl>(&variable)) {
      for (const clang::BindingDecl* binding : tuple->bindings()) {
        for (const clang::Expr* use : code_.uses(binding)) element(*use);
      }
    }
    for (const clang::Expr* use : code_.uses(&variable)) element(*use);
  }

  void ranged_over(const clang::CXXForRangeStmt& loop, const clang::Expr& part) {
    const clang::VarDecl* variable = loop.getLoopVariable();
    variable->getType()->isReferenceType() ? named_by(*variable) : note(part, visible::read);
  }

  void returned(const clang::FunctionDecl* function) {
    if (function == nullptr || !function->getReturnType()->isReferenceType()) return;
    for (const clang::Expr* call : code_.callers(function)) {
      if (llvm::isa<clang::CallExpr>(call)) element(*call);
    }
  }

  // ---- calls ----

  void member_of_element(const clang::MemberExpr& member) {
    if (llvm::isa<clang::FieldDecl>(member.getMemberDecl())) return element(member);
    const auto* call = llvm::dyn_cast_or_null<clang::CXXMemberCallExpr>(code_.parent(&member).statement);
    if (call != nullptr && call->getMethodDecl() != nullptr) as_object(*call, *call->getMethodDecl());
  }

  void as_object(const clang::Expr& call, const clang::CXXMethodDecl& method) {
    if (is_of_std(method)) return as_standard_object(call, method);
    if (method.isDefaulted()) return note(call, visible::changed);  // an assignment
    const clang::FunctionDecl* definition = code_.in_sight(&method);
    if (definition == nullptr) return;
    for (const clang::CXXThisExpr* self : code_.this_uses()) {
      if (code_.function_of(self) == definition) handle(*self);
    }
  }

  void as_standard_object(const clang::Expr& call, const clang::CXXMethodDecl& method) {
    static constexpr llvm::StringLiteral of_shape[] = {"size", "empty", "capacity"};
    if (selects_a_part(method) || method.getOverloadedOperator() == clang::OO_Subscript) return element(call);
    if (gives_a_handle(method)) return handle(call);
    if (adds(method)) {
      note(call, visible::added);
      element(call);  // its value may be read
    } else if (method.isConst() && !is_one_of(method, of_shape)) {
      note(call, visible::read);
    } else if (changes(method)) {
      note(call, visible::changed);
    }
  }

  void through_call(const clang::Expr& call, const clang::Expr& part) {
    const clang::FunctionDecl* callee = callee_of(call);
    if (callee == nullptr) return;
    if (object_of(call) == &part) {
      const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
      return method == nullptr ? void() : as_object(call, *method);
    }
    if (is_of_std(*callee)) return to_standard(call, *callee, part);
    const clang::FunctionDecl* definition = visible_definition(callee);
    if (definition == nullptr && callee->isDefaulted()) return note(part, visible::read);  // a copy
    if (definition == nullptr || !code_.contains(definition)) return;
    const std::vector<const clang::Expr*> arguments = arguments_of(call);
    for (unsigned i = 0; i < arguments.size() && i < definition->getNumParams(); ++i) {
      if (arguments[i] == &part) bound_to(*definition->getParamDecl(i), part);
    }
  }

  void to_standard(const clang::Expr& call, const clang::FunctionDecl& callee, const clang::Expr& part) {
    static constexpr llvm::StringLiteral passers[] = {"move", "forward", "as_const"};
    static constexpr llvm::StringLiteral changers[] = {"swap", "exchange"};
    if (selects_a_part(callee) || is_one_of(callee, passers)) return element(call);
    if (gives_a_handle(callee)) return handle(call);
    if (is_one_of(callee, changers)) return note(call, visible::changed);
    const std::vector<const clang::Expr*> arguments = arguments_of(call);
    const auto at = std::find(arguments.begin(), arguments.end(), &part) - arguments.begin();
    if (at >= static_cast<std::ptrdiff_t>(callee.getNumParams())) return;
    const clang::QualType type = callee.getParamDecl(static_cast<unsigned>(at))->getType();
    const bool looks = type->isReferenceType() && type->getPointeeType().isConstQualified();
    const bool keeps = llvm::isa<clang::CXXConstructExpr>(call) && may_refer(call.getType());
    static constexpr llvm::StringLiteral namers[] = {"cref", "addressof", "ref"};
    if (looks && !keeps && !is_one_of(callee, namers)) note(part, visible::read);
  }

  // ---- pointers, iterators, spans ----

  void handle(const clang::Expr& part) {
    if (!seen_.insert(&part).second) return;
    const parent_link above = code_.parent(&part);
    if (above.variable != nullptr) return kept_in(*above.variable, part);
    const auto* outer = llvm::dyn_cast_or_null<clang::Expr>(above.statement);
    if (outer == nullptr) return;
    if (llvm::isa<clang::CastExpr, clang::ParenExpr, clang::FullExpr, clang::MaterializeTemporaryExpr>(
            outer)) {
      return handle(*outer);
    }
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(outer)) {
      member->isArrow() ? member_of_element(*member) : member_of_span(*member);
    } else if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(outer)) {
      if (step->getOpcode() == clang::UO_Deref) element(*step);
    } else if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(outer)) {
      if (subscript->getBase() == &part) element(*subscript);
    } else if (const auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(outer)) {
      handle_as_operand(*op, part);
    } else if (const auto* copy = llvm::dyn_cast<clang::CXXConstructExpr>(outer)) {
      if (copy->getConstructor()->isCopyOrMoveConstructor()) handle(*copy);
    }
  }

  void member_of_span(const clang::MemberExpr& member) {
    static constexpr llvm::StringLiteral elements[] = {"front", "back"};
    static constexpr llvm::StringLiteral parts[] = {"begin", "end", "data", "first", "last", "subspan"};
    const auto* call = llvm::dyn_cast_or_null<clang::CXXMemberCallExpr>(code_.parent(&member).statement);
    if (call == nullptr || call->getMethodDecl() == nullptr || !is_of_std(*call->getMethodDecl())) return;
    if (is_one_of(*call->getMethodDecl(), elements)) element(*call);
    if (is_one_of(*call->getMethodDecl(), parts)) handle(*call);
  }

  void handle_as_operand(const clang::CXXOperatorCallExpr& call, const clang::Expr& part) {
    if (call.getArg(0) != &part) return;
    if (call.getOperator() == clang::OO_Star || call.getOperator() == clang::OO_Subscript) element(call);
    if (call.getOperator() == clang::OO_Arrow) handle(call);
  }

  void kept_in(const clang::VarDecl& variable, const clang::Expr& part) {
    if (const clang::CXXForRangeStmt* loop = loop_over(code_, variable)) return ranged_over(*loop, part);
    if (llvm::isa<clang::DecompositionDecl>(variable)) return;
    for (const clang::Expr* use : code_.uses(&variable)) handle(*use);
  }

  const region& code_;
  const fold_reader forms_;
  std::vector<visible_use> found_;
  std::set<const clang::Expr*> named_again_;  // by the statement that changes the element
  std::set<const clang::Expr*> seen_;
};

}  // namespace

std::vector<visible_use> visible_uses(const region& code, const std::vector<access>& accesses,
                                      const clang::ValueDecl* container) {
  follower all(code);
  for (const access& one : accesses) {
    if (one.bits != use_none && one.containers.count(container) != 0) all.follow(*one.call);
  }
  return std::move(all).found();
}

}  // namespace stradsap::pp
