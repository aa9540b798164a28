// The part of use_reader that follows iterators and pointers, to find the uses of their targets. It works by
// a list of known reads: a handle that reaches unknown code may be used for writes.
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/StmtCXX.h>
#include <llvm/ADT/STLExtras.h>

#include <algorithm>

#include "analyze/code/eigen.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/code/types.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

template <std::size_t N>
static bool is_one_of(const clang::NamedDecl& named, const llvm::StringLiteral (&names)[N]) {
  return named.getIdentifier() != nullptr &&
         std::find(std::begin(names), std::end(names), named.getName()) != std::end(names);
}

/// optional.operator->(), which leaves the object as it is
static bool is_arrow_of_optional(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  return method != nullptr && method->getOverloadedOperator() == clang::OO_Arrow &&
         method->getParent()->getIdentifier() != nullptr && method->getParent()->getName() == "optional";
}

bool gives_a_handle(const clang::FunctionDecl& function) {
  static constexpr llvm::StringLiteral givers[] = {"begin", "end",  "rbegin",      "rend",
                                                   "data",  "find", "lower_bound", "upper_bound"};
  return is_in_std(function) && !is_users(function) &&
         (is_one_of(function, givers) || is_arrow_of_optional(function));
}

/// Whether a handle permits no writes: a pointer to const, or an iterator of that kind.
static bool is_const_handle(clang::QualType type) {
  if (type->isPointerType()) return type->getPointeeType().isConstQualified();
  if (is_const_expression(type)) return true;
  const auto* special = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
      type.getNonReferenceType()->getAsCXXRecordDecl());
  if (special == nullptr || !is_in_std(*special) || special->getIdentifier() == nullptr) return false;
  if (special->getName().contains("const_iterator") || special->getName() == "basic_string_view") return true;
  const clang::TemplateArgument& first = special->getTemplateArgs()[0];
  if (special->getName() == "span") return first.getAsType().isConstQualified();
  const bool wraps = first.getKind() == clang::TemplateArgument::Type && first.getAsType()->isPointerType();
  return wraps && first.getAsType()->getPointeeType().isConstQualified();
}

bool only_reads(clang::QualType type) {
  if (!is_const_handle(type)) return false;
  if (type->isPointerType()) return !may_refer(type->getPointeeType());
  const auto* special = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
      type.getNonReferenceType()->getAsCXXRecordDecl());
  return special->getName() == "span" && !may_refer(special->getTemplateArgs()[0].getAsType());
}

/// Whether a look at the handle runs no user code.
static bool is_plain(clang::QualType type) {
  const clang::CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record == nullptr || (is_in_std(*record) && !is_users(*record));
}

bool makes_view_of_range(const clang::Expr& call) {
  const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&call);
  if (made == nullptr || !is_view(made->getType())) return false;
  const clang::CXXConstructorDecl& constructor = *made->getConstructor();
  return is_in_std(constructor) && !is_users(constructor) &&
         llvm::all_of(made->arguments(), [](const clang::Expr* one) { return is_plain(one->getType()); });
}

bool makes_const_view(const clang::Expr& call) {
  return makes_view_of_range(call) && is_const_handle(call.getType());
}

static bool is_handle(clang::QualType type) {
  return type->isPointerType() || (type->getAsCXXRecordDecl() != nullptr && may_refer(type));
}

static bool is_pointer_or_view(clang::QualType type) { return type->isPointerType() || is_view(type); }

/// `both.first` of a pair of values, such as std::minmax_element returns.
static bool is_part_of_pair(const clang::MemberExpr& member) {
  const auto* field = llvm::dyn_cast<clang::FieldDecl>(member.getMemberDecl());
  const auto* owner = field == nullptr ? nullptr : llvm::dyn_cast<clang::CXXRecordDecl>(field->getParent());
  const bool is_named = owner != nullptr && owner->getIdentifier() != nullptr && is_in_std(*owner);
  return is_named && !member.isArrow() && !field->getType()->isReferenceType() &&
         (owner->getName() == "pair" || owner->getName() == "min_max_result");
}

unsigned use_reader::through_handle(const clang::Expr& part) {
  if (is_const_handle(part.getType()) && (!follows_owned_ || only_reads(part.getType())))
    return seen_as_const();
  const parent_link above = code_.parent(&part);
  if (above.variable != nullptr) return kept_in(*above.variable);
  if (is_stored(above.statement, part)) return use_none;
  if (above.statement == nullptr) return use_both;
  const clang::Stmt& node = *above.statement;
  if (llvm::isa<clang::ParenExpr, clang::FullExpr, clang::MaterializeTemporaryExpr,
                clang::CXXBindTemporaryExpr>(node)) {
    return through_handle(llvm::cast<clang::Expr>(node));
  }
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&node)) return handle_through_cast(*cast);
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node)) {
    if (is_part_of_pair(*member)) return is_handle(member->getType()) ? through_handle(*member) : use_none;
    return member->isArrow() ? member_pointed_to(*member) : member_of_span(*member);
  }
  if (llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(node)) {
    return handle_through_call(llvm::cast<clang::Expr>(node), part);
  }
  if (llvm::isa<clang::ReturnStmt>(node)) return returned_handle(code_.function_of(&node));
  if (!llvm::isa<clang::Expr>(node)) return use_none;
  return handle_through_operator(node, part);
}

unsigned use_reader::kept_in(const clang::VarDecl& variable) {
  if (variable.hasAttr<clang::CleanupAttr>()) return use_both;
  if (const auto* parts = llvm::dyn_cast<clang::DecompositionDecl>(&variable)) return kept_in_parts(*parts);
  if (!open_.insert(&variable).second) return use_none;
  unsigned found = use_none;
  for (const clang::Expr* use : code_.uses(&variable)) found |= through_handle(*use);
  open_.erase(&variable);
  return found;
}

/// The uses of the objects behind the handles of a pair, an aggregate or the like that are named apart.
unsigned use_reader::kept_in_parts(const clang::DecompositionDecl& parts) {
  unsigned found = use_none;
  for (const clang::BindingDecl* part : parts.bindings()) {
    if (part->getType()->isReferenceType()) {
      found |= bits_of_variable(*part);
    } else if (is_handle(part->getType())) {
      for (const clang::Expr* use : code_.uses(part)) found |= through_handle(*use);
    }
  }
  return found;
}

/// Whether a pointer's target holds no pointers, as numbers and bytes.
static bool points_to_values(const clang::Expr& pointer) {
  return pointer.getType()->isPointerType() && !may_refer(pointer.getType()->getPointeeType());
}

unsigned use_reader::handle_through_cast(const clang::CastExpr& cast) {
  switch (cast.getCastKind()) {
    case clang::CK_LValueToRValue:
    case clang::CK_NoOp:
    case clang::CK_ConstructorConversion:
    case clang::CK_DerivedToBase:  // an iterator of an unordered_map, where it is compared
    case clang::CK_UncheckedDerivedToBase:
      return through_handle(cast);
    case clang::CK_ToVoid:
    case clang::CK_PointerToBoolean:
      return use_none;
    case clang::CK_BitCast:
      return points_to_values(*cast.getSubExpr()) && points_to_values(cast) ? through_handle(cast) : use_both;
    default:
      return use_both;
  }
}

unsigned use_reader::member_pointed_to(const clang::MemberExpr& member) {
  if (llvm::isa<clang::FieldDecl>(member.getMemberDecl())) return climb(member, /*whole=*/false);
  const auto* call = llvm::dyn_cast_or_null<clang::CXXMemberCallExpr>(code_.parent(&member).statement);
  if (call == nullptr || call->getMethodDecl() == nullptr) return use_both;
  return as_object(*call, *call->getMethodDecl(), /*whole=*/false);
}

unsigned use_reader::member_of_span(const clang::MemberExpr& member) {
  static constexpr llvm::StringLiteral of_shape[] = {"size", "size_bytes", "empty"};
  static constexpr llvm::StringLiteral elements[] = {"front", "back"};
  static constexpr llvm::StringLiteral parts[] = {"begin", "end",   "rbegin", "rend",
                                                  "data",  "first", "last",   "subspan"};
  const auto* call = llvm::dyn_cast_or_null<clang::CXXMemberCallExpr>(code_.parent(&member).statement);
  const clang::CXXMethodDecl* method = call == nullptr ? nullptr : call->getMethodDecl();
  if (method != nullptr && is_in_eigen(*method)) return as_object(*call, *method, /*whole=*/false);
  if (method == nullptr || !is_in_std(*method) || is_users(*method)) return use_both;
  const bool named = method->getParent()->getIdentifier() != nullptr;
  const llvm::StringRef owner = named ? method->getParent()->getName() : "";
  if (is_bit_reference(*method->getParent()) && llvm::isa<clang::CXXConversionDecl>(method)) return use_none;
  if (owner != "span" && !owner.ends_with("_view")) return use_both;
  if (is_one_of(*method, of_shape)) return use_none;
  if (is_one_of(*method, elements)) return climb(*call, /*whole=*/false);
  return is_one_of(*method, parts) ? through_handle(*call) : use_both;
}

/// The uses of a pointer on either side of `p = q` or `view.p = q`.
unsigned use_reader::assigned_handle(const clang::BinaryOperator& op, const clang::Expr& part) {
  if (op.getLHS() == &part) return use_none;  // the variable gets another target
  const clang::Expr& target = *op.getLHS()->IgnoreParens();
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&target);
  const auto* variable = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
  if (variable != nullptr && code_.declares(variable)) return kept_in(*variable);
  return llvm::isa<clang::MemberExpr>(target) ? use_none : use_both;  // stored
}

unsigned use_reader::handle_through_operator(const clang::Stmt& node, const clang::Expr& part) {
  if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(&node)) {
    if (step->getOpcode() == clang::UO_Deref) return climb(*step, /*whole=*/false);
    if (step->isIncrementDecrementOp()) return through_handle(*step);
    return step->getOpcode() == clang::UO_LNot ? use_none : use_both;
  }
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&node)) {
    if (op->isComparisonOp() || op->isLogicalOp()) return use_none;
    if (op->isAdditiveOp()) return op->getType()->isPointerType() ? through_handle(*op) : use_none;
    if (op->isCompoundAssignmentOp() && op->getLHS() == &part) return through_handle(*op);
    if (op->getOpcode() == clang::BO_Comma) return op->getRHS() == &part ? through_handle(*op) : use_none;
    if (keeps_ && op->getOpcode() == clang::BO_Assign) return assigned_handle(*op, part);
    return use_both;
  }
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&node)) {
    return subscript->getBase() == &part ? climb(*subscript, /*whole=*/false) : use_both;
  }
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&node)) {
    return choice->getCond() == &part ? use_none : through_handle(*choice);
  }
  return use_both;
}

/// The uses by an iterator's operators: *it, it[k], it->f, ++it, it + k, it == other.
unsigned use_reader::handle_as_operand(const clang::CXXOperatorCallExpr& call, const clang::Expr& part) {
  switch (call.getOperator()) {
    case clang::OO_Star:
    case clang::OO_Subscript:
      if (!call.isGLValue() && !may_refer(call.getType())) return use_read;  // computed by a view
      // of a std::optional with a span or a pointer
      return climb(call, /*whole=*/false) |
             (is_pointer_or_view(call.getType()) ? through_handle(call) : use_none);
    case clang::OO_Arrow: {
      if (call.getType()->isPointerType() && is_pointer_or_view(call.getType()->getPointeeType()))
        return use_both;
      const auto* member = llvm::dyn_cast_or_null<clang::MemberExpr>(code_.parent(&call).statement);
      return member == nullptr ? use_both : member_pointed_to(*member);
    }
    case clang::OO_PlusPlus:
    case clang::OO_MinusMinus:
    case clang::OO_Plus:
    case clang::OO_Minus:
    case clang::OO_PlusEqual:
    case clang::OO_MinusEqual:
      return is_handle(call.getType()) ? through_handle(call) : use_none;
    case clang::OO_Call:
    case clang::OO_Pipe:
      return in_ranges(call, *call.getDirectCallee(), part).value_or(use_both);
    default:
      return call.isComparisonOp() ? use_none : use_both;
  }
}

unsigned use_reader::handle_through_call(const clang::Expr& call, const clang::Expr& part) {
  const clang::FunctionDecl* callee = callee_of(call);
  if (callee == nullptr) return use_both;
  if (is_in_eigen(*callee)) return handle_through_eigen(call, part);
  if ((is_in_std(*callee) && !is_users(*callee)) || is_of_iterator(*callee))
    return handle_through_std(call, *callee, part);
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  const auto at = std::find(arguments.begin(), arguments.end(), &part);
  const auto i = static_cast<unsigned>(at - arguments.begin());
  const clang::FunctionDecl* definition = code_.in_sight(callee);
  const bool is_known = at != arguments.end() && i < callee->getNumParams() && definition != nullptr;
  return is_known ? kept_in(*definition->getParamDecl(i)) : use_both;
}

/// The uses of a matrix by a function of Eigen's that gets an expression of it, or a pointer to coefficients.
unsigned use_reader::handle_through_eigen(const clang::Expr& call, const clang::Expr& part) {
  const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&call);
  if (made == nullptr) return through_call(call, part, /*whole=*/false);
  if (is_matrix(made->getType())) return use_read;
  if (part.getType()->isPointerType() || makes_view(*made)) return use_read | through_handle(call);
  const clang::QualType taken = made->getConstructor()->getParamDecl(0)->getType();
  return taken->isReferenceType() && !taken->getPointeeType().isConstQualified() ? use_both : use_read;
}

static bool takes_changeable(const clang::CXXMethodDecl& method) {
  return std::any_of(method.param_begin(), method.param_end(), [](const clang::ParmVarDecl* p) {
    if (may_refer(p->getType().getNonReferenceType())) return true;  // a span of the entry
    return p->getType()->isReferenceType() && !p->getType()->getPointeeType().isConstQualified();
  });
}

/// Whether the type is a pointer, an iterator or a span, with entries that hold no pointers.
static bool leads_to_values(clang::QualType type) {
  if (type->isPointerType()) return !type->isFunctionPointerType() && !may_refer(type->getPointeeType());
  const auto* made =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  if (made == nullptr || !is_view(type)) return false;
  const clang::TemplateArgument& first = made->getTemplateArgs()[0];
  if (first.getKind() != clang::TemplateArgument::Type) return false;
  return leads_to_values(first.getAsType()) || !may_refer(first.getAsType());
}

/// Whether an algorithm may call the argument for its entries and thereby change them.
static bool may_change_entries(const clang::Expr& argument) {
  const clang::QualType type = argument.getType().getNonReferenceType();
  if (const clang::CXXRecordDecl* closure = closure_class(type)) {
    const clang::CXXMethodDecl* method = closure->getLambdaCallOperator();
    return method == nullptr || takes_changeable(*method);
  }
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (leads_to_values(type)) return false;
  if (record == nullptr) return !type->isArithmeticType() && !type->isEnumeralType();
  if (is_in_std(*record)) return may_refer(type) && !record->isEmpty();
  return std::any_of(record->method_begin(), record->method_end(), [](const clang::CXXMethodDecl* method) {
    return method->getOverloadedOperator() == clang::OO_Call && takes_changeable(*method);
  });
}

bool may_change_entries(const std::vector<const clang::Expr*>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const clang::Expr* argument) {
    return closure_class(argument->getType()) != nullptr && may_change_entries(*argument);
  });
}

/// Whether each call operator of a lambda or a user's class takes its arguments as const or as copies.
static bool takes_as_const(const clang::CXXRecordDecl& visitor) {
  const auto leaves = [](const clang::FunctionDecl* one) {
    return !takes_changeable(llvm::cast<clang::CXXMethodDecl>(*one));
  };
  for (const clang::Decl* member : visitor.decls()) {
    const auto* pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(member);
    const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(
        pattern != nullptr ? pattern->getTemplatedDecl() : member);
    if (method == nullptr || method->getOverloadedOperator() != clang::OO_Call) continue;
    if (pattern == nullptr ? !leaves(method) : !llvm::all_of(pattern->specializations(), leaves))
      return false;
  }
  return llvm::all_of(visitor.bases(), [](const clang::CXXBaseSpecifier& base) {
    const clang::CXXRecordDecl* of = base.getType()->getAsCXXRecordDecl();
    return of != nullptr && is_users(*of) && takes_as_const(*of);
  });
}

bool visits_as_const(const clang::Expr& call) {
  const auto* visit = llvm::dyn_cast<clang::CallExpr>(&call);
  const clang::FunctionDecl* callee = visit == nullptr ? nullptr : visit->getDirectCallee();
  static constexpr llvm::StringLiteral names[] = {"visit"};
  if (callee == nullptr || !is_in_std(*callee) || is_users(*callee) || !is_one_of(*callee, names) ||
      visit->getNumArgs() < 2)
    return false;
  const clang::CXXRecordDecl* visitor = visit->getArg(0)->getType()->getAsCXXRecordDecl();
  return visitor != nullptr && is_users(*visitor) && takes_as_const(*visitor);
}

/// algorithms by their use of a range
static constexpr llvm::StringLiteral reading_algorithms[] = {"lower_bound",
                                                             "upper_bound",
                                                             "binary_search",
                                                             "find",
                                                             "find_if",
                                                             "find_if_not",
                                                             "count",
                                                             "count_if",
                                                             "accumulate",
                                                             "reduce",
                                                             "max_element",
                                                             "distance",
                                                             "min_element",
                                                             "minmax_element",
                                                             "all_of",
                                                             "any_of",
                                                             "none_of",
                                                             "equal",
                                                             "is_sorted",
                                                             "inner_product",
                                                             "search",
                                                             "adjacent_find",
                                                             "next",
                                                             "prev",
                                                             "mismatch",
                                                             "find_first_of",
                                                             "equal_range",
                                                             "includes",
                                                             "find_end",
                                                             "lexicographical_compare",
                                                             "partition_point",
                                                             "transform_reduce",
                                                             "is_sorted_until"};
static constexpr llvm::StringLiteral copying_algorithms[] = {"copy",
                                                             "copy_if",
                                                             "copy_n",
                                                             "transform",
                                                             "partial_sum",
                                                             "assign",
                                                             "insert",
                                                             "reverse_copy",
                                                             "unique_copy",
                                                             "inclusive_scan",
                                                             "adjacent_difference",
                                                             "exclusive_scan",
                                                             "set_union",
                                                             "set_intersection",
                                                             "set_difference",
                                                             "set_symmetric_difference"};

/// Whether the functions in an adaptor of std::views leave the entries unchanged.
static bool leaves_entries(clang::QualType adaptor) {
  const clang::CXXRecordDecl* record = adaptor->getAsCXXRecordDecl();
  if (record == nullptr) return adaptor->isArithmeticType() || adaptor->isEnumeralType();
  if (const clang::CXXRecordDecl* closure = closure_class(adaptor)) {
    const clang::CXXMethodDecl* method = closure->getLambdaCallOperator();
    return method != nullptr && !takes_changeable(*method);
  }
  if (!is_in_std(*record) || is_users(*record)) return false;
  const auto* made = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record);
  const auto leaves = [](const clang::TemplateArgument& one) {
    return one.getKind() != clang::TemplateArgument::Type || leaves_entries(one.getAsType());
  };
  if (made == nullptr) return true;
  for (const clang::TemplateArgument& one : made->getTemplateArgs().asArray()) {
    const bool pack = one.getKind() == clang::TemplateArgument::Pack;
    if (pack ? !llvm::all_of(one.pack_elements(), leaves) : !leaves(one)) return false;
  }
  return true;
}

/// Whether a function makes a view: v | std::views::take(3), std::views::take(v, 3).
static bool makes_view(const clang::FunctionDecl& callee) {
  const clang::DeclContext* scope = callee.getDeclContext();
  if (llvm::isa<clang::CXXMethodDecl>(callee)) scope = scope->getParent();
  const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(scope);
  const bool is_named = space != nullptr && is_in_std(callee) && !is_users(callee);
  return is_named && (space->getName() == "views" || space->getName() == "__adaptor");
}

std::optional<unsigned> use_reader::in_ranges(const clang::Expr& call, const clang::FunctionDecl& callee,
                                              const clang::Expr& part) {
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  const auto range = std::find(arguments.begin(), arguments.end(), &part);
  if (range == arguments.end()) return std::nullopt;
  const auto others_leave = [&](const clang::Expr* one) {
    return one == *range || leaves_entries(one->getType().getNonReferenceType());
  };
  if (makes_view(callee) && llvm::all_of(arguments, others_leave)) return use_read | through_handle(call);
  static constexpr llvm::StringLiteral values[] = {"max", "min", "minmax"};
  const llvm::StringRef name = ranges_algorithm(callee);
  const bool copies = llvm::is_contained(copying_algorithms, name) && range == arguments.begin();
  if (!copies && !llvm::is_contained(reading_algorithms, name) && !llvm::is_contained(values, name))
    return std::nullopt;
  for (const clang::Expr* one : arguments) {
    const bool target = copies && one == arguments[1];
    if (one != *range && !target && may_change_entries(*one)) return std::nullopt;
  }
  return use_read | (is_handle(call.getType()) ? through_handle(call) : use_none);
}

unsigned use_reader::handle_through_std(const clang::Expr& call, const clang::FunctionDecl& callee,
                                        const clang::Expr& part) {
  if (const auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&call)) return handle_as_operand(*op, part);
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&call)) {
    if (makes_const_view(*made) && (!follows_owned_ || only_reads(made->getType()))) return seen_as_const();
    if (!may_refer(made->getType())) return use_read;  // a container, a distribution or a string with copies
    if (makes_view_of_range(*made)) return use_read | through_handle(*made);  // std::span(p, n)
    if (made->getNumArgs() == 1) return through_handle(*made);
    return keeps_ ? use_none : use_both;  // stored
  }
  static constexpr llvm::StringLiteral two_ranges[] = {"transform"};
  static constexpr llvm::StringLiteral two_whole_ranges[] = {"set_union", "set_intersection",
                                                             "set_difference", "set_symmetric_difference"};
  const bool only_reads = is_one_of(callee, reading_algorithms);
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  const auto at =
      static_cast<std::size_t>(std::find(arguments.begin(), arguments.end(), &part) - arguments.begin());
  // std::transform(first, last, second, target, operation) reads two ranges
  const std::size_t target_at = is_one_of(callee, two_whole_ranges)                      ? 4
                                : is_one_of(callee, two_ranges) && arguments.size() == 5 ? 3
                                                                                         : 2;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool same_range = arguments[i]->getType().getCanonicalType() == part.getType().getCanonicalType();
    const bool target = i == target_at && !only_reads;  // the target of a copy
    if (!same_range && !target && may_change_entries(*arguments[i])) return use_both;
  }
  if (only_reads) return use_read | (is_handle(call.getType()) ? through_handle(call) : use_none);
  static constexpr llvm::StringLiteral from_object[] = {"copy"};   // text.copy(p, n) writes to p
  const bool is_method = llvm::isa<clang::CXXMethodDecl>(callee);  // v.assign(first, last)
  const bool reads_here = is_method ? !is_one_of(callee, from_object) : at < target_at;
  const bool copies = is_one_of(callee, copying_algorithms) && reads_here && object_of(call) != &part;
  return copies ? use_read : use_both;
}

}  // namespace stradsap::pp
