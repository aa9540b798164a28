#include "analyze/pointers.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecordLayout.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <set>

#include "analyze/api_names.hpp"
#include "analyze/control.hpp"
#include "analyze/excerpt.hpp"
#include "analyze/folds.hpp"
#include "analyze/index_loop.hpp"
#include "analyze/known_functions.hpp"
#include "analyze/offsets.hpp"
#include "analyze/pointer_functions.hpp"
#include "analyze/pointer_moves.hpp"
#include "analyze/pointer_values.hpp"
#include "analyze/reached_elements.hpp"
#include "analyze/source.hpp"

namespace stradsap::pp {

namespace {

class follower {
 public:
  follower(const region& code, const dependences& depends, const clang::Expr& access, clang::QualType element,
           const std::function<bool(const clang::ValueDecl*)>& is_read_only)
      : code_(code),
        access_(access),
        offsets_(code, depends, access, is_read_only),
        moves_(code, offsets_),
        values_(code, offsets_, moves_),
        element_size_(size_of(element)),
        reached_(element_size_) {}

  std::optional<pointer_reach> find() {
    pointer_reach found;
    try {
      const position start{{number(0), element_size_}};
      is_pointer(access_.getType()) ? pointer(access_, start, {}) : object(access_, start, {});
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
  [[noreturn]] static void lose(const clang::Expr& where, std::string why) {
    throw unbounded{&where, std::move(why)};
  }

  static bool is_pointer(clang::QualType type) { return type.getNonReferenceType()->isPointerType(); }

  std::int64_t size_of(clang::QualType type) const { return size_of_object(code_.ast(), type); }
  std::int64_t target_size(const clang::Expr& pointer) const {
    return size_of_target(code_.ast(), pointer.getType());
  }

  static position moved(position at, const offset& by, std::int64_t size) {
    at.move(by, size);
    return at;
  }

  void touch(const position& at, std::int64_t size, const clang::Expr& e) {
    touch_count(at, number(1), size, e);
  }
  void touch_count(const position& at, const offset& count, std::int64_t size, const clang::Expr& e) {
    if (!reached_.add(at, count, size)) lose(e, "it may leave the element");
  }

  // ---- objects ----

  /// Follows an expression that designates an object at a position. References are single objects.
  void object(const clang::Expr& e, const position& at, const call_path& path) {
    const parent_link above = code_.parent(&e);
    if (above.variable != nullptr) return bound_to(*above.variable, e, at, path);
    const auto* outer = llvm::dyn_cast_or_null<clang::Expr>(above.statement);
    if (outer == nullptr) {
      const bool returned = llvm::isa_and_nonnull<clang::ReturnStmt>(above.statement);
      const clang::FunctionDecl* function = returned ? code_.function_of(&e) : nullptr;
      if (function != nullptr && function->getReturnType()->isReferenceType() && function != &code_.body())
        return into_callers(*function, e, at, path);
      return touch(at, size_of(e.getType()), e);
    }
    switch (outer->getStmtClass()) {
#define STRADSAP_ELEMENT(kind, function, example, recorded) \
  case clang::Stmt::kind##Class:                            \
    return function(*outer, e, at, path);
#include "analyze/accesses.def"
      default:
        lose(e, "it stands in an expression of an unknown kind");
    }
  }

  void same_object(const clang::Expr& outer, const clang::Expr&, const position& at, const call_path& path) {
    object(outer, at, path);
  }
  void single_object(const clang::Expr&, const clang::Expr& e, const position& at, const call_path&) {
    touch(at, size_of(e.getType()), e);
  }

  void object_in_step(const clang::Expr& outer, const clang::Expr& e, const position& at,
                      const call_path& path) {
    const auto& step = llvm::cast<clang::UnaryOperator>(outer);
    if (step.getOpcode() == clang::UO_AddrOf) return pointer(step, at, path);
    touch(at, size_of(e.getType()), e);
    if (step.isPrefix() && step.isIncrementDecrementOp()) object(step, at, path);
  }

  void object_in_binary(const clang::Expr& outer, const clang::Expr& e, const position& at,
                        const call_path& path) {
    const auto& op = llvm::cast<clang::BinaryOperator>(outer);
    const bool same = (op.isAssignmentOp() && op.getLHS() == &e) ||
                      (op.getOpcode() == clang::BO_Comma && op.getRHS() == &e);
    touch(at, size_of(e.getType()), e);
    if (same && op.isGLValue()) object(op, at, path);
  }

  void object_in_choice(const clang::Expr& outer, const clang::Expr& e, const position& at,
                        const call_path& path) {
    const auto& choice = llvm::cast<clang::ConditionalOperator>(outer);
    if (choice.getCond() != &e && choice.isGLValue()) return object(choice, at, path);
    touch(at, size_of(e.getType()), e);
  }

  void bound_to(const clang::VarDecl& variable, const clang::Expr& e, const position& at,
                const call_path& path) {
    const bool refers =
        variable.getType()->isReferenceType() && !llvm::isa<clang::DecompositionDecl>(variable);
    if (!refers || !open_.insert(&variable).second) return touch(at, size_of(e.getType()), e);
    if (code_.uses(&variable).empty()) touch(at, size_of(e.getType()), e);
    hold(variable, [&] {
      for (const clang::Expr* use : code_.uses(&variable)) object(*use, at, path);
    });
    open_.erase(&variable);
  }

  void object_in_cast(const clang::Expr& outer, const clang::Expr& e, const position& at,
                      const call_path& path) {
    const auto& cast = llvm::cast<clang::CastExpr>(outer);
    switch (cast.getCastKind()) {
      case clang::CK_NoOp:
        return object(cast, at, path);
      case clang::CK_DerivedToBase:
      case clang::CK_UncheckedDerivedToBase:
        return touch(at, size_of(e.getType()), e);
      case clang::CK_LValueBitCast:  // reinterpret_cast<vector_type&>(x)
        takes_address_ = true;
        return object(cast, at, path);
      case clang::CK_ArrayToPointerDecay: {
        if (is_in_own_array(e, at)) return touch(at, size_of(e.getType()), e);
        takes_address_ = true;
        return pointer(cast, at, path);
      }
      default:
        return touch(at, size_of(e.getType()), e);
    }
  }

  /// An array that is a part of the element: its subscripts stay in it.
  bool is_in_own_array(const clang::Expr& array, const position& at) const {
    return at.is_member || (at.from.is_zero() && size_of(array.getType()) <= element_size_);
  }

  void object_of_member(const clang::Expr& outer, const clang::Expr& e, const position& at,
                        const call_path& path) {
    const auto& member = llvm::cast<clang::MemberExpr>(outer);
    const auto* field = llvm::dyn_cast<clang::FieldDecl>(member.getMemberDecl());
    if (field == nullptr || field->isBitField() || field->getType()->isReferenceType()) {
      touch(at, size_of(e.getType()), e);
      return;  // a function of the object, which keeps to it
    }
    const std::int64_t whole = size_of(e.getType());
    const std::int64_t before =
        code_.ast().toCharUnitsFromBits(code_.ast().getFieldOffset(field)).getQuantity();
    if (!at.is_member) touch(at, whole, e);
    position part{{number(0), 1}, /*is_member=*/true, before, whole - before};
    if (at.is_member) {
      part.room_before += at.room_before;
      part.room_behind = at.room_behind - before;
    }
    object(member, part, path);
  }

  void object_in_call(const clang::Expr& call, const clang::Expr& e, const position& at,
                      const call_path& path) {
    const clang::FunctionDecl* callee = callee_of(call);
    const std::vector<const clang::Expr*> arguments = arguments_of(call);
    const auto found = std::find(arguments.begin(), arguments.end(), &e);
    const auto i = static_cast<unsigned>(found - arguments.begin());
    if (callee == nullptr || found == arguments.end() || i >= callee->getNumParams())
      return touch(at, size_of(e.getType()), e);
    const clang::ParmVarDecl* parameter = callee->getParamDecl(i);
    if (!parameter->getType()->isReferenceType()) return touch(at, size_of(e.getType()), e);
    const clang::FunctionDecl* definition = visible_definition(callee);
    if (definition != nullptr && code_.contains(definition)) {
      touch(at, size_of(e.getType()), e);
      return into(*definition, i, call, path, [&](const clang::ParmVarDecl& inner, const call_path& deeper) {
        for (const clang::Expr* use : code_.uses(&inner)) object(*use, at, deeper);
      });
    }
    const auto role = role_of_pointer(call, *callee, i);
    if (role && role->what == pointer_role::same) {  // std::addressof
      if (is_pointer(call.getType())) return pointer(call, at, path);
      return object(call, at, path);
    }
    touch(at, size_of(e.getType()), e);
    const bool hands_back = callee->getReturnType()->isReferenceType() && is_in_std(*callee) && !at.is_member;
    if (hands_back && llvm::isa<clang::CallExpr>(call)) object(call, at, path);  // std::max(a, b)
  }

  // ---- calls ----

  template <class Follow>
  void into(const clang::FunctionDecl& definition, unsigned i, const clang::Expr& call, const call_path& path,
            const Follow& follow) {
    constexpr std::size_t deepest = 16;
    const clang::ParmVarDecl* parameter = definition.getParamDecl(i);
    if (path.size() >= deepest || !open_.insert(parameter).second) {
      if (takes_address_) lose(call, "a function passes it to itself");
      return;
    }
    call_path deeper = path;
    deeper.push_back(&call);
    hold(*parameter, [&] { follow(*parameter, deeper); });
    open_.erase(parameter);
  }

  /// What a function returns goes to whoever has called it.
  void into_callers(const clang::FunctionDecl& function, const clang::Expr& e, const position& at,
                    const call_path& path) {
    if (returning_.count(&function) != 0) lose(e, "a function returns it to itself");
    const std::vector<const clang::Expr*>& callers = code_.callers(&function);
    returning_.insert(&function);
    const bool came_this_way = !path.empty() && visible_definition(callee_of(*path.back())) == &function;
    for (const clang::Expr* caller : callers) {
      if (came_this_way && caller != path.back()) continue;
      if (llvm::isa<clang::LambdaExpr>(caller) || is_called(*caller)) continue;
      if (!llvm::isa<clang::CallExpr>(caller)) {
        if (is_pointer(e.getType()) && takes_address_) lose(e, "it is returned to code outside this file");
        touch(at, size_of(e.getType()), e);  // a reference is one object
        continue;
      }
      const call_path shorter = came_this_way ? call_path(path.begin(), path.end() - 1) : path;
      if (!came_this_way) offsets_.returned_to().push_back(caller);
      returned_.insert_or_assign(caller, at);
      is_pointer(caller->getType()) && !caller->isGLValue() ? pointer(*caller, at, shorter)
                                                            : object(*caller, at, shorter);
      if (!came_this_way) offsets_.returned_to().pop_back();
    }
    returning_.erase(&function);
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

  template <class Follow> void hold(const clang::VarDecl& variable, const Follow& follow) {
    offsets_.carriers().push_back(&variable);
    follow();
    offsets_.carriers().pop_back();
  }

  // ---- pointers ----

  /// Follows an expression whose value, or whose object's, is a pointer to a position.
  void pointer(const clang::Expr& e, const position& at, const call_path& path) {
    takes_address_ = true;
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
    object(outer, moved(at, offsets_.of(index, path), target_size(e)), path);
  }

  void pointer_in_choice(const clang::Expr& outer, const clang::Expr& e, const position& at,
                         const call_path& path) {
    if (llvm::cast<clang::ConditionalOperator>(outer).getCond() != &e) pointer(outer, at, path);
  }

  void pointer_to_member(const clang::Expr& outer, const clang::Expr& e, const position& at,
                         const call_path& path) {
    const auto& member = llvm::cast<clang::MemberExpr>(outer);
    const std::int64_t size = target_size(e);
    if (!member.isArrow()) lose(e, "it is stored in an object");
    touch(at, size, e);
    const auto* field = llvm::dyn_cast<clang::FieldDecl>(member.getMemberDecl());
    if (field == nullptr || field->isBitField() || at.is_member) return;
    const std::int64_t before =
        code_.ast().toCharUnitsFromBits(code_.ast().getFieldOffset(field)).getQuantity();
    object(member, {{number(0), 1}, /*is_member=*/true, before, size - before}, path);
  }

  void pointer_in_cast(const clang::Expr& outer, const clang::Expr&, const position& at,
                       const call_path& path) {
    const auto& cast = llvm::cast<clang::CastExpr>(outer);
    switch (cast.getCastKind()) {
      case clang::CK_LValueToRValue:
      case clang::CK_NoOp:
      case clang::CK_BitCast:
      case clang::CK_ConstructorConversion:
        return pointer(cast, at, path);
      case clang::CK_ToVoid:
      case clang::CK_PointerToBoolean:
        return;
      default:
        lose(cast, "it is converted to something else");
    }
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
        const offset by = offsets_.of(is_left ? *op.getRHS() : *op.getLHS(), path);
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
    if (returned == returned_.end())
      return values_.distance({&access_, {number(0), element_size_}}, pointer);
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
    if (!role)
      lose(e, "it is passed to `" + callee->getNameAsString() + "`, of which only the name is known");
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

  const region& code_;
  const clang::Expr& access_;
  offset_reader offsets_;
  pointer_moves moves_;
  pointer_values values_;
  std::int64_t element_size_;
  reached_elements reached_;
  bool takes_address_ = false;
  std::set<const clang::ValueDecl*> open_;  // being followed
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
