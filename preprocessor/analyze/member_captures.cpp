#include "analyze/member_captures.hpp"

#include <optional>
#include <set>
#include <vector>

namespace stradsap::pp {

/// `model.inner.weights` as its names, the object first; nothing for other expressions. Members of the
/// enclosing class are objects too: in `model_.weights` the first name is one.
static std::optional<std::vector<std::string>> path_of(const clang::Expr& e) {
  const clang::Expr& bare = *e.IgnoreParenImpCasts();
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&bare)) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    if (variable == nullptr || !variable->hasLocalStorage()) return std::nullopt;
    return std::vector<std::string>{variable->getNameAsString()};
  }
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(&bare);
  const auto* field = member == nullptr ? nullptr : llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
  if (field == nullptr || field->getName().empty() || field->isBitField()) return std::nullopt;
  const auto* self = llvm::dyn_cast<clang::CXXThisExpr>(member->getBase()->IgnoreImpCasts());
  if (self != nullptr && self->isImplicit()) return std::vector<std::string>{field->getNameAsString()};
  if (member->isArrow() || member->hasQualifier()) return std::nullopt;
  auto path = path_of(*member->getBase());
  if (path) path->push_back(field->getNameAsString());
  return path;
}

/// The initialiser as the lambda's author wrote it: a copy is made by a constructor.
static const clang::Expr& initialiser(const clang::VarDecl& capture) {
  const clang::Expr* e = capture.getInit()->IgnoreImplicit();
  while (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e)) {
    if (made->getNumArgs() != 1 || !made->getConstructor()->isCopyOrMoveConstructor()) break;
    e = made->getArg(0)->IgnoreImplicit();
  }
  return *e;
}

static void add_names(const clang::Stmt* node, std::set<std::string>& names) {
  if (node == nullptr) return;
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(node))
    names.insert(name->getDecl()->getNameAsString());
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(node))
    names.insert(member->getMemberDecl()->getNameAsString());
  for (const clang::Stmt* child : node->children()) add_names(child, names);
}

std::map<const clang::VarDecl*, std::string> captured_members(const clang::LambdaExpr& lambda) {
  std::map<const clang::VarDecl*, std::vector<std::string>> paths;
  std::set<std::string> others;
  for (const clang::LambdaCapture& capture : lambda.captures()) {
    if (!capture.capturesVariable()) continue;
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar());
    const bool own = variable != nullptr && lambda.isInitCapture(&capture) && variable->getInit() != nullptr;
    const auto path = own ? path_of(initialiser(*variable)) : std::nullopt;
    if (path && path->size() > 1) {
      paths[variable] = *path;
    } else if (own) {
      add_names(variable->getInit(), others);
    } else {
      others.insert(capture.getCapturedVar()->getNameAsString());
    }
  }
  std::map<const clang::VarDecl*, std::string> found;
  for (const auto& [variable, path] : paths) {
    if (others.count(path.front()) != 0) continue;
    std::string& text = found[variable];
    for (const std::string& name : path) text += (text.empty() ? "" : ".") + name;
  }
  return found;
}

}  // namespace stradsap::pp
