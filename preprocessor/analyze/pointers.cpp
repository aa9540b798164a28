#include "analyze/pointers.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <set>

#include "analyze/api_names.hpp"
#include "analyze/control.hpp"
#include "analyze/excerpt.hpp"
#include "analyze/folds.hpp"
#include "analyze/index_loop.hpp"
#include "analyze/known_functions.hpp"
#include "analyze/object_follower.hpp"
#include "analyze/offsets.hpp"
#include "analyze/pointer_functions.hpp"
#include "analyze/pointer_moves.hpp"
#include "analyze/pointer_values.hpp"
#include "analyze/reached_elements.hpp"
#include "analyze/source.hpp"

namespace stradsap::pp {

namespace {

class follower : private object_follower {
 public:
  follower(const region& code, const dependences& depends, const clang::Expr& access, clang::QualType element,
           const std::function<bool(const clang::ValueDecl*)>& is_read_only)
      : object_follower(code, depends, access, element, is_read_only),
        moves_(code, offsets_),
        values_(code, offsets_, moves_) {}

  std::optional<pointer_reach> find() {
    pointer_reach found;
    try {
      const position start{{number(0), element_size_}};
      is_pointer(access_.getType()) ? pointer(access_, start, {}) : object(access_, start, {});
      if (takes_address_ && repeated_ != nullptr) lose(*repeated_, "a function passes it to itself");
    } catch (const unbounded& limit) {
      found.lost = limit.where != nullptr ? limit.where : &access_;
      found.why = limit.why;
      return found;
    }
    if (!takes_address_ || reached_.is_alone()) return std::nullopt;
    found.offsets = reached_.text();
    found.parts = reached_.parts();
    return found;
  }

 private:
  // ---- calls ----

  template <class Follow>
  void into(const clang::FunctionDecl& definition, unsigned i, const clang::Expr& call, const call_path& path,
            const Follow& follow) {
    const clang::ParmVarDecl* parameter = definition.getParamDecl(i);
    if (path.size() >= deepest || !open_.insert(parameter).second) return repeats(call);
    call_path deeper = path;
    deeper.push_back(&call);
    hold(*parameter, [&] { follow(*parameter, deeper); });
    open_.erase(parameter);
  }

  void into_parameter(const clang::FunctionDecl& definition, unsigned i, const clang::Expr& call,
                      const position& at, const call_path& path) override {
    into(definition, i, call, path, [&](const clang::ParmVarDecl& parameter, const call_path& deeper) {
      for (const clang::Expr* use : code_.uses(&parameter)) object(*use, at, deeper);
    });
  }

  void into_callers(const clang::FunctionDecl& function, const clang::Expr& e, const position& at,
                    const call_path& path) override {
    const std::vector<const clang::Expr*>& callers = code_.callers(&function);
    const bool came_this_way = !path.empty() && visible_definition(callee_of(*path.back())) == &function;
    ++departures_;
    if (!came_this_way && !returning_.insert(&function).second) lose(e, "a function returns it to itself");
    const std::set<const clang::ValueDecl*> within = open_;
    if (came_this_way) close_all_of(function);  // it may be called again with what it has returned
    for (const clang::Expr* caller : callers) {
      if (came_this_way && caller != path.back()) continue;
      if (llvm::isa<clang::LambdaExpr>(caller) || is_called(*caller)) continue;
      if (!llvm::isa<clang::CallExpr>(caller)) {
        const bool moved = is_pointer(e.getType()) || !at.from.is_zero();
        if (moved && takes_address_) lose(e, "it is returned to code outside this file");
        touch(at, size_of(e.getType()), e);  // a reference is one object
        continue;
      }
      const call_path shorter = came_this_way ? call_path(path.begin(), path.end() - 1) : path;
      if (!came_this_way) offsets_.returned_to().push_back(caller);
      returned_.insert_or_assign(caller, at);
      const bool points = is_pointer(caller->getType()) && !caller->isGLValue();
      position there = at;
      there.is_own = at.is_own && !points;
      points ? pointer(*caller, there, shorter) : object(*caller, there, shorter);
      if (!came_this_way) offsets_.returned_to().pop_back();
    }
    if (!came_this_way) returning_.erase(&function);
    open_ = within;
  }

  void close_all_of(const clang::FunctionDecl& function) {
    open_.erase(&function);
    for (auto at = open_.begin(); at != open_.end();)
      at = function.Encloses((*at)->getDeclContext()) ? open_.erase(at) : std::next(at);
  }

  /// The name of a lambda where it is called: the call is a caller of its own.
  bool is_called(const clang::Expr& name) const {
    const clang::Stmt* above = code_.above(&name);
    while (llvm::isa_and_nonnull<clang::ImplicitCastExpr, clang::ParenExpr>(above))
      above = code_.above(above);
    const auto* call = llvm::dyn_cast_or_null<clang::CXXOperatorCallExpr>(above);
    return llvm::isa<clang::DeclRefExpr>(name) && call != nullptr && call->getOperator() == clang::OO_Call &&
           bare(*call->getArg(0)).IgnoreParenCasts() == &name;
  }

  // ---- pointers ----

  void pointer(const clang::Expr& e, const position& at, const call_path& path) override {
    takes_address_ = true;
    ++departures_;
    const parent_link above = code_.parent(&e);
    if (above.variable != nullptr) return kept_in(*above.variable, e, at, path);
    const auto* outer = llvm::dyn_cast_or_null<clang::Expr>(above.statement);
    if (outer == nullptr) {
      if (!llvm::isa_and_nonnull<clang::ReturnStmt>(above.statement)) return;  // its value is dropped
      const clang::FunctionDecl* function = code_.function_of(&e);
      if (function == nullptr || function == &code_.body()) lose(e, "it leaves the body");
      return into_callers(*function, e, at, path);
    }
    switch (outer->getStmtClass()) {
#define STRADSAP_POINTER(kind, function, example, recorded) \
  case clang::Stmt::kind##Class:                            \
    return function(*outer, e, at, path);
#include "analyze/accesses.def"
      default:
        lose(*outer, "it is stored in an object");
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
    if (llvm::cast<clang::ConditionalOperator>(outer).getCond() != &e) pointer(outer, at, path);
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
      case clang::UO_PostDec:  // where the variable has been is known by now
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
        if (!op.getType()->isPointerType()) return;  // how far two are apart
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

  /// To a variable: from there on it is followed wherever the variable is named.
  void assigned(const clang::BinaryOperator& op, const position& at, const call_path& path) {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(op.getLHS()->IgnoreParens());
    const auto* variable = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    const bool local = variable != nullptr && code_.declares(variable) && !variable->hasGlobalStorage() &&
                       !variable->getType()->isReferenceType();
    if (!local || variable->getDeclContext() != code_.function_of(&op)) lose(op, "it is stored in an object");
    if (open_.count(variable) != 0) {
      if (pointer_moves::own_step(op, *variable) == nullptr) lose(op, "it is assigned from itself");
      return;
    }
    kept_in(*variable, op, at, path);
    pointer(op, at, path);
  }

  void kept_in(const clang::VarDecl& variable, const clang::Expr& e, const position& at,
               const call_path& path) {
    if (variable.hasAttr<clang::CleanupAttr>()) lose(e, "a function cleans up its variable");
    if (llvm::isa<clang::DecompositionDecl>(variable) || variable.hasGlobalStorage())
      lose(e, "it is stored in an object");
    if (!variable.getType()->isPointerType()) {
      if (variable.getType()->isIntegralOrEnumerationType()) return;
      lose(e, "it is stored in an object");
    }
    if (!open_.insert(&variable).second) lose(e, "it is assigned from itself");
    hold(variable, [&] {
      for (const clang::Expr* use : code_.uses(&variable))
        pointer(*use, at_use(variable, *use, at, path), path);
    });
    open_.erase(&variable);
  }

  // ---- pointers ----

  /// Where a variable points at one of its uses, if it began at `start`.
  position at_use(const clang::VarDecl& variable, const clang::Expr& use, const position& start,
                  const call_path& path) {
    const std::vector<pointer_move> all = moves_.of(variable);
    if (all.empty()) return start;
    if (const auto ended = before_end(variable, use, start, all, path)) return *ended;
    position there = start;
    for (const pointer_move& one : all) {
      if (code_.function_of(one.statement) != variable.getDeclContext()) lose(use, "a lambda moves it");
      const offset by = one.by == nullptr ? number(1) : offsets_.of(*one.by, path);
      const bool before = moves_.comes_before(use, one, variable);
      std::vector<offset> rounds{one.forward ? by : subtract(number(0), by),
                                 {before ? "1" : "0", std::nullopt, false, {}}};
      for (const clang::Stmt* loop : moves_.loops_around(*one.statement, variable)) {
        rounds.push_back(offsets_.of_rounds(*loop, path));
      }
      there.move(call_of(api::steps, rounds), size_of_target(code_.ast(), variable.getType()));
    }
    return there;
  }

  /// Where the only move is one up in a loop that compares the pointer with an end.
  std::optional<position> before_end(const clang::VarDecl& variable, const clang::Expr& use,
                                     const position& start, const std::vector<pointer_move>& all,
                                     const call_path& path) {
    const pointer_move& move = all.front();
    const std::vector<const clang::Stmt*> loops = moves_.loops_around(*move.statement, variable);
    const bool steps_by_one = all.size() == 1 && move.by == nullptr && move.forward && loops.size() == 1;
    const clang::Expr* end = steps_by_one ? pointer_moves::end_of(*loops.back(), variable) : nullptr;
    const std::optional<pointer_value> stop = end == nullptr ? std::nullopt : values_.of(*end, path);
    if (!stop || start.is_member) return std::nullopt;
    const std::optional<displacement> stop_at = from_access(*stop);
    if (!stop_at) return std::nullopt;
    const std::int64_t size = size_of_target(code_.ast(), variable.getType());
    position there = start;
    there.count_in(size);
    displacement last = *stop_at;
    last.count_in(size);
    if (there.unit != last.unit) return std::nullopt;
    const bool before = offsets_.is_around(loops.back(), &use) && moves_.comes_before(use, move, variable);
    there.from = between(there.from, before ? last.from : add(last.from, number(1)));
    return there;
  }

  /// How far from the access a pointer is that was made from it, perhaps by a helper that has returned it.
  std::optional<displacement> from_access(const pointer_value& pointer) {
    const auto returned = returned_.find(pointer.root);
    if (returned == returned_.end()) return values_.distance({&access_, {number(0), element_size_}}, pointer);
    displacement there = returned->second;
    displacement by = pointer.at;
    there.count_in(by.unit);
    by.count_in(there.unit);
    if (returned->second.is_member || there.unit != by.unit) return std::nullopt;
    there.from = add(there.from, by.from);
    return there;
  }

  // ---- pointers ----

  void pointer_in_call(const clang::Expr& call, const clang::Expr& e, const position& at,
                       const call_path& path) {
    const clang::FunctionDecl* callee = callee_of(call);
    if (callee == nullptr) lose(e, "it is passed to a function that is known at run time only");
    const std::vector<const clang::Expr*> arguments = arguments_of(call);
    const auto found = std::find(arguments.begin(), arguments.end(), &e);
    const auto i = static_cast<unsigned>(found - arguments.begin());
    if (found == arguments.end()) lose(e, "it is called");
    const clang::FunctionDecl* definition = visible_definition(callee);
    if (definition != nullptr && code_.contains(definition) && i < callee->getNumParams()) {
      return into(*definition, i, call, path, [&](const clang::ParmVarDecl& inner, const call_path& deeper) {
        if (!inner.getType()->isPointerType()) lose(e, "it is passed by reference");
        for (const clang::Expr* use : code_.uses(&inner))
          pointer(*use, at_use(inner, *use, at, deeper), deeper);
      });
    }
    const std::optional<pointer_role> role = role_of_pointer(call, *callee, i);
    if (!role) lose(e, "it is passed to `" + spoken_name(*callee) + "`, of which only the name is known");
    const bool ends_here = role->what != pointer_role::same && role->what != pointer_role::moved &&
                           role->what != pointer_role::moved_back;
    if (at.is_own && ends_here) return touch(at, 1, e);
    given(call, e, *role, arguments, at, path);
  }

  void given(const clang::Expr& call, const clang::Expr& e, const pointer_role& role,
             const std::vector<const clang::Expr*>& arguments, const position& at, const call_path& path) {
    const std::int64_t size = target_size(e);
    const auto value = [&](unsigned i) {
      if (i >= arguments.size()) lose(e, "the number of elements is not known");
      return offsets_.of(*arguments[i], path);
    };
    switch (role.what) {
      case pointer_role::nothing:
        return;
      case pointer_role::fixed:
        return touch(at, role.amount != 0 ? role.amount : size, e);
      case pointer_role::count:
        return touch_count(at, value(role.other), size, e);
      case pointer_role::bytes:
        return touch_count(at, value(role.other), 1, e);
      case pointer_role::strided: {
        const offset last =
            multiply(subtract(value(role.other), number(1)), value(static_cast<unsigned>(role.amount)));
        return touch_count(at, add(call_of(api::hull, {number(0), last}), number(1)), size, e);
      }
      case pointer_role::range:
      case pointer_role::range_of:
        return given_range(call, e, role, arguments, at, path);
      case pointer_role::same:
        return pointer(call, at, path);
      case pointer_role::moved:
        return pointer(call, moved(at, arguments.size() > role.other ? value(role.other) : number(1), size),
                       path);
      case pointer_role::moved_back:
        return pointer(
            call,
            moved(at, subtract(number(0), arguments.size() > role.other ? value(role.other) : number(1)),
                  size),
            path);
    }
  }

  /// As many objects as there are from one argument to another.
  void given_range(const clang::Expr& call, const clang::Expr& e, const pointer_role& role,
                   const std::vector<const clang::Expr*>& arguments, const position& at,
                   const call_path& path) {
    const bool own = role.what == pointer_role::range;
    const clang::Expr& first = own ? e : *arguments[role.other];
    const clang::Expr& last = own ? *arguments[role.other] : *arguments[role.other + 1];
    const offset count = length_of(first, last, path, e);
    touch_count(at, count, target_size(e), e);
    if (role.gives_back && is_pointer(call.getType()))
      pointer(call, moved(at, between(number(0), count), target_size(e)), path);
  }

  /// How many objects lie between two pointers.
  offset length_of(const clang::Expr& first, const clang::Expr& last, const call_path& path,
                   const clang::Expr& where) {
    const auto begin = values_.of(first, path);
    const auto end = values_.of(last, path);
    auto length = begin && end ? values_.distance(*begin, *end) : std::nullopt;
    if (length) length->count_in(target_size(first));
    if (!length || length->unit != target_size(first))
      lose(where, "the end of the range is not known where the pointer is made");
    return length->from;
  }

  pointer_moves moves_;
  pointer_values values_;
  std::set<const clang::FunctionDecl*> returning_;
  std::map<const clang::Expr*, position> returned_;  // by the calls that returned a pointer, where it points
};

}  // namespace

std::optional<pointer_reach> reach_of(const region& code, const dependences& depends,
                                      const clang::Expr& access, clang::QualType element,
                                      const std::function<bool(const clang::ValueDecl*)>& is_read_only) {
  return follower(code, depends, access, element, is_read_only).find();
}

}  // namespace stradsap::pp
