#include "analyze/code/uses.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/StmtCXX.h>
#include <llvm/ADT/STLExtras.h>

#include <initializer_list>
#include <utility>

#include "analyze/code/cereal_functions.hpp"
#include "analyze/code/eigen.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/code/types.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// Whether a class derived from `base` in this scope, local classes included, has `mutable` members.
static bool has_mutable_heir(const clang::DeclContext& scope, const clang::CXXRecordDecl& base) {
  const auto is_one = [&](const clang::CXXRecordDecl& type) {
    return type.isThisDeclarationADefinition() && type.hasMutableFields() && type.isDerivedFrom(&base);
  };
  for (const clang::Decl* declaration : scope.decls()) {
    if (!is_users(base.getASTContext(), declaration->getLocation())) continue;
    if (const auto* pattern = llvm::dyn_cast<clang::ClassTemplateDecl>(declaration)) {
      for (const clang::CXXRecordDecl* instance : pattern->specializations()) {
        if (is_one(*instance) || has_mutable_heir(*instance, base)) return true;
      }
      continue;
    }
    const auto* type = llvm::dyn_cast<clang::CXXRecordDecl>(declaration);
    if (type != nullptr && is_one(*type)) return true;
    const auto* inner = llvm::dyn_cast<clang::DeclContext>(declaration);
    if (inner != nullptr && has_mutable_heir(*inner, base)) return true;
  }
  return false;
}

/// Whether an object of the class, or of one derived from it that virtual functions may reach, has some.
static bool has_mutable_members(const clang::CXXRecordDecl& type) {
  if (!is_users(type) || !type.hasDefinition()) return false;
  const bool has_heirs = type.isPolymorphic() && !type.isEffectivelyFinal();
  return type.hasMutableFields() ||
         (has_heirs && has_mutable_heir(*type.getASTContext().getTranslationUnitDecl(), type));
}

bool is_bit_reference(const clang::CXXRecordDecl& type) {
  if (type.getIdentifier() == nullptr || !is_in_std(type)) return false;
  const auto* owner = llvm::dyn_cast<clang::CXXRecordDecl>(type.getDeclContext());
  const bool is_of_bitset =
      owner != nullptr && owner->getIdentifier() != nullptr && owner->getName() == "bitset";
  return type.getName() == "_Bit_reference" || (is_of_bitset && type.getName() == "reference");
}

bool is_protected(clang::QualType type) {
  const clang::CXXRecordDecl* record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  return type.isConstQualified() &&
         (record == nullptr || (!has_mutable_members(*record) && !is_bit_reference(*record)));
}

bool owns_memory(const clang::ASTContext& ast, clang::QualType type) {
  type = type.getNonReferenceType();
  return includes_archives(ast) && type->isRecordType() && closure_class(type) == nullptr && may_refer(type);
}

bool leaves_object(const region& code, const clang::CXXMethodDecl& method) {
  if (method.isStatic() || !method.isConst()) return method.isStatic();
  const bool may_run_text = method.isVirtual() || code.in_sight(&method) != nullptr;
  return !may_run_text || !has_mutable_members(*method.getParent());
}

static bool is_const_target(clang::QualType type) {
  return is_protected(type->isReferenceType() || type->isPointerType() ? type->getPointeeType() : type);
}

/// Whether const protects an object of the type and all that it leads to.
bool use_reader::protects(clang::QualType type) const { return is_const_target(type) && !leads_on(type); }

/// Whether pointers in an object of the type are followed. A class without members may be the base of one
/// that has some.
bool use_reader::leads_on(clang::QualType type) const {
  if (!follows_owned_) return false;
  type = type.getNonReferenceType();
  if (type->isPointerType()) type = type->getPointeeType();
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  return may_refer(type) || (record != nullptr && record->hasDefinition() && record->isEmpty());
}

unsigned use_reader::bits(const clang::Expr& designator) { return climb(designator, /*whole=*/true); }

unsigned use_reader::bits_of_variable(const clang::ValueDecl& variable) {
  if (!open_.insert(&variable).second) return use_none;
  unsigned found = use_none;
  for (const clang::Expr* use : code_.uses(&variable)) found |= bits_of_name(*use);
  open_.erase(&variable);
  return found;
}

unsigned use_reader::bits_of_name(const clang::Expr& name) {
  const bool before = std::exchange(saw_const_, false);
  const unsigned found = bits(name);
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&name);
  const bool own_number = reference != nullptr && code_.declares(reference->getDecl()) &&
                          name.getType()->isScalarType() && !name.getType().isConstQualified();
  const bool may_be_written = own_number && saw_const_ && code_.casts_const_away();
  saw_const_ |= before;
  return may_be_written ? use_both : found;
}

/// The use of an object that an expression designates as const. Some functions of Eigen's write it.
unsigned use_reader::passed_as_const(const clang::Expr& part) {
  const clang::Stmt* above = code_.above(&part);
  while (llvm::isa_and_nonnull<clang::ImplicitCastExpr, clang::ParenExpr, clang::MaterializeTemporaryExpr>(
      above))
    above = code_.above(above);
  const auto* call = llvm::dyn_cast_or_null<clang::CallExpr>(above);
  const clang::FunctionDecl* callee = call == nullptr ? nullptr : call->getDirectCallee();
  return callee != nullptr && writes_arguments(*callee) ? use_both : seen_as_const();
}

unsigned use_reader::climb(const clang::Expr& part, bool whole) {
  if (protects(part.getType())) return passed_as_const(part);
  const parent_link above = code_.parent(&part);
  if (above.variable != nullptr) return bound_to(*above.variable, part);
  if (is_stored(above.statement, part)) return use_none;
  if (above.statement == nullptr) return use_both;
  const clang::Stmt& node = *above.statement;
  if (llvm::isa<clang::ParenExpr, clang::FullExpr, clang::MaterializeTemporaryExpr>(node)) {
    return climb(llvm::cast<clang::Expr>(node), whole);
  }
  const auto* temporary = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(&node);
  const clang::CXXRecordDecl* made = temporary == nullptr ? nullptr : part.getType()->getAsCXXRecordDecl();
  if (made != nullptr && is_bit_reference(*made)) return climb(*temporary, whole);
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&node)) return through_cast(*cast, whole);
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node)) return through_member(*member, whole);
  if (llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(node)) {
    return through_call(llvm::cast<clang::Expr>(node), part, whole);
  }
  if (const auto* loop = llvm::dyn_cast<clang::CXXForRangeStmt>(&node)) return ranged_over(*loop, part);
  if (llvm::isa<clang::ReturnStmt>(node)) return returned(code_.function_of(&node));
  if (!llvm::isa<clang::Expr>(node)) return use_none;  // the value is not used
  return through_operator(node, part, whole);
}

unsigned use_reader::bound_to(const clang::VarDecl& variable, const clang::Expr& part) {
  if (const auto* tuple = llvm::dyn_cast<clang::DecompositionDecl>(&variable)) {
    if (!variable.getType()->isReferenceType()) return use_both;
    unsigned found = use_none;
    for (const clang::BindingDecl* binding : tuple->bindings()) found |= bits_of_variable(*binding);
    return found;
  }
  const clang::CXXRecordDecl* record = variable.getType()->getAsCXXRecordDecl();
  if (record != nullptr && is_bit_reference(*record)) return use_read | kept_in(variable);
  if (!variable.getType()->isReferenceType()) return use_both;
  if (variable.isCXXForRangeDecl()) return bits_of_variable(variable);
  // the range of a range-for: its uses are those of the loop's variable
  if (variable.isImplicit() && variable.getName().starts_with("__range")) {
    for (const clang::Stmt* node : code_.nodes()) {
      const auto* loop = llvm::dyn_cast<clang::CXXForRangeStmt>(node);
      if (loop != nullptr && loop->getRangeStmt()->getSingleDecl() == &variable)
        return ranged_over(*loop, part);
    }
  }
  return bits_of_variable(variable);
}

unsigned use_reader::through_cast(const clang::CastExpr& cast, bool whole) {
  switch (cast.getCastKind()) {
    case clang::CK_LValueToRValue:
      return use_read | (follows_owned_ && cast.getType()->isPointerType() ? through_handle(cast) : use_none);
    case clang::CK_ToVoid:
      return use_none;
    case clang::CK_NoOp:
    case clang::CK_DerivedToBase:
    case clang::CK_UncheckedDerivedToBase:
      return protects(cast.getType()) ? passed_as_const(cast)
                                      : climb(cast, whole && cast.getCastKind() == clang::CK_NoOp);
    case clang::CK_ArrayToPointerDecay: {
      if (protects(cast.getType())) return seen_as_const();
      const parent_link above = code_.parent(&cast);
      if (above.statement == nullptr) return use_both;
      if (llvm::isa<clang::ArraySubscriptExpr>(above.statement)) {
        return climb(llvm::cast<clang::Expr>(*above.statement), /*whole=*/false);
      }
      const auto* next = llvm::dyn_cast<clang::CastExpr>(above.statement);
      return use_read |
             (next != nullptr && protects(next->getType()) ? seen_as_const() : through_handle(cast));
    }
    default:
      return use_both;
  }
}

unsigned use_reader::through_member(const clang::MemberExpr& member, bool whole) {
  if (llvm::isa<clang::FieldDecl>(member.getMemberDecl())) {
    return member.isArrow() ? use_both : climb(member, /*whole=*/false);
  }
  const parent_link above = code_.parent(&member);
  const auto* call = llvm::dyn_cast_or_null<clang::CXXMemberCallExpr>(above.statement);
  if (call == nullptr || call->getMethodDecl() == nullptr) return use_both;
  return as_object(*call, *call->getMethodDecl(), whole);
}

/// The class of the API's container of which the function is a method; empty for others.
static llvm::StringRef container_of(const clang::CXXMethodDecl& method) {
  return container_name(method.getASTContext().getRecordType(method.getParent()));
}

static bool is_method_called(const clang::CXXMethodDecl& method,
                             std::initializer_list<llvm::StringRef> names) {
  return method.getIdentifier() != nullptr && llvm::is_contained(names, method.getName());
}

/// Whether a method of a container returns a reference to an element and changes nothing: `[]` of a dmap may
/// insert.
static bool selects_an_element(const clang::CXXMethodDecl& method) {
  const llvm::StringRef container = container_of(method);
  if (container == api::dvector && method.getOverloadedOperator() == clang::OO_Subscript) return true;
  return !container.empty() && is_method_called(method, {"at", "front", "back"});
}

/// Whether a method of a container returns an iterator, a pointer or a span.
static bool gives_elements(const clang::CXXMethodDecl& method) {
  return !container_of(method).empty() && is_method_called(method, {"begin", "end", "data", "span", "find"});
}

unsigned use_reader::as_object(const clang::Expr& call, const clang::CXXMethodDecl& method, bool whole) {
  if (gives_changeable(method)) return use_both;
  if (leaves_object(code_, method)) return follows_owned_ ? through_const_member(call, method) : use_read;
  if (selects_a_part(method) || selects_coefficient(method) ||
      (follows_containers_ && selects_an_element(method)))
    return climb(call, /*whole=*/false);
  if (gives_a_handle(method) || gives_expression(method) || (follows_containers_ && gives_elements(method)))
    return use_read | through_handle(call);
  if (keeps_ && keeps_(method)) return use_read;
  saw_write_ = true;
  if (method.isCopyAssignmentOperator() || method.isMoveAssignmentOperator() || assigns_matrix(method)) {
    return whole ? use_write : use_both;
  }
  return use_both;
}

/// The member function with the `this` that the text around names: of a lambda, the function around it.
static const clang::FunctionDecl* function_with_this(const region& code, const clang::CXXThisExpr& self) {
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(code.function_of(&self));
  while (method != nullptr && method->getParent()->isLambda())
    method = llvm::dyn_cast<clang::CXXMethodDecl>(method->getParent()->getDeclContext());
  return method;
}

/// The uses of an object by a member function that is const, and of its result.
unsigned use_reader::through_const_member(const clang::Expr& call, const clang::CXXMethodDecl& method) {
  if (method.isStatic()) return use_read;
  const clang::FunctionDecl* definition = code_.in_sight(&method);
  if (definition == nullptr && is_users(method) && !llvm::isa<clang::CXXConversionDecl>(method))
    return use_both;
  unsigned found = use_read | (definition == nullptr ? use_none : changes_by_const(*definition));
  if (call.isGLValue()) return found | climb(call, /*whole=*/false);
  return found | (may_refer(call.getType()) ? through_handle(call) : use_none);
}

/// The uses of the own object in the text of a const member function.
unsigned use_reader::changes_by_const(const clang::FunctionDecl& method) {
  if (!calling_.insert(&method).second) return use_none;
  unsigned found = use_none;
  for (const clang::CXXThisExpr* self : code_.this_uses()) {
    if (function_with_this(code_, *self) != &method) continue;
    const clang::Stmt* above = code_.above(self);
    while (llvm::isa_and_nonnull<clang::ImplicitCastExpr, clang::ParenExpr>(above))
      above = code_.above(above);
    const auto* member = llvm::dyn_cast_or_null<clang::MemberExpr>(above);
    const bool is_field = member != nullptr && llvm::isa<clang::FieldDecl>(member->getMemberDecl());
    const bool is_bare = member == nullptr;
    found |= is_bare    ? use_both
             : is_field ? climb(*member, /*whole=*/false)
                        : through_member(*member, /*whole=*/false);
  }
  calling_.erase(&method);
  return found;
}

unsigned use_reader::through_call(const clang::Expr& call, const clang::Expr& part, bool whole) {
  const clang::FunctionDecl* callee = callee_of(call);
  if (callee == nullptr) return use_both;
  if (object_of(call) == &part) {
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
    return method == nullptr ? use_both : as_object(call, *method, whole);
  }
  return as_argument(call, *callee, part);
}

/// Whether the call copies its arguments into a pair, tuple, optional or variant of values, although it takes
/// them by reference.
static bool keeps_a_copy(const clang::Expr& call) {
  const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&call);
  if (made == nullptr || !is_in_std(*made->getConstructor()) || may_refer(made->getType()) ||
      makes_changes(made->getType()))
    return false;
  static constexpr llvm::StringLiteral copiers[] = {"pair", "tuple", "optional", "variant"};
  const clang::IdentifierInfo* name = made->getConstructor()->getParent()->getIdentifier();
  return name != nullptr && llvm::is_contained(copiers, name->getName());
}

unsigned use_reader::as_argument(const clang::Expr& call, const clang::FunctionDecl& callee,
                                 const clang::Expr& part) {
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  for (unsigned i = 0; i < arguments.size(); ++i) {
    if (arguments[i] != &part) continue;
    if (i >= callee.getNumParams() || writes_arguments(callee)) return use_both;
    const clang::QualType taken = callee.getParamDecl(i)->getType();
    const bool leads = leads_on(part.getType());
    if (is_const_target(taken) && !leads) return seen_as_const();
    const clang::FunctionDecl* definition = code_.in_sight(&callee);
    if (taken.getNonReferenceType().isConstQualified() && definition == nullptr && !leads)
      return seen_as_const();
    if (selects_a_part(callee)) return climb(call, /*whole=*/false);
    if (is_as_const(call)) return leads ? climb(call, /*whole=*/false) : seen_as_const();
    if (makes_const_view(call) && !leads) return seen_as_const();
    if (keeps_a_copy(call) || only_takes_values(&callee) || only_reads(call, i)) return use_read;
    if (const auto bits = in_ranges(call, callee, part)) return *bits;
    if (gives_a_handle(callee) || makes_view_of_range(call)) return use_read | through_handle(call);
    if (i > 0 && visits_as_const(call) && !leads) return use_read;
    if (only_calls_lambdas(call) && !leads && !may_change_entries(arguments)) return use_read;
    return definition != nullptr ? bits_of_variable(*definition->getParamDecl(i)) : use_both;
  }
  return use_both;
}

unsigned use_reader::through_operator(const clang::Stmt& node, const clang::Expr& part, bool whole) {
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&node)) {
    if (op->isAssignmentOp()) {
      if (op->getLHS() != &part) return use_both;
      saw_write_ = true;
      // the assignment's value is the object again
      const unsigned later = op->isGLValue() ? climb(*op, whole) : use_none;
      return later | (op->isCompoundAssignmentOp() || !whole ? use_both : use_write);
    }
    if (op->getOpcode() == clang::BO_Comma) return op->getRHS() == &part ? climb(*op, whole) : use_none;
    return use_both;
  }
  if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(&node)) {
    if (step->getOpcode() == clang::UO_AddrOf) return use_read | through_handle(*step);
    saw_write_ |= step->isIncrementDecrementOp();
    return use_both;
  }
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&node)) {
    return choice->getCond() == &part ? use_both : climb(*choice, whole);
  }
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&node)) {
    return subscript->getBase() == &part ? climb(*subscript, /*whole=*/false) : use_both;
  }
  return use_both;
}

/// Whether a lambda is kept in a variable or called at once. Its calls and the names that pass it on are
/// callers of their own.
static bool is_only_made(const region& code, const clang::Expr& caller) {
  if (!llvm::isa<clang::LambdaExpr>(caller)) return false;
  const clang::Expr* made = &caller;
  parent_link above = code.parent(made);
  while (
      llvm::isa_and_nonnull<clang::ParenExpr, clang::ImplicitCastExpr, clang::FullExpr,
                            clang::MaterializeTemporaryExpr, clang::CXXBindTemporaryExpr>(above.statement)) {
    made = llvm::cast<clang::Expr>(above.statement);
    above = code.parent(made);
  }
  if (above.variable != nullptr)
    return closure_class(above.variable->getType().getNonReferenceType()) == closure_class(caller.getType());
  const auto* call = llvm::dyn_cast_or_null<clang::CXXOperatorCallExpr>(above.statement);
  return call != nullptr && object_of(*call) == made;
}

unsigned use_reader::returned(const clang::FunctionDecl* function) {
  if (function == nullptr || !function->getReturnType()->isReferenceType()) return use_both;
  if (protects(function->getReturnType())) return seen_as_const();
  if (function == &code_.body() || !returning_.insert(function).second) return use_none;
  unsigned found = use_none;
  for (const clang::Expr* call : code_.callers(function)) {
    if (is_followed_ && !is_followed_(*call)) continue;
    if (llvm::isa<clang::CallExpr>(call))
      found |= climb(*call, /*whole=*/false);
    else if (!is_only_made(code_, *call))
      found |= use_both;
  }
  returning_.erase(function);
  return found;
}

unsigned use_reader::returned_handle(const clang::FunctionDecl* function) {
  if (function == nullptr) return use_both;
  if (function == &code_.body() || !returning_.insert(function).second) return use_none;
  unsigned found = use_none;
  for (const clang::Expr* call : code_.callers(function)) {
    if (is_followed_ && !is_followed_(*call)) continue;
    if (llvm::isa<clang::CallExpr>(call))
      found |= through_handle(*call);
    else if (!is_only_made(code_, *call))
      found |= use_both;
  }
  returning_.erase(function);
  return found;
}

/// Whether a reference or a handle initialises a member: in a list of values, or by a constructor.
bool use_reader::is_stored(const clang::Stmt* node, const clang::Expr& part) const {
  if (!keeps_) return false;
  if (node != nullptr) return llvm::isa<clang::InitListExpr>(node);
  return llvm::isa_and_nonnull<clang::CXXConstructorDecl>(code_.parent(&part).function);
}

unsigned use_reader::ranged_over(const clang::CXXForRangeStmt& loop, const clang::Expr& range) {
  const clang::QualType type = range.getType().getNonReferenceType();
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  const bool plain = type->isArrayType() || (follows_containers_ && is_container(type)) ||
                     (record != nullptr && is_in_std(*record));
  if (!plain) return use_both;
  const clang::VarDecl* variable = loop.getLoopVariable();
  const clang::CXXRecordDecl* entry = variable->getType()->getAsCXXRecordDecl();
  if (entry != nullptr && is_bit_reference(*entry)) return use_read | kept_in(*variable);
  if (!variable->getType()->isReferenceType() || protects(variable->getType())) return use_read;
  if (const auto* tuple = llvm::dyn_cast<clang::DecompositionDecl>(variable)) {
    unsigned found = use_read;
    for (const clang::BindingDecl* binding : tuple->bindings()) found |= bits_of_variable(*binding);
    return found;
  }
  return use_read | bits_of_variable(*variable);
}

}  // namespace stradsap::pp
