// The part of slice_text that prints one round of an inner loop for all of them.
//
//   body:   for (int d = 0; d < K; ++d) w[i * K + d] += v[i][d];
//   slice:  for (int d = 0; d < K; ++d) { w[reach(i * K + d, between(0, K - d))]; v[i]; break; }
#include <clang/AST/ExprCXX.h>

#include <algorithm>

#include "analyze/slicing/slice_text.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// Whether the slice of a loop's body changes nothing and leaves the loop nowhere. If it also does not name
/// the index, all rounds find the same, and one is enough.
bool slice_text::only_finds(const clang::Stmt& body) const {
  if (parts_.kept.count(&body) != 0 || parts_.exits.count(&body) != 0 || parts_.dropped.count(&body) != 0)
    return false;
  return std::all_of(body.child_begin(), body.child_end(),
                     [&](const clang::Stmt* child) { return child == nullptr || only_finds(*child); });
}

/// For a loop that counts upwards by one, and finds nothing in its body but elements at the index or at a sum
/// with the index: the first round then finds all of them as spans.
std::optional<slice_text::span_of_rounds> slice_text::spans_instead_of_rounds(const counting_loop& loop,
                                                                              const clang::Stmt& body) const {
  if (loop.test == nullptr || !loop.surely_ends() || !loop.step->isIncrementOp() || !only_finds(body))
    return std::nullopt;
  span_of_rounds found{loop.index,
                       "(" + text_of(*loop.test->getRHS()) + ") - " + loop.index->getNameAsString()};
  if (loop.test->getOpcode() == clang::BO_LE) found.length += " + 1";
  return finds_spans(body, found) ? std::optional(found) : std::nullopt;
}

/// Whether `sum` is the index, or adds something to it that does not depend on it.
bool slice_text::is_sum_with(const clang::Expr& sum, const clang::VarDecl& index) const {
  const clang::Expr& bare = *sum.IgnoreParenImpCasts();
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&bare)) return name->getDecl() == &index;
  const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&bare);
  if (op == nullptr || op->getOpcode() != clang::BO_Add) return false;
  const auto has_index = [&](const clang::Expr& part) {
    return names_in(text_of(part), index.getNameAsString());
  };
  if (has_index(*op->getLHS()) == has_index(*op->getRHS())) return false;
  return is_sum_with(has_index(*op->getLHS()) ? *op->getLHS() : *op->getRHS(), index);
}

/// Whether a target is an element of a dvector at a sum with the index, and no pointer starts there.
bool slice_text::follows(const clang::Stmt& target, const span_of_rounds& rounds) const {
  const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&target);
  if (call == nullptr || call->getOperator() != clang::OO_Subscript) return false;
  const clang::Expr& object = *call->getArg(0);
  return container_name(object.getType()) == api::dvector &&
         !names_in(text_of(object), rounds.index->getNameAsString()) &&
         is_sum_with(*call->getArg(1), *rounds.index) &&
         excerpt(code_.ast(), target.getSourceRange()) ==
             excerpt(code_.ast(), target.getSourceRange(), inserted_);
}

/// The text that finds a target, and in a loop that runs a single round, the elements of all rounds.
std::string slice_text::text_of_target(const clang::Stmt& target) const {
  if (rounds_ == nullptr || !follows(target, *rounds_)) return text_of(target);
  const auto& call = llvm::cast<clang::CXXOperatorCallExpr>(target);
  return "(" + text_of(*call.getArg(0)) + ")[" + api::reach + "(" + text_of(*call.getArg(1)) + ", " +
         api::between + "(0, " + rounds_->length + "))]";
}

/// Whether all that the slice has of a node are accesses that do not depend on the index, or that follow it.
bool slice_text::finds_spans(const clang::Stmt& node, const span_of_rounds& rounds) const {
  if (!parts_.holds(&node)) return true;
  if (parts_.targets.count(&node) != 0)
    return follows(node, rounds) || !names_in(text_of(node), rounds.index->getNameAsString());
  const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(&node);
  if (declarations != nullptr && std::any_of(declarations->decl_begin(), declarations->decl_end(),
                                             [&](const clang::Decl* one) { return parts_.needs(*one); })) {
    return false;
  }
  const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&node);
  const bool is_choice =
      llvm::isa<clang::AbstractConditionalOperator>(node) || (op != nullptr && op->isLogicalOp());
  const bool is_plain = llvm::isa<clang::CompoundStmt, clang::DeclStmt>(node) ||
                        (llvm::isa<clang::Expr>(node) && !is_choice && !llvm::isa<clang::LambdaExpr>(node));
  return is_plain && std::all_of(node.child_begin(), node.child_end(), [&](const clang::Stmt* child) {
           return child == nullptr || finds_spans(*child, rounds);
         });
}

}  // namespace stradsap::pp
