#include "analyze/code/object_places.hpp"

#include <clang/AST/DeclTemplate.h>

#include <algorithm>
#include <set>
#include <utility>

#include "analyze/code/known_functions.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

// ---- types ---------------------------------------------------------------------------------------------

namespace {

/// Searches a class and its parts for containers, each class once: it may hold a std::vector of itself.
class container_search {
 public:
  bool finds(clang::QualType type) {
    if (type.isNull() || type->isDependentType() || type->isReferenceType()) return false;
    if (const auto* array = type->getAsArrayTypeUnsafe()) return finds(array->getElementType());
    if (is_container(type)) return true;
    const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
    if (record == nullptr || !record->hasDefinition() || record->isLambda()) return false;
    if (!seen_.insert(record->getCanonicalDecl()).second) return false;
    if (is_in_std(*record)) {
      const auto* special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record);
      return special != nullptr && finds_among(special->getTemplateArgs().asArray());
    }
    record = record->getDefinition();
    return std::any_of(record->bases_begin(), record->bases_end(),
                       [&](const auto& base) { return finds(base.getType()); }) ||
           std::any_of(record->field_begin(), record->field_end(), [&](const clang::FieldDecl* field) {
             return finds(field->getType()) || is_container(field->getType());
           });
  }

 private:
  bool finds_among(llvm::ArrayRef<clang::TemplateArgument> arguments) {
    return std::any_of(arguments.begin(), arguments.end(), [&](const clang::TemplateArgument& one) {
      return one.getKind() == clang::TemplateArgument::Type && finds(one.getAsType());
    });
  }

  std::set<const clang::CXXRecordDecl*> seen_;
};

}  // namespace

bool holds_containers(clang::QualType type) { return container_search().finds(type); }

bool may_be_an_object(clang::QualType type) {
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  return record != nullptr && record->hasDefinition() && !is_container(type) && !is_in_std(*record) &&
         !record->isUnion() && !record->isLambda() && record->getNumVBases() == 0;
}

/// The objects behind a pointer, or in a container of the standard library; null for other types.
static clang::QualType objects_behind(clang::QualType type) {
  if (type->isPointerType() || type->isArrayType())
    return type->isPointerType() ? type->getPointeeType()
                                 : clang::QualType(type->getArrayElementTypeNoTypeQual(), 0);
  const auto* special =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  if (special == nullptr || !is_in_std(*special) || special->getTemplateArgs().size() == 0) return {};
  for (const clang::TemplateArgument& one : special->getTemplateArgs().asArray()) {
    if (one.getKind() == clang::TemplateArgument::Type && holds_containers(one.getAsType()))
      return one.getAsType();
  }
  return {};
}

bool leads_to_objects(clang::QualType type) {
  const clang::QualType objects = objects_behind(type);
  if (objects.isNull()) return false;
  if (is_container(objects)) return !type->isPointerType();  // a pointer has refusals of its own
  return (may_be_an_object(objects) || leads_to_objects(objects)) && holds_containers(objects);
}

std::vector<std::string> words_behind(const std::string& name, clang::QualType type) {
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  const llvm::StringRef in_std = record == nullptr ? "" : record->getName();
  const bool is_pointer = type->isPointerType() || in_std.ends_with("_ptr") || in_std == "optional";
  const std::string one = is_pointer ? "*" + name : name + "[i]";
  const clang::QualType objects = objects_behind(type);
  if (leads_to_objects(objects)) {
    std::vector<std::string> words = words_behind(one, objects);
    words.front() = name;
    return words;
  }
  if (is_container(objects)) return {name, one, "distributed containers", "each container"};
  return {name, one, "objects with containers in them", "one object"};
}

// ---- expressions and names -------------------------------------------------------------------------------

const clang::Expr& same_object(const clang::Expr& e) {
  const clang::Expr* at = &e;
  while (true) {
    const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(at);
    const bool same = cast != nullptr && (cast->getCastKind() == clang::CK_NoOp ||
                                          cast->getCastKind() == clang::CK_DerivedToBase ||
                                          cast->getCastKind() == clang::CK_UncheckedDerivedToBase);
    const clang::Expr* next = same ? cast->getSubExpr() : at->IgnoreParens();
    const clang::Expr* behind = same || next != at ? next : &behind_as_const(*at);
    if (behind == at) return *at;
    at = behind;
  }
}

std::string text_of(const std::vector<const clang::FieldDecl*>& members) {
  std::string text;
  for (const clang::FieldDecl* member : members) {
    if (member->getName().empty()) continue;  // an anonymous struct
    text += (text.empty() ? "" : ".") + member->getNameAsString();
  }
  return text;
}

std::string text_of(const object_place& place) {
  const std::string members = text_of(place.members);
  if (place.root == nullptr) return members.empty() ? "this" : members;
  return place.root->getNameAsString() + (members.empty() ? "" : "." + members);
}

std::string path_to_member(const clang::Expr& e) {
  const clang::Expr& at = same_object(e);
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&at)) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    const bool refers = variable != nullptr && variable->getType()->isReferenceType();
    const std::string further =
        refers && variable->getInit() != nullptr ? path_to_member(*variable->getInit()) : std::string();
    return further.empty() ? name->getDecl()->getNameAsString() : further;
  }
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(&at);
  if (member == nullptr) return {};
  const std::string name = member->getMemberDecl()->getNameAsString();
  if (llvm::isa<clang::CXXThisExpr>(same_object(*member->getBase()))) return name;
  const std::string base = path_to_member(*member->getBase());
  return base.empty() ? base : base + "." + name;
}

std::string path_to_root(const clang::VarDecl* root) {
  const bool refers = root->getType()->isReferenceType() && root->getInit() != nullptr;
  const std::string path = refers ? path_to_member(*root->getInit()) : std::string();
  return path.empty() ? root->getNameAsString() : path;
}

// ---- access --------------------------------------------------------------------------------------------

bool is_accessible(const clang::FieldDecl& field, const clang::DeclContext* scope) {
  const auto* owner = llvm::dyn_cast<clang::CXXRecordDecl>(field.getParent());
  if (owner == nullptr || field.getAccess() == clang::AS_public || field.getAccess() == clang::AS_none)
    return true;
  for (; scope != nullptr; scope = scope->getParent()) {
    const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(scope);
    if (record == nullptr) continue;
    if (record->getCanonicalDecl() == owner->getCanonicalDecl()) return true;
    if (field.getAccess() == clang::AS_protected && record->isDerivedFrom(owner)) return true;
  }
  return false;
}

std::string named_at_loop(const std::vector<const clang::FieldDecl*>& members,
                          const clang::DeclContext* scope) {
  std::string text;
  for (const clang::FieldDecl* member : members) {
    if (member->getName().empty()) continue;  // an anonymous struct
    const std::string name = member->getNameAsString();
    text +=
        (text.empty() ? "" : ".") + (is_accessible(*member, scope) ? name : api::opened_prefix + name + "()");
  }
  return text;
}

const char* why_not_alone(const clang::FieldDecl& field) {
  if (field.isBitField()) return "is a bit-field";
  if (field.getType()->isReferenceType()) return "is a reference";
  return field.getParent()->isUnion() ? "is a member of a union" : nullptr;
}

// ---- functions with several objects ---------------------------------------------------------------------

bool passed_objects::next() {
  ++number_;
  return std::any_of(all_.begin(), all_.end(), [&](const auto& one) { return one.second.size() > number_; });
}

const object_place& passed_objects::add(const clang::Decl& to, const object_place& place) {
  std::vector<object_place>& all = all_[&to];
  if (std::find(all.begin(), all.end(), place) == all.end()) all.push_back(place);
  return all[std::min(number_, all.size() - 1)];
}

bool passed_objects::has(const clang::ValueDecl* root) const {
  return std::any_of(all_.begin(), all_.end(), [&](const auto& one) {
    return std::any_of(one.second.begin(), one.second.end(),
                       [&](const object_place& place) { return place.root == root; });
  });
}

// ---- members in members ---------------------------------------------------------------------------------

bool used_parts::add(clang::SourceLocation loop, const object_place& place) {
  std::set<std::string>& used = used_[loop];
  std::string path = place.root == nullptr ? "this" : place.root->getNameAsString();
  for (std::size_t i = 0; i < place.members.size(); ++i) {
    path += "." + place.members[i]->getNameAsString();
    if (i + 1 < place.members.size() && used.count(path) != 0) return true;
  }
  const auto [at, fresh] = used.insert(path);
  const auto next = used.lower_bound(path + ".");
  if (fresh && next != used.end() && next->compare(0, path.size() + 1, path + ".") == 0) is_settled_ = false;
  return false;
}

bool used_parts::settle() { return std::exchange(is_settled_, true); }

}  // namespace stradsap::pp
