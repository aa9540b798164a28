#include "analyze/access/equal_places.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <optional>

#include "analyze/code/control.hpp"
#include "analyze/code/counting_loop.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// The value of a cast, if it is the value of its operand when both are seen as 64 bits; else the cast.
static const clang::Expr& without_widening(const clang::ASTContext& ast, const clang::Expr& e) {
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

static llvm::StringRef class_of(const clang::FunctionDecl& callee) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
  const bool named = method != nullptr && method->getParent()->getIdentifier() != nullptr;
  return named ? method->getParent()->getName() : llvm::StringRef();
}

/// v[k], m.at(k): of a container of this library or of the standard library.
static bool is_of_library(const clang::CallExpr& call) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  return callee != nullptr && (is_in_std(*callee) || is_in_api(*callee)) &&
         !class_of(*callee).starts_with("map") && !class_of(*callee).starts_with("unordered");
}

static bool asks_for_size(const clang::CallExpr& call) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  return callee != nullptr && is_of_library(call) && call.getNumArgs() == 0 &&
         callee->getIdentifier() != nullptr && callee->getName() == "size";
}

static bool is_function(const clang::Expr& e) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e.IgnoreParenImpCasts());
  return name != nullptr && llvm::isa<clang::FunctionDecl>(name->getDecl());
}

static const clang::Expr* argument_for(const clang::ParmVarDecl& parameter, const call_path& calls) {
  if (calls.empty()) return nullptr;
  const std::vector<const clang::Expr*> arguments = arguments_of(*calls.back());
  const unsigned position = parameter.getFunctionScopeIndex();
  if (position >= arguments.size()) return nullptr;
  const clang::FunctionDecl* callee = visible_definition(callee_of(*calls.back()));
  const bool is_its_own =
      callee != nullptr && position < callee->getNumParams() && callee->getParamDecl(position) == &parameter;
  return is_its_own ? arguments[position] : nullptr;
}

bool place_comparison::are_equal(const place_in_call& first, const place_in_call& second) {
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
    return asks_for_size(*call) && asks_for_size(*llvm::cast<clang::CallExpr>(b.e)) && are_equal_parts(a, b);
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&at)) {
    return have_one_type(at, *b.e) && cast->getCastKind() == clang::CK_IntegralCast && are_equal_parts(a, b);
  }
  if (llvm::isa<clang::ArraySubscriptExpr>(at)) return are_equal_parts(a, b);
  return are_same_constant(at, *b.e);
}

bool place_comparison::are_one(const place_in_call& first, const place_in_call& second) {
  const auto* mine = llvm::dyn_cast<clang::DeclRefExpr>(behind_names(first).e);
  const auto* other = llvm::dyn_cast<clang::DeclRefExpr>(behind_names(second).e);
  if (mine == nullptr || other == nullptr) return are_equal(first, second);
  return mine->getDecl() == other->getDecl() && !code_.declares(mine->getDecl());
}

bool place_comparison::have_one_type(const clang::Expr& a, const clang::Expr& b) const {
  return code_.ast().hasSameUnqualifiedType(a.getType(), b.getType());
}

bool place_comparison::have_one_type(const clang::ValueDecl& a, const clang::ValueDecl& b) const {
  return code_.ast().hasSameUnqualifiedType(a.getType().getNonReferenceType(),
                                            b.getType().getNonReferenceType());
}

bool place_comparison::are_same_constant(const clang::Expr& a, const clang::Expr& b) const {
  clang::Expr::EvalResult first;
  clang::Expr::EvalResult second;
  return a.EvaluateAsInt(first, code_.ast()) && b.EvaluateAsInt(second, code_.ast()) &&
         llvm::APSInt::isSameValue(first.Val.getInt(), second.Val.getInt());
}

bool place_comparison::are_equal_parts(const place_in_call& a, const place_in_call& b) {
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

bool place_comparison::are_equal_members(const clang::MemberExpr& mine, const place_in_call& a,
                                         const clang::MemberExpr& other, const place_in_call& b) {
  if (mine.getMemberDecl()->getCanonicalDecl() != other.getMemberDecl()->getCanonicalDecl()) return false;
  const bool is_method = llvm::isa<clang::CXXMethodDecl>(mine.getMemberDecl());
  if (!is_method && !depends_.changes_of(mine.getMemberDecl()).empty()) return false;
  return are_equal(a.with(*mine.getBase()), b.with(*other.getBase()));
}

bool place_comparison::name_the_same(const clang::ValueDecl& mine, const place_in_call& a,
                                     const clang::ValueDecl& other, const place_in_call& b) {
  if (llvm::isa<clang::BindingDecl>(mine)) return false;  // its changes are those of another object
  if (&mine == &other && (!code_.declares(&mine) || a.calls == b.calls)) return stays(mine);
  return count_alike(mine, a, other, b);
}

bool place_comparison::stays(const clang::ValueDecl& variable) const {
  return depends_.changes_of(&variable).empty() || loop_of(variable) != nullptr;
}

const clang::Stmt* place_comparison::loop_of(const clang::ValueDecl& variable) const {
  const clang::Stmt* above = code_.above(code_.declaration_of(&variable));
  if (const auto* ranged = llvm::dyn_cast_or_null<clang::CXXForRangeStmt>(above))
    return ranged->getLoopVariable() == &variable && depends_.changes_of(&variable).empty() ? ranged
                                                                                            : nullptr;
  const auto* loop = llvm::dyn_cast_or_null<clang::ForStmt>(above);
  const auto counted = loop == nullptr ? std::nullopt : counting_loop_of(code_, *loop);
  return counted && counted->index == &variable ? loop : nullptr;
}

bool place_comparison::count_alike(const clang::ValueDecl& mine, const place_in_call& a,
                                   const clang::ValueDecl& other, const place_in_call& b) {
  const clang::Stmt* first = loop_of(mine);
  const clang::Stmt* second = loop_of(other);
  if (first == nullptr || second == nullptr || !have_one_type(mine, other)) return false;
  if (const auto known = alike_.find(first); known != alike_.end()) return known->second == second;
  if (is_taken(*second) || !have_same_rounds(*first, a, *second, b)) return false;
  alike_[first] = second;
  return true;
}

bool place_comparison::is_taken(const clang::Stmt& second) const {
  return std::any_of(alike_.begin(), alike_.end(), [&](const auto& pair) { return pair.second == &second; });
}

bool place_comparison::have_same_rounds(const clang::Stmt& mine, const place_in_call& a,
                                        const clang::Stmt& other, const place_in_call& b) {
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

place_in_call place_comparison::behind_names(place_in_call place) const {
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

}  // namespace stradsap::pp
