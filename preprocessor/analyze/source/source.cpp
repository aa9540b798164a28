#include "analyze/source/source.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include "analyze/source/api_names.hpp"

namespace stradsap::pp {

source_place place_of(const clang::ASTContext& ast, clang::SourceLocation where) {
  const clang::SourceManager& sources = ast.getSourceManager();
  const clang::PresumedLoc at = sources.getPresumedLoc(sources.getFileLoc(where));
  if (at.isInvalid()) return {};
  // for a header beside a source in the current folder, Clang says ./header and gcc says header
  llvm::StringRef file = at.getFilename();
  file.consume_front("./");
  return {file.str(), at.getLine(), at.getColumn()};
}

std::optional<text_position> position_of(const clang::ASTContext& ast, clang::SourceLocation where) {
  const clang::SourceManager& sources = ast.getSourceManager();
  // A macro's argument stands in the file and can be edited there. A macro's definition must stay as it is.
  while (where.isMacroID()) {
    if (!sources.isMacroArgExpansion(where)) return std::nullopt;
    where = sources.getImmediateSpellingLoc(where);
  }
  const auto [file, offset] = sources.getDecomposedLoc(where);
  const auto entry = sources.getFileEntryRefForID(file);
  if (!entry) return std::nullopt;
  return text_position{entry->getName().str(), offset, -1};
}

std::optional<text_position> position_after(const clang::ASTContext& ast, clang::SourceLocation where) {
  auto position = position_of(ast, where);
  if (!position) return std::nullopt;
  const clang::SourceManager& sources = ast.getSourceManager();
  position->offset +=
      clang::Lexer::MeasureTokenLength(sources.getSpellingLoc(where), sources, ast.getLangOpts());
  return position;
}

bool is_users(const clang::ASTContext& ast, clang::SourceLocation where) {
  const clang::SourceManager& sources = ast.getSourceManager();
  if (where.isInvalid()) return false;
  const clang::SourceLocation at = sources.getExpansionLoc(where);
  return !sources.isInSystemHeader(at) && sources.getFileEntryRefForID(sources.getFileID(at)).has_value();
}

static bool is_in_namespace(const clang::Decl& decl, llvm::StringRef name) {
  const clang::DeclContext* scope = decl.getDeclContext();
  const clang::NamespaceDecl* outermost = nullptr;
  for (; scope != nullptr; scope = scope->getParent()) {
    if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(scope)) outermost = space;
  }
  return outermost != nullptr && outermost->getName() == name;
}

bool stands_before_api(const clang::ASTContext& ast, clang::SourceLocation where) {
  for (const clang::Decl* declaration : ast.getTranslationUnitDecl()->decls()) {
    const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(declaration);
    if (space == nullptr || space->getName() != api::name_space) continue;
    return ast.getSourceManager().isBeforeInTranslationUnit(where, space->getLocation());
  }
  return false;
}

bool is_in_api(const clang::Decl& decl) { return is_in_namespace(decl, api::name_space); }

bool is_input_output(const clang::FunctionDecl* callee) {
  if (callee == nullptr || callee->getIdentifier() == nullptr || !is_in_api(*callee)) return false;
  const llvm::StringRef name = callee->getName();
  return name == api::report || name.starts_with("read_") || name.starts_with("load_") ||
         name.starts_with("save_");
}

bool is_in_std(const clang::Decl& decl) {
  return is_in_namespace(decl, "std") || is_in_namespace(decl, "__gnu_cxx");
}

bool is_in_eigen(const clang::Decl& decl) { return is_in_namespace(decl, "Eigen"); }

bool is_users(const clang::Decl& decl) {
  return is_users(decl.getASTContext(), decl.getLocation()) && !is_in_api(decl) && !is_in_eigen(decl);
}

const clang::CXXRecordDecl* closure_class(clang::QualType type) {
  const clang::CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record != nullptr && record->isLambda() ? record : nullptr;
}

llvm::StringRef container_name(clang::QualType type) {
  const clang::CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  if (record == nullptr || record->getIdentifier() == nullptr || !is_in_api(*record)) return {};
  const llvm::StringRef name = record->getName();
  const bool known = name == api::dvector || name == api::dmap || name == api::dmultimap;
  return known ? name : llvm::StringRef();
}

clang::QualType element_of(clang::QualType container) {
  const auto* special = llvm::cast<clang::ClassTemplateSpecializationDecl>(
      container.getNonReferenceType()->getAsCXXRecordDecl());
  return special->getTemplateArgs()[container_name(container) == api::dvector ? 0 : 1].getAsType();
}

/// Without names of members of the library's classes, as `value_type`, which the program cannot write alone.
/// An `iterator` stays one: its own name is of no use either.
static clang::QualType without_members(clang::QualType type) {
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  const auto* alias = type->getAs<clang::TypedefType>();
  if (record != nullptr && !is_users(*record)) return type;
  while (alias != nullptr && llvm::isa<clang::CXXRecordDecl>(alias->getDecl()->getDeclContext()) &&
         !is_users(*alias->getDecl())) {
    type = alias->getDecl()->getUnderlyingType();
    alias = type->getAs<clang::TypedefType>();
  }
  return type;
}

std::string type_name(const clang::ASTContext& ast, clang::QualType type) {
  clang::PrintingPolicy policy = ast.getPrintingPolicy();
  policy.SuppressTagKeyword = true;
  type = without_members(type.getNonReferenceType().getUnqualifiedType());
  // keep std::ifstream as in the source, but drop the aliases inside std::make_shared
  if (type->getAs<clang::TypedefType>() == nullptr) type = type.getCanonicalType();
  return type.getAsString(policy);
}

}  // namespace stradsap::pp
