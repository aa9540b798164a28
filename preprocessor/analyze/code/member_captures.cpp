#include "analyze/code/member_captures.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "analyze/code/captured_objects.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// The names in `model.inner.weights`, the object first; nothing for other expressions. A member of the
/// enclosing class counts as an object: `model_` in `model_.weights`.
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

static void add_names(const clang::Stmt* node, std::set<std::string>& names) {
  if (node == nullptr) return;
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(node))
    names.insert(name->getDecl()->getNameAsString());
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(node))
    names.insert(member->getMemberDecl()->getNameAsString());
  for (const clang::Stmt* child : node->children()) add_names(child, names);
}

const clang::Expr& initialiser_of(const clang::VarDecl& capture) {
  const clang::Expr* e = capture.getInit()->IgnoreImplicit();
  while (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e)) {
    if (made->getNumArgs() != 1 || !made->getConstructor()->isCopyOrMoveConstructor()) break;
    e = made->getArg(0)->IgnoreImplicit();
  }
  return *e;
}

const clang::VarDecl* global_named(const clang::Expr& e, const clang::ValueDecl** field) {
  const clang::Expr& bare = *e.IgnoreParenImpCasts();
  const clang::ValueDecl* named = nullptr;
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&bare)) named = name->getDecl();
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(&bare);
  if (member != nullptr) named = member->getMemberDecl();
  if (const auto* variable = llvm::dyn_cast_or_null<clang::VarDecl>(named))
    return variable->hasGlobalStorage() ? variable : nullptr;
  if (member == nullptr || member->isArrow() || !llvm::isa<clang::FieldDecl>(named)) return nullptr;
  if (field != nullptr) *field = named;
  return global_named(*member->getBase(), field);
}

const clang::ValueDecl* whole_variable(const clang::Expr& e) {
  const clang::Expr& bare = behind_as_const(e);
  const clang::ValueDecl* named = nullptr;
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&bare)) named = name->getDecl();
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&bare)) {
    named = llvm::dyn_cast<clang::VarDecl>(member->getMemberDecl());
  }
  const auto* variable = llvm::dyn_cast_or_null<clang::VarDecl>(named);
  if (variable == nullptr || !variable->getType()->isReferenceType() || variable->getInit() == nullptr)
    return named;
  const clang::ValueDecl* further = whole_variable(*variable->getInit());
  return further != nullptr ? further : named;
}

namespace {

/// Finds the captures of one lambda that are parts of objects, and the names in all other captures.
class part_finder {
 public:
  std::map<const clang::VarDecl*, captured_part> find(const clang::LambdaExpr& lambda) {
    for (const clang::LambdaCapture& capture : lambda.captures()) {
      if (!capture.capturesVariable()) continue;
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar());
      const bool own =
          variable != nullptr && lambda.isInitCapture(&capture) && variable->getInit() != nullptr;
      own ? sort(*variable) : void(others_.insert(capture.getCapturedVar()->getNameAsString()));
    }
    for (const auto& [variable, path] : paths_) {
      if (others_.count(path.front()) != 0) continue;
      // other processes make the object from the captured members only, so no initialiser may name more of it
      if (named_by_evaluated_.count(path.front()) != 0) {
        evaluate(*variable);
        continue;
      }
      std::string& text = found_[variable].path;
      for (const std::string& name : path) text += (text.empty() ? "" : ".") + name;
    }
    return std::move(found_);
  }

 private:
  void sort(const clang::VarDecl& variable) {
    if (is_in_captured_object(initialiser_of(variable))) return add_names(variable.getInit(), others_);
    const auto path = path_of(initialiser_of(variable));
    if (path && path->size() > 1) {
      paths_[&variable] = *path;
    } else if (!path && is_to_be_evaluated(variable) && evaluate(variable)) {
      add_names(variable.getInit(), named_by_evaluated_);
    } else {
      add_names(variable.getInit(), others_);
    }
  }

  /// Whether the expression is a member of an object that the loop captures, or a part of one.
  static bool is_in_captured_object(const clang::Expr& e) {
    const clang::Expr& bare = *e.IgnoreParenImpCasts();
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&bare))
      return is_in_captured_object(*member->getBase());
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&bare);
    return name != nullptr && is_member_of_object(*name);
  }

  /// Whether the driver must evaluate the initialiser: a container without a plain variable's name, or a
  /// global variable without one, or a part of it.
  static bool is_to_be_evaluated(const clang::VarDecl& variable) {
    const clang::Expr& init = initialiser_of(variable);
    const clang::Expr& bare = behind_as_const(init);
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&bare);
    if ((name != nullptr && !name->hasQualifier()) || names_this(&init)) return false;
    if (!init.isLValue() || init.refersToBitField()) return false;
    const bool by_reference = variable.getType()->isReferenceType();
    if (by_reference && is_container(variable.getType())) return true;
    const clang::ValueDecl* field = nullptr;
    const clang::VarDecl* global = global_named(init, &field);
    return global != nullptr && !variable.getType().getNonReferenceType().isConstQualified() &&
           (by_reference || field != nullptr);
  }

  static bool names_this(const clang::Stmt* node) {
    if (node == nullptr) return false;
    const auto* self = llvm::dyn_cast<clang::CXXThisExpr>(node);
    if (self != nullptr && !self->isImplicit()) return true;
    return std::any_of(node->child_begin(), node->child_end(), names_this);
  }

  bool evaluate(const clang::VarDecl& variable) {
    const clang::Expr& init = initialiser_of(variable);
    const auto text = excerpt(variable.getASTContext(), init.getSourceRange());
    if (!text || !position_of(variable.getASTContext(), init.getBeginLoc())) return false;
    found_[&variable] = {*text, &init};
    return true;
  }

  std::map<const clang::VarDecl*, std::vector<std::string>> paths_;
  std::set<std::string> others_;
  std::set<std::string> named_by_evaluated_;
  std::map<const clang::VarDecl*, captured_part> found_;
};

}  // namespace

std::map<const clang::VarDecl*, captured_part> captured_members(const clang::LambdaExpr& lambda) {
  return part_finder().find(lambda);
}

}  // namespace stradsap::pp
