// Insertion into a class that travels:
//
//   before: struct Rating { int user; int item; float value; };
//   after:  struct Rating { int user; int item; float value; public: static constexpr auto
//           stradsap_members_() { ... } };
#include "analyze/code/types.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>

#include "analyze/code/cereal_functions.hpp"
#include "analyze/code/eigen.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

template <std::size_t N> static bool is_one_of(llvm::StringRef name, const llvm::StringLiteral (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

static llvm::StringRef plain_name(const clang::CXXRecordDecl& record) {
  return record.getIdentifier() != nullptr ? record.getName() : llvm::StringRef();
}

/// Whether a library container owns its elements, so that only these can refer to other objects.
static bool owns_its_elements(const clang::CXXRecordDecl& record) {
  static constexpr llvm::StringLiteral names[] = {
      "vector", "array",         "basic_string",  "deque",           "list",     "map",
      "set",    "unordered_map", "unordered_set", "multimap",        "multiset", "pair",
      "tuple",  "optional",      "valarray",      "initializer_list"};
  return is_in_std(record) && is_one_of(plain_name(record), names);
}

// A class may hold a std::vector of itself: each class is tested once.
using seen_classes = std::set<const clang::CXXRecordDecl*>;
using type_test = bool (*)(clang::QualType, seen_classes&);

static bool any_type_argument(const clang::CXXRecordDecl& record, seen_classes& seen, type_test test) {
  const auto* special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
  if (special == nullptr) return false;
  for (const clang::TemplateArgument& argument : special->getTemplateArgs().asArray()) {
    if (argument.getKind() == clang::TemplateArgument::Type && test(argument.getAsType(), seen)) return true;
    if (argument.getKind() != clang::TemplateArgument::Pack) continue;
    for (const clang::TemplateArgument& part : argument.pack_elements()) {
      if (part.getKind() == clang::TemplateArgument::Type && test(part.getAsType(), seen)) return true;
    }
  }
  return false;
}

/// Whether a part of an array or a class passes the test; a class without a definition may have one.
static bool any_part(clang::QualType type, seen_classes& seen, type_test test) {
  if (const auto* array = type->getAsArrayTypeUnsafe()) return test(array->getElementType(), seen);
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (record == nullptr || is_container(type) || !seen.insert(record->getCanonicalDecl()).second)
    return false;
  if (is_matrix(type)) return test(coefficient_of(type), seen);
  if (owns_its_elements(*record)) return any_type_argument(*record, seen, test);
  if (!record->hasDefinition()) return true;
  for (const clang::CXXBaseSpecifier& base : record->bases()) {
    if (test(base.getType(), seen)) return true;
  }
  return std::any_of(record->field_begin(), record->field_end(),
                     [&](const clang::FieldDecl* field) { return test(field->getType(), seen); });
}

static bool refers(clang::QualType type, seen_classes& seen) {
  return type->isDependentType() || type->isReferenceType() || type->isAnyPointerType() ||
         type->isMemberPointerType() || any_part(type, seen, refers);
}

bool may_refer(clang::QualType type) {
  seen_classes seen;
  return refers(type, seen);
}

static bool is_redirected(clang::QualType type, seen_classes& seen) {
  if (type->isReferenceType()) return may_refer(type->getPointeeType());
  return type->isDependentType() || type->isAnyPointerType() || type->isMemberPointerType() ||
         any_part(type, seen, is_redirected);
}

bool may_be_redirected(clang::QualType type) {
  seen_classes seen;
  return is_redirected(type, seen);
}

std::string advice_to_describe(const obstacle& found) {
  if (!found.advice.empty() || !found.can_describe_itself) return found.advice;
  return std::string(
             ", or give the class a member template `serialize(Archive& archive) { archive(a, b); }` and "
             "include ") +
         api::archives_header;
}

// ---- obstacles ------------------------------------------------------------------------------------------

std::optional<obstacle> travelling_types::add(clang::QualType written, const std::string& called) {
  const clang::QualType type = written.getCanonicalType().getUnqualifiedType();
  const auto refuse = [&](std::string what) { return obstacle{called, std::move(what), {}}; };
  if (type->isReferenceType()) return refuse("is a reference");
  if (type->isFunctionPointerType() || type->isFunctionType()) return refuse("is a pointer to a function");
  if (type->isAnyPointerType()) return refuse("is a raw pointer");
  if (type->isMemberPointerType()) return refuse("is a pointer to a member");
  if (const auto* array = ast_.getAsConstantArrayType(type)) return add(array->getElementType(), called);
  if (type->isArrayType()) return refuse("is an array whose size is not constant");
  if (type->isVectorType()) return std::nullopt;  // numbers in a register
  if (type->isArithmeticType() || type->isEnumeralType()) return std::nullopt;
  if (is_matrix(type)) return add(coefficient_of(type), called);
  if (is_container(type)) {
    obstacle found = refuse("is a distributed container, which cannot be inside another object");
    const std::string part = called.substr(called.rfind('.') + 1);
    found.can_describe_itself = false;
    found.is_container = true;
    if (called.find('.') != std::string::npos && called.find_first_of("[<(") == std::string::npos)
      found.advice = ", its containers by reference: `&" + part + " = " + called + "`";
    return found;
  }
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition()) return refuse("is of an unknown type");
  record = record->getDefinition();
  if (!seen_.insert(record).second) return std::nullopt;  // checked before; its obstacle was reported then
  std::optional<obstacle> found = is_users(*record) ? add_users(*record, called)
                                                    : add_standard(*record, type_name(ast_, written), called);
  if (found) seen_.erase(record);
  return found;
}

static bool is_plain_bytes(clang::QualType type, const clang::ASTContext& ast) {
  return type.isTriviallyCopyableType(ast) && !may_refer(type);
}

/// Advice for a type of the standard library that cereal can encode.
static std::string advice_to_include(const clang::CXXRecordDecl& record) {
  static constexpr llvm::StringLiteral names[] = {"variant", "deque", "list",    "forward_list",
                                                  "queue",   "stack", "valarray"};
  if (!is_in_std(record) || !is_one_of(plain_name(record), names)) return {};
  return std::string(", or include ") + api::archives_header + " and <cereal/types/" +
         plain_name(record).str() + ".hpp>";
}

static bool is_smart_pointer(const clang::CXXRecordDecl& record) {
  static constexpr llvm::StringLiteral pointers[] = {"unique_ptr", "shared_ptr", "weak_ptr"};
  return is_in_std(record) && is_one_of(plain_name(record), pointers);
}

/// Advice for a pointer of the standard library: the object that it leads to.
static std::string advice_to_dereference(const std::string& path) {
  const bool is_member = path.find_first_of(".[<(") != std::string::npos;
  return is_member ? ", or make the object itself the member"
                   : ": write `const auto& one = *" + path + ";` before the loop, and use that in the body";
}

/// Whether a class of a library travels by functions for cereal. Pointers of the standard library do not:
/// copies of an element would share an object.
static bool is_cereals(const clang::CXXRecordDecl& record) {
  if (is_smart_pointer(record)) return false;
  return includes_archives(record.getASTContext()) && has_cereal_functions(record, /*is_users=*/false);
}

std::optional<obstacle> travelling_types::add_standard(const clang::CXXRecordDecl& record,
                                                       const std::string& name, const std::string& path) {
  static constexpr llvm::StringLiteral supported[] = {"vector", "array",         "basic_string",  "map",
                                                      "set",    "unordered_map", "unordered_set", "pair",
                                                      "tuple",  "optional"};
  const clang::QualType type = ast_.getRecordType(&record);
  const bool is_codecs_own = is_in_std(record) && is_one_of(plain_name(record), supported);
  if (!is_codecs_own && !is_cereals(record)) {
    if (is_plain_bytes(type, ast_) && !is_braced_list(type)) return std::nullopt;
    obstacle found{path, name == path ? "holds more than plain values" : "is a " + name, {}};
    found.advice = is_smart_pointer(record) ? advice_to_dereference(path) : advice_to_include(record);
    return found;
  }
  const auto* special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
  if (special == nullptr) return std::nullopt;
  const bool only_first = plain_name(record) == "vector" || plain_name(record) == "basic_string";
  std::vector<clang::QualType> parts;
  for (const clang::TemplateArgument& argument : special->getTemplateArgs().asArray()) {
    if (argument.getKind() == clang::TemplateArgument::Type) parts.push_back(argument.getAsType());
    if (argument.getKind() != clang::TemplateArgument::Pack) continue;
    for (const clang::TemplateArgument& part : argument.pack_elements()) parts.push_back(part.getAsType());
  }
  for (const clang::QualType& part : parts) {
    const clang::CXXRecordDecl* policy = part->getAsCXXRecordDecl();
    // skip allocators, hashes and comparisons: they hold no data
    if (policy != nullptr && is_in_std(*policy) && policy->isEmpty()) continue;
    std::optional<obstacle> found = add(part, path);
    if (found && is_in_std(record)) return found;  // other libraries need not send an argument's objects
    if (only_first) break;
  }
  return std::nullopt;
}

static bool lists_its_members(const clang::CXXRecordDecl& record) {
  return std::any_of(record.method_begin(), record.method_end(), [](const clang::CXXMethodDecl* method) {
    return method->getIdentifier() != nullptr && method->getName() == api::members_function;
  });
}

static bool can_be_made(const clang::CXXRecordDecl& record) {
  if (record.isLambda()) return record.captures().empty();
  return record.isAggregate() || record.hasDefaultConstructor();
}

std::optional<obstacle> travelling_types::add_users(const clang::CXXRecordDecl& record,
                                                    const std::string& path) {
  const auto refuse = [&](const char* what) {
    return obstacle{path, what, record.getLocation(), /*can_describe_itself=*/false};
  };
  if (record.isLambda()) {
    if (can_be_made(record)) return std::nullopt;
    const clang::CXXMethodDecl* body = record.getLambdaCallOperator();
    const bool keeps_state = body != nullptr && !body->isConst() && !body->isStatic();
    return refuse(keeps_state ? "is a `mutable` lambda" : "is a lambda that captures variables of its own");
  }
  if (record.isUnion()) return refuse("is a union");
  const bool describes_itself = has_cereal_functions(record, /*is_users=*/true);
  if (!describes_itself && (record.isPolymorphic() || record.getNumVBases() > 0))
    return refuse("has virtual functions or bases");
  if (!can_be_made(record)) {
    obstacle found = refuse("has no default constructor, so that no other process could make one");
    found.advice = ", or give the class one: `" + record.getNameAsString() + "() = default;`";
    return found;
  }
  if (describes_itself) return add_self_describing(record, path);
  if (lists_its_members(record)) return std::nullopt;
  if (std::optional<obstacle> found = add_members(record, path)) return found;
  return reflect(record, path);
}

/// The class's own functions encode its members. Those without functions need lists, as far as possible.
std::optional<obstacle> travelling_types::add_self_describing(const clang::CXXRecordDecl& record,
                                                              const std::string& path) {
  if (!includes_archives(ast_)) {
    return obstacle{.path = path,
                    .what = "has functions for cereal, and the program does not include " +
                            std::string(api::archives_header),
                    .where = record.getLocation(),
                    .advice = std::string(", or write `#include ") + api::archives_header + "`"};
  }
  for (const clang::FieldDecl* field : record.fields()) (void)add(field->getType(), path);
  return std::nullopt;
}

std::optional<obstacle> travelling_types::add_members(const clang::CXXRecordDecl& record,
                                                      const std::string& path) {
  for (const clang::CXXBaseSpecifier& base : record.bases()) {
    if (base.getAccessSpecifier() != clang::AS_public) {
      return obstacle{path, "has a base class that is not public", base.getBeginLoc()};
    }
    if (std::optional<obstacle> found = add(base.getType(), path)) {
      found->can_describe_itself = true;
      return found;
    }
  }
  for (const clang::FieldDecl* field : record.fields()) {
    const std::string member = path + "." + field->getNameAsString();
    const auto refuse = [&](const char* what) { return obstacle{member, what, field->getLocation()}; };
    if (field->isBitField()) return refuse("is a bit-field");
    if (field->isAnonymousStructOrUnion())
      return obstacle{path, "has an anonymous struct or union", field->getLocation()};
    if (field->getType().isConstQualified()) return refuse("is const, so that it could not be received");
    if (std::optional<obstacle> found = add(field->getType(), member)) {
      if (found->where.isInvalid()) found->where = field->getLocation();
      found->can_describe_itself = true;
      return found;
    }
  }
  return std::nullopt;
}

// ---- insertions into a class ----------------------------------------------------------------------------

/// The class template's pattern for an instance; else the class itself.
static const clang::CXXRecordDecl& written(const clang::CXXRecordDecl& record) {
  const clang::CXXRecordDecl* pattern = record.getTemplateInstantiationPattern();
  return pattern != nullptr && pattern->getDefinition() != nullptr ? *pattern->getDefinition() : record;
}

std::string travelling_types::spelled(const clang::CXXBaseSpecifier& base) const {
  const clang::SourceRange range = base.getTypeSourceInfo()->getTypeLoc().getSourceRange();
  return clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(range), ast_.getSourceManager(),
                                     ast_.getLangOpts())
      .str();
}

std::optional<obstacle> travelling_types::reflect(const clang::CXXRecordDecl& instance,
                                                  const std::string& path) {
  const clang::CXXRecordDecl& record = written(instance);
  const auto brace = position_of(ast_, record.getBraceRange().getEnd());
  const auto keyword = position_after(ast_, record.getBeginLoc());
  if (!brace || !keyword) {
    return obstacle{path, "is defined inside a macro", record.getLocation()};
  }
  reflected_class found{.closing_brace = *brace,
                        .keyword_end = *keyword,
                        .unnamed = false,
                        .name = "",
                        .bases = {},
                        .members = {}};
  found.name = record.getNameAsString();
  if (record.getIdentifier() == nullptr) {
    const clang::TypedefNameDecl* alias = record.getTypedefNameForAnonDecl();
    if (alias == nullptr) return obstacle{path, "is of a type without a name", record.getLocation()};
    found.unnamed = true;
    found.name = "stradsap_" + alias->getNameAsString();
  }
  if (stands_before_api(ast_, record.getLocation())) before_api_ = true;
  for (const clang::CXXBaseSpecifier& base : record.bases()) found.bases.push_back(spelled(base));
  for (const clang::FieldDecl* field : record.fields()) found.members.push_back(field->getNameAsString());
  classes_.insert(std::move(found));
  return std::nullopt;
}

bool travelling_types::open(const clang::FieldDecl& member) {
  const auto* owner = llvm::dyn_cast<clang::CXXRecordDecl>(member.getParent());
  if (owner == nullptr || !is_users(*owner)) return false;
  const auto brace = position_of(ast_, written(*owner).getBraceRange().getEnd());
  if (brace) opened_[*brace].insert(member.getNameAsString());
  return brace.has_value();
}

std::vector<opened_class> travelling_types::opened() const {
  std::vector<opened_class> all;
  for (const auto& [brace, members] : opened_) all.push_back({brace, members});
  return all;
}

// ---- const ---------------------------------------------------------------------------------------------

/// Whether a conversion drops const: from `const T* const*` to `const T**`, or from a pointer to const to an
/// integer.
static bool drops_const(clang::QualType from, clang::QualType to) {
  while (from->isPointerType() && to->isPointerType()) {
    from = from->getPointeeType();
    to = to->getPointeeType();
    if (from.isConstQualified() && !to.isConstQualified()) return true;
  }
  return from->isPointerType() && to->isIntegerType() && !to->isBooleanType() &&
         from->getPointeeType().isConstQualified();
}

bool casts_const_away(const clang::ExplicitCastExpr& cast) {
  const clang::Expr& operand = *cast.getSubExprAsWritten();
  const clang::QualType to = cast.getTypeAsWritten();
  if (!to->isReferenceType()) return drops_const(operand.getType().getCanonicalType(), to.getCanonicalType());
  const clang::QualType target = to->getPointeeType();
  return (operand.getType().isConstQualified() && !target.isConstQualified()) ||
         drops_const(operand.getType().getCanonicalType(), target.getCanonicalType());
}

// ---- locks and views ------------------------------------------------------------------------------------

static bool is_standard(clang::QualType type, llvm::ArrayRef<llvm::StringLiteral> names) {
  const clang::CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record != nullptr && is_in_std(*record) &&
         std::find(names.begin(), names.end(), plain_name(*record)) != names.end();
}

bool is_lock(clang::QualType type) {
  static constexpr llvm::StringLiteral locks[] = {
      "mutex",        "timed_mutex",        "recursive_mutex", "recursive_timed_mutex",
      "shared_mutex", "shared_timed_mutex", "lock_guard",      "unique_lock",
      "scoped_lock",  "shared_lock"};
  static constexpr llvm::StringLiteral holders[] = {"vector", "deque", "array", "unique_ptr", "shared_ptr"};
  type = type.getNonReferenceType();
  const std::string plain = type.getUnqualifiedType().getAsString();
  if (plain == "pthread_mutex_t" || plain == "pthread_spinlock_t" || plain == "omp_lock_t") return true;
  if (const auto* array = type->getAsArrayTypeUnsafe()) return is_lock(array->getElementType());
  if (!is_standard(type, holders)) return is_standard(type, locks);
  const auto* special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  return special != nullptr && special->getTemplateArgs()[0].getKind() == clang::TemplateArgument::Type &&
         is_lock(special->getTemplateArgs()[0].getAsType());
}

bool is_braced_list(clang::QualType type) {
  static constexpr llvm::StringLiteral lists[] = {"initializer_list"};
  return is_standard(type, lists);
}

bool is_view(clang::QualType type) {
  static constexpr llvm::StringLiteral views[] = {"span",
                                                  "basic_string_view",
                                                  "__normal_iterator",
                                                  "reverse_iterator",
                                                  "subrange",
                                                  "ref_view",
                                                  "reverse_view",
                                                  "drop_view",
                                                  "drop_while_view",
                                                  "take_view",
                                                  "take_while_view",
                                                  "filter_view"};
  return is_standard(type, views);
}

}  // namespace stradsap::pp
