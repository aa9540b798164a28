#include "analyze/pointers/span_follower.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

#include "analyze/code/types.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/pointers/kept_references.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// Whether a variable changes: by an assignment, or as an iterator that steps.
static bool is_moved(const region& code, const clang::VarDecl& variable) {
  const std::vector<const clang::Expr*>& uses = code.uses(&variable);
  return std::any_of(uses.begin(), uses.end(),
                     [&](const clang::Expr* use) { return (use_reader(code).bits(*use) & use_write) != 0; });
}

static bool is_iterator(clang::QualType type) {
  const clang::CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record != nullptr && record->getIdentifier() != nullptr && record->getName() == "__normal_iterator";
}

static position within_view(position at) {
  at.is_in_view = true;
  return at;
}

static position lost_in(const element_view& seen) {
  position at = within_view(seen.first);
  at.is_lost = true;
  return at;
}

static element_view unknown_part(const element_view& seen) { return {lost_in(seen), std::nullopt}; }

/// The position of an iterator, or of any element of a span.
position span_follower::any_of(const element_view& seen, std::int64_t size) const {
  if (seen.is_first && !seen.first.is_lost) return within_view(seen.first);
  if (!seen.end || seen.first.is_lost) return lost_in(seen);
  position at = within_view(seen.first);
  position end = *seen.end;
  at.count_in(size);
  end.count_in(size);
  if (at.unit != end.unit) return lost_in(seen);
  at.from = between(at.from, end.from);
  return at;
}

position span_follower::at_index(const clang::Expr& index, const element_view& seen, std::int64_t size,
                                 const call_path& path) {
  try {
    return seen.first.is_lost ? lost_in(seen)
                              : within_view(moved(seen.first, offsets_.of(index, path), size));
  } catch (const unbounded&) {
    return any_of(seen, size);
  }
}

/// The target type of a pointer; the element type of a span or an iterator.
static clang::QualType target_of(clang::QualType type) {
  type = type.getNonReferenceType();
  if (type->isPointerType()) return type->getPointeeType();
  const auto* special =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  const bool known =
      special != nullptr && special->getTemplateArgs()[0].getKind() == clang::TemplateArgument::Type;
  return known ? special->getTemplateArgs()[0].getAsType() : clang::QualType();
}

/// Whether the expression takes a part out of an object: a member, an array's element, an element of a
/// library object, a part of a tuple.
static bool comes_out_of_object(const clang::Expr& e) {
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e))
    return llvm::isa<clang::FieldDecl>(member->getMemberDecl());
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&e))
    return llvm::isa<clang::BindingDecl>(name->getDecl());
  if (llvm::isa<clang::ArraySubscriptExpr>(e)) return true;
  const clang::FunctionDecl* callee = llvm::isa<clang::CallExpr>(e) ? callee_of(e) : nullptr;
  if (callee == nullptr || !is_in_std(*callee)) return false;
  const clang::Expr* object = object_of(e);
  return object == nullptr ? callee->getIdentifier() != nullptr && callee->getName() == "get"
                           : !is_view(object->getType()) && !is_container(object->getType());
}

std::vector<const clang::Expr*> span_follower::given_out(clang::QualType type) const {
  std::vector<const clang::Expr*> found;
  const clang::QualType target = target_of(type);
  for (const clang::Stmt* node : code_.nodes()) {
    const auto* e = llvm::dyn_cast<clang::Expr>(node);
    if (e == nullptr || target.isNull()) continue;
    if (!comes_out_of_object(*e) && !is_given_parameter(code_, *e)) continue;
    const bool same_kind =
        is_view(e->getType()) ? is_view(type) : is_pointer(e->getType()) && is_pointer(type);
    if (!same_kind) continue;
    const clang::QualType other = target_of(e->getType());
    if (!other.isNull() && code_.ast().hasSameUnqualifiedType(target, other)) found.push_back(e);
  }
  return found;
}

void span_follower::view(const clang::Expr& e, const element_view& seen, const call_path& path) {
  ++departures_;
  const parent_link above = code_.parent(&e);
  if (above.variable != nullptr) return view_in_variable(*above.variable, seen, path);
  const auto* outer = llvm::dyn_cast_or_null<clang::Expr>(above.statement);
  if (outer == nullptr) {
    const clang::FunctionDecl* function = code_.function_of(&e);
    const bool returned = llvm::isa_and_nonnull<clang::ReturnStmt>(above.statement);
    if (returned && function != nullptr && function != &code_.body())
      view_into_callers(*function, e, seen, path);
    if (above.function != nullptr) keep_view(e, seen);  // a member that a constructor initialises
    return;
  }
  if (llvm::isa<clang::MemberExpr>(outer)) {
    const auto* call = llvm::dyn_cast_or_null<clang::CXXMemberCallExpr>(code_.above(outer));
    if (call == nullptr || call->getMethodDecl() == nullptr) return;
    const clang::IdentifierInfo* name = call->getMethodDecl()->getIdentifier();
    return name == nullptr ? void() : called_on_view(*call, name->getName(), seen, path);
  }
  if (callee_of(*outer) != nullptr) return view_in_call(*outer, e, seen, path);
  const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(outer);
  const bool is_value = choice == nullptr || choice->getCond() != &e;
  if (is_value && is_view(outer->getType())) return view(*outer, seen, path);
  if (is_value) keep_view(e, seen);
}

void span_follower::keep_view(const clang::Expr& e, const element_view& seen) {
  keep(e, seen.first, [&](const clang::Expr& one) { view(one, seen, {}); });
}

/// Notes s.size() and std::size(s) as bounds for offsets.
void span_follower::note_size(const clang::Expr& use, const element_view& seen) {
  const clang::Stmt* above = code_.above(&use);
  while (llvm::isa_and_nonnull<clang::ImplicitCastExpr, clang::ParenExpr, clang::MemberExpr>(above))
    above = code_.above(above);
  const auto* call = llvm::dyn_cast_or_null<clang::CallExpr>(above);
  const clang::FunctionDecl* callee = call == nullptr ? nullptr : callee_of(*call);
  if (callee == nullptr || callee->getIdentifier() == nullptr || !seen.count) return;
  const llvm::StringRef name = callee->getName();
  if (is_in_std(*callee) && (name == "size" || name == "ssize" || name == "length"))
    offsets_.set_value(*call, *seen.count);
}

void span_follower::views_at(const std::vector<const clang::Expr*>& uses, const element_view& seen,
                             const call_path& path) {
  for (const clang::Expr* use : uses) note_size(*use, seen);
  for (const clang::Expr* use : uses) view(*use, seen, path);
}

void span_follower::view_in_variable(const clang::VarDecl& variable, const element_view& seen,
                                     const call_path& path) {
  if (!is_view(variable.getType()) || !open_.insert(&variable).second) return;
  element_view there = seen;
  if (is_moved(code_, variable))
    there = is_iterator(variable.getType()) ? element_view{seen.first, seen.end} : unknown_part(seen);
  hold(variable, [&] { views_at(code_.uses(&variable), there, path); });
  open_.erase(&variable);
}

/// The value of argument `i` of a call, or of its template.
offset span_follower::number_of(const clang::Expr& call, unsigned i, const call_path& path) {
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  if (i < arguments.size()) return offsets_.of(*arguments[i], path);
  const clang::TemplateArgumentList* all = callee_of(call)->getTemplateSpecializationArgs();
  const bool given =
      all != nullptr && i < all->size() && all->get(i).getKind() == clang::TemplateArgument::Integral;
  if (!given) throw unbounded{&call, "the length of the span is not known"};
  return number(all->get(i).getAsIntegral().getExtValue());
}

/// Follows s.first(n), s.last(n), s.subspan(from, n).
void span_follower::part_of_view(const clang::Expr& call, llvm::StringRef method, const element_view& seen,
                                 const call_path& path) {
  const auto* record =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(call.getType()->getAsCXXRecordDecl());
  element_view part = unknown_part(seen);
  if (record != nullptr && !seen.first.is_lost) {
    const std::int64_t size = size_of(record->getTemplateArgs()[0].getAsType());
    try {
      const offset given = number_of(call, 0, path);
      if (method == "first") part = {seen.first, moved(seen.first, given, size), false, given};
      if (method == "last" && seen.end)
        part = {moved(*seen.end, subtract(number(0), given), size), seen.end, false, given};
      if (method == "subspan" || method == "substr") {
        const position begin = moved(seen.first, given, size);
        const std::vector<const clang::Expr*> arguments = arguments_of(call);
        const bool to_end = arguments.size() == 2 && llvm::isa<clang::CXXDefaultArgExpr>(arguments[1]);
        if (to_end) part = {begin, seen.end};
        if (to_end && seen.count) part.count = subtract(*seen.count, given);
        if (!to_end) part.count = number_of(call, 1, path);
        if (!to_end) part = {begin, moved(begin, *part.count, size), false, part.count};
      }
    } catch (const unbounded&) {
      part = unknown_part(seen);
    }
  }
  view(call, part, path);
}

void span_follower::called_on_view(const clang::Expr& call, llvm::StringRef method, const element_view& seen,
                                   const call_path& path) {
  if (is_view(call.getType())) {
    static constexpr llvm::StringLiteral parts[] = {"first", "last", "subspan", "substr"};
    if (std::find(std::begin(parts), std::end(parts), method) != std::end(parts))
      return part_of_view(call, method, seen, path);
    const bool is_first = method == "begin" || method == "cbegin";
    return view(call, {seen.first, seen.end, is_first}, path);
  }
  if (is_pointer(call.getType()) && !call.isGLValue()) return pointer(call, seen.first, path);  // for data()
  if (!call.isGLValue()) return;
  const std::int64_t size = size_of(call.getType());
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  if (method == "front") return object(call, within_view(seen.first), path);
  if (method == "at" && arguments.size() == 1)
    return object(call, at_index(*arguments[0], seen, size, path), path);
  if (method == "back" && seen.end && !seen.first.is_lost)
    return object(call, within_view(moved(*seen.end, number(-1), size)), path);
  object(call, any_of(seen, size), path);
}

/// Follows the result of a library function on a view.
void span_follower::result_of(const clang::Expr& call, const position& at, const element_view& seen,
                              const call_path& path) {
  if (is_view(call.getType()))
    return view(call, llvm::isa<clang::CallExpr>(call) ? element_view{seen.first, seen.end} : seen, path);
  if (is_pointer(call.getType()) && !call.isGLValue()) return pointer(call, at, path);
  if (call.isGLValue()) object(call, at, path);
}

void span_follower::view_in_call(const clang::Expr& call, const clang::Expr& e, const element_view& seen,
                                 const call_path& path) {
  const auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&call);
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  if (op != nullptr && object_of(call) == &e) {
    if (op->getOperator() == clang::OO_Equal) return;
    if (is_view(call.getType())) return view(call, {seen.first, seen.end}, path);  // the iterator has moved
    if (!call.isGLValue())
      return result_of(call, any_of(seen, target_size(call)), seen, path);  // for it.operator->()
    const std::int64_t size = size_of(call.getType());
    const bool indexed = op->getOperator() == clang::OO_Subscript;
    return object(
        call,
        indexed && !is_iterator(e.getType()) ? at_index(*arguments[0], seen, size, path) : any_of(seen, size),
        path);
  }
  const auto found = std::find(arguments.begin(), arguments.end(), &e);
  const auto i = static_cast<unsigned>(found - arguments.begin());
  const clang::FunctionDecl* callee = callee_of(call);
  if (found == arguments.end()) return;
  if (op != nullptr && op->getOperator() == clang::OO_Equal) {  // an assignment to a variable
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(object_of(call)->IgnoreParens());
    const auto* variable = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    const bool is_variable = variable != nullptr && is_view(variable->getType());
    return is_variable ? view_in_variable(*variable, unknown_part(seen), path) : keep_view(e, seen);
  }
  const clang::FunctionDecl* definition = code_.in_sight(callee);
  if (definition != nullptr && i < callee->getNumParams())
    return view_into_parameter(*definition, i, call, seen, path);
  if (!is_in_std(*callee)) return;
  const bool makes_object = llvm::isa<clang::CXXConstructExpr, clang::CXXMemberCallExpr>(call);
  if (makes_object && !is_view(call.getType())) keep_view(e, seen);  // std::optional(s), all.push_back(s)
  if (takes_callable(call)) keep_view(e, seen);                      // std::invoke(f, s)
  given_to_functions(call, seen, path);
  const bool is_start = callee->getIdentifier() != nullptr && callee->getName() == "data";
  const std::int64_t size = call.isGLValue()             ? size_of(call.getType())
                            : is_pointer(call.getType()) ? target_size(call)
                                                         : 1;
  result_of(call, is_start ? seen.first : any_of(seen, size), seen, path);
}

void span_follower::given_to_functions(const clang::Expr& call, const element_view& seen,
                                       const call_path& path) {
  const element_view all{seen.first, seen.end};
  for (const clang::ParmVarDecl* parameter : references_given_by(code_, call)) {
    if (!open_.insert(parameter).second) {
      repeats(call);
      continue;
    }
    const position at = any_of(all, size_of(parameter->getType().getNonReferenceType()));
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(parameter->getDeclContext());
    const bool is_here = method != nullptr && method->getParent()->isLambda();
    hold(*parameter, [&] {
      for (const clang::Expr* use : code_.uses(parameter)) object(*use, at, is_here ? path : call_path());
    });
    open_.erase(parameter);
  }
}

}  // namespace stradsap::pp
