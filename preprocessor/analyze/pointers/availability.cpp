#include "analyze/pointers/availability.hpp"

#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

#include "analyze/code/captured_objects.hpp"
#include "analyze/code/control.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/code/index_loop.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/code/types.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/pointers/unchanged_objects.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

// ---- names ------------------------------------------------------------------------------------------------

/// Whether the anchor belongs to the same function, so that template parameters have the same names.
bool availability::is_of_anchors_function(const clang::Stmt& node) const {
  const clang::FunctionDecl* function = code_.function_of(&node);
  for (const clang::Stmt* at = &anchor_; at != nullptr; at = code_.lexically_above(at)) {
    if (code_.function_of(at) == function) return true;
  }
  return false;
}

/// Whether all lambdas between the anchor and the scope of a variable capture it.
bool availability::is_captured_up_to(const clang::ValueDecl& variable, const clang::Stmt* scope) const {
  for (const clang::Stmt* at = &anchor_; at != nullptr && at != scope; at = code_.lexically_above(at)) {
    const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(at);
    if (lambda == nullptr || lambda->getCaptureDefault() != clang::LCD_None) continue;
    const bool captured =
        std::any_of(lambda->capture_begin(), lambda->capture_end(), [&](const clang::LambdaCapture& capture) {
          return capture.capturesVariable() && capture.getCapturedVar() == &variable;
        });
    if (!captured) return false;
  }
  return true;
}

bool availability::is_shadowed(llvm::StringRef name, const clang::ValueDecl* variable) const {
  return std::any_of(code_.variables().begin(), code_.variables().end(), [&](const clang::VarDecl* other) {
    if (other == variable || other->getName() != name) return false;
    const clang::Stmt* declared = code_.declaration_of(other);
    return declared == nullptr ? code_.function_of(&anchor_) == other->getDeclContext()
                               : code_.is_around(code_.lexically_above(declared), &anchor_);
  });
}

/// Whether the anchor belongs to the variable's initialiser, or to an earlier one of the same declaration.
bool availability::is_behind_in(const clang::Stmt& declaration, const clang::ValueDecl& variable) const {
  if (!code_.is_around(&declaration, &anchor_)) return false;
  const auto* known = llvm::dyn_cast<clang::VarDecl>(&variable);
  const clang::Expr* made_from = known == nullptr ? nullptr : known->getInit();
  return made_from == nullptr || code_.is_around(made_from, &anchor_) ||
         code_.parent(made_from).order > code_.parent(&anchor_).order;
}

bool availability::is_visible(const clang::ValueDecl& variable) const {
  const auto* known = llvm::dyn_cast<clang::VarDecl>(&variable);
  if (variable.getName().empty() || is_shadowed(variable.getName(), &variable)) return false;
  const clang::SourceManager& sources = code_.ast().getSourceManager();
  if (known != nullptr && known->hasGlobalStorage() && !known->isStaticLocal()) {
    return sources.isBeforeInTranslationUnit(known->getFirstDecl()->getLocation(), anchor_.getExprLoc());
  }
  const clang::Stmt* declared = code_.declaration_of(&variable);
  if (declared != nullptr) {
    const clang::Stmt* scope = code_.lexically_above(declared);
    return code_.is_around(scope, &anchor_) && code_.parent(declared).order < code_.parent(&anchor_).order &&
           !is_behind_in(*declared, variable) && is_captured_up_to(variable, scope);
  }
  if (code_.declares(&variable) && llvm::isa<clang::ParmVarDecl>(variable)) {
    for (const clang::Stmt* at = &anchor_; at != nullptr; at = code_.lexically_above(at)) {
      if (code_.function_of(at) == variable.getDeclContext()) return is_captured_up_to(variable, nullptr);
    }
    return false;
  }
  // captured by the body, or an init-capture of it
  for (const clang::Stmt* at = &anchor_; at != nullptr; at = code_.lexically_above(at)) {
    if (code_.function_of(at) == &code_.body()) return is_captured_up_to(variable, nullptr);
  }
  return false;
}

/// Whether the name stands for a member of a captured object, and text of the anchor's function names that
/// member alike: by `K` in a member function, by `X.K` for a parameter `X`.
bool availability::is_visible_member(const clang::DeclRefExpr& name) const {
  const clang::FunctionDecl* function = code_.function_of(&anchor_);
  if (!is_member_of_object(name) || code_.function_of(&name) != function) return false;
  const std::string text = excerpt(code_.ast(), name.getSourceRange()).value_or("");
  const std::string root = text.substr(0, text.find_first_of(".-"));
  if (root == "this") return true;
  const auto* const named = std::find_if(function->param_begin(), function->param_end(),
                                         [&](const auto* one) { return one->getName() == root; });
  if (named != function->param_end()) return !is_shadowed(root, *named);
  return root == text && !is_shadowed(root, nullptr);
}

bool availability::is_visible_text(const clang::DeclRefExpr& name) const {
  if (!is_member_of_object(name)) return is_visible(*name.getDecl());
  const std::string text = excerpt(code_.ast(), name.getSourceRange()).value_or("");
  const std::string root = text.substr(0, text.find_first_of(".-"));
  return std::none_of(code_.variables().begin(), code_.variables().end(), [&](const clang::VarDecl* one) {
    const clang::Stmt* declared = one->getName() == root ? code_.declaration_of(one) : nullptr;
    return declared != nullptr && code_.is_around(code_.lexically_above(declared), &name) &&
           !is_visible(*one);
  });
}

/// Whether the names in the object's text denote the same variable in the whole function around the call.
bool availability::is_told_by_name(const clang::Expr& object, const clang::Expr& call) const {
  const clang::Expr* at = &bare(object);
  while (const auto* member = llvm::dyn_cast<clang::MemberExpr>(at)) at = &bare(*member->getBase());
  const auto* root = llvm::dyn_cast<clang::DeclRefExpr>(at);
  if (root == nullptr) return false;
  return std::none_of(code_.variables().begin(), code_.variables().end(), [&](const clang::VarDecl* other) {
    return other != root->getDecl() && other->getName() == root->getDecl()->getName() &&
           other->getDeclContext() == code_.function_of(&call);
  });
}

/// The text of a member inside a function that is called on its object, or with it.
std::optional<std::string> availability::within_call(const clang::Expr& call,
                                                     const std::string& member) const {
  const clang::FunctionDecl* callee = visible_definition(callee_of(call));
  if (callee == nullptr) return std::nullopt;
  const auto behind = [&](const clang::Expr& object) -> std::optional<std::string> {
    const std::string text = excerpt(code_.ast(), object.getSourceRange()).value_or("") + ".";
    if (member.rfind(text, 0) != 0 || !is_told_by_name(object, call)) return std::nullopt;
    return member.substr(text.size());
  };
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  const clang::Expr* object = object_of(call);
  if (method != nullptr && object != nullptr) {
    const bool is_own = llvm::isa<clang::CXXThisExpr>(bare(*object));
    const std::string plain = member.rfind("this->", 0) == 0 ? member.substr(6) : member;
    const std::string root = plain.substr(0, plain.find('.'));
    const bool is_parameter = std::any_of(callee->param_begin(), callee->param_end(),
                                          [&](const auto* one) { return one->getName() == root; });
    const auto inside = !is_own ? behind(*object) : is_parameter ? std::nullopt : std::optional(plain);
    if (inside) return inside;
  }
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  for (unsigned i = 0; i < std::min<std::size_t>(arguments.size(), callee->getNumParams()); ++i) {
    const clang::ParmVarDecl& parameter = *callee->getParamDecl(i);
    const auto inside = parameter.getType()->isReferenceType() ? behind(*arguments[i]) : std::nullopt;
    if (inside && !parameter.getName().empty()) return parameter.getNameAsString() + "." + *inside;
  }
  return std::nullopt;
}

std::optional<std::string> availability::member_at_anchor(
    const clang::DeclRefExpr& member, const std::vector<const clang::Expr*>& calls) const {
  if (calls.empty() || !is_member_of_object(member) || !is_unchanged(member)) return std::nullopt;
  const clang::FunctionDecl* function = code_.function_of(&anchor_);
  if (code_.function_of(&member) != code_.function_of(calls.back()) ||
      visible_definition(callee_of(*calls.front())) != function)
    return std::nullopt;
  std::optional<std::string> text = excerpt(code_.ast(), member.getSourceRange());
  for (auto call = calls.rbegin(); text && call != calls.rend(); ++call) text = within_call(**call, *text);
  // the function must name the member too: another loop that calls it may not use it otherwise
  for (const clang::Stmt* node : code_.nodes()) {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(node);
    if (!text || name == nullptr || !is_member_of_object(*name) || code_.function_of(name) != function)
      continue;
    const std::string here = excerpt(code_.ast(), name->getSourceRange()).value_or("");
    if ((here == *text || here == "this->" + *text) && is_visible_member(*name)) return here;
  }
  return std::nullopt;
}

// ---- values -----------------------------------------------------------------------------------------------

/// Whether all holders of the pointer live within one round of a loop.
bool availability::stays_within(const clang::Stmt& loop) const {
  return std::all_of(holders_.begin(), holders_.end(), [&](const clang::VarDecl* holder) {
    const clang::Stmt* declared = code_.declaration_of(holder);
    const bool in_head = declared != nullptr && code_.above(declared) == &loop;
    return declared == nullptr ? llvm::isa<clang::ParmVarDecl>(holder)
                               : !in_head && code_.is_around(&loop, declared);
  });
}

/// Whether the index of a loop around the anchor keeps its value: within one round of that loop.
bool availability::keeps_its_value(const clang::VarDecl& index) const {
  const clang::ForStmt* loop = loop_declaring(code_, index);
  return loop != nullptr && code_.is_around(loop->getBody(), &anchor_) && index_loop_of(code_, *loop) &&
         stays_within(*loop);
}

/// Whether a variable has one value for all uses of the pointer. A loop makes its variables anew in each
/// round, and a later round may use the pointer.
bool availability::is_of_one_round(const clang::ValueDecl& variable) const {
  const clang::Stmt* at = code_.declaration_of(&variable);
  for (at = at == nullptr ? nullptr : code_.lexically_above(at); at != nullptr;
       at = code_.lexically_above(at)) {
    if (is_loop(*at)) return stays_within(*at);
  }
  return true;
}

bool availability::is_unchanged(const clang::ValueDecl& variable) const {
  const auto* local = llvm::dyn_cast<clang::VarDecl>(&variable);
  if (local != nullptr && keeps_its_value(*local)) return true;
  return (use_reader(code_).bits_of_variable(variable) & use_write) == 0;
}

/// Whether a variable, or a member of one, is unchanged from the call to this position.
bool availability::is_unchanged(const clang::Expr& e) const {
  const clang::Expr* at = e.IgnoreParenCasts();
  while (const auto* member = llvm::dyn_cast<clang::MemberExpr>(at)) {
    if (member->isArrow()) return false;
    at = member->getBase()->IgnoreParenCasts();
  }
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(at);
  return name != nullptr && !name->getDecl()->getType()->isReferenceType() &&
         is_unchanged(*name->getDecl()) && is_of_one_round(*name->getDecl());
}

bool availability::is_available_name(const clang::DeclRefExpr& name) const {
  const clang::ValueDecl& declared = *name.getDecl();
  if (llvm::isa<clang::FunctionDecl, clang::EnumConstantDecl>(declared)) return true;
  if (is_container(declared.getType()) && code_.declares(&declared)) return false;
  if (!is_visible_member(name) && !(is_visible(declared) && is_visible_text(name))) return false;
  if (!is_unchanged(declared) || !is_of_one_round(declared)) return false;
  if (!declared.getType()->isReferenceType() && !llvm::isa<clang::BindingDecl>(declared)) return true;
  return is_of_unchanged(name);
}

/// Whether the object behind the expression has the same value during the whole iteration.
bool availability::is_of_unchanged(const clang::Expr& e) const {
  const origins reached = depends_.storage(e);
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&e);
  return std::all_of(reached.begin(), reached.end(), [&](const clang::ValueDecl* variable) {
    if (variable == nullptr) return false;
    if (is_container(variable->getType())) return is_read_only_(variable);
    return (name != nullptr && variable == name->getDecl()) || is_unchanged(*variable);
  });
}

/// Whether a function of the standard library may read what pointers lead to, and that may change: `*owner`,
/// a call of a std::function, std::accumulate(p, p + n, 0).
bool availability::may_look_elsewhere(const clang::Expr& call, const clang::FunctionDecl& callee) const {
  if (!is_in_std(callee)) return false;
  std::vector<const clang::Expr*> parts = arguments_of(call);
  if (const clang::Expr* object = object_of(call)) parts.push_back(object);
  return std::any_of(parts.begin(), parts.end(), [&](const clang::Expr* part) {
    // without the conversion of a std::shared_ptr to its base
    const clang::QualType type = part->IgnoreParenImpCasts()->getType().getNonReferenceType();
    return may_refer(type) && !(is_view(type) && is_of_unchanged(*part));
  });
}

bool availability::is_available_call(const clang::Expr& call) const {
  const clang::FunctionDecl* callee = callee_of(call);
  if (callee == nullptr || !is_pure(*callee)) return false;
  const clang::Expr* object = object_of(call);
  if (object != nullptr && is_view(object->getType()) && call.isGLValue()) return is_of_unchanged(call);
  if (may_look_elsewhere(call, *callee)) return false;
  if (object == nullptr || !is_container(object->getType())) return true;
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&bare(*object));
  if (name == nullptr) return false;
  const bool asks_for_size = callee->getIdentifier() != nullptr && callee->getName() == "size";
  return asks_for_size || is_read_only_(name->getDecl());
}

/// Whether a part of a function of a captured object has one value during the whole iteration.
bool availability::is_kept_value(const clang::Stmt& node) const {
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node)) {
    const clang::ValueDecl& declared = *name->getDecl();
    return llvm::isa<clang::EnumConstantDecl>(declared) ||
           (is_member_of_object(*name) && !declared.getType()->isReferenceType() && is_unchanged(declared));
  }
  if (const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&node)) {
    const clang::Expr* object = object_of(*call);
    const clang::CXXMethodDecl* callee = call->getMethodDecl();
    return object != nullptr && is_container(object->getType()) && callee != nullptr &&
           callee->getIdentifier() != nullptr && callee->getName() == "size";
  }
  const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&node);
  const bool is_plain = llvm::isa<clang::IntegerLiteral, clang::ParenExpr, clang::CastExpr>(node) ||
                        (op != nullptr && !op->isAssignmentOp());
  return is_plain && std::all_of(node.child_begin(), node.child_end(), [&](const clang::Stmt* child) {
           return child != nullptr && is_kept_value(*child);
         });
}

/// Whether the call asks a captured object for a number that no iteration changes, as in `w.cols()`.
bool availability::is_available_getter(const clang::Stmt& node) const {
  const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&node);
  const clang::FunctionDecl* callee = call == nullptr ? nullptr : visible_definition(callee_of(*call));
  if (callee == nullptr || call->getNumArgs() != 0 || !code_.contains(callee)) return false;
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  const auto* object = llvm::dyn_cast_or_null<clang::DeclRefExpr>(&bare(*call->getImplicitObjectArgument()));
  const auto* body = llvm::dyn_cast<clang::CompoundStmt>(callee->getBody());
  if (method == nullptr || !method->isConst() || method->isVirtual() || object == nullptr ||
      body == nullptr || body->size() != 1 || !call->getType()->isIntegralOrEnumerationType())
    return false;
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(object->getDecl());
  const auto* result = llvm::dyn_cast<clang::ReturnStmt>(body->body_front());
  return variable != nullptr && code_.is_object(*variable) && is_visible(*variable) && result != nullptr &&
         result->getRetValue() != nullptr && is_kept_value(*result->getRetValue());
}

/// Whether the text is a constant of the class of a visible object, as in `A.columns`: changes of the object
/// do not matter.
bool availability::is_available_constant(const clang::MemberExpr& member) const {
  const clang::ValueDecl& named = *member.getMemberDecl();
  const bool is_constant = llvm::isa<clang::EnumConstantDecl>(named) ||
                           (llvm::isa<clang::VarDecl>(named) && named.getType().isConstQualified());
  const auto* object = llvm::dyn_cast<clang::DeclRefExpr>(&bare(*member.getBase()));
  return is_constant && object != nullptr && is_visible(*object->getDecl());
}

/// Whether the members of `this` have the same values at the anchor. Those of a functor are captures.
bool availability::is_available_object(const clang::CXXThisExpr& self) const {
  const clang::FunctionDecl* function = code_.function_of(&self);
  if (function != code_.function_of(&anchor_)) return false;
  const clang::CXXRecordDecl* type = self.getType()->getPointeeCXXRecordDecl();
  return function == &code_.body() || (type != nullptr && keeps_objects_of(*type, code_, depends_));
}

/// Whether the text has the same value at the anchor as at its own position.
bool availability::is_available(const clang::Stmt& node) const {
  if (llvm::isa<clang::SubstNonTypeTemplateParmExpr, clang::UnaryExprOrTypeTraitExpr>(node))
    return is_of_anchors_function(node);
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node)) return is_available_name(*name);
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&node)) {
    if (op->isAssignmentOp()) return false;
  }
  if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(&node)) {
    const auto kind = step->getOpcode();
    if (step->isIncrementDecrementOp() || kind == clang::UO_Deref || kind == clang::UO_AddrOf) return false;
  }
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node)) {
    if (member->isArrow() && !llvm::isa<clang::CXXThisExpr>(bare(*member->getBase()))) return false;
    if (is_available_constant(*member)) return true;
  }
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&node)) {
    if (!is_of_unchanged(*subscript)) return false;
  }
  if (const auto* self = llvm::dyn_cast<clang::CXXThisExpr>(&node)) return is_available_object(*self);
  if (llvm::isa<clang::LambdaExpr, clang::CXXNewExpr, clang::CXXThrowExpr, clang::StmtExpr>(node))
    return false;
  if (is_available_getter(node)) return true;
  if (llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(node)) {
    if (!is_available_call(llvm::cast<clang::Expr>(node))) return false;
  }
  return std::all_of(node.child_begin(), node.child_end(),
                     [&](const clang::Stmt* child) { return child == nullptr || is_available(*child); });
}

}  // namespace stradsap::pp
