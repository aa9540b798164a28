#include "analyze/pointers/pointers.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <set>

#include "analyze/code/control.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/code/index_loop.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/code/types.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/pointers/offsets.hpp"
#include "analyze/pointers/pointer_functions.hpp"
#include "analyze/pointers/pointer_moves.hpp"
#include "analyze/pointers/pointer_places.hpp"
#include "analyze/pointers/reached_elements.hpp"
#include "analyze/pointers/span_follower.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace {

class follower : private span_follower {
 public:
  follower(const region& code, const dependences& depends, const clang::Expr& access, clang::QualType element,
           const std::function<bool(const clang::ValueDecl*)>& is_read_only)
      : span_follower(code, depends, access, element, is_read_only),
        places_(code, access, element_size_, offsets_) {}

  std::optional<pointer_reach> find() {
    pointer_reach found;
    try {
      const position start{{number(0), element_size_}};
      if (is_view(access_.getType())) {
        start_in_span(start);
      } else {
        is_pointer(access_.getType()) ? pointer(access_, start, {}) : object(access_, start, {});
      }
      if (takes_address_ && repeated_ != nullptr) lose(*repeated_, "a function passes it to itself");
    } catch (const unbounded& limit) {
      found.lost = limit.where != nullptr ? limit.where : &access_;
      found.why = limit.why;
      return found;
    }
    const bool adds_none = within_ ? reached_.is_within(*within_) : reached_.is_alone();
    if (!takes_address_ || adds_none) return std::nullopt;
    found.offsets = reached_.text();
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
    each_caller(function, e, path, [&](const clang::Expr& caller, const call_path& shorter) {
      if (!llvm::isa<clang::CallExpr>(caller)) {
        const bool moved = is_pointer(e.getType()) || !at.from.is_zero();
        if (moved && takes_address_) goes_out_of_sight(at, e, "it is returned to code outside this file");
        return touch(at, size_of(e.getType()), e);  // a reference is one object
      }
      places_.set_returned(&caller, at);
      const bool points = is_pointer(caller.getType()) && !caller.isGLValue();
      position there = at;
      there.is_own = at.is_own && !points;
      points ? pointer(caller, there, shorter) : object(caller, there, shorter);
    });
  }

  void view_into_callers(const clang::FunctionDecl& function, const clang::Expr& e, const element_view& seen,
                         const call_path& path) override {
    each_caller(function, e, path, [&](const clang::Expr& caller, const call_path& shorter) {
      if (is_view(caller.getType())) view(caller, seen, shorter);
    });
  }

  /// Follows a function's result into its callers: into the call on the path, or into all calls.
  template <class Follow>
  void each_caller(const clang::FunctionDecl& function, const clang::Expr& e, const call_path& path,
                   const Follow& follow) {
    const std::vector<const clang::Expr*>& callers = code_.callers(&function);
    const bool came_this_way = !path.empty() && visible_definition(callee_of(*path.back())) == &function;
    ++departures_;
    if (!came_this_way && !returning_.insert(&function).second) lose(e, "a function returns it to itself");
    const std::set<const clang::ValueDecl*> within = open_;
    if (came_this_way) close_all_of(function);  // it may be called again with its own result
    for (const clang::Expr* caller : callers) {
      if (came_this_way && caller != path.back()) continue;
      if (llvm::isa<clang::LambdaExpr>(caller) || is_called(*caller)) continue;
      const call_path shorter = came_this_way ? call_path(path.begin(), path.end() - 1) : path;
      const bool enters = !came_this_way && llvm::isa<clang::CallExpr>(caller);
      if (enters) offsets_.returned_to().push_back(caller);
      follow(*caller, shorter);
      if (enters) offsets_.returned_to().pop_back();
    }
    if (!came_this_way) returning_.erase(&function);
    open_ = within;
  }

  void view_into_parameter(const clang::FunctionDecl& definition, unsigned i, const clang::Expr& call,
                           const element_view& seen, const call_path& path) override {
    into(definition, i, call, path, [&](const clang::ParmVarDecl& parameter, const call_path& deeper) {
      views_at(code_.uses(&parameter), seen, deeper);
    });
  }

  void close_all_of(const clang::FunctionDecl& function) {
    open_.erase(&function);
    for (auto at = open_.begin(); at != open_.end();)
      at = function.Encloses((*at)->getDeclContext()) ? open_.erase(at) : std::next(at);
  }

  /// Whether this is the name of a called lambda: the call is a caller of its own.
  bool is_called(const clang::Expr& name) const {
    const clang::Stmt* above = code_.above(&name);
    while (llvm::isa_and_nonnull<clang::ImplicitCastExpr, clang::ParenExpr>(above))
      above = code_.above(above);
    const auto* call = llvm::dyn_cast_or_null<clang::CXXOperatorCallExpr>(above);
    return llvm::isa<clang::DeclRefExpr>(name) && call != nullptr && call->getOperator() == clang::OO_Call &&
           bare(*call->getArg(0)).IgnoreParenCasts() == &name;
  }

  /// Follows a pointer into code without visible text. For a span, the user's statement limits its reach.
  void goes_out_of_sight(const position& at, const clang::Expr& e, const std::string& why) {
    if (!at.is_stated) lose(e, why);
    keep(e, at, [&](const clang::Expr& one) { pointer(one, at, {}); });
  }

  // ---- pointers ----

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
    kept_in(*variable, op, at, path);
    pointer(op, at, path);
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
    hold(variable, [&] {
      for (const clang::Expr* use : code_.uses(&variable))
        pointer(*use, places_.at_use(variable, *use, at, path), path);
    });
    open_.erase(&variable);
  }

  // ---- pointers ----

  void pointer_in_call(const clang::Expr& call, const clang::Expr& e, const position& at,
                       const call_path& path) {
    const clang::FunctionDecl* callee = callee_of(call);
    if (callee == nullptr)
      return goes_out_of_sight(at, e, "it is passed to a function that is known at run time only");
    const std::vector<const clang::Expr*> arguments = arguments_of(call);
    const auto found = std::find(arguments.begin(), arguments.end(), &e);
    const auto i = static_cast<unsigned>(found - arguments.begin());
    if (found == arguments.end()) lose(e, "it is called");
    const clang::FunctionDecl* definition = visible_definition(callee);
    if (definition != nullptr && code_.contains(definition) && i < callee->getNumParams()) {
      return into(*definition, i, call, path, [&](const clang::ParmVarDecl& inner, const call_path& deeper) {
        if (!inner.getType()->isPointerType()) lose(e, "it is passed by reference");
        for (const clang::Expr* use : code_.uses(&inner))
          pointer(*use, places_.at_use(inner, *use, at, deeper), deeper);
      });
    }
    const std::optional<pointer_role> role = role_of_pointer(call, *callee, i);
    if (!role) {
      const std::string name = spoken_name(*callee);
      return goes_out_of_sight(at, e, "it is passed to `" + name + "`, of which only the name is known");
    }
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
      case pointer_role::bytes: {
        const std::int64_t unit = role.what == pointer_role::count ? size : 1;
        const offset count = value(role.other);
        touch_count(at, count, unit, e);
        return given_back(call, role, at, moved(at, count, unit), unit, path);
      }
      case pointer_role::strided: {
        const offset last =
            multiply(subtract(value(role.other), number(1)), value(static_cast<unsigned>(role.amount)));
        return touch_count(at, add(call_of(api::hull, {number(0), last}), number(1)), size, e);
      }
      case pointer_role::range:
      case pointer_role::range_of:
      case pointer_role::range_before:
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

  /// Follows a range: as many objects as lie between two arguments.
  void given_range(const clang::Expr& call, const clang::Expr& e, const pointer_role& role,
                   const std::vector<const clang::Expr*>& arguments, const position& at,
                   const call_path& path) {
    const std::int64_t size = target_size(e);
    const bool own = role.what == pointer_role::range;
    const clang::Expr& first = own ? e : *arguments[role.other];
    const clang::Expr& last = own ? *arguments[role.other] : *arguments[role.other + 1];
    if (own) {
      if (const auto end = places_.end_from_access(first, last, at, path)) {
        touch({between(at.from, end->from), size}, size, e);
        return given_back(call, role, at, *end, size, path);
      }
    }
    const offset count = places_.length_of(first, last, path, e);
    const bool before = role.what == pointer_role::range_before;
    const position begin = before ? moved(at, subtract(number(0), count), size) : at;
    touch_count(begin, count, size, e);
    given_back(call, role, begin, moved(begin, count, size), size, path);
  }

  /// Follows the result of a known function over a range from `first` to `last`.
  void given_back(const clang::Expr& call, const pointer_role& role, const position& first,
                  const position& last, std::int64_t size, const call_path& path) {
    position there = first;
    position end = last;
    element_view seen{first, last};
    if (is_view(call.getType())) {
      seen.first.is_stated = seen.end->is_stated = true;
      if (role.what == pointer_role::count) seen.count = offsets_.of(*arguments_of(call)[role.other], path);
      return view(call, seen, path);
    }
    given_to_functions(call, seen, path);
    there.count_in(size);
    end.count_in(size);
    if (there.unit != end.unit) lose(call, "it is converted to something else");
    switch (role.result) {
      case pointer_role::no_pointer:
        return;
      case pointer_role::same_pointer:
        break;
      case pointer_role::end_of_range:
        there = end;
        break;
      case pointer_role::in_range:
        there.from = between(there.from, end.from);
        break;
      case pointer_role::in_or_end:
        there.from = between(there.from, add(end.from, number(size / end.unit)));
        break;
    }
    places_.set_returned(&call, there);
    is_pointer(call.getType()) ? pointer(call, there, path) : pair_of_pointers(call, there, path);
  }

  /// Follows the results of std::minmax_element and std::equal_range.
  void pair_of_pointers(const clang::Expr& e, const position& at, const call_path& path) {
    const parent_link above = code_.parent(&e);
    if (above.variable != nullptr) return pair_kept_in(*above.variable, e, at, path);
    const auto* outer = llvm::dyn_cast_or_null<clang::Expr>(above.statement);
    if (outer == nullptr) {
      if (llvm::isa_and_nonnull<clang::ReturnStmt>(above.statement)) lose(e, "it is stored in an object");
      return;
    }
    const auto* member = llvm::dyn_cast<clang::MemberExpr>(outer);
    if (member != nullptr && llvm::isa<clang::FieldDecl>(member->getMemberDecl()))
      return unmoved_pointer(*member, at, path);
    const auto* cast = llvm::dyn_cast<clang::CastExpr>(outer);
    if (llvm::isa<clang::ParenExpr, clang::FullExpr, clang::MaterializeTemporaryExpr>(outer) ||
        (cast != nullptr && cast->getCastKind() == clang::CK_NoOp))
      return pair_of_pointers(*outer, at, path);
    lose(e, "it is stored in an object");
  }

  void pair_kept_in(const clang::VarDecl& variable, const clang::Expr& e, const position& at,
                    const call_path& path) {
    if (variable.hasGlobalStorage()) lose(e, "it is stored in an object");
    hold(variable, [&] {
      const auto* parts = llvm::dyn_cast<clang::DecompositionDecl>(&variable);
      if (parts == nullptr) {
        for (const clang::Expr* use : code_.uses(&variable)) pair_of_pointers(*use, at, path);
        return;
      }
      for (const clang::BindingDecl* part : parts->bindings()) {
        for (const clang::Expr* use : code_.uses(part)) unmoved_pointer(*use, at, path);
      }
    });
  }

  /// Follows a pointer that is no variable.
  void unmoved_pointer(const clang::Expr& e, const position& at, const call_path& path) {
    if ((use_reader(code_).bits(e) & use_write) != 0) lose(e, "it is stored in an object");
    pointer(e, at, path);
  }

  pointer_places places_;
  std::set<const clang::FunctionDecl*> returning_;
  std::optional<offset> within_;  // the length of the span, if the access makes one
};

}  // namespace

std::optional<pointer_reach> reach_of(const region& code, const dependences& depends,
                                      const clang::Expr& access, clang::QualType element,
                                      const std::function<bool(const clang::ValueDecl*)>& is_read_only) {
  return follower(code, depends, access, element, is_read_only).find();
}

}  // namespace stradsap::pp
