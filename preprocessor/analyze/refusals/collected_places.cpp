#include "analyze/refusals/collected_places.hpp"

#include <clang/AST/DeclTemplate.h>
#include <llvm/ADT/StringSwitch.h>

#include <algorithm>

#include "analyze/code/region.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

static constexpr unsigned most_levels = 6;  // of types in types, and of expressions in expressions

// ---- types ---------------------------------------------------------------------------------------------

static bool collects(clang::QualType type, unsigned depth);

/// Whether an entry of the type is a place, or has one.
static bool is_entry(clang::QualType type, unsigned depth) {
  if (keeps_places(type.getNonReferenceType()) || collects(type, depth + 1)) return true;
  const clang::CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition() || !is_users(*record) || record->isLambda()) return false;
  return std::any_of(record->field_begin(), record->field_end(),
                     [](const clang::FieldDecl* field) { return keeps_places(field->getType()); });
}

static bool is_collecting_name(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases("vector", "array", "deque", "list", "initializer_list", true)
      .Cases("map", "unordered_map", "multimap", "unordered_multimap", true)
      .Cases("set", "unordered_set", "multiset", "forward_list", true)
      .Cases("pair", "tuple", "optional", "variant", "min_max_result", true)
      .Default(false);
}

static bool collects(clang::QualType type, unsigned depth) {
  if (type.isNull() || type->isDependentType() || depth > most_levels) return false;
  type = type.getNonReferenceType();
  if (const auto* array = type->getAsArrayTypeUnsafe()) return is_entry(array->getElementType(), depth + 1);
  if (type->isPointerType()) return type->getPointeeType()->isPointerType();
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (record != nullptr && record->getIdentifier() != nullptr && record->getName() == "any" &&
      is_in_std(*record))
    return true;
  const auto* special =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  if (special == nullptr || special->getIdentifier() == nullptr || !is_in_std(*special) ||
      !is_collecting_name(special->getName()))
    return false;
  const auto is_place = [depth](const clang::TemplateArgument& one) {
    return one.getKind() == clang::TemplateArgument::Type &&
           (one.getAsType()->isReferenceType() || is_entry(one.getAsType(), depth + 1));
  };
  for (const clang::TemplateArgument& one : special->getTemplateArgs().asArray()) {
    const bool is_pack = one.getKind() == clang::TemplateArgument::Pack;
    if (is_pack ? std::any_of(one.pack_begin(), one.pack_end(), is_place) : is_place(one)) return true;
  }
  return false;
}

bool collects_places(clang::QualType type) { return collects(type, 0); }

// ---- expressions -----------------------------------------------------------------------------------------

const clang::Expr* named_collection(const clang::Expr& e) {
  const clang::Expr* at = e.IgnoreParenImpCasts();
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(at);
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(at);
  const bool is_variable = name != nullptr && llvm::isa<clang::VarDecl>(name->getDecl());
  const bool is_field = member != nullptr && llvm::isa<clang::FieldDecl>(member->getMemberDecl());
  return (is_variable || is_field) && collects_places(at->getType()) ? at : nullptr;
}

/// The object of which an expression selects an entry; null for others.
static const clang::Expr* object_of_entry(const clang::Expr& e) {
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&e)) return subscript->getBase();
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e))
    return llvm::isa<clang::FieldDecl>(member->getMemberDecl()) ? member->getBase() : nullptr;
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&e);
  const clang::FunctionDecl* callee = call == nullptr ? nullptr : call->getDirectCallee();
  if (callee == nullptr || !is_in_std(*callee)) return nullptr;
  if (const auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(call)) {
    const clang::OverloadedOperatorKind kind = op->getOperator();
    const bool selects = kind == clang::OO_Subscript || kind == clang::OO_Star || kind == clang::OO_Arrow;
    return selects ? op->getArg(0) : nullptr;
  }
  const clang::Expr* object = object_of(*call);
  const bool is_get =
      callee->getIdentifier() != nullptr && (callee->getName() == "get" || callee->getName() == "any_cast");
  if (is_get && object == nullptr && call->getNumArgs() == 1) return call->getArg(0);
  return object != nullptr && use_of_collection(*callee) == collection_use::reads ? object : nullptr;
}

const clang::Expr* collection_of_entry(const clang::Expr& e) {
  const clang::Expr* at = e.IgnoreParenImpCasts();
  for (unsigned depth = 0; depth < most_levels && is_entry(at->getType(), 0); ++depth) {
    const clang::Expr* object = object_of_entry(*at);
    if (object == nullptr) return nullptr;
    if (const clang::Expr* named = named_collection(*object)) return named;
    at = object->IgnoreParenImpCasts();
  }
  return nullptr;
}

collection_use use_of_collection(const clang::FunctionDecl& method) {
  using enum collection_use;
  if (llvm::isa<clang::CXXConversionDecl>(method)) return shape;  // if (maybe)
  if (method.getIdentifier() == nullptr) return assigns;
  return llvm::StringSwitch<collection_use>(method.getName())
      .Cases("size", "empty", "capacity", "max_size", "has_value", shape)
      .Cases("reserve", "resize", "shrink_to_fit", "pop_back", "pop_front", shape)
      .Cases("count", "contains", "erase", shape)
      .Cases("at", "front", "back", "value", "value_or", "find", reads)
      .Cases("push_back", "emplace_back", "push_front", "emplace_front", adds)
      .Cases("insert", "emplace", "try_emplace", "insert_or_assign", adds)
      .Default(assigns);
}

static void add_places(path_reader& paths, const clang::Expr& e, unsigned depth,
                       std::map<object_path, const clang::Expr*>& found);

/// The places among the operands of an expression that makes a collection: a list, a constructor,
/// std::make_pair, std::minmax_element.
static void add_operands(path_reader& paths, const clang::Expr& e, unsigned depth,
                         std::map<object_path, const clang::Expr*>& found) {
  const auto add = [&](const clang::Expr* one) {
    if (one != nullptr) add_places(paths, *one, depth + 1, found);
  };
  if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(&e)) {
    for (const clang::Expr* one : list->inits()) add(one);
  } else if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&e)) {
    for (const clang::Expr* one : made->arguments()) add(one);
  } else if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&e)) {
    add(choice->getTrueExpr());
    add(choice->getFalseExpr());
  } else if (const auto* fresh = llvm::dyn_cast<clang::CXXNewExpr>(&e)) {
    add(fresh->getInitializer());
  } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&e)) {
    const clang::FunctionDecl* callee = call->getDirectCallee();
    const clang::Expr* object = object_of(*call);
    if (object != nullptr && is_container(object->getType())) {  // equal_range
      object_path container = paths.of(*object);
      if (container.is_known()) found.emplace(std::move(container), &e);
      return;
    }
    if (const clang::FunctionDecl* definition = visible_definition(callee)) {
      std::map<object_path, const clang::Expr*> inner;
      for (const clang::Expr* value : values_returned_by(*definition))
        add_places(paths, *value, depth + 1, inner);
      for (const auto& one : inner) {
        object_path container = paths.in_caller(one.first, *definition, *call);
        if (container.is_known()) found.emplace(std::move(container), &e);
      }
      return;
    }
    if (callee == nullptr || !is_in_std(*callee) || callee->getReturnType()->isReferenceType()) return;
    for (const clang::Expr* one : call->arguments()) add(one);
  }
}

static void add_places(path_reader& paths, const clang::Expr& e, unsigned depth,
                       std::map<object_path, const clang::Expr*>& found) {
  if (depth > most_levels || !is_entry(e.getType(), 0)) return;
  object_path container = paths.container_of_place(e);
  if (container.is_known()) {
    found.emplace(std::move(container), &e);
    return;
  }
  const clang::Expr* at = &e;
  for (const clang::Expr* before = nullptr; at != before;) {
    before = at;
    at = at->IgnoreParenCasts()->IgnoreImplicit();
    if (const auto* list = llvm::dyn_cast<clang::CXXStdInitializerListExpr>(at)) at = list->getSubExpr();
  }
  add_operands(paths, *at, depth, found);
}

std::map<object_path, const clang::Expr*> places_in(path_reader& paths, const clang::Expr& made) {
  std::map<object_path, const clang::Expr*> found;
  add_places(paths, made, 0, found);
  return found;
}

}  // namespace stradsap::pp
