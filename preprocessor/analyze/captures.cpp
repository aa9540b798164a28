#include "analyze/captures.hpp"

#include <algorithm>

#include "analyze/member_captures.hpp"
#include "analyze/source.hpp"

namespace stradsap::pp {

namespace {

class collector {
 public:
  collector(const clang::ASTContext& ast, const clang::LambdaExpr& lambda, diagnostics& out)
      : ast_(ast), lambda_(lambda), out_(out), members_(captured_members(lambda)) {}

  std::vector<outer_variable> collect() {
    for (const clang::LambdaCapture& capture : lambda_.captures()) {
      if (capture.capturesThis()) {
        out_.report(refusal::captured_this, place(capture), {captures_instead_of_this(lambda_)});
      } else if (lambda_.isInitCapture(&capture)) {
        const auto* variable = llvm::cast<clang::VarDecl>(capture.getCapturedVar());
        where_ = capture.getLocation();
        add_init_capture(*variable);
      } else if (capture.capturesVariable()) {
        add_capture(capture);
      }
    }
    return std::move(found_);
  }

 private:
  clang::SourceLocation place(const clang::LambdaCapture& capture) const {
    return capture.isImplicit() ? lambda_.getCaptureDefaultLoc() : capture.getLocation();
  }

  void add_capture(const clang::LambdaCapture& capture) {
    const clang::ValueDecl& variable = *capture.getCapturedVar();
    where_ = place(capture);
    if (capture.isPackExpansion() || variable.isParameterPack()) {
      out_.report(refusal::captured_pack, where_, {variable.getNameAsString()});
      return;
    }
    add(variable, capture.getCaptureKind() == clang::LCK_ByCopy);
  }

  void add_init_capture(const clang::VarDecl& variable) {
    const auto member = members_.find(&variable);
    if (member == members_.end()) return add_names(variable.getInit());
    const bool by_copy = !variable.getType()->isReferenceType();
    found_.push_back(
        {&variable, variable.getNameAsString(), where_, by_copy, /*is_constant=*/false, member->second});
  }

  /// What the initialiser of an init-capture names must be there when another process makes the closure.
  void add_names(const clang::Stmt* node) {
    if (node == nullptr) return;
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(node)) {
      const auto* self = llvm::dyn_cast<clang::CXXThisExpr>(member->getBase()->IgnoreImpCasts());
      const bool field = llvm::isa<clang::FieldDecl>(member->getMemberDecl());
      if (self != nullptr && self->isImplicit() && field) {
        add(*member->getMemberDecl(), /*by_copy=*/false);
        return;
      }
    }
    if (const auto* self = llvm::dyn_cast<clang::CXXThisExpr>(node)) {
      out_.report(refusal::capture_uses_this, self->getLocation(), {});
      return;
    }
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(node)) add_name(*name);
    for (const clang::Stmt* child : node->children()) add_names(child);
  }

  void add_name(const clang::DeclRefExpr& name) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name.getDecl());
    if (variable == nullptr && !llvm::isa<clang::BindingDecl>(name.getDecl())) return;
    // a constant of the program has its value everywhere; a global under a qualified name cannot be a
    // parameter
    const bool global = variable != nullptr && variable->hasGlobalStorage();
    if (global && (variable->getType().isConstQualified() || name.hasQualifier())) return;
    add(*name.getDecl(), /*by_copy=*/false);
  }

  void add(const clang::ValueDecl& variable, bool by_copy) {
    const auto same = [&](const outer_variable& known) { return known.name == variable.getName(); };
    if (const auto known = std::find_if(found_.begin(), found_.end(), same); known != found_.end()) {
      // two variables of one name: the parts of a pack, spread out by the instantiation
      if (known->declaration != &variable) out_.report(refusal::captured_pack, where_, {known->name});
      return;
    }
    const auto* local = llvm::dyn_cast<clang::VarDecl>(&variable);
    const bool constant = local != nullptr && local->getType()->isScalarType() &&
                          !local->getType()->isPointerType() && local->getType().isConstQualified() &&
                          local->isUsableInConstantExpressions(ast_);
    found_.push_back({&variable, variable.getNameAsString(), where_, by_copy, constant});
  }

  const clang::ASTContext& ast_;
  const clang::LambdaExpr& lambda_;
  diagnostics& out_;
  clang::SourceLocation where_;
  std::map<const clang::VarDecl*, std::string> members_;
  std::vector<outer_variable> found_;
};

}  // namespace

std::vector<outer_variable> outer_variables(const clang::ASTContext& ast, const clang::LambdaExpr& lambda,
                                            diagnostics& out) {
  return collector(ast, lambda, out).collect();
}

static void add_members(const clang::Stmt* node, std::vector<const clang::ValueDecl*>& found) {
  if (node == nullptr) return;
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(node)) {
    const bool own = llvm::isa<clang::CXXThisExpr>(member->getBase()->IgnoreImpCasts());
    const clang::ValueDecl* field = llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
    const bool known = std::find(found.begin(), found.end(), field) != found.end();
    if (own && field != nullptr && !known) found.push_back(field);
  }
  for (const clang::Stmt* child : node->children()) add_members(child, found);
}

std::string captures_instead_of_this(const clang::LambdaExpr& lambda) {
  std::vector<const clang::ValueDecl*> members;
  add_members(lambda.getBody(), members);
  std::string text;
  for (const clang::ValueDecl* member : members) {
    const std::string name = member->getNameAsString();
    text += (text.empty() ? "" : ", ") + (is_container(member->getType()) ? "&" + name : name) + " = " + name;
  }
  return text.empty() ? "member = member" : text;
}

}  // namespace stradsap::pp
