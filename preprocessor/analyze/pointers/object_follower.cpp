#include "analyze/pointers/object_follower.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecordLayout.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

#include "analyze/pointers/kept_references.hpp"
#include "analyze/pointers/pointer_functions.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// The distance in bytes between a class and its base, in the direction of the cast. Nothing for other casts,
/// and for virtual bases.
static std::optional<std::int64_t> distance_of_base(const clang::ASTContext& ast,
                                                    const clang::CastExpr& cast) {
  const clang::CastKind kind = cast.getCastKind();
  const bool up = kind == clang::CK_DerivedToBase || kind == clang::CK_UncheckedDerivedToBase;
  if (!up && kind != clang::CK_BaseToDerived) return std::nullopt;
  clang::QualType type = up ? cast.getSubExpr()->getType() : cast.getType();
  if (type->isPointerType()) type = type->getPointeeType();
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  std::int64_t found = 0;
  for (const clang::CXXBaseSpecifier* base : cast.path()) {
    const clang::CXXRecordDecl* next = base->getType()->getAsCXXRecordDecl();
    if (record == nullptr || next == nullptr || base->isVirtual()) return std::nullopt;
    found += ast.getASTRecordLayout(record).getBaseClassOffset(next).getQuantity();
    record = next;
  }
  return up ? found : -found;
}

/// Whether the expression above reads or writes the object at once. A name alone, as where a reference is
/// bound to it, may never be used.
static bool is_access(const region& code, const clang::Expr& e) {
  const clang::Stmt* above = code.parent(&e).statement;
  const clang::Expr* below = &e;
  const auto is_same = [](const clang::Stmt* one) {
    const auto* cast = llvm::dyn_cast<clang::CastExpr>(one);
    return llvm::isa<clang::ParenExpr>(one) || (cast != nullptr && cast->getCastKind() == clang::CK_NoOp);
  };
  while (above != nullptr && is_same(above)) {
    below = llvm::cast<clang::Expr>(above);
    above = code.parent(below).statement;
  }
  if (above == nullptr) return false;
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(above))
    return !llvm::isa<clang::FieldDecl>(member->getMemberDecl()) || is_access(code, *member);
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(above))
    return cast->getCastKind() == clang::CK_LValueToRValue && below->isGLValue();
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(above))
    return op->isAssignmentOp() && op->getLHS() == below;
  if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(above)) return step->isIncrementDecrementOp();
  if (!llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(above)) return false;
  const auto& call = llvm::cast<clang::Expr>(*above);
  const clang::FunctionDecl* callee = callee_of(call);
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(callee);
  const bool copies =
      method != nullptr && (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator() ||
                            llvm::isa<clang::CXXConstructorDecl>(method));
  return callee != nullptr && (is_in_std(*callee) || !is_users(*callee) || (copies && method->isTrivial()));
}

void object_follower::touch_count(const position& at, const offset& count, std::int64_t size,
                                  const clang::Expr& e) {
  if (at.is_in_view) return;
  if (!reached_.add(at, count, size)) lose(e, "it may leave the element");
  if (!is_access(code_, e)) return;
  if (const auto rounds = certain_.up_to(e, at.way)) reached_.set_sure(*rounds);
}

position object_follower::entering(const clang::FunctionDecl& definition, const clang::Expr& call,
                                   const position& at, const call_path& deeper) {
  position there = unsure(at);
  if (auto rounds = certain_.up_to(call, at.way)) there.way = {&definition, nullptr, deeper, *rounds};
  return there;
}

position object_follower::leaving(const clang::Expr& e, const clang::Expr& call, const position& at,
                                  const call_path& shorter) {
  position there = unsure(at);
  const bool is_in_round = !at.way.rounds.empty();
  const auto rounds = is_in_round ? std::nullopt : certain_.up_to(e, at.way);
  if (rounds && rounds->empty()) there.way = {code_.function_of(&call), &call, shorter};
  return there;
}

std::optional<position> object_follower::in_class(const clang::CastExpr& cast, const position& at) const {
  const std::optional<std::int64_t> by = distance_of_base(code_.ast(), cast);
  if (!by) return std::nullopt;
  return *by == 0 ? at : moved(at, number(*by), 1);
}

offset object_follower::offset_of(const clang::Expr& number, const position& at, const call_path& path) {
  try {
    return offsets_.of(number, path);
  } catch (const unbounded&) {
    if (!at.is_own) throw;
    return {"0", std::nullopt, false, {}};
  }
}

void object_follower::object(const clang::Expr& e, const position& at, const call_path& path) {
  const parent_link above = code_.parent(&e);
  if (above.variable != nullptr) return bound_to(*above.variable, e, at, path);
  const auto* outer = llvm::dyn_cast_or_null<clang::Expr>(above.statement);
  if (outer == nullptr) {
    const bool returned = llvm::isa_and_nonnull<clang::ReturnStmt>(above.statement);
    const clang::FunctionDecl* function = returned ? code_.function_of(&e) : nullptr;
    if (function != nullptr && function->getReturnType()->isReferenceType() && function != &code_.body())
      return into_callers(*function, e, at, path);
    const bool initialises = llvm::isa_and_nonnull<clang::CXXConstructorDecl>(above.function);
    if (initialises && e.isGLValue()) return kept_in_object(e, at, path);  // a member that is a reference
    return touch(at, size_of(e.getType()), e);
  }
  switch (outer->getStmtClass()) {
#define STRADSAP_ELEMENT(kind, function, example, recorded) \
  case clang::Stmt::kind##Class:                            \
    return function(*outer, e, at, path);
#include "analyze/code/accesses.def"
    default:
      lose(e, "it stands in an expression of an unknown kind");
  }
}

void object_follower::same_object(const clang::Expr& outer, const clang::Expr&, const position& at,
                                  const call_path& path) {
  object(outer, at, path);
}
void object_follower::single_object(const clang::Expr& outer, const clang::Expr& e, const position& at,
                                    const call_path& path) {
  if (keeps_reference(outer, e))
    return outer.isGLValue() ? object(outer, at, path) : kept_in_object(e, at, path);
  touch(at, size_of(e.getType()), e);
}

/// Records a reference that an object keeps; it may be used wherever a kept reference of its type is.
void object_follower::kept_in_object(const clang::Expr& e, const position& at, const call_path& path) {
  touch(unsure(at), size_of(e.getType()), e);
  ++departures_;
  constexpr std::size_t most = 16;
  const clang::QualType type = e.getType().getCanonicalType().getUnqualifiedType();
  if (!kept_.emplace(type, at.from.text, at.room_before, at.room_behind).second) return;
  if (kept_.size() > most) lose(e, "it is stored in an object");
  available_.hold(holders_of_references(code_), [&] {
    for (const clang::Expr* reference : kept_references_to(code_, e.getType())) {
      const bool here = code_.function_of(reference) == code_.function_of(&e);
      object(*reference, unsure(at), here ? path : call_path());
    }
  });
}

void object_follower::object_in_step(const clang::Expr& outer, const clang::Expr& e, const position& at,
                                     const call_path& path) {
  const auto& step = llvm::cast<clang::UnaryOperator>(outer);
  if (step.getOpcode() == clang::UO_AddrOf) return pointer(step, at, path);
  touch(at, size_of(e.getType()), e);
  if (step.isPrefix() && step.isIncrementDecrementOp()) object(step, at, path);
}

void object_follower::object_in_binary(const clang::Expr& outer, const clang::Expr& e, const position& at,
                                       const call_path& path) {
  const auto& op = llvm::cast<clang::BinaryOperator>(outer);
  const bool same =
      (op.isAssignmentOp() && op.getLHS() == &e) || (op.getOpcode() == clang::BO_Comma && op.getRHS() == &e);
  if (op.getOpcode() == clang::BO_PtrMemD) return through_member_pointer(op, e, at, path);
  touch(at, size_of(e.getType()), e);
  if (same && op.isGLValue()) object(op, at, path);
}

void object_follower::through_member_pointer(const clang::BinaryOperator& op, const clang::Expr& e,
                                             const position& at, const call_path& path) {
  touch(at, is_pointer(e.getType()) ? target_size(e) : size_of(e.getType()), e);
  const auto* call = llvm::dyn_cast_or_null<clang::CXXMemberCallExpr>(call_above(op));
  if (call != nullptr && op.getLHS() == &e) called_by_pointer(*call, e, at, path);
}

void object_follower::object_in_choice(const clang::Expr& outer, const clang::Expr& e, const position& at,
                                       const call_path& path) {
  const auto& choice = llvm::cast<clang::ConditionalOperator>(outer);
  if (choice.getCond() != &e && choice.isGLValue()) return object(choice, unsure(at), path);
  touch(at, size_of(e.getType()), e);
}

void object_follower::bound_to(const clang::VarDecl& variable, const clang::Expr& e, const position& at,
                               const call_path& path) {
  const bool refers = variable.getType()->isReferenceType() && !llvm::isa<clang::DecompositionDecl>(variable);
  if (!refers || !open_.insert(&variable).second) return touch(at, size_of(e.getType()), e);
  if (code_.uses(&variable).empty()) touch(at, size_of(e.getType()), e);
  hold(variable, [&] {
    for (const clang::Expr* use : code_.uses(&variable)) object(*use, at, path);
  });
  open_.erase(&variable);
}

void object_follower::object_in_cast(const clang::Expr& outer, const clang::Expr& e, const position& at,
                                     const call_path& path) {
  const auto& cast = llvm::cast<clang::CastExpr>(outer);
  switch (cast.getCastKind()) {
    case clang::CK_NoOp:
      return object(cast, at, path);
    case clang::CK_DerivedToBase:
    case clang::CK_UncheckedDerivedToBase:
    case clang::CK_BaseToDerived:
      touch(at, size_of(e.getType()), e);
      if (const auto there = in_class(cast, at)) object(cast, *there, path);
      return;
    case clang::CK_UserDefinedConversion:
      return cast.isGLValue() ? object(cast, at, path) : touch(at, size_of(e.getType()), e);
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

/// Whether an array is a part of the element, so that its subscripts stay within.
bool object_follower::is_in_own_array(const clang::Expr& array, const position& at) const {
  return at.is_member || (at.from.is_zero() && size_of(array.getType()) <= element_size_);
}

void object_follower::object_of_member(const clang::Expr& outer, const clang::Expr& e, const position& at,
                                       const call_path& path) {
  const auto& member = llvm::cast<clang::MemberExpr>(outer);
  touch(at, size_of(e.getType()), e);
  part_of(member, size_of(e.getType()), at, path);
}

void object_follower::pointer_to_member(const clang::Expr& outer, const clang::Expr& e, const position& at,
                                        const call_path& path) {
  const auto& member = llvm::cast<clang::MemberExpr>(outer);
  const std::int64_t size = target_size(e);
  if (!member.isArrow()) lose(e, "it is stored in an object");
  touch(at, size, e);
  part_of(member, size, at, path);
}

/// Follows a member of an object of `whole` bytes: a field, or a function that is called on it.
void object_follower::part_of(const clang::MemberExpr& member, std::int64_t whole, const position& at,
                              const call_path& path) {
  const auto* field = llvm::dyn_cast<clang::FieldDecl>(member.getMemberDecl());
  if (field == nullptr) return called_on(member, at, path);
  if (field->isBitField() || field->getType()->isReferenceType()) return;
  const std::int64_t before =
      code_.ast().toCharUnitsFromBits(code_.ast().getFieldOffset(field)).getQuantity();
  position part{{number(0), 1}, /*is_member=*/true, before, whole - before};
  part.is_own = at.is_own || llvm::isa<clang::CXXThisExpr>(member.getBase()->IgnoreParenImpCasts());
  if (at.is_member) {
    const auto [first, last] = at.from.bounds.value_or(std::pair<std::int64_t, std::int64_t>(0, 0));
    part.room_before = before + at.room_before + first * at.unit;
    part.room_behind = at.room_behind - before - last * at.unit;
  }
  object(member, part, path);
}

/// The node above a callee, without parentheses.
const clang::Stmt* object_follower::call_above(const clang::Expr& callee) const {
  const clang::Stmt* above = code_.above(&callee);
  while (llvm::isa_and_nonnull<clang::ParenExpr>(above)) above = code_.above(above);
  return above;
}

void object_follower::called_on(const clang::Expr& member, const position& at, const call_path& path) {
  const auto* call = llvm::dyn_cast_or_null<clang::CXXMemberCallExpr>(call_above(member));
  if (call != nullptr) into_methods(methods_.run_by(*call), *call, at, path);
}

/// Follows a call by a pointer to a member function into all functions that it may denote.
void object_follower::called_by_pointer(const clang::Expr& call, const clang::Expr& e, const position& at,
                                        const call_path& path) {
  const clang::QualType type = e.getType()->isPointerType() ? e.getType()->getPointeeType() : e.getType();
  into_methods(methods_.pointed_to(type->getAsCXXRecordDecl()), call, at, path);
}

void object_follower::into_methods(const std::vector<const clang::FunctionDecl*>& methods,
                                   const clang::Expr& call, const position& at, const call_path& path) {
  const bool whole = !at.is_member && at.from.is_zero();
  for (const clang::FunctionDecl* method : methods) {
    const std::vector<const clang::CXXThisExpr*>& all = methods_.this_in(*method);
    if (all.empty() || (whole && settled_.count(method) != 0)) continue;
    if (path.size() >= deepest || !open_.insert(method).second) {
      repeats(call);
      continue;
    }
    call_path deeper = path;
    deeper.push_back(&call);
    const std::size_t before = departures_;
    for (const clang::CXXThisExpr* self : all) of_this(*self, at, deeper);
    open_.erase(method);
    if (whole && departures_ == before) settled_.insert(method);
  }
}

/// Follows `this`. The name of a member through `this` or the object makes no pointer.
void object_follower::of_this(const clang::Expr& self, const position& at, const call_path& path) {
  const clang::Stmt* above = code_.parent(&self).statement;
  if (const auto* member = llvm::dyn_cast_or_null<clang::MemberExpr>(above))
    return pointer_to_member(*member, self, at, path);
  if (const auto* op = llvm::dyn_cast_or_null<clang::BinaryOperator>(above)) {
    if (op->isComparisonOp()) return;
  }
  if (const auto* step = llvm::dyn_cast_or_null<clang::UnaryOperator>(above)) {
    if (step->getOpcode() == clang::UO_Deref) return object(*step, at, path);
  }
  if (const auto* same = llvm::dyn_cast_or_null<clang::ParenExpr>(above)) return of_this(*same, at, path);
  const auto* cast = llvm::dyn_cast_or_null<clang::CastExpr>(above);
  if (cast != nullptr && cast->getCastKind() == clang::CK_NoOp) return of_this(*cast, at, path);
  const auto there = cast == nullptr ? std::nullopt : in_class(*cast, at);
  there ? of_this(*cast, *there, path) : pointer(self, at, path);
}

void object_follower::repeats(const clang::Expr& call) {
  if (takes_address_) lose(call, "a function passes it to itself");
  repeated_ = &call;
  ++departures_;
}

void object_follower::object_in_call(const clang::Expr& call, const clang::Expr& e, const position& at,
                                     const call_path& path) {
  const clang::FunctionDecl* callee = callee_of(call);
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  const auto found = std::find(arguments.begin(), arguments.end(), &e);
  const auto i = static_cast<unsigned>(found - arguments.begin());
  if (object_of(call) == &e) return object_of_operator(call, e, at, path);
  if (callee == nullptr && found != arguments.end()) return into_unknown(call, e, at, path);
  if (found == arguments.end() || i >= callee->getNumParams()) return touch(at, size_of(e.getType()), e);
  const clang::ParmVarDecl* parameter = callee->getParamDecl(i);
  if (!parameter->getType()->isReferenceType()) return touch(at, size_of(e.getType()), e);
  if (const clang::FunctionDecl* definition = code_.in_sight(callee)) {
    touch(at, size_of(e.getType()), e);
    return into_parameter(*definition, i, call, at, path);
  }
  const auto role = role_of_pointer(call, *callee, i);
  if (role && role->what == pointer_role::same) {  // std::addressof
    if (is_pointer(call.getType())) return pointer(call, at, path);
    return object(call, at, path);
  }
  touch(keeps_reference(call, e) ? unsure(at) : at, size_of(e.getType()), e);
  if (keeps_reference(call, e)) kept_in_object(e, at, path);
  if (is_in_std(*callee)) called_by_pointer(call, e, at, path);  // std::invoke(&cell::f, X[i])
  const bool hands_back = callee->getReturnType()->isReferenceType() && is_in_std(*callee) && !at.is_member;
  if (hands_back && llvm::isa<clang::CallExpr>(call)) object(call, at, path);  // std::max(a, b)
}

/// Follows an object into a call by a function pointer or of a virtual function: the types limit the possible
/// callees.
void object_follower::into_unknown(const clang::Expr& call, const clang::Expr& e, const position& at,
                                   const call_path& path) {
  if (!e.isGLValue()) return touch(at, size_of(e.getType()), e);
  kept_in_object(e, at, path);
  if (call.isGLValue() && code_.ast().hasSameUnqualifiedType(call.getType(), e.getType()))
    object(call, at, path);
}

/// Follows the object of an operator of the user's class: X[i] += row, X[i](k). Other operators stay within
/// their object.
void object_follower::object_of_operator(const clang::Expr& call, const clang::Expr& e, const position& at,
                                         const call_path& path) {
  touch(at, size_of(e.getType()), e);
  const std::vector<const clang::FunctionDecl*> methods = methods_.run_by(call);
  into_methods(methods, call, at, path);
  const bool same = call.isGLValue() && code_.ast().hasSameUnqualifiedType(call.getType(), e.getType());
  if (methods.empty() && same) object(call, at, path);  // (X[i] = row).f
}

}  // namespace stradsap::pp
