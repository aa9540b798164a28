#include "analyze/dependences/type_puns.hpp"

#include <algorithm>
#include <set>

#include "analyze/source/source.hpp"

namespace stradsap::pp {

// ---- types -----------------------------------------------------------------------------------------------

/// Whether objects of the type lead through a pointer or reference to something const, or not const.
static bool leads_to(bool is_const, clang::QualType type, std::set<const clang::Type*>& seen) {
  type = type.getCanonicalType();
  if (type->isFunctionType() || !seen.insert(type.getTypePtr()).second) return false;
  if (type->isAnyPointerType() || type->isReferenceType()) {
    const clang::QualType target = type->getPointeeType();
    return (target.isConstQualified() == is_const && !target->isFunctionType()) ||
           leads_to(is_const, target, seen);
  }
  if (const auto* array = type->getAsArrayTypeUnsafe())
    return leads_to(is_const, array->getElementType(), seen);
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition() || is_container(type)) return false;
  return std::any_of(record->bases_begin(), record->bases_end(),
                     [&](const auto& base) { return leads_to(is_const, base.getType(), seen); }) ||
         std::any_of(record->field_begin(), record->field_end(),
                     [&](const auto* field) { return leads_to(is_const, field->getType(), seen); });
}

static bool leads_to_const(clang::QualType type) {
  std::set<const clang::Type*> seen;
  return leads_to(/*is_const=*/true, type, seen);
}

static bool leads_to_changeable(clang::QualType type) {
  std::set<const clang::Type*> seen;
  return leads_to(/*is_const=*/false, type, seen);
}

/// Whether the type says nothing of the object: void, or bytes.
static bool is_bytes(clang::QualType type) {
  return type->isVoidType() || type->isAnyCharacterType() || type->isStdByteType();
}

static clang::QualType plain(clang::QualType type) { return type.getCanonicalType().getUnqualifiedType(); }

/// The object's type before a cast: behind a pointer, or of the operand itself.
static clang::QualType target_of(const clang::Expr& operand, bool is_pointer) {
  return plain(is_pointer ? operand.getType()->getPointeeType() : operand.getType());
}

// ---- expressions -----------------------------------------------------------------------------------------

namespace {

/// Collects objects that lose their type, and types that the code sees in bytes or numbers. A type that gets
/// lost and is seen again as itself alone is no pun.
class finder {
 public:
  explicit finder(const region& code) : code_(code) {}

  std::vector<type_pun> find() {
    for (const clang::Stmt* node : code_.nodes()) {
      if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(node)) add_cast(*cast);
      if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(node)) add_union_member(*member);
      if (const auto* call = llvm::dyn_cast<clang::CallExpr>(node)) add_bit_cast(*call);
    }
    for (const lost_object& one : lost_) {
      const bool is_seen = std::any_of(seen_.begin(), seen_.end(),
                                       [&](clang::QualType type) { return plain(type) != one.type; });
      if (is_seen) found_.push_back(one.pun);
    }
    return std::move(found_);
  }

 private:
  struct lost_object {
    type_pun pun;
    clang::QualType type;
  };

  void add_cast(const clang::CastExpr& cast) {
    const clang::Expr& operand = *cast.getSubExpr();
    const clang::CastKind kind = cast.getCastKind();
    if (kind == clang::CK_LValueBitCast || kind == clang::CK_LValueToRValueBitCast)
      return add(operand, cast, target_of(operand, /*is_pointer=*/false), cast.getType());
    if (kind == clang::CK_PointerToIntegral) return lose(operand, cast, target_of(operand, true));
    if (kind == clang::CK_IntegralToPointer) return see(cast.getType());
    if (kind == clang::CK_BitCast && operand.getType()->isPointerType() && cast.getType()->isPointerType())
      add(operand, cast, target_of(operand, true), cast.getType()->getPointeeType());
  }

  /// Adds an object of type `from` that is seen as one of type `to`.
  void add(const clang::Expr& object, const clang::Expr& where, clang::QualType from, clang::QualType to) {
    if (is_bytes(from)) return see(to);
    if (is_bytes(to)) {
      if (!to.isConstQualified()) see(from);  // its bytes may come from another object
      return lose(object, where, from);
    }
    if (from != plain(to) && leads_to_const(from) && leads_to_changeable(to))
      found_.push_back({&where, &object});
  }

  void lose(const clang::Expr& object, const clang::Expr& where, clang::QualType type) {
    if (leads_to_const(type)) lost_.push_back({{&where, &object}, type});
  }

  void see(clang::QualType type) {
    if (leads_to_changeable(type)) seen_.push_back(type);
  }

  /// A member of a union may have the bytes of another member.
  void add_union_member(const clang::MemberExpr& member) {
    const auto* field = llvm::dyn_cast<clang::FieldDecl>(member.getMemberDecl());
    if (field == nullptr || !field->getParent()->isUnion()) return;
    const clang::QualType type = field->getType();
    for (const clang::FieldDecl* other : field->getParent()->fields()) {
      if (plain(other->getType()) == plain(type) || !leads_to_const(other->getType())) continue;
      if (leads_to_changeable(type)) found_.push_back({&member, member.getBase()});
      if (type->isIntegerType()) lost_.push_back({{&member, member.getBase()}, plain(other->getType())});
    }
  }

  void add_bit_cast(const clang::CallExpr& call) {
    const clang::FunctionDecl* callee = call.getDirectCallee();
    const bool is_bit_cast = callee != nullptr && is_in_std(*callee) && callee->getIdentifier() != nullptr &&
                             callee->getName() == "bit_cast" && call.getNumArgs() == 1;
    if (!is_bit_cast) return;
    const clang::Expr& object = *call.getArg(0);
    const clang::QualType from = plain(object.getType());
    if (call.getType()->isIntegerType()) return lose(object, call, from);
    add(object, call, from, call.getType());
  }

  const region& code_;
  std::vector<lost_object> lost_;
  std::vector<clang::QualType> seen_;
  std::vector<type_pun> found_;
};

}  // namespace

std::vector<type_pun> puns_of_const(const region& code) { return finder(code).find(); }

}  // namespace stradsap::pp
