#include "analyze/code/cereal_functions.hpp"

#include <clang/AST/DeclFriend.h>
#include <clang/AST/DeclTemplate.h>

#include <algorithm>
#include <vector>

#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

static const clang::FunctionDecl* function_in(const clang::NamedDecl* declaration) {
  if (declaration == nullptr) return nullptr;
  if (const auto* pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration))
    return pattern->getTemplatedDecl();
  return llvm::dyn_cast<clang::FunctionDecl>(declaration);
}

static bool is_called(const clang::FunctionDecl* function, llvm::StringRef name) {
  return function != nullptr && function->getIdentifier() != nullptr && function->getName() == name;
}

/// Whether the parameter takes an archive: one of <stradsap/cereal.hpp>, or an object of any type by
/// reference.
static bool takes_archive(const clang::FunctionDecl& function) {
  if (function.getNumParams() == 0) return false;
  const clang::QualType type = function.getParamDecl(0)->getType();
  if (!type->isReferenceType()) return false;
  const clang::QualType archive = type->getPointeeType();
  if (archive->isTemplateTypeParmType()) return function.getDescribedFunctionTemplate() != nullptr;
  const clang::CXXRecordDecl* record = archive->getAsCXXRecordDecl();
  return record != nullptr && is_in_api(*record) && record->getIdentifier() != nullptr &&
         (record->getName() == api::output_archive || record->getName() == api::input_archive);
}

static bool is_version(const clang::ParmVarDecl& parameter) {
  const clang::QualType type = parameter.getType();
  return type->isIntegerType() || type->isTemplateTypeParmType();
}

/// Whether the parameters after the first `own` ones are no more than a version.
static bool has_no_more_than_version(const clang::FunctionDecl& function, unsigned own) {
  const unsigned n = function.getNumParams();
  return n == own || (n == own + 1 && is_version(*function.getParamDecl(own)));
}

// ---- members
// ----------------------------------------------------------------------------------------------------

static bool has_member(const clang::CXXRecordDecl& record, llvm::StringRef name, unsigned parameters) {
  return std::any_of(record.decls_begin(), record.decls_end(), [&](const clang::Decl* member) {
    const clang::FunctionDecl* function = function_in(llvm::dyn_cast<clang::NamedDecl>(member));
    return is_called(function, name) && takes_archive(*function) &&
           has_no_more_than_version(*function, parameters);
  });
}

static bool has_members(const clang::CXXRecordDecl& record) {
  return has_member(record, "serialize", 1) ||
         (has_member(record, "save", 1) && has_member(record, "load", 1)) ||
         (has_member(record, "save_minimal", 1) && has_member(record, "load_minimal", 2));
}

// ---- other functions
// --------------------------------------------------------------------------------------------

static const clang::NamedDecl& template_or_class(const clang::CXXRecordDecl& record) {
  if (const auto* special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&record))
    return *special->getSpecializedTemplate()->getCanonicalDecl();
  if (const clang::ClassTemplateDecl* pattern = record.getDescribedClassTemplate())
    return *pattern->getCanonicalDecl();
  return *record.getCanonicalDecl();
}

/// Whether the parameter is made for objects of the class, or of its template.
static bool takes_class(const clang::ParmVarDecl& parameter, const clang::CXXRecordDecl& record) {
  const clang::QualType type = parameter.getType().getNonReferenceType();
  if (const clang::CXXRecordDecl* taken = type->getAsCXXRecordDecl())
    return &template_or_class(*taken) == &template_or_class(record);
  const auto* special = type->getAs<clang::TemplateSpecializationType>();
  const clang::TemplateDecl* taken =
      special == nullptr ? nullptr : special->getTemplateName().getAsTemplateDecl();
  return taken != nullptr && taken->getCanonicalDecl() == &template_or_class(record);
}

static bool is_for(const clang::FunctionDecl* function, llvm::StringRef name,
                   const clang::CXXRecordDecl& record) {
  return is_called(function, name) && function->getNumParams() >= 2 && takes_archive(*function) &&
         takes_class(*function->getParamDecl(1), record) && has_no_more_than_version(*function, 2);
}

/// The namespaces in which a call finds functions for the class, and that of cereal.
static std::vector<const clang::DeclContext*> spaces_of(const clang::CXXRecordDecl& record) {
  std::vector<const clang::DeclContext*> spaces;
  const clang::DeclContext* space = record.getDeclContext()->getEnclosingNamespaceContext();
  for (; space != nullptr; space = space->getParent()) {
    spaces.push_back(space->getPrimaryContext());
    if (!space->isInlineNamespace()) break;
  }
  const clang::ASTContext& ast = record.getASTContext();
  for (const clang::NamedDecl* found : ast.getTranslationUnitDecl()->lookup(&ast.Idents.get("cereal"))) {
    if (const auto* cereal = llvm::dyn_cast<clang::NamespaceDecl>(found))
      spaces.push_back(cereal->getPrimaryContext());
  }
  return spaces;
}

static bool has_friend(const clang::CXXRecordDecl& record, llvm::StringRef name) {
  return std::any_of(record.friend_begin(), record.friend_end(), [&](const clang::FriendDecl* one) {
    return is_for(function_in(one->getFriendDecl()), name, record);
  });
}

static bool has_function(const clang::CXXRecordDecl& record, llvm::StringRef name) {
  const clang::IdentifierInfo& identifier = record.getASTContext().Idents.get(name);
  const auto contains = [&](const clang::DeclContext* space) {
    const clang::DeclContext::lookup_result found = space->lookup(&identifier);
    return std::any_of(found.begin(), found.end(),
                       [&](const clang::NamedDecl* one) { return is_for(function_in(one), name, record); });
  };
  const std::vector<const clang::DeclContext*> spaces = spaces_of(record);
  return has_friend(record, name) || std::any_of(spaces.begin(), spaces.end(), contains);
}

static bool has_functions(const clang::CXXRecordDecl& record) {
  return has_function(record, "serialize") ||
         (has_function(record, "save") && has_function(record, "load")) ||
         (has_function(record, "save_minimal") && has_function(record, "load_minimal"));
}

bool has_cereal_functions(const clang::CXXRecordDecl& record, bool is_users) {
  if (has_members(record) || has_functions(record)) return true;
  return !is_users &&
         std::any_of(record.bases_begin(), record.bases_end(), [&](const clang::CXXBaseSpecifier& base) {
           const clang::CXXRecordDecl* of = base.getType()->getAsCXXRecordDecl();
           return of != nullptr && of->hasDefinition() &&
                  has_cereal_functions(*of->getDefinition(), is_users);
         });
}

bool includes_archives(const clang::ASTContext& ast) {
  const clang::DeclContext* at = ast.getTranslationUnitDecl();
  for (const char* name : {api::name_space, api::archives_space, api::output_archive}) {
    const clang::DeclContext::lookup_result found = at->lookup(&ast.Idents.get(name));
    if (found.empty()) return false;
    const auto* inner = llvm::dyn_cast<clang::DeclContext>(found.front());
    if (inner == nullptr) return false;
    at = inner->getPrimaryContext();
  }
  return true;
}

}  // namespace stradsap::pp
