#include "analyze/captures/write_advice.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <optional>

#include "analyze/code/control.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/code/types.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

// ---- objects --------------------------------------------------------------------------------------------

namespace {

/// model.V(f), by a member function of the user's class.
struct own_call {
  const clang::Expr* call = nullptr;
  const clang::CXXMethodDecl* method = nullptr;
};

}  // namespace

/// The call of a user's member function that is not const, on the object `name` itself.
static std::optional<own_call> call_on(const region& code, const clang::Expr& name) {
  const clang::Stmt* above = &name;
  do above = code.above(above);
  while (llvm::isa_and_nonnull<clang::MemberExpr, clang::ImplicitCastExpr, clang::ParenExpr>(above));
  const auto* call = llvm::dyn_cast_or_null<clang::Expr>(above);
  const clang::Expr* object = call == nullptr ? nullptr : object_of(*call);
  if (object == nullptr || &bare(*object) != &name) return std::nullopt;
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(callee_of(*call));
  if (method == nullptr || method->isConst() || !is_users(*method)) return std::nullopt;
  return own_call{call, method};
}

static bool has_const_form(const clang::CXXMethodDecl& method) {
  const auto found = method.getParent()->lookup(method.getDeclName());
  return std::any_of(found.begin(), found.end(), [&](const clang::NamedDecl* one) {
    const auto* other = llvm::dyn_cast<clang::CXXMethodDecl>(one);
    return other != nullptr && other->isConst() && other->getNumParams() == method.getNumParams();
  });
}

/// Makes `std::as_const(model).V(f)` of `model.V(f)`.
static std::string as_const_call(const region& code, const clang::Expr& call, const clang::Expr& name) {
  const std::string object = excerpt(code.ast(), name.getSourceRange()).value_or("object");
  const std::string text = excerpt(code.ast(), call.getSourceRange()).value_or("");
  const std::string made = "std::as_const(" + object + ")";
  return text.starts_with(object) ? made + text.substr(object.size()) : made;
}

const clang::Expr& clearest_change(const region& code, const std::vector<const clang::Expr*>& changes) {
  const auto is_clear = [&](const clang::Expr* change) { return !call_on(code, *change); };
  const auto found = std::find_if(changes.begin(), changes.end(), is_clear);
  return found == changes.end() ? *changes.front() : **found;
}

std::string advice_on_object(const region& code, const clang::Expr& change) {
  const std::optional<own_call> called = call_on(code, change);
  if (!called) return "declare it const, or use its const members (`at` of a map, not `[]`)";
  const std::string function = "`" + called->method->getNameAsString() + "`";
  return has_const_form(*called->method)
             ? "call the const " + function + ": `" + as_const_call(code, *called->call, change) + "`"
             : "declare " + function + " const";
}

/// The member that the change names: `w` of `model.w[j] += 1`. Null if it names none.
static const clang::FieldDecl* changed_member(const region& code, const clang::Expr& change) {
  const clang::Stmt* above = code.above(&change);
  while (llvm::isa_and_nonnull<clang::ImplicitCastExpr, clang::ParenExpr>(above)) above = code.above(above);
  const auto* member = llvm::dyn_cast_or_null<clang::MemberExpr>(above);
  return member == nullptr ? nullptr : llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
}

/// `w` (`dvector<float> w`), for a member that is a std::vector; else empty.
static std::string as_container(const region& code, const clang::FieldDecl& member) {
  const auto* type =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(member.getType()->getAsCXXRecordDecl());
  if (type == nullptr || !type->isInStdNamespace() || type->getName() != "vector") return {};
  const std::string name = member.getNameAsString();
  const std::string element = type_name(code.ast(), type->getTemplateArgs()[0].getAsType());
  return "`" + name + "` (`dvector<" + element + "> " + name + "`)";
}

std::string advice_on_sharing(const region& code, const clang::Expr& change) {
  const clang::CXXRecordDecl* record = change.getType()->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition() || !is_users(*record)) return "make it a dvector or dmap";
  const clang::FieldDecl* const changed = changed_member(code, change);
  std::string all;
  int count = 0;
  for (const clang::FieldDecl* member : record->getDefinition()->fields()) {
    const std::string one = changed == nullptr || changed == member ? as_container(code, *member) : "";
    if (!one.empty()) all += (count++ == 0 ? "" : ", ") + one;
  }
  if (count == 0) return "make it a dvector or dmap";
  return (count == 1 ? "make a dvector of its member " : "make dvectors of its members ") + all;
}

// ---- numbers --------------------------------------------------------------------------------------------

namespace {

/// if (score > best) { best = score; arg = j; }
struct best_of_all {
  const clang::IfStmt* branch = nullptr;
  const clang::Expr* score = nullptr;
  const clang::ValueDecl* best = nullptr;
  bool is_largest = true;
};

}  // namespace

static const clang::ValueDecl* named(const clang::Expr& e) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&bare(e));
  return name == nullptr ? nullptr : name->getDecl();
}

/// Whether the statement, or one in it, is `best = score`.
static bool holds_assignment(const region& code, const clang::Stmt* node, const best_of_all& one) {
  if (node == nullptr) return false;
  const auto* op = llvm::dyn_cast<clang::BinaryOperator>(node);
  if (op != nullptr && op->getOpcode() == clang::BO_Assign && named(*op->getLHS()) == one.best &&
      are_same(code.ast(), *op->getRHS(), *one.score))
    return true;
  return std::any_of(node->child_begin(), node->child_end(),
                     [&](const clang::Stmt* child) { return holds_assignment(code, child, one); });
}

/// The comparison of a captured variable in a condition, if the branch assigns the other side to it.
static std::optional<best_of_all> best_by(const region& code, const clang::IfStmt& branch,
                                          const clang::Expr& condition) {
  const auto* test = llvm::dyn_cast<clang::BinaryOperator>(&bare(condition));
  if (test == nullptr) return std::nullopt;
  if (test->getOpcode() == clang::BO_LAnd) {
    const auto left = best_by(code, branch, *test->getLHS());
    return left ? left : best_by(code, branch, *test->getRHS());
  }
  if (!test->isRelationalOp()) return std::nullopt;
  const bool is_less = test->getOpcode() == clang::BO_LT || test->getOpcode() == clang::BO_LE;
  for (const bool is_left : {true, false}) {
    const clang::Expr& variable = is_left ? *test->getLHS() : *test->getRHS();
    const clang::Expr& other = is_left ? *test->getRHS() : *test->getLHS();
    const best_of_all one{&branch, &bare(other), named(variable), is_less == is_left};
    if (one.best != nullptr && !code.declares(one.best) && holds_assignment(code, branch.getThen(), one))
      return one;
  }
  return std::nullopt;
}

/// The choice of which the change is a part; nothing if it is part of none in the body's own text.
static std::optional<best_of_all> choice_around(const region& code, const clang::Expr& change) {
  if (code.function_of(&change) != &code.body()) return std::nullopt;
  const clang::Stmt* part = &change;
  for (const clang::Stmt* above = code.above(part); above != nullptr; above = code.above(part)) {
    const auto* branch = llvm::dyn_cast<clang::IfStmt>(above);
    if (branch != nullptr && branch->getThen() == part) return best_by(code, *branch, *branch->getCond());
    const auto* op = llvm::dyn_cast<clang::BinaryOperator>(above);
    const bool assigns = op != nullptr && op->getOpcode() == clang::BO_Assign && op->getLHS() == part;
    const bool is_listed = op != nullptr && op->getOpcode() == clang::BO_Comma;
    if (!assigns && !is_listed && !llvm::isa<clang::CompoundStmt, clang::FullExpr>(above))
      return std::nullopt;
    part = above;
  }
  return std::nullopt;
}

bool follows_another_change(const region& code, const std::vector<const clang::Expr*>& changes) {
  return std::all_of(changes.begin(), changes.end(), [&](const clang::Expr* change) {
    const std::optional<best_of_all> choice = choice_around(code, *change);
    return choice && named(*change) != choice->best;
  });
}

/// Whether a use of the container may write elements.
static bool may_write(const region& code, const clang::ValueDecl& container) {
  const auto writes = [&](const clang::Expr* use) {
    const auto* access = llvm::dyn_cast_or_null<clang::CXXOperatorCallExpr>(code.above(use));
    return access == nullptr || (use_reader(code).bits(*access) & use_write) != 0;
  };
  const auto& uses = code.uses(&container);
  return std::any_of(uses.begin(), uses.end(), writes);
}

/// X of X[j], with the loop's own index, if the loop only reads X; empty for anything else.
static std::string container_at_index(const region& code, const clang::Expr& score) {
  const auto* access = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&score);
  const clang::Expr* object = access == nullptr ? nullptr : object_of(*access);
  if (object == nullptr || container_name(object->getType()) != api::dvector) return {};
  const std::vector<const clang::Expr*> arguments = arguments_of(*access);
  if (arguments.size() != 1 || named(*arguments[0]) != code.index()) return {};
  const clang::ValueDecl* container = named(*object);
  return container == nullptr || may_write(code, *container) ? "" : container->getNameAsString();
}

static bool stands_in_loop(const region& code, const clang::Stmt& node) {
  for (const clang::Stmt* at = &node; at != nullptr; at = code.above(at)) {
    if (is_loop(*at)) return true;
  }
  return false;
}

/// The way to the largest score and its index: a score for each iteration, and a search on the driver.
static std::string advice_on_best(const region& code, const best_of_all& choice) {
  const std::string known = container_at_index(code, *choice.score);
  const std::string holder = known.empty() ? "scores" : known;
  const std::string word = choice.is_largest ? "largest" : "smallest";
  const std::string found = "find the index of the " + word +
                            " after the loop: `std::" + (choice.is_largest ? "max" : "min") + "_element(" +
                            holder + ".begin(), " + holder + ".end()) - " + holder + ".begin()`";
  if (!known.empty()) return found;
  const std::string score = excerpt(code.ast(), choice.score->getSourceRange()).value_or("score");
  return "keep the " + (stands_in_loop(code, *choice.branch) ? word + " " : "") + "`" + score +
         "` of each iteration in a dvector, `scores[" + code.index()->getNameAsString() + "] = " + score +
         ";`, and " + found;
}

std::string advice_on_number(const region& code, const clang::Expr& change) {
  const std::optional<best_of_all> choice = choice_around(code, change);
  return choice ? advice_on_best(code, *choice) : "keep anything else in a dvector or dmap";
}

}  // namespace stradsap::pp
