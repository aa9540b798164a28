#include "analyze/pointers/role_follower.hpp"

#include "analyze/code/types.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/source/api_names.hpp"

namespace stradsap::pp {

void role_follower::given(const clang::Expr& call, const clang::Expr& e, const pointer_role& role,
                          const std::vector<const clang::Expr*>& arguments, const position& start,
                          const call_path& path) {
  // a function that returns a place in its range may end there
  const bool may_end_early = role.result == pointer_role::in_range || role.result == pointer_role::in_or_end;
  const position at = may_end_early ? unsure(start) : start;
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
    case pointer_role::area:
    case pointer_role::bytes: {
      const std::int64_t unit = role.what == pointer_role::bytes ? 1 : size;
      const bool is_area = role.what == pointer_role::area;
      const offset count = is_area ? multiply(value(role.other), value(static_cast<unsigned>(role.amount)))
                                   : value(role.other);
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
          moved(at, subtract(number(0), arguments.size() > role.other ? value(role.other) : number(1)), size),
          path);
  }
}

/// Follows a range: as many objects as lie between two arguments.
void role_follower::given_range(const clang::Expr& call, const clang::Expr& e, const pointer_role& role,
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
void role_follower::given_back(const clang::Expr& call, const pointer_role& role, const position& first,
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
void role_follower::pair_of_pointers(const clang::Expr& e, const position& at, const call_path& path) {
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

void role_follower::pair_kept_in(const clang::VarDecl& variable, const clang::Expr& e, const position& at,
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
void role_follower::unmoved_pointer(const clang::Expr& e, const position& at, const call_path& path) {
  if ((use_reader(code_).bits(e) & use_write) != 0) lose(e, "it is stored in an object");
  pointer(e, at, path);
}

}  // namespace stradsap::pp
