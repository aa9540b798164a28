#include "analyze/access/known_rows.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <optional>

#include "analyze/code/control.hpp"
#include "analyze/code/counting_loop.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace {

/// The subscript `base + column`. Without a base, the container is one row.
struct place_in_row {
  const clang::Expr* base = nullptr;
  const clang::Expr* column = nullptr;
};

/// An access to all columns of a row, and the loop over them.
struct whole_row {
  const clang::Expr* base = nullptr;
  const clang::Expr* length = nullptr;
  const clang::ForStmt* loop = nullptr;
};

/// The two ways to read a sum, and the subscript as a whole.
std::vector<place_in_row> places_of(const access& one) {
  const clang::Expr& subscript = bare(*arguments_of(*one.call)[0]);
  std::vector<place_in_row> found{{nullptr, &subscript}};
  const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(&subscript);
  if (sum == nullptr || sum->getOpcode() != clang::BO_Add) return found;
  found.push_back({&bare(*sum->getLHS()), &bare(*sum->getRHS())});
  found.push_back({&bare(*sum->getRHS()), &bare(*sum->getLHS())});
  return found;
}

class row_finder {
 public:
  row_finder(const region& code, const dependences& depends) : code_(code), depends_(depends) {}

  /// Whether `other` touches the row of `one` each time that `one` runs.
  bool covers(const access& other, const access& one) const {
    const std::optional<whole_row> row = row_of(other);
    if (!row || !runs_beside(*row->loop, *one.call)) return false;
    if (row->base == nullptr && !runs_in_each_iteration(*row->loop)) return false;
    const std::vector<place_in_row> places = places_of(one);
    return std::any_of(places.begin(), places.end(), [&](const place_in_row& place) {
      return is_same(place.base, row->base) && stays(*row);
    });
  }

 private:
  /// `container[base + k]` in `for (k = 0; k < length; ++k)`, in each round. The base is a multiple of the
  /// length.
  std::optional<whole_row> row_of(const access& one) const {
    for (const place_in_row& place : places_of(one)) {
      const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(place.column);
      const clang::ForStmt* loop = name == nullptr ? nullptr : loop_over(*name->getDecl(), *one.call);
      const clang::Expr* length = loop == nullptr ? nullptr : length_of(*loop);
      if (length == nullptr || (place.base != nullptr && !is_multiple(*place.base, *length))) continue;
      if (runs_in_each_round(*one.call, *loop)) return whole_row{place.base, length, loop};
    }
    return std::nullopt;
  }

  const clang::ForStmt* loop_over(const clang::ValueDecl& index, const clang::Stmt& inside) const {
    for (const clang::Stmt* at = code_.above(&inside); at != nullptr; at = code_.above(at)) {
      const auto* loop = llvm::dyn_cast<clang::ForStmt>(at);
      const auto counted = loop == nullptr ? std::nullopt : counting_loop_of(code_, *loop);
      if (counted && counted->index == &index) return loop;
    }
    return nullptr;
  }

  /// The number of rounds of a loop that counts up from 0; else null.
  const clang::Expr* length_of(const clang::ForStmt& loop) const {
    const std::optional<counting_loop> counted = counting_loop_of(code_, loop);
    clang::Expr::EvalResult start;
    const clang::Expr* init = counted->index->getInit();
    const bool from_zero =
        init != nullptr && init->EvaluateAsInt(start, code_.ast()) && start.Val.getInt().isZero();
    const bool up = counted->step->isIncrementOp() && counted->test != nullptr;
    const bool below =
        up && (counted->test->getOpcode() == clang::BO_LT || counted->test->getOpcode() == clang::BO_NE);
    return from_zero && below ? &bare(*counted->test->getRHS()) : nullptr;
  }

  bool is_multiple(const clang::Expr& base, const clang::Expr& length) const {
    const auto* product = llvm::dyn_cast<clang::BinaryOperator>(&depends_.behind_names(base));
    return product != nullptr && product->getOpcode() == clang::BO_Mul &&
           (is_same(&bare(*product->getLHS()), &length) || is_same(&bare(*product->getRHS()), &length));
  }

  bool is_same(const clang::Expr* a, const clang::Expr* b) const {
    if (a == nullptr || b == nullptr) return a == b;
    return are_same(code_.ast(), depends_.behind_names(*a), depends_.behind_names(*b));
  }

  bool runs_in_each_round(const clang::Expr& call, const clang::ForStmt& loop) const {
    const std::size_t outside = conditions_above(code_, loop).size();
    return code_.function_of(&call) == code_.function_of(&loop) && !may_be_left_out(call, loop) &&
           conditions_above(code_, call).size() == outside + 1;
  }

  /// Whether a jump within `around` may decide if `node` runs.
  bool may_be_left_out(const clang::Stmt& node, const clang::Stmt& around) const {
    return std::any_of(code_.nodes().begin(), code_.nodes().end(), [&](const clang::Stmt* jump) {
      if (llvm::isa<clang::GotoStmt>(jump)) return true;
      return llvm::isa<clang::ReturnStmt, clang::BreakStmt, clang::ContinueStmt>(jump) &&
             code_.is_around(&around, jump) && code_.function_of(jump) == code_.function_of(&node) &&
             decides(code_, *jump, node);
    });
  }

  /// Whether the loop is a statement of a block that contains the access, and runs whenever the block does.
  bool runs_beside(const clang::ForStmt& loop, const clang::Expr& call) const {
    const clang::Stmt* block = code_.above(&loop);
    return llvm::isa_and_nonnull<clang::CompoundStmt>(block) && code_.is_around(block, &call) &&
           code_.function_of(&loop) == code_.function_of(&call) && !may_be_left_out(loop, *block);
  }

  /// Then all iterations conflict, so that they run in program order, in place: no guess can be wrong.
  bool runs_in_each_iteration(const clang::ForStmt& loop) const {
    return code_.above(&loop) == code_.body().getBody();
  }

  /// Whether the first element and the length of the row are the same at the loop and at the access: nothing
  /// within their block changes them.
  bool stays(const whole_row& row) const {
    origins data = depends_.of_value(*row.length);
    if (row.base != nullptr) data.merge(depends_.of_value(*row.base));
    const clang::Stmt* block = code_.above(row.loop);
    return std::all_of(data.begin(), data.end(), [&](const clang::ValueDecl* one) {
      if (one == nullptr) return false;
      const auto& changes = depends_.changes_of(one);
      return std::none_of(changes.begin(), changes.end(), [&](const clang::Stmt* change) {
        return code_.function_of(change) != code_.function_of(row.loop) || code_.is_around(block, change);
      });
    });
  }

  const region& code_;
  const dependences& depends_;
};

}  // namespace

bool is_of_known_row(const region& code, const dependences& depends, const std::vector<access>& accesses,
                     const access& one) {
  if (!is_element_of_dvector(one)) return false;
  const row_finder rows(code, depends);
  return std::any_of(accesses.begin(), accesses.end(), [&](const access& other) {
    return &other != &one && is_element_of_dvector(other) && other.containers == one.containers &&
           rows.covers(other, one);
  });
}

}  // namespace stradsap::pp
