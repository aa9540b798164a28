#include "analyze/access/repeated_places.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "analyze/code/control.hpp"
#include "analyze/code/counting_loop.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace {

/// Calls from the body to a function, the outermost first.
using call_path = std::vector<const clang::Expr*>;

/// An expression in a function that `calls` lead to.
struct place_in_call {
  const clang::Expr* e;
  call_path calls;

  place_in_call with(const clang::Expr& other) const { return {&other, calls}; }
  /// The node that the place belongs to in the body, or in the function that the first calls lead to.
  const clang::Stmt& after_calls(std::size_t count) const {
    return calls.size() > count ? *calls[count] : *e;
  }
};

/// The value of a cast, if it is the value of its operand when both are seen as 64 bits; else the cast.
const clang::Expr& without_widening(const clang::ASTContext& ast, const clang::Expr& e) {
  const clang::Expr* at = e.IgnoreParens();
  while (const auto* cast = llvm::dyn_cast<clang::CastExpr>(at)) {
    const clang::QualType from = cast->getSubExpr()->getType();
    const clang::QualType to = cast->getType();
    const clang::CastKind kind = cast->getCastKind();
    const bool same = kind == clang::CK_NoOp || kind == clang::CK_LValueToRValue ||
                      kind == clang::CK_DerivedToBase || kind == clang::CK_UncheckedDerivedToBase;
    const bool widens = kind == clang::CK_IntegralCast && ast.getTypeSize(to) == 64;
    const bool keeps = kind == clang::CK_IntegralCast && ast.getTypeSize(from) < ast.getTypeSize(to) &&
                       (from->isUnsignedIntegerType() || to->isSignedIntegerType());
    if (!same && !widens && !keeps) break;
    at = cast->getSubExpr()->IgnoreParens();
  }
  return *at;
}

/// Compares the values of expressions of one iteration.
class place_comparison {
 public:
  place_comparison(const region& code, const dependences& depends) : code_(code), depends_(depends) {}

  bool are_equal(const place_in_call& first, const place_in_call& second) {
    const place_in_call a = behind_names(first);
    const place_in_call b = behind_names(second);
    const clang::Expr& at = *a.e;
    if (at.getStmtClass() != b.e->getStmtClass()) return are_same_constant(at, *b.e);
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&at))
      return name_the_same(*name->getDecl(), a, *llvm::cast<clang::DeclRefExpr>(b.e)->getDecl(), b);
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&at))
      return are_equal_members(*member, a, *llvm::cast<clang::MemberExpr>(b.e), b);
    if (llvm::isa<clang::CXXThisExpr>(at)) return a.calls.empty() && b.calls.empty();
    if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&at))
      return op->getOpcode() == llvm::cast<clang::BinaryOperator>(b.e)->getOpcode() &&
             have_one_type(at, *b.e) && !op->isAssignmentOp() && are_equal_parts(a, b);
    if (const auto* subscript = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&at))
      return subscript->getOperator() == clang::OO_Subscript && subscript->getNumArgs() == 2 &&
             is_of_library(*subscript) && is_of_library(*llvm::cast<clang::CallExpr>(b.e)) &&
             are_equal_parts(a, b);
    if (const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&at))
      return asks_for_size(*call) && asks_for_size(*llvm::cast<clang::CallExpr>(b.e)) &&
             are_equal_parts(a, b);
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&at)) {
      return have_one_type(at, *b.e) && cast->getCastKind() == clang::CK_IntegralCast &&
             are_equal_parts(a, b);
    }
    if (llvm::isa<clang::ArraySubscriptExpr>(at)) return are_equal_parts(a, b);
    return are_same_constant(at, *b.e);
  }

  /// Whether two containers are one.
  bool are_one(const place_in_call& first, const place_in_call& second) {
    const auto* mine = llvm::dyn_cast<clang::DeclRefExpr>(behind_names(first).e);
    const auto* other = llvm::dyn_cast<clang::DeclRefExpr>(behind_names(second).e);
    if (mine == nullptr || other == nullptr) return are_equal(first, second);
    return mine->getDecl() == other->getDecl() && !code_.declares(mine->getDecl());
  }

  /// The loops of the first side, each with that of the second side that counts alike.
  const std::map<const clang::Stmt*, const clang::Stmt*>& alike() const { return alike_; }

 private:
  /// v[k], m.at(k): of a container of this library or of the standard library.
  static bool is_of_library(const clang::CallExpr& call) {
    const clang::FunctionDecl* callee = call.getDirectCallee();
    return callee != nullptr && (is_in_std(*callee) || is_in_api(*callee)) &&
           !class_of(*callee).starts_with("map") && !class_of(*callee).starts_with("unordered");
  }

  static llvm::StringRef class_of(const clang::FunctionDecl& callee) {
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
    const bool named = method != nullptr && method->getParent()->getIdentifier() != nullptr;
    return named ? method->getParent()->getName() : llvm::StringRef();
  }

  static bool asks_for_size(const clang::CallExpr& call) {
    const clang::FunctionDecl* callee = call.getDirectCallee();
    return callee != nullptr && is_of_library(call) && call.getNumArgs() == 0 &&
           callee->getIdentifier() != nullptr && callee->getName() == "size";
  }

  bool have_one_type(const clang::Expr& a, const clang::Expr& b) const {
    return code_.ast().hasSameUnqualifiedType(a.getType(), b.getType());
  }
  bool have_one_type(const clang::ValueDecl& a, const clang::ValueDecl& b) const {
    return code_.ast().hasSameUnqualifiedType(a.getType().getNonReferenceType(),
                                              b.getType().getNonReferenceType());
  }

  bool are_same_constant(const clang::Expr& a, const clang::Expr& b) const {
    clang::Expr::EvalResult first;
    clang::Expr::EvalResult second;
    return a.EvaluateAsInt(first, code_.ast()) && b.EvaluateAsInt(second, code_.ast()) &&
           llvm::APSInt::isSameValue(first.Val.getInt(), second.Val.getInt());
  }

  bool are_equal_parts(const place_in_call& a, const place_in_call& b) {
    auto second = b.e->child_begin();
    for (const clang::Stmt* first : a.e->children()) {
      if (second == b.e->child_end()) return false;
      const auto* mine = llvm::dyn_cast_or_null<clang::Expr>(first);
      const auto* other = llvm::dyn_cast_or_null<clang::Expr>(*second);
      ++second;
      if (mine == nullptr || other == nullptr) return false;
      if (is_function(*mine) && is_function(*other)) continue;  // the operator's own name
      if (!are_equal(a.with(*mine), b.with(*other))) return false;
    }
    return second == b.e->child_end();
  }

  static bool is_function(const clang::Expr& e) {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e.IgnoreParenImpCasts());
    return name != nullptr && llvm::isa<clang::FunctionDecl>(name->getDecl());
  }

  bool are_equal_members(const clang::MemberExpr& mine, const place_in_call& a,
                         const clang::MemberExpr& other, const place_in_call& b) {
    if (mine.getMemberDecl()->getCanonicalDecl() != other.getMemberDecl()->getCanonicalDecl()) return false;
    const bool is_method = llvm::isa<clang::CXXMethodDecl>(mine.getMemberDecl());
    if (!is_method && !depends_.changes_of(mine.getMemberDecl()).empty()) return false;
    return are_equal(a.with(*mine.getBase()), b.with(*other.getBase()));
  }

  bool name_the_same(const clang::ValueDecl& mine, const place_in_call& a, const clang::ValueDecl& other,
                     const place_in_call& b) {
    if (llvm::isa<clang::BindingDecl>(mine)) return false;  // its changes are those of another object
    if (&mine == &other && (!code_.declares(&mine) || a.calls == b.calls)) return stays(mine);
    return count_alike(mine, a, other, b);
  }

  /// Whether an outer or a local variable has one value where both sides read it.
  bool stays(const clang::ValueDecl& variable) const {
    return depends_.changes_of(&variable).empty() || loop_of(variable) != nullptr;
  }

  /// The counting or ranged loop that declares a variable; nothing else changes it.
  const clang::Stmt* loop_of(const clang::ValueDecl& variable) const {
    const clang::Stmt* above = code_.above(code_.declaration_of(&variable));
    if (const auto* ranged = llvm::dyn_cast_or_null<clang::CXXForRangeStmt>(above))
      return ranged->getLoopVariable() == &variable && depends_.changes_of(&variable).empty() ? ranged
                                                                                              : nullptr;
    const auto* loop = llvm::dyn_cast_or_null<clang::ForStmt>(above);
    const auto counted = loop == nullptr ? std::nullopt : counting_loop_of(code_, *loop);
    return counted && counted->index == &variable ? loop : nullptr;
  }

  /// Whether two variables take the same values in the rounds of two loops.
  bool count_alike(const clang::ValueDecl& mine, const place_in_call& a, const clang::ValueDecl& other,
                   const place_in_call& b) {
    const clang::Stmt* first = loop_of(mine);
    const clang::Stmt* second = loop_of(other);
    if (first == nullptr || second == nullptr || !have_one_type(mine, other)) return false;
    if (const auto known = alike_.find(first); known != alike_.end()) return known->second == second;
    if (is_taken(*second) || !have_same_rounds(*first, a, *second, b)) return false;
    alike_[first] = second;
    return true;
  }

  /// Whether another loop of the first side counts like this one: their rounds are pairs.
  bool is_taken(const clang::Stmt& second) const {
    return std::any_of(alike_.begin(), alike_.end(),
                       [&](const auto& pair) { return pair.second == &second; });
  }

  bool have_same_rounds(const clang::Stmt& mine, const place_in_call& a, const clang::Stmt& other,
                        const place_in_call& b) {
    if (const auto* ranged = llvm::dyn_cast<clang::CXXForRangeStmt>(&mine)) {
      const auto* second = llvm::dyn_cast<clang::CXXForRangeStmt>(&other);
      return second != nullptr && are_equal(a.with(*ranged->getRangeInit()), b.with(*second->getRangeInit()));
    }
    const auto first = counting_loop_of(code_, llvm::cast<clang::ForStmt>(mine));
    const auto* plain = llvm::dyn_cast<clang::ForStmt>(&other);
    const auto second = plain == nullptr ? std::nullopt : counting_loop_of(code_, *plain);
    if (!first || !second || first->test == nullptr || second->test == nullptr) return false;
    if (first->index->getInit() == nullptr || second->index->getInit() == nullptr) return false;
    return first->step->isIncrementOp() == second->step->isIncrementOp() &&
           first->test->getOpcode() == second->test->getOpcode() &&
           have_one_type(*first->test->getLHS(), *second->test->getLHS()) &&
           are_equal(a.with(*first->index->getInit()), b.with(*second->index->getInit())) &&
           are_equal(a.with(*first->test->getRHS()), b.with(*second->test->getRHS()));
  }

  /// The expression that a parameter, a reference or an unchanged local variable stands for.
  place_in_call behind_names(place_in_call place) const {
    while (true) {
      place.e = &without_widening(code_.ast(), *place.e);
      const clang::Expr* value = nullptr;
      if (llvm::isa<clang::CXXThisExpr>(place.e) && !place.calls.empty()) {
        value = object_of(*place.calls.back());
      } else if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(place.e)) {
        const auto* local = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
        if (local == nullptr || !code_.declares(local) || loop_of(*local) != nullptr) return place;
        const bool is_bound = local->getType()->isReferenceType();  // for good, to one object
        if (local->hasGlobalStorage() || (!is_bound && !depends_.changes_of(local).empty())) return place;
        if (const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(local)) {
          value = argument_for(*parameter, place.calls);
        } else if (local->hasInit()) {
          place.e = local->getInit();
          continue;
        }
      }
      if (value == nullptr) return place;
      place.e = value;
      place.calls.pop_back();
    }
  }

  static const clang::Expr* argument_for(const clang::ParmVarDecl& parameter, const call_path& calls) {
    if (calls.empty()) return nullptr;
    const std::vector<const clang::Expr*> arguments = arguments_of(*calls.back());
    const unsigned position = parameter.getFunctionScopeIndex();
    if (position >= arguments.size()) return nullptr;
    const clang::FunctionDecl* callee = visible_definition(callee_of(*calls.back()));
    const bool is_its_own = callee != nullptr && position < callee->getNumParams() &&
                            callee->getParamDecl(position) == &parameter;
    return is_its_own ? arguments[position] : nullptr;
  }

  const region& code_;
  const dependences& depends_;
  std::map<const clang::Stmt*, const clang::Stmt*> alike_;
};

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
    if (const auto* ranged = llvm::dyn_cast<clang::CXXForRangeStmt>(&loop))
      return counts && ranged->getBody() == &part;
    return counts && tested_parts_of(loop).body == &part;
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
