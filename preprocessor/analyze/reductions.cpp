#include "analyze/reductions.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <set>

#include "analyze/api_names.hpp"
#include "analyze/folds.hpp"
#include "analyze/known_functions.hpp"
#include "analyze/source.hpp"
#include "analyze/uses.hpp"

namespace stradsap::pp {

namespace {

/// Larger variables belong into a container: every block keeps a part of its own.
constexpr std::int64_t max_size_bytes = 4096;

class reduction_finder {
 public:
  reduction_finder(const region& code, const std::vector<access>& accesses, const outer_variable& variable,
                   diagnostics& out)
      : code_(code), forms_(code), accesses_(accesses), variable_(variable), out_(out) {}

  reduction find(const std::vector<const clang::Expr*>& names) {
    reduction found;
    if (variable_.by_copy || !can_be_folded(variable_.type())) return found;
    std::vector<const clang::Expr*> others;
    for (const clang::Expr* name : names) {
      const update one = forms_.update_of(forms_.designated(*name));
      if (is_fold(one)) {
        updates_.push_back(one);
        found.folds.push_back(name);
      } else {
        others.push_back(name);
      }
    }
    std::erase_if(others,
                  [&](const clang::Expr* name) { return is_part_of_an_update(forms_.designated(*name)); });
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
      if (!forms_.is_dropped(*u.statement)) {
        out_.report(refusal::reduction_value_used, u.statement->getExprLoc(), {variable_.name});
      }
      for (const clang::Expr* guarded : u.guarded) {
        if (changes_elements(*guarded))
          out_.report(refusal::reduction_guards, guarded->getExprLoc(), {variable_.name});
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
                variable_.where, declared_as(code_.ast(), *variable_.declaration, "double"));
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

  /// Whether evaluating an expression may change an element of a container, or reach one that has to be known
  /// beforehand.
  bool changes_elements(const clang::Expr& e) const {
    return std::any_of(accesses_.begin(), accesses_.end(), [&](const access& one) {
      std::set<const clang::FunctionDecl*> seen;
      const bool matters =
          (one.bits & use_write) != 0 || (one.bits != use_none && !one.aligned && is_written(one));
      return matters && runs_within(*one.call, e, seen);
    });
  }
  bool is_written(const access& reached) const {
    return std::any_of(accesses_.begin(), accesses_.end(), [&](const access& one) {
      return (one.bits & use_write) != 0 &&
             std::any_of(one.containers.begin(), one.containers.end(),
                         [&](const auto* container) { return reached.containers.count(container) != 0; });
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
  fold_reader forms_;
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
