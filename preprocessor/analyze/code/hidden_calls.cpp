#include "analyze/code/hidden_calls.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <utility>

#include "analyze/code/region.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// The definition of a function to search: from the standard library or other system headers, or made by the
/// compiler.
static const clang::FunctionDecl* searchable_definition(const clang::FunctionDecl* function) {
  const clang::FunctionDecl* definition = nullptr;
  if (function == nullptr || !function->isDefined(definition) || is_in_api(*definition)) return nullptr;
  return is_users(*definition) && !definition->isDefaulted() ? nullptr : definition;
}

static const clang::CXXRecordDecl* record_of(clang::QualType type) {
  while (const auto* array = type->getAsArrayTypeUnsafe()) type = array->getElementType();
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  return record == nullptr ? nullptr : record->getDefinition();
}

void hidden_calls::call(const clang::FunctionDecl* callee) {
  const clang::FunctionDecl* definition = searchable_definition(callee);
  if (definition != nullptr && searched_.insert(definition).second) waiting_.push_back(definition);
}

void hidden_calls::run(const clang::FunctionDecl* callee, const clang::Expr* through) {
  // a program's own operator new counts allocations; no result depends on it
  if (callee == nullptr || callee->isReplaceableGlobalAllocationFunction()) return;
  const clang::FunctionDecl* users = visible_definition(callee);
  if (users == nullptr) return call(callee);
  calls_.push_back({users, through});
}

void hidden_calls::end(clang::QualType type) {
  const clang::CXXRecordDecl* record = record_of(type);
  if (record == nullptr || is_in_api(*record) || record->hasTrivialDestructor()) return;
  if (!ended_.insert(record).second) return;
  run(record->getDestructor(), nullptr);
  for (const clang::CXXBaseSpecifier& base : record->bases()) end(base.getType());
  for (const clang::FieldDecl* field : record->fields()) end(field->getType());
}

std::vector<hidden_call> hidden_calls::take_calls() {
  search_waiting();
  return std::exchange(calls_, {});
}

std::vector<hidden_initialiser> hidden_calls::take_initialisers() {
  search_waiting();
  return std::exchange(initialisers_, {});
}

void hidden_calls::search_waiting() {
  while (!waiting_.empty()) {
    const clang::FunctionDecl* function = waiting_.back();
    waiting_.pop_back();
    if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(function)) {
      for (const clang::CXXCtorInitializer* init : constructor->inits()) search(init->getInit(), function);
    }
    search(function->getBody(), function);
  }
}

void hidden_calls::search(const clang::Stmt* node, const clang::FunctionDecl* function) {
  if (node == nullptr) return;
  if (llvm::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr, clang::CXXTypeidExpr>(node)) return;
  if (const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(node)) {
    for (const clang::Decl* declaration : declarations->decls()) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
      if (variable != nullptr && !variable->getType()->isReferenceType()) end(variable->getType());
    }
  } else if (const auto* expression = llvm::dyn_cast<clang::Expr>(node)) {
    search_expression(*expression, function);
  }
  for (const clang::Stmt* child : node->children()) search(child, function);
}

void hidden_calls::search_expression(const clang::Expr& node, const clang::FunctionDecl* function) {
  // a function that is named is called, or passed to code that may call it
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node)) {
    run(llvm::dyn_cast<clang::FunctionDecl>(name->getDecl()), &node);
  } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node)) {
    run(llvm::dyn_cast<clang::FunctionDecl>(member->getMemberDecl()), &node);
  } else if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&node)) {
    run(made->getConstructor(), &node);
  } else if (const auto* inherited = llvm::dyn_cast<clang::CXXInheritedCtorInitExpr>(&node)) {
    run(inherited->getConstructor(), &node);
  } else if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&node)) {
    run(lambda->getCallOperator(), &node);
  } else if (const auto* bound = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(&node)) {
    end(bound->getType());
  } else if (const auto* deletion = llvm::dyn_cast<clang::CXXDeleteExpr>(&node)) {
    end(deletion->getDestroyedType());
    run(deletion->getOperatorDelete(), &node);
  } else if (const auto* allocation = llvm::dyn_cast<clang::CXXNewExpr>(&node)) {
    run(allocation->getOperatorNew(), &node);
    run(allocation->getOperatorDelete(), &node);
  } else if (const auto* argument = llvm::dyn_cast<clang::CXXDefaultArgExpr>(&node)) {
    search(argument->getExpr(), function);
  } else if (const auto* member_default = llvm::dyn_cast<clang::CXXDefaultInitExpr>(&node)) {
    const bool users = is_users(*member_default->getField());
    if (users && function != nullptr) initialisers_.push_back({member_default->getExpr(), function});
    if (!users) search(member_default->getExpr(), function);
  }
}

// ---- destructors --------------------------------------------------------------------------------------

namespace {

/// Searches a class, its parts, and the arguments of templates for a destructor of the user's.
class destructor_search {
 public:
  bool finds(clang::QualType type) {
    const clang::CXXRecordDecl* record = record_of(type);
    if (record == nullptr || is_in_api(*record) || record->hasTrivialDestructor()) return false;
    if (visible_definition(record->getDestructor()) != nullptr) return true;
    if (!seen_.insert(record).second) return false;  // a class may hold a std::vector of itself
    if (!is_users(*record)) {
      const auto* made = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record);
      return made != nullptr && finds_among(made->getTemplateArgs().asArray());
    }
    return std::any_of(record->bases_begin(), record->bases_end(),
                       [&](const clang::CXXBaseSpecifier& b) { return finds(b.getType()); }) ||
           std::any_of(record->field_begin(), record->field_end(),
                       [&](const clang::FieldDecl* f) { return finds(f->getType()); });
  }

 private:
  bool finds_among(llvm::ArrayRef<clang::TemplateArgument> arguments) {
    return std::any_of(arguments.begin(), arguments.end(), [&](const clang::TemplateArgument& argument) {
      if (argument.getKind() == clang::TemplateArgument::Pack) return finds_among(argument.pack_elements());
      return argument.getKind() == clang::TemplateArgument::Type && finds(argument.getAsType());
    });
  }

  std::set<const clang::CXXRecordDecl*> seen_;
};

}  // namespace

bool runs_users_destructor(clang::QualType type) { return destructor_search().finds(type); }

}  // namespace stradsap::pp
