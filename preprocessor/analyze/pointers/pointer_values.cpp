#include "analyze/pointers/pointer_values.hpp"

#include <clang/AST/ASTContext.h>

#include "analyze/code/folds.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

static llvm::StringRef name_of(const clang::Expr& call) {
  const clang::FunctionDecl* callee = callee_of(call);
  return callee == nullptr || callee->getIdentifier() == nullptr ? llvm::StringRef() : callee->getName();
}

std::optional<pointer_value> pointer_values::moved(std::optional<pointer_value> from, const offset& by,
                                                   const clang::Expr& pointer) const {
  if (from) from->at.move(by, size_of_target(code_.ast(), pointer.getType()));
  return from;
}

/// The value of the address of an object.
std::optional<pointer_value> pointer_values::of_designated(const clang::Expr& object, const call_path& path) {
  const clang::Expr& at = *object.IgnoreParens();
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&at))
    return moved(of(*subscript->getBase(), path), offsets_.of(*subscript->getIdx(), path),
                 *subscript->getBase());
  if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(&at)) {
    if (step->getOpcode() == clang::UO_Deref) return of(*step->getSubExpr(), path);
  }
  if (object_of(at) == nullptr && !llvm::isa<clang::CallExpr>(at)) return std::nullopt;
  return pointer_value{&at, {number(0), size_of_object(code_.ast(), at.getType())}};
}

/// `v.begin()`, `v.data()` and their like.
static bool names_an_end(const clang::Expr& e) {
  return object_of(e) != nullptr &&
         (name_of(e) == "data" || name_of(e) == "begin" || name_of(e) == "end" || name_of(e) == "cbegin");
}

/// The pointer that another function returns: the same at all uses of its variable.
static bool is_helpers_result(const clang::Expr& e) {
  return llvm::isa<clang::CallExpr>(e) && e.getType()->isPointerType() && !names_an_end(e);
}

std::optional<pointer_value> pointer_values::of(const clang::Expr& pointer, const call_path& path) {
  const clang::Expr& at = *pointer.IgnoreParenCasts();
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&at)) return of_variable(*name, path);
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&at)) {
    const bool adds = op->getOpcode() == clang::BO_Add;
    if ((!adds && op->getOpcode() != clang::BO_Sub) || !op->getType()->isPointerType()) return std::nullopt;
    const bool left = op->getLHS()->getType()->isPointerType();
    const offset by = offsets_.of(left ? *op->getRHS() : *op->getLHS(), path);
    return moved(of(left ? *op->getLHS() : *op->getRHS(), path), adds ? by : subtract(number(0), by), at);
  }
  if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(&at)) {
    return step->getOpcode() == clang::UO_AddrOf ? of_designated(*step->getSubExpr(), path) : std::nullopt;
  }
  const bool is_known = names_an_end(at) || is_helpers_result(at);
  if (!is_known || !at.getType()->isPointerType()) return std::nullopt;
  return pointer_value{&at, {number(0), size_of_target(code_.ast(), at.getType())}};
}

std::optional<pointer_value> pointer_values::of_variable(const clang::DeclRefExpr& name,
                                                         const call_path& path) {
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(name.getDecl());
  if (variable == nullptr) return std::nullopt;
  if (variable->getType()->isArrayType())
    return pointer_value{
        &name, {number(0), size_of_object(code_.ast(), code_.ast().getBaseElementType(variable->getType()))}};
  if (!moves_.is_at_start(name, *variable)) return std::nullopt;
  const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(variable);
  if (parameter == nullptr) {
    const clang::Expr* init = code_.declares(variable) ? variable->getInit() : nullptr;
    return init == nullptr ? std::nullopt : of(*init, path);
  }
  for (std::size_t depth = path.size(); depth-- > 0;) {
    if (visible_definition(callee_of(*path[depth])) != parameter->getDeclContext()) continue;
    const std::vector<const clang::Expr*> arguments = arguments_of(*path[depth]);
    const unsigned i = parameter->getFunctionScopeIndex();
    if (i >= arguments.size()) return std::nullopt;
    return of(*arguments[i], call_path(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(depth)));
  }
  return std::nullopt;
}

/// The index of a root's element in its container.
std::optional<offset> pointer_values::place_in_container(const clang::Expr& root) {
  const std::vector<const clang::Expr*> arguments = arguments_of(root);
  if (arguments.size() == 1) return offsets_.of(*arguments[0], {});
  if (!arguments.empty() || name_of(root) != "end") return number(0);
  const auto text = excerpt(code_.ast(), object_of(root)->getSourceRange());
  if (!text) return std::nullopt;
  return offset{std::string(api::length) + "(" + *text + ")", std::nullopt, false, {object_of(root)}};
}

std::optional<displacement> pointer_values::distance(const pointer_value& from, const pointer_value& to) {
  displacement made = to.at;
  made.count_in(from.at.unit);
  displacement before = from.at;
  before.count_in(made.unit);
  if (before.unit != made.unit) return std::nullopt;
  made.from = subtract(made.from, before.from);
  if (from.root == to.root) return made;
  const clang::Expr* container = object_of(*from.root);
  const clang::Expr* other = object_of(*to.root);
  if (is_helpers_result(*from.root) || is_helpers_result(*to.root)) return std::nullopt;
  if (container == nullptr || other == nullptr)
    return are_same(code_.ast(), *from.root, *to.root) ? std::optional(made) : std::nullopt;
  if (!are_same(code_.ast(), *container, *other)) return std::nullopt;
  const auto here = place_in_container(*from.root);
  const auto there = place_in_container(*to.root);
  if (!here || !there) return std::nullopt;
  const clang::QualType type = from.root->getType();
  made.move(subtract(*there, *here),
            type->isPointerType() ? size_of_target(code_.ast(), type) : size_of_object(code_.ast(), type));
  return made;
}

}  // namespace stradsap::pp
