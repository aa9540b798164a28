#include "analyze/captures/captures.hpp"

#include <algorithm>

#include "analyze/code/member_captures.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// Whether `this` occurs only implicitly, before a member's plain name, and no inner lambda captures it.
static bool names_members_only(const clang::Stmt* node) {
  if (node == nullptr) return true;
  if (const auto* self = llvm::dyn_cast<clang::CXXThisExpr>(node)) return self->isImplicit();
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(node)) {
    const bool own = llvm::isa<clang::CXXThisExpr>(member->getBase()->IgnoreImpCasts());
    if (own && !llvm::isa<clang::FieldDecl>(member->getMemberDecl())) return false;
  }
  if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(node)) {
    const auto takes_this = [](const clang::LambdaCapture& capture) { return capture.capturesThis(); };
    if (std::any_of(lambda->capture_begin(), lambda->capture_end(), takes_this)) return false;
  }
  return std::all_of(node->child_begin(), node->child_end(), names_members_only);
}

/// The first member function that the body calls on `this`; null without one.
static const clang::CXXMethodDecl* called_on_this(const clang::Stmt* node) {
  if (node == nullptr) return nullptr;
  const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(node);
  if (call != nullptr && call->getMethodDecl() != nullptr &&
      llvm::isa<clang::CXXThisExpr>(call->getImplicitObjectArgument()->IgnoreParenImpCasts()))
    return call->getMethodDecl();
  for (const clang::Stmt* child : node->children()) {
    if (const clang::CXXMethodDecl* found = called_on_this(child)) return found;
  }
  return nullptr;
}

/// The end of the advice against `this`: the captures to write, and the function that cannot stay a member.
static std::string advice_against_this(const clang::LambdaExpr& lambda, const std::string& captures) {
  const clang::CXXMethodDecl* called = called_on_this(lambda.getBody());
  return (captures.empty() ? "" : ": `" + captures + "`") +
         (called == nullptr
              ? ""
              : "; make `" + called->getNameAsString() + "` static, with those that it uses as parameters");
}

/// Whether the variable is a number with a constant value.
static bool is_constant(const clang::ValueDecl& variable, const clang::ASTContext& ast) {
  const auto* local = llvm::dyn_cast<clang::VarDecl>(&variable);
  return local != nullptr && local->getType()->isScalarType() && !local->getType()->isPointerType() &&
         local->getType().isConstQualified() && local->isUsableInConstantExpressions(ast);
}

namespace {

class collector {
 public:
  collector(const clang::ASTContext& ast, const clang::LambdaExpr& lambda, diagnostics& out,
            bool this_in_members)
      : ast_(ast),
        lambda_(lambda),
        out_(out),
        this_in_members_(this_in_members),
        members_(captured_members(lambda)) {}

  std::vector<outer_variable> collect() {
    for (const clang::LambdaCapture& capture : lambda_.captures()) {
      if (capture.capturesThis()) {
        if (this_in_members_) continue;
        const std::string instead = captures_instead_of_this(lambda_);
        out_.report(refusal::captured_this, place(capture), {advice_against_this(lambda_, instead)}, {},
                    !instead.empty() && names_members_only(lambda_.getBody())
                        ? captured_instead_of_this(ast_, lambda_, capture, instead)
                        : fix_its());
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
    of_closure_ = capture.getCaptureKind() == clang::LCK_ByCopy;
    add(variable, of_closure_);
  }

  void add_init_capture(const clang::VarDecl& variable) {
    const auto member = members_.find(&variable);
    const bool by_copy = !variable.getType()->isReferenceType();
    of_closure_ = by_copy;
    if (member == members_.end()) return add_names(variable.getInit());
    found_.push_back({&variable, variable.getNameAsString(), where_, by_copy, /*is_constant=*/false,
                      member->second.path, /*of_closure=*/by_copy});
    found_.back().evaluated = member->second.evaluated;
  }

  /// Adds the names in the initialiser of an init-capture: another process needs them to make the closure.
  void add_names(const clang::Stmt* node) {
    if (node == nullptr) return;
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(node)) {
      const auto* self = llvm::dyn_cast<clang::CXXThisExpr>(member->getBase()->IgnoreImpCasts());
      const bool field = llvm::isa<clang::FieldDecl>(member->getMemberDecl());
      if (self != nullptr && self->isImplicit() && field) {
        add(*member->getMemberDecl(), /*by_copy=*/false);
        return;
      }
      if (self != nullptr && !self->isImplicit() && field) {
        out_.report(refusal::capture_uses_this, self->getLocation(), {}, {},
                    replacement(ast_, self->getLocation(), member->getMemberLoc(), ""));
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
    // A constant of the program has its value in each process. A global with a qualified name cannot be a
    // parameter.
    const bool global = variable != nullptr && variable->hasGlobalStorage();
    if (global && (variable->getType().isConstQualified() || name.hasQualifier())) return;
    add(*name.getDecl(), /*by_copy=*/false);
  }

  void add(const clang::ValueDecl& variable, bool by_copy) {
    const auto same = [&](const outer_variable& known) { return known.name == variable.getName(); };
    if (const auto known = std::find_if(found_.begin(), found_.end(), same); known != found_.end()) {
      // two variables of one name: the parts of a pack, expanded by the instantiation
      if (known->declaration != &variable) out_.report(refusal::captured_pack, where_, {known->name});
      known->of_both |= known->of_closure != of_closure_;
      return;
    }
    found_.push_back({&variable, variable.getNameAsString(), where_, by_copy, is_constant(variable, ast_),
                      /*path=*/{}, of_closure_});
  }

  const clang::ASTContext& ast_;
  const clang::LambdaExpr& lambda_;
  diagnostics& out_;
  const bool this_in_members_;
  clang::SourceLocation where_;
  bool of_closure_ = false;  // of the current capture
  std::map<const clang::VarDecl*, captured_part> members_;
  std::vector<outer_variable> found_;
};

}  // namespace

std::vector<outer_variable> outer_variables(const clang::ASTContext& ast, const clang::LambdaExpr& lambda,
                                            diagnostics& out, bool this_in_members) {
  return collector(ast, lambda, out, this_in_members).collect();
}

static outer_variable as_variable(const used_member& one) {
  outer_variable made{one.variable,
                      one.variable->getNameAsString(),
                      one.where,
                      one.of_closure,
                      /*is_constant=*/false,
                      one.path,
                      one.of_closure,
                      one.of_closure && one.of_body};
  made.object = one.object == nullptr ? "*this" : one.object->getNameAsString();
  made.member = one.member;
  made.is_added = one.is_added;
  return made;
}

std::vector<outer_variable> with_members(std::vector<outer_variable> variables,
                                         const captured_objects& objects) {
  const std::vector<used_member> members = objects.members();
  std::erase_if(variables, [&](const outer_variable& one) {
    return objects.contains(one.declaration) ||
           std::any_of(members.begin(), members.end(),
                       [&](const used_member& member) { return member.variable == one.declaration; });
  });
  for (const used_member& reference : objects.named()) {
    variables.push_back({reference.variable, reference.variable->getNameAsString(), reference.where});
    variables.back().is_added = true;
  }
  std::vector<outer_variable> all;  // the factory expects the members of `this` first
  for (const bool of_this : {true, false}) {
    for (const used_member& one : members) {
      if ((one.object == nullptr) == of_this) all.push_back(as_variable(one));
    }
    if (of_this) all.insert(all.end(), variables.begin(), variables.end());
  }
  return all;
}

/// The way in which explicit captures name a variable.
static named_in_head named_in_head_of(const clang::LambdaExpr* lambda, const clang::ValueDecl& variable) {
  if (lambda == nullptr) return named_in_head::no;
  for (const clang::LambdaCapture& capture : lambda->explicit_captures()) {
    if (!capture.capturesVariable() || capture.getCapturedVar() != &variable) continue;
    return capture.getCaptureKind() == clang::LCK_ByCopy ? named_in_head::by_copy
                                                         : named_in_head::by_reference;
  }
  return named_in_head::no;
}

/// Whether a lambda around the loop lies between the body and the variable: g++ may then see a capture by
/// that lambda.
static bool is_beyond_lambda(const clang::FunctionDecl& body, const clang::VarDecl& variable) {
  const clang::DeclContext* const declared_in = variable.getDeclContext();
  const clang::DeclContext* scope = body.getParent()->getParent();
  for (; scope != nullptr && scope != declared_in; scope = scope->getParent()) {
    const auto* closure = llvm::dyn_cast<clang::CXXRecordDecl>(scope);
    if (closure != nullptr && closure->isLambda()) return true;
  }
  return false;
}

/// Whether the body is part of a template's instance: clang++ may then see any of its variables as captured.
static bool is_in_instance(const clang::FunctionDecl& body) {
  for (const clang::DeclContext* scope = body.getParent()->getParent(); scope != nullptr;
       scope = scope->getParent()) {
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(scope);
    if (function != nullptr && function->isTemplateInstantiation()) return true;
  }
  return false;
}

/// The literal of a number; empty if it has none.
static std::string literal_of(const clang::VarDecl& constant) {
  const clang::APValue* value = constant.evaluateValue();
  llvm::SmallString<32> text;
  if (value != nullptr && value->isInt()) {
    value->getInt().toString(text, 10);
    if (value->getInt().isUnsigned()) text += "u";
  } else if (value != nullptr && value->isFloat() && value->getFloat().isFinite()) {
    char digits[64];
    const unsigned length =
        value->getFloat().convertToHexString(digits, 0, false, llvm::APFloat::rmNearestTiesToEven);
    text = llvm::StringRef(digits, length);
  }
  return std::string(text);
}

/// Whether a node belongs to the text of the loop's body or of a lambda in it.
static bool stands_in_body(const region& code, const clang::Stmt& node) {
  const clang::DeclContext* scope = code.function_of(&node);
  while (scope != nullptr && scope != static_cast<const clang::DeclContext*>(&code.body()))
    scope = scope->getParent();
  return scope != nullptr;
}

captured_constant constant_of(const region& code, const clang::LambdaExpr* lambda,
                              const clang::VarDecl& variable) {
  return {variable.getNameAsString(), named_in_head_of(lambda, variable),
          is_beyond_lambda(code.body(), variable) ? literal_of(variable) : std::string()};
}

std::vector<captured_constant> constants_around(const region& code,
                                                const std::vector<outer_variable>& captured) {
  std::vector<captured_constant> found;
  for (const clang::Stmt* node : code.nodes()) {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(node);
    const auto* variable = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    if (variable == nullptr || !variable->hasLocalStorage() || code.declares(variable) ||
        !stands_in_body(code, *node))
      continue;
    const bool known = std::any_of(captured.begin(), captured.end(),
                                   [&](const outer_variable& one) { return one.declaration == variable; });
    if (known || !is_constant(*variable, code.ast())) continue;
    if (!is_beyond_lambda(code.body(), *variable) && !is_in_instance(code.body())) continue;
    const captured_constant made = constant_of(code, code.lambda(), *variable);
    if (std::find(found.begin(), found.end(), made) == found.end()) found.push_back(made);
  }
  return found;
}

static bool is_own_member(const clang::Expr& e, const clang::ValueDecl& member) {
  const auto* named = llvm::dyn_cast<clang::MemberExpr>(e.IgnoreParenImpCasts());
  if (named == nullptr) return false;
  return named->getMemberDecl() == &member || is_own_member(*named->getBase(), member);
}

/// Whether an assignment or a step changes the member, so that it can only be a reduction.
static bool is_assigned(const clang::Stmt* node, const clang::ValueDecl& member) {
  if (node == nullptr) return false;
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(node)) {
    if (op->isAssignmentOp() && is_own_member(*op->getLHS(), member)) return true;
  }
  if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(node)) {
    if (step->isIncrementDecrementOp() && is_own_member(*step->getSubExpr(), member)) return true;
  }
  return std::any_of(node->child_begin(), node->child_end(),
                     [&](const clang::Stmt* child) { return is_assigned(child, member); });
}

bool is_moved_into_capture(const region& code, const clang::Expr& name) {
  const auto* call = llvm::dyn_cast_or_null<clang::CallExpr>(code.above(&name));
  const clang::FunctionDecl* callee = call == nullptr ? nullptr : call->getDirectCallee();
  return callee != nullptr && callee->getIdentifier() != nullptr && callee->getName() == "move" &&
         is_in_std(*callee) && call->getNumArgs() == 1 && code.function_of(&name) == nullptr;
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
    const bool shared = is_container(member->getType()) || is_assigned(lambda.getBody(), *member);
    text += (text.empty() ? "" : ", ") + (shared ? "&" + name : name) + " = " + name;
  }
  return text;
}

}  // namespace stradsap::pp
