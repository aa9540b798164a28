#include "analyze/access/repeated_places.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "analyze/access/equal_places.hpp"
#include "analyze/code/control.hpp"
#include "analyze/code/counting_loop.hpp"
#include "analyze/code/folds.hpp"

namespace stradsap::pp {

namespace {

class cover_finder {
 public:
  cover_finder(const region& code, const dependences& depends) : code_(code), depends_(depends) {}

  bool covers(const access& other, const access& one) const {
    const std::vector<place_in_call> mine = places_of(one);
    const std::vector<place_in_call> others = places_of(other);
    return !mine.empty() && std::all_of(mine.begin(), mine.end(), [&](const place_in_call& place) {
      return std::any_of(others.begin(), others.end(),
                         [&](const place_in_call& cover) { return covers_place(cover, place); });
    });
  }

 private:
  /// The access with the ways to it; none if there are too many.
  std::vector<place_in_call> places_of(const access& one) const {
    std::vector<call_path> open{{}};
    std::vector<place_in_call> found;
    std::vector<const clang::FunctionDecl*> at{code_.function_of(one.call)};
    constexpr std::size_t most = 8;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (at[i] == &code_.body()) {
        found.push_back({one.call, open[i]});
        continue;
      }
      if (at[i] == nullptr || code_.hidden().count(at[i]) != 0 || open[i].size() == most) return {};
      for (const clang::Expr* call : code_.callers(at[i])) {
        if (!llvm::isa<clang::CallExpr>(call) || visible_definition(callee_of(*call)) != at[i]) return {};
        call_path longer{call};
        longer.insert(longer.end(), open[i].begin(), open[i].end());
        open.push_back(std::move(longer));
        at.push_back(code_.function_of(call));
      }
      if (open.size() > most * most) return {};
    }
    return found;
  }

  bool covers_place(const place_in_call& cover, const place_in_call& place) const {
    std::size_t shared = 0;
    while (&cover.after_calls(shared) == &place.after_calls(shared)) {
      if (++shared > std::min(cover.calls.size(), place.calls.size())) return false;
    }
    if (shared != 0 && !surely_ends()) return false;
    place_comparison values(code_, depends_);
    const auto object = [](const place_in_call& one) { return one.with(*object_of(*one.e)); };
    const auto subscript = [](const place_in_call& one) { return one.with(*arguments_of(*one.e)[0]); };
    return values.are_one(object(place), object(cover)) &&
           values.are_equal(subscript(place), subscript(cover)) &&
           runs_whenever(cover, place, shared, values);
  }

  /// Whether the code ends from any state of the data, without a trap. The inspector calls a function that
  /// has both accesses as a whole, from the state before the loop.
  bool surely_ends() const {
    return std::all_of(code_.nodes().begin(), code_.nodes().end(), [&](const clang::Stmt* node) {
      if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(node)) {
        const std::optional<counting_loop> counted = counting_loop_of(code_, *loop);
        return counted && counted->surely_ends();
      }
      const auto* op = llvm::dyn_cast<clang::BinaryOperator>(node);
      const bool divides = op != nullptr && op->getType()->isIntegerType() &&
                           (op->getOpcode() == clang::BO_Div || op->getOpcode() == clang::BO_Rem ||
                            op->getOpcode() == clang::BO_DivAssign || op->getOpcode() == clang::BO_RemAssign);
      return !llvm::isa<clang::WhileStmt, clang::DoStmt>(node) &&
             (!divides || op->getRHS()->isEvaluatable(code_.ast()));
    });
  }

  /// Whether `cover` runs in each round of loops alike, in each iteration that runs `place`. `shared` calls
  /// lead to both.
  bool runs_whenever(const place_in_call& cover, const place_in_call& place, std::size_t shared,
                     const place_comparison& values) const {
    const clang::Stmt& first = cover.after_calls(shared);
    const clang::Stmt& then = place.after_calls(shared);
    const clang::Stmt* both = &first;
    while (both != nullptr && !code_.is_around(both, &then)) both = code_.above(both);
    if (both == nullptr || leaves_before(*both, first, then)) return false;
    if (!runs_within(first, both, values)) return false;
    for (std::size_t i = shared; i < cover.calls.size(); ++i) {
      const clang::Stmt& next = cover.after_calls(i + 1);
      if (!runs_within(next, nullptr, values) || has_exit_before(next)) return false;
    }
    return true;
  }

  /// Whether nothing from the node up to `top` decides if it runs, but loops that are alike.
  bool runs_within(const clang::Stmt& node, const clang::Stmt* top, const place_comparison& values) const {
    const clang::Stmt* child = &node;
    for (const clang::Stmt* at = code_.above(child); at != nullptr && child != top;
         child = at, at = code_.above(at)) {
      if (!is_loop(*at)
              ? !is_always_evaluated(*child, *at)
              : !(at == top ? runs_before_rounds(*child, *at) : runs_in_rounds(*child, *at, values)))
        return false;
    }
    return true;
  }

  /// Whether the part of a loop runs before each of its rounds, or before all of them.
  static bool runs_before_rounds(const clang::Stmt& part, const clang::Stmt& loop) {
    if (const auto* plain = llvm::dyn_cast<clang::ForStmt>(&loop))
      return plain->getInit() == &part || plain->getCond() == &part;
    if (const auto* ranged = llvm::dyn_cast<clang::CXXForRangeStmt>(&loop)) return ranged->getBody() != &part;
    return tested_parts_of(loop).condition == &part;
  }

  static bool runs_in_rounds(const clang::Stmt& part, const clang::Stmt& loop,
                             const place_comparison& values) {
    const auto& alike = values.alike();
    const bool counts =
        std::any_of(alike.begin(), alike.end(), [&](const auto& pair) { return pair.second == &loop; });
    return counts && body_of(loop) == &part;
  }

  /// Whether a jump may leave out `cover`, and `place` runs nevertheless.
  bool leaves_before(const clang::Stmt& both, const clang::Stmt& cover, const clang::Stmt& place) const {
    return std::any_of(code_.nodes().begin(), code_.nodes().end(), [&](const clang::Stmt* jump) {
      if (llvm::isa<clang::GotoStmt, clang::CXXTryStmt, clang::SwitchStmt>(jump)) return true;
      if (!is_exit(*jump) || code_.function_of(jump) != code_.function_of(&cover) ||
          !decides(code_, *jump, cover) || !code_.is_around(&both, jump))
        return false;
      const clang::Stmt* left = left_by(code_, *jump);
      const bool leaves_both = left == nullptr || code_.is_around(left, &both);
      return !leaves_both || code_.parent(jump).order > code_.parent(&place).order;
    });
  }

  bool has_exit_before(const clang::Stmt& node) const {
    return std::any_of(code_.nodes().begin(), code_.nodes().end(), [&](const clang::Stmt* jump) {
      return is_exit(*jump) && code_.function_of(jump) == code_.function_of(&node) &&
             decides(code_, *jump, node);
    });
  }

  static bool is_exit(const clang::Stmt& node) {
    return llvm::isa<clang::ReturnStmt, clang::BreakStmt, clang::ContinueStmt>(node);
  }

  const region& code_;
  const dependences& depends_;
};

}  // namespace

bool touches_same_place(const region& code, const dependences& depends, const access& other,
                        const access& one) {
  return other.call != one.call && is_element_of_dvector(other) && is_element_of_dvector(one) &&
         other.containers == one.containers && cover_finder(code, depends).covers(other, one);
}

}  // namespace stradsap::pp
