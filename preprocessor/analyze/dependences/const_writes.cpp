#include "analyze/dependences/const_writes.hpp"

#include "analyze/code/types.hpp"
#include "analyze/code/uses.hpp"

namespace stradsap::pp {

static bool names_this(const clang::Stmt* node) {
  if (node == nullptr) return false;
  if (llvm::isa<clang::CXXThisExpr>(node)) return true;
  for (const clang::Stmt* child : node->children()) {
    if (names_this(child)) return true;
  }
  return false;
}

namespace {

class tracer {
 public:
  tracer(const region& code, const dependences& depends) : code_(code), depends_(depends) {}

  origins reached_by(const clang::Expr& operand) {
    origins found = depends_.storage(operand);
    if (names_this(&operand)) found.merge(objects_of(code_.function_of(&operand)));
    return found;
  }

 private:
  /// The objects that `this` of a member function may denote: those of its calls.
  origins objects_of(const clang::FunctionDecl* function) {
    if (function == nullptr || !open_.insert(function).second) return {};
    origins found;
    for (const clang::Expr* call : code_.callers(function)) {
      if (const clang::Expr* object = object_of(*call)) found.merge(reached_by(*object));
    }
    return found;
  }

  const region& code_;
  const dependences& depends_;
  std::set<const clang::FunctionDecl*> open_;
};

}  // namespace

/// Whether the expression changes a `mutable` member.
static bool changes_mutable_member(const clang::Expr& e, use_reader& uses) {
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e);
  const auto* field = member == nullptr ? nullptr : llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
  return field != nullptr && field->isMutable() && (uses.bits(*member) & use_write) != 0;
}

std::map<const clang::ValueDecl*, const clang::Expr*> writes_through_const(const region& code,
                                                                           const dependences& depends) {
  std::map<const clang::ValueDecl*, const clang::Expr*> found;
  use_reader uses(code);
  for (const clang::Stmt* node : code.nodes()) {
    const auto* e = llvm::dyn_cast<clang::Expr>(node);
    if (e == nullptr) continue;
    const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(e);
    const bool casts = cast != nullptr && casts_const_away(*cast);
    if (!casts && !changes_mutable_member(*e, uses)) continue;
    const clang::Expr& object = casts ? *cast->getSubExprAsWritten() : *e;
    for (const clang::ValueDecl* variable : tracer(code, depends).reached_by(object))
      found.emplace(variable, e);
  }
  return found;
}

}  // namespace stradsap::pp
