#include "analyze/refusals/made_objects.hpp"

#include <clang/AST/DeclCXX.h>

#include "analyze/code/region.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

static constexpr unsigned most_returns = 4;  // one in the value that another returns

/// The expression without conversions, temporaries and copies of one object.
static const clang::Expr& without_copies(const clang::Expr& e) {
  const clang::Expr* at = &e;
  for (const clang::Expr* before = nullptr; at != before;) {
    before = at;
    at = at->IgnoreParenCasts()->IgnoreImplicit();
    const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(at);
    if (made != nullptr && made->getConstructor()->isCopyOrMoveConstructor() && made->getNumArgs() == 1)
      at = made->getArg(0);
  }
  return *at;
}

/// The container of a place that a function gets from its caller, or finds itself, as the caller names it.
static object_path in_call(path_reader& paths, const clang::Expr& value, const clang::FunctionDecl& callee,
                           const clang::Expr& call) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&without_copies(value));
  const auto* given = name == nullptr ? nullptr : llvm::dyn_cast<clang::ParmVarDecl>(name->getDecl());
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  if (given != nullptr && given->getDeclContext() == &callee && keeps_places(given->getType())) {
    const unsigned i = given->getFunctionScopeIndex();
    return i < arguments.size() ? paths.container_of_place(*arguments[i]) : object_path();
  }
  return paths.in_caller(paths.container_of_place(value), callee, call);
}

static std::vector<placed_member> of_list(path_reader& paths, const clang::CXXRecordDecl& record,
                                          const clang::InitListExpr& list) {
  std::vector<placed_member> found;
  auto field = record.field_begin();
  for (unsigned i = 0; i < list.getNumInits() && record.getNumBases() == 0 && field != record.field_end();
       ++i, ++field) {
    const clang::Expr* value = list.getInit(i);
    if (value != nullptr && keeps_places(field->getType()))
      found.push_back({*field, paths.container_of_place(*value), value});
  }
  return found;
}

static std::vector<placed_member> members_placed(path_reader& paths, const clang::CXXRecordDecl& record,
                                                 const clang::Expr& made, unsigned depth);

/// The members that a constructor initialises, by its arguments.
static std::vector<placed_member> of_constructor(path_reader& paths, const clang::CXXConstructExpr& made) {
  std::vector<placed_member> found;
  const clang::FunctionDecl* definition = visible_definition(made.getConstructor());
  if (definition == nullptr) return found;
  for (const clang::CXXCtorInitializer* one : llvm::cast<clang::CXXConstructorDecl>(*definition).inits()) {
    const clang::FieldDecl* field = one->getMember();
    if (field == nullptr || one->getInit() == nullptr || !keeps_places(field->getType())) continue;
    object_path container = in_call(paths, *one->getInit(), *definition, made);
    if (container.is_known()) found.push_back({field, std::move(container), &made});
  }
  return found;
}

/// The members of an object that a function returns as it makes it.
static std::vector<placed_member> of_call(path_reader& paths, const clang::CXXRecordDecl& record,
                                          const clang::CallExpr& call, unsigned depth) {
  std::vector<placed_member> found;
  const clang::FunctionDecl* definition = visible_definition(callee_of(call));
  if (definition == nullptr || depth > most_returns) return found;
  for (const clang::Expr* value : values_returned_by(*definition)) {
    const clang::Expr& bare = without_copies(*value);
    if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(&bare)) {
      for (const placed_member& one : of_list(paths, record, *list)) {
        object_path container = in_call(paths, *one.where, *definition, call);
        if (container.is_known()) found.push_back({one.member, std::move(container), &call});
      }
      continue;
    }
    for (const placed_member& one : members_placed(paths, record, bare, depth + 1)) {
      object_path container = paths.in_caller(one.container, *definition, call);
      if (container.is_known()) found.push_back({one.member, std::move(container), &call});
    }
  }
  return found;
}

static std::vector<placed_member> members_placed(path_reader& paths, const clang::CXXRecordDecl& record,
                                                 const clang::Expr& made, unsigned depth) {
  const clang::Expr& bare = without_copies(made);
  if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(&bare)) return of_list(paths, record, *list);
  if (const auto* one = llvm::dyn_cast<clang::CXXConstructExpr>(&bare)) return of_constructor(paths, *one);
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&bare);
  return call == nullptr ? std::vector<placed_member>() : of_call(paths, record, *call, depth);
}

std::vector<placed_member> members_placed_by(path_reader& paths, clang::QualType type,
                                             const clang::Expr& made) {
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition() || !is_users(*record) || record->isUnion()) return {};
  return members_placed(paths, *record->getDefinition(), made, 0);
}

}  // namespace stradsap::pp
