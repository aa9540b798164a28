#include "analyze/access/hoisted_checks.hpp"

#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analyze/access/inserted_reaches.hpp"
#include "analyze/access/places_before_loops.hpp"
#include "analyze/code/control.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/code/index_loop.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/pointers/availability.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {
namespace {

/// A loop, and the part of it that has an access.
struct part_of_loop {
  const clang::Stmt* loop = nullptr;
  const clang::Stmt* part = nullptr;
};

/// The innermost loop, if its part evaluates the expression whenever it runs; else null.
part_of_loop loop_around(const region& code, const clang::Expr& e) {
  const clang::Stmt* part = &e;
  for (const clang::Stmt* at = code.above(part); at != nullptr; part = at, at = code.above(at)) {
    if (is_loop(*at)) return {at, part};
    if (!is_always_evaluated(*part, *at)) return {};
  }
  return {};
}

/// The innermost loop of the function, or null.
const clang::Stmt* any_loop_around(const region& code, const clang::Expr& e) {
  const clang::Stmt* at = code.above(&e);
  while (at != nullptr && !is_loop(*at) && !llvm::isa<clang::LambdaExpr>(*at)) at = code.above(at);
  return at != nullptr && is_loop(*at) ? at : nullptr;
}

/// Whether a statement may end the round or the loop around it.
bool leaves(const clang::Stmt& node, bool in_inner_loop = false) {
  if (llvm::isa<clang::ReturnStmt, clang::CXXThrowExpr, clang::GotoStmt, clang::IndirectGotoStmt,
                clang::SwitchCase>(node))
    return true;
  if (!in_inner_loop && llvm::isa<clang::BreakStmt, clang::ContinueStmt>(node)) return true;
  if (llvm::isa<clang::LambdaExpr>(node)) return false;
  const bool inner = in_inner_loop || is_loop(node);
  return std::any_of(node.child_begin(), node.child_end(),
                     [&](const clang::Stmt* child) { return child != nullptr && leaves(*child, inner); });
}

/// The expression that the loop evaluates first; null for an unknown form.
const clang::Expr* first_of(const clang::Stmt& loop) {
  if (const auto* ranged = llvm::dyn_cast<clang::CXXForRangeStmt>(&loop))
    return ranged->getInit() == nullptr ? ranged->getRangeInit() : nullptr;
  if (const auto* whiles = llvm::dyn_cast<clang::WhileStmt>(&loop))
    return whiles->getConditionVariable() == nullptr ? whiles->getCond() : nullptr;
  const auto* plain = llvm::dyn_cast<clang::ForStmt>(&loop);
  if (plain == nullptr || plain->getConditionVariable() != nullptr) return nullptr;
  const clang::Stmt* init = plain->getInit();
  if (init == nullptr) return tested_parts_of(loop).condition;
  const auto* declared = llvm::dyn_cast<clang::DeclStmt>(init);
  if (declared == nullptr) return llvm::dyn_cast<clang::Expr>(init);
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(*declared->decl_begin());
  return variable == nullptr ? nullptr : variable->getInit();
}

/// Whether evaluation of the text is safe even if the program would not evaluate it.
bool is_harmless(const clang::Stmt& e) {
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&e);
      op != nullptr && !op->isAdditiveOp() && op->getOpcode() != clang::BO_Mul)
    return false;
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e); member != nullptr && member->isArrow())
    return llvm::isa<clang::CXXThisExpr>(*member->getBase()->IgnoreParenImpCasts());
  const bool is_plain = llvm::isa<clang::BinaryOperator, clang::DeclRefExpr, clang::MemberExpr,
                                  clang::CastExpr, clang::ParenExpr, clang::IntegerLiteral,
                                  clang::SubstNonTypeTemplateParmExpr, clang::ConstantExpr>(e);
  return is_plain && std::all_of(e.child_begin(), e.child_end(), [](const clang::Stmt* child) {
           return child == nullptr || is_harmless(*child);
         });
}

/// The distance between the elements of two rounds: the texts of numbers to be multiplied; 1 if there is
/// none.
using factors = std::vector<std::string>;

/// A loop before which its checks may stand.
struct checked_loop {
  const clang::Stmt* loop;
  const clang::Expr* first;  // evaluated before all else in the loop
  clang::SourceLocation keyword;
};

/// One that counts its index up by one to a bound: the texts of both ends.
struct counted_loop : checked_loop {
  index_loop found;
  std::string start;   // of the index's type
  std::string rounds;  // an expression for their number
  // the program may guard the access, and so count from places outside of the container
  bool is_guarded = false;
};

class finder {
 public:
  finder(const region& code, const dependences& depends, const std::vector<access>& accesses,
         const const_writes& written_through_const)
      : code_(code), depends_(depends), accesses_(accesses), written_through_const_(written_through_const) {}

  std::vector<hoisted_check> find() {
    std::vector<hoisted_check> found;
    const bool may_go_on = catches();  // after a call that throws before an access
    std::vector<std::pair<const access*, hoisted_check>> sure;
    std::vector<const access*> others;
    for (const access& one : accesses_) {
      if (std::optional<hoisted_check> check = may_go_on ? std::nullopt : check_of(one)) {
        sure.emplace_back(&one, *check);
        found.push_back(std::move(*check));
      } else {
        others.push_back(&one);
      }
    }
    for (const access* one : others) {
      std::optional<hoisted_check> check = check_of_repeat(*one, sure);
      if (!check) check = check_of_values(*one);
      if (!check && !may_go_on) check = check_of_guarded(*one);
      if (check) found.push_back(std::move(*check));
    }
    return found;
  }

 private:
  bool catches() const {
    return std::any_of(code_.nodes().begin(), code_.nodes().end(),
                       [](const clang::Stmt* node) { return llvm::isa<clang::CXXTryStmt>(node); });
  }

  std::optional<hoisted_check> check_of(const access& one) const {
    const clang::Expr* subscript = plain_subscript(one);
    const part_of_loop at = subscript == nullptr ? part_of_loop() : loop_around(code_, *one.call);
    if (at.loop == nullptr) return std::nullopt;
    const std::optional<checked_loop> around = loop_of(*at.loop);
    const std::optional<std::string> object = around ? object_text(one, *around) : std::nullopt;
    if (!object) return std::nullopt;
    const bool loads = is_only_loaded(one);
    if (at.part == tested_parts_of(*at.loop).condition)
      return check_of_condition(*around, *subscript, *object, loads);
    if (at.part != body_of(*at.loop) || leaves(*at.part)) return std::nullopt;
    const std::optional<counted_loop> counted = counted_by_one(*around);
    return counted ? check_of_rounds(*counted, *subscript, *object, loads)
                   : check_of_element(*around, *subscript, *object, loads);
  }

  /// Of an access that the program may guard: `if (mask[k]) w[i * K + k] += g;`. The check never throws.
  std::optional<hoisted_check> check_of_guarded(const access& one) const {
    const clang::Expr* subscript = plain_subscript(one);
    const clang::Stmt* loop = subscript == nullptr ? nullptr : any_loop_around(code_, *one.call);
    const bool is_in_body = loop != nullptr && is_in_body_of(*loop, *one.call);
    const std::optional<checked_loop> around = is_in_body ? loop_of(*loop) : std::nullopt;
    const std::optional<std::string> object = around ? object_text(one, *around) : std::nullopt;
    if (!object || !is_harmless(*subscript)) return std::nullopt;
    const bool is_written = !reads_only(one);
    if (is_steady(*subscript, *around)) {
      if (is_written) return std::nullopt;  // g++ packs no loop around a conditional store to one element
      return check_of_element(*around, *subscript, *object, is_only_loaded(one));
    }
    std::optional<counted_loop> counted = counted_by_one(*around);
    if (!counted) return std::nullopt;
    counted->is_guarded = true;
    std::optional<hoisted_check> made = check_of_rounds(*counted, *subscript, *object, /*may_load=*/false);
    if (made) made->is_guarded = is_written;
    return made;
  }

  /// Whether the access only takes the element's value, or that of a member, and no iteration writes the
  /// container.
  bool is_only_loaded(const access& one) const {
    if (!reads_only(one)) return false;
    const clang::Expr* at = one.call;
    while (true) {
      const auto* above = llvm::dyn_cast_or_null<clang::Expr>(code_.above(at));
      const auto* cast = llvm::dyn_cast_or_null<clang::ImplicitCastExpr>(above);
      if (cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue) return true;
      const auto* member = llvm::dyn_cast_or_null<clang::MemberExpr>(above);
      const bool is_part = member != nullptr && !member->isArrow() &&
                           llvm::isa<clang::FieldDecl>(member->getMemberDecl()) &&
                           !member->getMemberDecl()->getType()->isReferenceType();
      const bool is_same = llvm::isa_and_nonnull<clang::ParenExpr>(above) ||
                           (cast != nullptr && cast->getCastKind() == clang::CK_NoOp);
      if (!is_part && !is_same) return false;
      at = above;
    }
  }

  bool reads_only(const access& one) const {
    return std::all_of(one.containers.begin(), one.containers.end(),
                       [&](const clang::ValueDecl* container) { return is_read_only(container); });
  }

  /// Of an access that a condition decides, with the container and the subscript of one in each round:
  /// `if (sum + X[k] < least) least = sum + X[k];`
  std::optional<hoisted_check> check_of_repeat(
      const access& one, const std::vector<std::pair<const access*, hoisted_check>>& sure) const {
    const clang::Expr* subscript = plain_subscript(one);
    const clang::Stmt* loop = subscript == nullptr ? nullptr : any_loop_around(code_, *one.call);
    if (loop == nullptr || !is_in_body_of(*loop, *one.call)) return std::nullopt;
    const clang::Expr& object = *llvm::cast<clang::CXXOperatorCallExpr>(one.call)->getArg(0);
    for (const auto& [other, check] : sure) {
      const auto& call = *llvm::cast<clang::CXXOperatorCallExpr>(other->call);
      if (any_loop_around(code_, call) == loop && are_same(code_.ast(), *call.getArg(0), object) &&
          are_same(code_.ast(), *call.getArg(1), *subscript) && (!check.is_load || is_only_loaded(one)))
        return hoisted_check{check.loop, subscript->getSourceRange(), check.made, check.index, check.is_load};
    }
    return std::nullopt;
  }
  bool is_in_body_of(const clang::Stmt& loop, const clang::Stmt& node) const {
    const clang::Stmt* part = &node;
    while (code_.above(part) != &loop) part = code_.above(part);
    return part == body_of(loop);
  }

  std::optional<checked_loop> loop_of(const clang::Stmt& loop) const {
    const clang::Expr* first = first_of(loop);
    const clang::SourceLocation place = place_before(code_.ast(), loop);
    if (first == nullptr || place.isInvalid()) return std::nullopt;
    return checked_loop{&loop, first, place};
  }

  /// Of an access that the loop makes at least once.
  std::optional<hoisted_check> check_of_condition(const checked_loop& around, const clang::Expr& subscript,
                                                  const std::string& object, bool loads) const {
    const auto text = excerpt(code_.ast(), subscript.getSourceRange());
    if (!text || !is_steady(subscript, around)) return std::nullopt;
    return hoisted_check{around.keyword, subscript.getSourceRange(), check_of_one(object, *text, loads), "0",
                         loads};
  }

  /// Of an access in each round of a loop that may have none.
  std::optional<hoisted_check> check_of_element(const checked_loop& around, const clang::Expr& subscript,
                                                const std::string& object, bool loads) const {
    other_texts wrapped;
    wrap_numbers(subscript, wrapped);
    const auto text = excerpt(code_.ast(), subscript.getSourceRange(), wrapped);
    if (!text || !is_harmless(subscript) || !is_steady(subscript, around)) return std::nullopt;
    return hoisted_check{around.keyword, subscript.getSourceRange(),
                         call_of(loads ? api::load_if_held : api::hoist_if_held, {object, *text}), "0",
                         loads};
  }

  std::optional<hoisted_check> check_of_rounds(const counted_loop& around, const clang::Expr& subscript,
                                               const std::string& object, bool may_load) const {
    other_texts replaced;
    const bool is_one = is_steady(subscript, around);
    const bool loads = is_one && may_load;
    const std::optional<factors> step = is_one ? factors() : step_of(subscript, around, replaced);
    if (around.is_guarded) wrap_numbers(subscript, replaced);
    const auto first =
        step ? excerpt(code_.ast(), subscript.getSourceRange(), replaced) : std::optional<std::string>();
    if (!first) return std::nullopt;
    const std::string start = scaled(around.start, *step);
    const std::string check = is_one ? check_of_one(object, *first, loads)
                              : step->empty()
                                  ? call_of(around.is_guarded ? api::hoist_guarded : api::hoist,
                                            {object, *first, start, around.rounds})
                                  : call_of(around.is_guarded ? api::hoist_steps_guarded : api::hoist_steps,
                                            {object, *first, start, around.rounds, scaled("1", *step)});
    const std::string none = call_of(loads ? api::no_load : api::no_hoist, {object});
    return hoisted_check{around.keyword, subscript.getSourceRange(),
                         around.rounds + " == 0 ? " + none + " : " + check,
                         is_one ? "0" : scaled(around.found.index->getNameAsString(), *step), loads};
  }
  /// Lets the arithmetic of a text wrap that the program itself may not evaluate.
  void wrap_numbers(const clang::Expr& e, other_texts& replaced) const {
    const clang::Expr& at = *e.IgnoreParenImpCasts();
    if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&at)) {
      wrap_number(*op->getLHS(), replaced);
      wrap_number(*op->getRHS(), replaced);
    } else if (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&at)) {
      wrap_numbers(*cast->getSubExpr(), replaced);
    }
  }
  void wrap_number(const clang::Expr& e, other_texts& replaced) const {
    const clang::Expr& at = *e.IgnoreParenImpCasts();
    if (!llvm::isa<clang::DeclRefExpr, clang::MemberExpr>(at)) return wrap_numbers(at, replaced);
    const auto text = excerpt(code_.ast(), at.getSourceRange());
    if (!text || at.getBeginLoc().isMacroID() || at.getEndLoc().isMacroID()) return;
    other_text& one = replaced[code_.ast().getSourceManager().getFileOffset(at.getBeginLoc())];
    one = {static_cast<unsigned>(text->size()), call_of(api::wrapped, {one.text.value_or(*text)})};
  }
  static std::string scaled(const std::string& index, const factors& step) {
    if (step.empty()) return index;
    std::vector<std::string> arguments{index};
    arguments.insert(arguments.end(), step.begin(), step.end());
    return call_of(api::scaled, arguments);
  }
  /// Of an access at an element of another container: `w[feature[k]]`. The check never throws, so the loop
  /// need not reach the access.
  std::optional<hoisted_check> check_of_values(const access& one) const {
    const clang::Expr* subscript = plain_subscript(one);
    const clang::DeclRefExpr* from = subscript == nullptr ? nullptr : container_of_element(*subscript);
    const clang::Stmt* loop = from == nullptr ? nullptr : any_loop_around(code_, *one.call);
    const std::optional<checked_loop> around = loop == nullptr ? std::nullopt : loop_of(*loop);
    const std::optional<std::string> object = around ? object_text(one, *around) : std::nullopt;
    if (!object || !is_read_only(from->getDecl()) || !available_at(*around).is_visible_text(*from))
      return std::nullopt;
    const auto source = excerpt(code_.ast(), from->getSourceRange());
    if (!source) return std::nullopt;
    return hoisted_check{around->keyword,
                         subscript->getSourceRange(),
                         call_of(api::hoist_by, {*object, *source}),
                         "",
                         /*is_load=*/false,
                         from->getDecl()};
  }
  /// The name of a dvector, if the expression is one of its elements and a whole number.
  static const clang::DeclRefExpr* container_of_element(const clang::Expr& e) {
    const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(e.IgnoreParenImpCasts());
    if (call == nullptr || call->getOperator() != clang::OO_Subscript || !call->getType()->isIntegerType() ||
        container_name(call->getArg(0)->getType()) != api::dvector)
      return nullptr;
    return llvm::dyn_cast<clang::DeclRefExpr>(call->getArg(0)->IgnoreParenImpCasts());
  }

  static std::string check_of_one(const std::string& object, const std::string& subscript, bool loads) {
    return loads ? call_of(api::load, {object, subscript})
                 : call_of(api::hoist, {object, subscript, "0", "1"});
  }
  static std::string call_of(const char* function, const std::vector<std::string>& arguments) {
    std::string text = function;
    for (std::size_t i = 0; i < arguments.size(); ++i) text += (i == 0 ? "(" : ", ") + arguments[i];
    return text + ")";
  }

  /// The subscript of `X[e]`, if no pointer leaves the element.
  static const clang::Expr* plain_subscript(const access& one) {
    const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(one.call);
    const bool is_plain =
        call != nullptr && call->getOperator() == clang::OO_Subscript && !one.reach && !one.is_range;
    if (!is_plain || container_name(call->getArg(0)->getType()) != api::dvector) return nullptr;
    return call->getArg(1)->getType()->isIntegerType() ? call->getArg(1) : nullptr;
  }

  std::optional<counted_loop> counted_by_one(const checked_loop& around) const {
    const auto* plain = llvm::dyn_cast<clang::ForStmt>(around.loop);
    if (plain == nullptr) return std::nullopt;
    const clang::ForStmt& loop = *plain;
    const std::optional<index_loop> found = index_loop_of(code_, loop);
    const auto* init = llvm::dyn_cast_or_null<clang::DeclStmt>(loop.getInit());
    const bool is_plain = found && init != nullptr && init->isSingleDecl() && found->counts_up &&
                          found->by == nullptr && found->ahead == 0 && !found->steps_in_condition &&
                          !found->waits_to_meet && found->bound != nullptr && loop.getCond() != nullptr &&
                          loop.getCond()->IgnoreParenImpCasts() == found->test->IgnoreParenImpCasts();
    constexpr unsigned widest = 64;  // the number of rounds has so many bits
    if (!is_plain || code_.ast().getTypeSize(found->bound->getType()) > widest) return std::nullopt;
    counted_loop made{around, *found, {}, {}};
    if (!is_steady(*found->bound, made) || !is_steady(*found->start, made)) return std::nullopt;
    const auto start = excerpt(code_.ast(), found->start->getSourceRange());
    const auto bound = excerpt(code_.ast(), found->bound->getSourceRange());
    if (!start || !bound) return std::nullopt;
    const std::string type = found->index->getType().getCanonicalType().getUnqualifiedType().getAsString(
        code_.ast().getPrintingPolicy());
    made.start = "static_cast<" + type + ">(" + *start + ")";
    made.rounds = std::string(found->is_inclusive ? api::rounds_through : api::rounds) + "<" + type + ">(" +
                  *start + ", " + *bound + ")";
    return made;
  }

  /// The text of the container before the loop.
  std::optional<std::string> object_text(const access& one, const checked_loop& around) const {
    const clang::Expr& object = *llvm::cast<clang::CXXOperatorCallExpr>(one.call)->getArg(0);
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(object.IgnoreParenImpCasts());
    if (name == nullptr || !available_at(around).is_visible_text(*name)) return std::nullopt;
    return excerpt(code_.ast(), name->getSourceRange());
  }

  // ---- values -----------------------------------------------------------------------------------------

  availability available_at(const checked_loop& around) const {
    return {code_, depends_, *around.first,
            [this](const clang::ValueDecl* container) { return is_read_only(container); }};
  }
  bool is_read_only(const clang::ValueDecl* container) const {
    if (written_through_const_.count(container) != 0) return false;
    return std::none_of(accesses_.begin(), accesses_.end(), [&](const access& one) {
      return one.containers.count(container) != 0 && (one.bits & use_write) != 0;
    });
  }

  /// Whether the text has one value before the loop and in all rounds.
  bool is_steady(const clang::Expr& e, const checked_loop& around) const {
    const clang::Expr& at = *e.IgnoreParenImpCasts();
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&at)) {
      if (is_set_outside(*name, around)) return true;
    }
    if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&at);
        op != nullptr && (op->isAdditiveOp() || op->isMultiplicativeOp()))
      return is_steady(*op->getLHS(), around) && is_steady(*op->getRHS(), around);
    return is_steady_element(at, around) || is_steady_member(at, around) ||
           available_at(around).is_available(at);
  }

  /// Whether the value is an element of a container that no iteration writes: `first[page + 1]`.
  bool is_steady_element(const clang::Expr& e, const checked_loop& around) const {
    const clang::DeclRefExpr* name = container_of_element(e);
    return name != nullptr && !code_.declares(name->getDecl()) && is_read_only(name->getDecl()) &&
           available_at(around).is_visible_text(*name) &&
           is_steady(*llvm::cast<clang::CXXOperatorCallExpr>(e).getArg(1), around);
  }

  /// Whether the value is a member of an object that a local reference denotes, and nothing in the loop
  /// writes the object: `t.word` where the loop body changes `t.topic` after the inner loop.
  bool is_steady_member(const clang::Expr& e, const checked_loop& around) const {
    const clang::Expr* at = &e;
    while (const auto* member = llvm::dyn_cast<clang::MemberExpr>(at)) {
      if (member->isArrow() || !llvm::isa<clang::FieldDecl>(member->getMemberDecl()) ||
          member->getMemberDecl()->getType()->isReferenceType())
        return false;
      at = member->getBase()->IgnoreParenImpCasts();
    }
    const auto* name = at == &e ? nullptr : llvm::dyn_cast<clang::DeclRefExpr>(at);
    const auto* variable = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    return variable != nullptr && e.getType()->isIntegerType() && code_.declares(variable) &&
           variable->getType()->isReferenceType() && available_at(around).is_visible(*variable) &&
           is_left_alone(*name, *around.loop);
  }
  /// Whether the loop contains no write that may reach the object, and no call that may write.
  bool is_left_alone(const clang::DeclRefExpr& name, const clang::Stmt& loop) const {
    const origins object = depends_.storage(name);
    if (object.empty() || object.count(nullptr) != 0) return false;
    return std::none_of(code_.nodes().begin(), code_.nodes().end(), [&](const clang::Stmt* node) {
      return may_write(*node, object) && code_.is_around(&loop, node);
    });
  }
  bool may_write(const clang::Stmt& node, const origins& object) const {
    if (llvm::isa<clang::LambdaExpr, clang::CXXNewExpr, clang::CXXDeleteExpr, clang::AsmStmt>(node))
      return true;
    const clang::Expr* target = nullptr;
    if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&node); op != nullptr && op->isAssignmentOp())
      target = op->getLHS();
    if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(&node);
        step != nullptr && step->isIncrementDecrementOp())
      target = step->getSubExpr();
    if (target == nullptr) return may_write_by_call(node);
    const origins reached = depends_.storage(*target);
    return reached.empty() || std::any_of(reached.begin(), reached.end(), [&](const clang::ValueDecl* one) {
             return one == nullptr || object.count(one) != 0;
           });
  }
  /// False for subscripts, and for functions of the standard library that take and return plain values.
  static bool may_write_by_call(const clang::Stmt& node) {
    if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&node))
      return !made->getConstructor()->isTrivial();
    const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
    if (call == nullptr) return false;
    const clang::FunctionDecl* callee = callee_of(*call);
    if (callee == nullptr || !is_pure(*callee)) return true;
    if (callee->getOverloadedOperator() == clang::OO_Subscript) return false;
    if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
        method != nullptr && !method->isStatic())
      return !method->isConst();
    return std::any_of(callee->param_begin(), callee->param_end(), [](const clang::ParmVarDecl* parameter) {
      const clang::QualType type = parameter->getType();
      return !type.getNonReferenceType()->isArithmeticType() ||
             (type->isReferenceType() && !type.getNonReferenceType().isConstQualified());
    });
  }

  /// Whether a local number keeps its value in the loop: only assignments by name outside of it change it.
  bool is_set_outside(const clang::DeclRefExpr& name, const checked_loop& around) const {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name.getDecl());
    const bool is_number = variable != nullptr && variable->hasLocalStorage() && code_.declares(variable) &&
                           variable->getType()->isIntegerType();
    if (!is_number || !available_at(around).is_visible(*variable)) return false;
    use_reader reader(code_);
    const auto& uses = code_.uses(variable);
    return std::all_of(uses.begin(), uses.end(), [&](const clang::Expr* use) {
      if ((reader.bits_of_name(*use) & use_write) == 0) return true;
      return is_changed_by_name(*use) && !code_.is_around(around.loop, use) &&
             code_.function_of(use) == code_.function_of(around.loop);
    });
  }
  bool is_changed_by_name(const clang::Expr& use) const {
    const clang::Stmt* above = code_.above(&use);
    while (llvm::isa_and_nonnull<clang::ParenExpr>(above)) above = code_.above(above);
    if (const auto* op = llvm::dyn_cast_or_null<clang::BinaryOperator>(above))
      return op->isAssignmentOp() && op->getLHS()->IgnoreParens() == use.IgnoreParens() && is_dropped(*op);
    const auto* step = llvm::dyn_cast_or_null<clang::UnaryOperator>(above);
    return step != nullptr && step->isIncrementDecrementOp() && (step->isPostfix() || is_dropped(*step));
  }
  /// Whether nothing takes the variable from the value of an assignment to it.
  bool is_dropped(const clang::Expr& assignment) const {
    const clang::Stmt* above = code_.above(&assignment);
    while (llvm::isa_and_nonnull<clang::ParenExpr, clang::FullExpr>(above)) above = code_.above(above);
    return above == nullptr || !llvm::isa<clang::Expr>(above);
  }

  /// How the value moves in each round, if it is a steady multiple of the loop's index plus a steady value;
  /// notes the text of the first index.
  std::optional<factors> step_of(const clang::Expr& e, const counted_loop& around,
                                 other_texts& replaced) const {
    const clang::Expr& at = *e.IgnoreParens();
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&at)) {
      const bool keeps =
          cast->getCastKind() == clang::CK_LValueToRValue || cast->getCastKind() == clang::CK_NoOp ||
          (cast->getCastKind() == clang::CK_IntegralCast && keeps_steps(*cast, around.is_guarded));
      return keeps ? step_of(*cast->getSubExpr(), around, replaced) : std::nullopt;
    }
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&at))
      return is_index(*name, around, replaced) ? std::optional(factors()) : std::nullopt;
    const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&at);
    if (op == nullptr || may_wrap(op->getType())) return std::nullopt;
    if (op->getOpcode() == clang::BO_Mul) return step_of_product(*op, around, replaced);
    if (!op->isAdditiveOp()) return std::nullopt;
    if (is_steady(*op->getRHS(), around)) return step_of(*op->getLHS(), around, replaced);
    if (!is_steady(*op->getLHS(), around)) return std::nullopt;
    std::optional<factors> step = step_of(*op->getRHS(), around, replaced);
    if (step && op->getOpcode() == clang::BO_Sub) step->push_back("-1");
    return step;
  }
  std::optional<factors> step_of_product(const clang::BinaryOperator& product, const counted_loop& around,
                                         other_texts& replaced) const {
    const bool is_left = is_steady(*product.getLHS(), around);
    if (!is_left && !is_steady(*product.getRHS(), around)) return std::nullopt;
    const clang::Expr& steady = *(is_left ? product.getLHS() : product.getRHS());
    const clang::Expr& moved = *(is_left ? product.getRHS() : product.getLHS());
    std::optional<factors> step = step_of(moved, around, replaced);
    const auto text = step ? excerpt(code_.ast(), steady.getSourceRange()) : std::optional<std::string>();
    if (!text) return std::nullopt;
    step->push_back(*text);
    return step;
  }
  bool is_index(const clang::DeclRefExpr& name, const counted_loop& around, other_texts& replaced) const {
    if (name.getDecl() != around.found.index || name.getLocation().isMacroID()) return false;
    const unsigned at = code_.ast().getSourceManager().getFileOffset(name.getLocation());
    const auto length = static_cast<unsigned>(around.found.index->getName().size());
    replaced[at] = {length, around.start};
    return true;
  }
  /// Whether values that follow each other do so after the conversion: it keeps all values, or goes on at 0
  /// behind more elements than a container has. `(unsigned char)k` of a signed char k does not. Behind a
  /// guard, `(unsigned)k` of a negative k is no access, and the next ones go on at 0.
  bool keeps_steps(const clang::CastExpr& cast, bool is_guarded) const {
    const clang::QualType from = cast.getSubExpr()->getType(), to = cast.getType();
    const auto bits = code_.ast().getTypeSize(to), before = code_.ast().getTypeSize(from);
    const bool was_signed = from->isSignedIntegerOrEnumerationType();
    const bool is_signed = to->isSignedIntegerOrEnumerationType();
    const bool keeps_all =
        bits > before ? is_signed || !was_signed : bits == before && is_signed == was_signed;
    return keeps_all || (bits >= before && bits >= (is_guarded ? 64u : 32u));
  }
  /// Whether arithmetic of the type goes on at 0 before it reaches the end of memory.
  bool may_wrap(clang::QualType type) const {
    return type->isUnsignedIntegerOrEnumerationType() && code_.ast().getTypeSize(type) < 64;
  }

  const region& code_;
  const dependences& depends_;
  const std::vector<access>& accesses_;
  const const_writes& written_through_const_;
};

}  // namespace

std::vector<hoisted_check> hoisted_checks(const region& code, const dependences& depends,
                                          const std::vector<access>& accesses,
                                          const const_writes& written_through_const) {
  return finder(code, depends, accesses, written_through_const).find();
}

}  // namespace stradsap::pp
