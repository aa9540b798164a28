#include "analyze/reductions.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <set>

#include "analyze/api_names.hpp"
#include "analyze/known_functions.hpp"
#include "analyze/source.hpp"
#include "analyze/uses.hpp"

namespace stradsap::pp {

namespace {

/// Larger variables belong into a container: every block keeps a part of its own.
constexpr std::int64_t max_size_bytes = 4096;

/// One place that changes the variable: `stats.loss += e`.
struct update {
  const clang::Expr* statement = nullptr;  // the whole assignment or step
  const clang::Expr* target = nullptr;     // what of the variable it changes
  const char* op = nullptr;                // of api_names.hpp; null if it is no reduction
  const clang::Expr* guarded = nullptr;    // the other operand of && and ||, not always evaluated
  std::vector<const clang::Expr*> reads;  // where the form itself names the target: the second x of x = x + e
};

const clang::Expr& bare(const clang::Expr& e) { return *e.IgnoreParenImpCasts(); }

class reduction_finder {
 public:
  reduction_finder(const region& code, const std::vector<access>& accesses, const outer_variable& variable,
                   diagnostics& out)
      : code_(code), accesses_(accesses), variable_(variable), out_(out) {}

  reduction find(const std::vector<const clang::Expr*>& names) {
    reduction found;
    if (variable_.by_copy || !can_be_folded(variable_.type())) return found;
    std::vector<const clang::Expr*> others;
    for (const clang::Expr* name : names) {
      const update one = update_of(designated(*name));
      if (is_fold(one)) {
        updates_.push_back(one);
        found.folds.push_back(name);
      } else {
        others.push_back(name);
      }
    }
    std::erase_if(others, [&](const clang::Expr* name) { return is_part_of_an_update(designated(*name)); });
    use_reader reader(code_);
    const auto writes = [&](const clang::Expr* name) { return (reader.bits(*name) & use_write) != 0; };
    if (updates_.empty() || std::any_of(others.begin(), others.end(), writes)) return found;
    for (const clang::Expr* name : others) {
      out_.report(refusal::reduction_read, name->getExprLoc(), {variable_.name}, variable_.where);
    }
    found.members = members();
    return found;
  }

 private:
  // ---- what may be folded ----

  bool is_number(clang::QualType type) const {
    return type->isArithmeticType() && !type.isConstQualified() && !type.isVolatileQualified();
  }

  bool is_fold(const update& u) const {
    if (u.op == nullptr || !is_number(u.target->getType())) return false;
    // a truth value that is counted with: false - true is true
    return !u.target->getType()->isBooleanType() || (u.op != api::fold_sum && u.op != api::fold_product);
  }

  bool can_be_folded(clang::QualType type) const {
    const clang::ASTContext& ast = code_.ast();
    if (type->isDependentType() || type->isIncompleteType()) return false;
    if (is_number(type)) return true;
    if (!type.isTriviallyCopyableType(ast) || type.isConstQualified() || type->isAnyPointerType())
      return false;
    const clang::Type* element = type->getBaseElementTypeUnsafe();
    const clang::CXXRecordDecl* record = element->getAsCXXRecordDecl();
    if (!element->isArithmeticType() && (record == nullptr || !record->hasDefaultConstructor())) return false;
    return ast.getTypeSizeInChars(type).getQuantity() <= max_size_bytes;
  }

  /// The expression on top of `stats` in stats.loss, hist[k] and their like.
  const clang::Expr& designated(const clang::Expr& name) const {
    const clang::Expr* part = &name;
    while (true) {
      const auto* above = llvm::dyn_cast_or_null<clang::Expr>(code_.above(part));
      const bool decays =
          above != nullptr && llvm::isa<clang::ImplicitCastExpr>(above) &&
          llvm::cast<clang::ImplicitCastExpr>(above)->getCastKind() == clang::CK_ArrayToPointerDecay;
      if (above == nullptr || !(decays || llvm::isa<clang::ParenExpr>(above) || is_step(*above, *part)))
        return *part;
      part = above;
    }
  }

  /// One step further into the variable.
  static bool is_step(const clang::Expr& above, const clang::Expr& part) {
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&above)) {
      return llvm::isa<clang::FieldDecl>(member->getMemberDecl()) && !member->isArrow();
    }
    if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&above)) {
      return subscript->getBase() == &part;
    }
    return is_subscript_of_array(above) && object_of(above) == &part;
  }

  // ---- the forms ----

  update update_of(const clang::Expr& target) const {
    const clang::Stmt* above = code_.above(&target);
    update found;
    found.target = &target;
    if (const auto* step = llvm::dyn_cast_or_null<clang::UnaryOperator>(above)) {
      if (!step->isIncrementDecrementOp()) return {};
      found.statement = step;
      found.op = api::fold_sum;
      return found;
    }
    const auto* op = llvm::dyn_cast_or_null<clang::BinaryOperator>(above);
    if (op == nullptr || !op->isAssignmentOp() || op->getLHS() != &target) return {};
    found.statement = op;
    if (op->isCompoundAssignmentOp()) {
      found.op = of_compound(op->getOpcode());
    } else {
      complete(found, *op);
    }
    return found;
  }

  static const char* of_compound(clang::BinaryOperatorKind kind) {
    return of_operator(clang::BinaryOperator::getOpForCompoundAssignment(kind));
  }
  static const char* of_operator(clang::BinaryOperatorKind kind) {
    switch (kind) {
      case clang::BO_Add:
      case clang::BO_Sub:
        return api::fold_sum;
      case clang::BO_Mul:
        return api::fold_product;
      case clang::BO_And:
        return api::fold_bit_and;
      case clang::BO_Or:
        return api::fold_bit_or;
      case clang::BO_Xor:
        return api::fold_bit_xor;
      default:
        return nullptr;
    }
  }

  bool same(const clang::Expr& a, const clang::Expr& b) const {
    llvm::FoldingSetNodeID first;
    llvm::FoldingSetNodeID second;
    bare(a).Profile(first, code_.ast(), /*Canonical=*/true);
    bare(b).Profile(second, code_.ast(), /*Canonical=*/true);
    return first == second;
  }

  /// x = x + e, x = x && e, x = std::max(x, e), x = e > x ? e : x, if (e > x) x = e.
  void complete(update& found, const clang::BinaryOperator& assignment) const {
    const clang::Expr& value = bare(*assignment.getRHS());
    if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&value)) {
      complete_operation(found, *op);
    } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&value)) {
      complete_call(found, *call);
    } else if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&value)) {
      complete_choice(found, *choice);
    }
    if (found.op == nullptr) complete_condition(found, value);
  }

  /// Notes the operand if it is the target: then this is a fold by `op`.
  bool is_fold_of(update& found, const clang::Expr& operand, const char* op) const {
    if (!same(operand, *found.target)) return false;
    found.op = op;
    found.reads.push_back(&bare(operand));
    return true;
  }

  void complete_operation(update& found, const clang::BinaryOperator& op) const {
    if (op.isLogicalOp()) {
      const char* fold = op.getOpcode() == clang::BO_LAnd ? api::fold_all : api::fold_any;
      if (!found.target->getType()->isBooleanType()) return;
      if (is_fold_of(found, *op.getLHS(), fold)) {
        found.guarded = op.getRHS();
      } else {
        is_fold_of(found, *op.getRHS(), fold);
      }
      return;
    }
    const char* fold = of_operator(op.getOpcode());
    if (fold == nullptr) return;
    if (op.getOpcode() != clang::BO_Sub && is_fold_of(found, *op.getRHS(), fold)) return;
    // x = x + a - b is ((x + a) - b)
    const clang::Expr* left = &op;
    while (const auto* next = llvm::dyn_cast<clang::BinaryOperator>(left)) {
      if (of_operator(next->getOpcode()) != fold) return;
      left = &bare(*next->getLHS());
    }
    is_fold_of(found, *left, fold);
  }

  void complete_call(update& found, const clang::CallExpr& call) const {
    const clang::FunctionDecl* callee = call.getDirectCallee();
    if (callee == nullptr || callee->getIdentifier() == nullptr || is_users(*callee)) return;
    if (call.getNumArgs() != 2) return;
    const llvm::StringRef name = callee->getName();
    const bool largest = name == "max" || name == "fmax" || name == "fmaxf";
    if (!largest && name != "min" && name != "fmin" && name != "fminf") return;
    const char* fold = largest ? api::fold_maximum : api::fold_minimum;
    if (!is_fold_of(found, *call.getArg(0), fold)) is_fold_of(found, *call.getArg(1), fold);
  }

  /// Of `a < b` where the smaller, or the larger, of both is taken.
  static const char* of_comparison(const clang::BinaryOperator& test, bool takes_left) {
    const auto kind = test.getOpcode();
    const bool less = kind == clang::BO_LT || kind == clang::BO_LE;
    if (!less && kind != clang::BO_GT && kind != clang::BO_GE) return nullptr;
    return less == takes_left ? api::fold_minimum : api::fold_maximum;
  }

  void complete_choice(update& found, const clang::ConditionalOperator& choice) const {
    const auto* test = llvm::dyn_cast<clang::BinaryOperator>(&bare(*choice.getCond()));
    if (test == nullptr) return;
    const clang::Expr& yes = *choice.getTrueExpr();
    const clang::Expr& no = *choice.getFalseExpr();
    const bool left_first = same(*test->getLHS(), yes) && same(*test->getRHS(), no);
    if (!left_first && !(same(*test->getRHS(), yes) && same(*test->getLHS(), no))) return;
    const char* fold = of_comparison(*test, left_first);
    const bool is_left = is_fold_of(found, *test->getLHS(), fold);
    if (!is_left && !is_fold_of(found, *test->getRHS(), fold)) return;
    is_fold_of(found, is_left == left_first ? yes : no, fold);
  }

  /// if (e > x) x = e;
  void complete_condition(update& found, const clang::Expr& value) const {
    const clang::Stmt* child = found.statement;
    const clang::Stmt* above = code_.above(child);
    while (above != nullptr && is_only_child(*above)) {
      child = above;
      above = code_.above(above);
    }
    const auto* branch = llvm::dyn_cast_or_null<clang::IfStmt>(above);
    if (branch == nullptr || branch->getThen() != child || branch->getElse() != nullptr) return;
    const auto* test = llvm::dyn_cast<clang::BinaryOperator>(&bare(*branch->getCond()));
    while (test != nullptr && test->getOpcode() == clang::BO_LAnd) {
      test = llvm::dyn_cast<clang::BinaryOperator>(&bare(*test->getRHS()));
    }
    if (test == nullptr) return;
    if (same(*test->getLHS(), value)) {
      is_fold_of(found, *test->getRHS(), of_comparison(*test, /*takes_left=*/true));
    } else if (same(*test->getRHS(), value)) {
      is_fold_of(found, *test->getLHS(), of_comparison(*test, /*takes_left=*/false));
    }
  }
  static bool is_only_child(const clang::Stmt& node) {
    if (llvm::isa<clang::FullExpr>(node)) return true;
    const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&node);
    return block != nullptr && block->size() == 1;
  }

  // ---- what else must hold ----

  bool is_part_of_an_update(const clang::Expr& target) const {
    return std::any_of(updates_.begin(), updates_.end(), [&](const update& u) {
      return std::find(u.reads.begin(), u.reads.end(), &bare(target)) != u.reads.end();
    });
  }

  std::vector<folded_member> members() {
    std::vector<folded_member> found;
    for (const update& u : updates_) {
      const std::string path = path_of(*u.target);
      const auto known =
          std::find_if(found.begin(), found.end(), [&](const folded_member& m) { return m.path == path; });
      if (known == found.end()) {
        found.push_back({path, u.op});
      } else if (known->op != u.op) {
        out_.report(refusal::reduction_mixed, u.statement->getExprLoc(), {variable_.name});
      }
      if (!is_dropped(*u.statement)) {
        out_.report(refusal::reduction_value_used, u.statement->getExprLoc(), {variable_.name});
      }
      if (u.guarded != nullptr && changes_elements(*u.guarded)) {
        out_.report(refusal::reduction_guards, u.guarded->getExprLoc(), {variable_.name});
      }
      check_rounding(u);
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    return found;
  }

  /// An integer that takes fractions is cut off at each step, so its end depends on the order.
  void check_rounding(const update& u) {
    const auto* op = llvm::dyn_cast<clang::BinaryOperator>(u.statement);
    if (op == nullptr || !u.target->getType()->isIntegerType()) return;
    if (u.op != api::fold_sum && u.op != api::fold_product) return;
    const auto* compound = llvm::dyn_cast<clang::CompoundAssignOperator>(op);
    const clang::QualType computed =
        compound != nullptr ? compound->getComputationResultType() : bare(*op->getRHS()).getType();
    if (!computed->isRealFloatingType()) return;
    out_.report(u.op == api::fold_sum ? refusal::reduction_cut_off : refusal::reduction_scaled,
                op->getExprLoc(), {variable_.name, type_name(code_.ast(), u.target->getType())},
                variable_.where);
  }

  /// `.loss`, `[].count`: how the folded part is reached from the variable.
  std::string path_of(const clang::Expr& target) const {
    const clang::Expr* at = &bare(target);
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(at)) {
      const bool own = llvm::isa<clang::CXXThisExpr>(member->getBase()->IgnoreImpCasts());
      return own ? "" : path_of(*member->getBase()) + "." + member->getMemberDecl()->getNameAsString();
    }
    if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(at)) {
      return path_of(*subscript->getBase()) + "[]";
    }
    if (is_subscript_of_array(*at)) return path_of(*object_of(*at)) + "[]";
    return "";
  }

  bool is_dropped(const clang::Expr& statement) const {
    const clang::Stmt* child = &statement;
    const clang::Stmt* above = code_.above(child);
    while (above != nullptr && llvm::isa<clang::ParenExpr, clang::FullExpr>(above)) {
      child = above;
      above = code_.above(above);
    }
    if (above == nullptr) return false;
    if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(above)) {
      return op->getOpcode() == clang::BO_Comma && (op->getLHS() == child || is_dropped(*op));
    }
    if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(above)) return loop->getCond() != child;
    if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(above)) return branch->getCond() != child;
    if (const auto* loop = llvm::dyn_cast<clang::WhileStmt>(above)) return loop->getCond() != child;
    if (const auto* loop = llvm::dyn_cast<clang::DoStmt>(above)) return loop->getCond() != child;
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(above))
      return cast->getCastKind() == clang::CK_ToVoid;
    if (llvm::isa<clang::ReturnStmt, clang::SwitchStmt>(above)) return false;
    return !llvm::isa<clang::Expr>(above);
  }

  /// Whether evaluating an expression may change an element of a container.
  bool changes_elements(const clang::Expr& e) const {
    return std::any_of(accesses_.begin(), accesses_.end(), [&](const access& one) {
      std::set<const clang::FunctionDecl*> seen;
      return (one.bits & use_write) != 0 && runs_within(*one.call, e, seen);
    });
  }
  bool runs_within(const clang::Stmt& node, const clang::Expr& e,
                   std::set<const clang::FunctionDecl*>& seen) const {
    for (const clang::Stmt* at = &node; at != nullptr; at = code_.above(at)) {
      if (at == &e) return true;
    }
    const clang::FunctionDecl* function = code_.function_of(&node);
    if (function == nullptr || !seen.insert(function).second) return false;
    if (code_.hidden().count(function) != 0) return true;
    const auto& callers = code_.callers(function);
    return std::any_of(callers.begin(), callers.end(),
                       [&](const clang::Expr* call) { return runs_within(*call, e, seen); });
  }

  const region& code_;
  const std::vector<access>& accesses_;
  const outer_variable& variable_;
  diagnostics& out_;
  std::vector<update> updates_;
};

}  // namespace

reduction find_reduction(const region& code, const std::vector<access>& accesses,
                         const outer_variable& variable, const std::vector<const clang::Expr*>& names,
                         diagnostics& out) {
  return reduction_finder(code, accesses, variable, out).find(names);
}

}  // namespace stradsap::pp
