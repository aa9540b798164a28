#include "analyze/code/folds.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "analyze/code/control.hpp"
#include "analyze/code/effects.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/code/matrix_folds.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// One step further into the variable.
static bool is_step(const clang::Expr& above, const clang::Expr& part) {
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&above)) {
    return llvm::isa<clang::FieldDecl>(member->getMemberDecl()) && !member->isArrow();
  }
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&above)) {
    return subscript->getBase() == &part;
  }
  return is_subscript_of_array(above) && object_of(above) == &part;
}

static const char* of_operator(clang::BinaryOperatorKind kind) {
  switch (kind) {
    case clang::BO_Add:
    case clang::BO_Sub:
      return api::fold_sum;
    case clang::BO_Mul:
      return api::fold_product;
    case clang::BO_And:
      return api::fold_bit_and;
    case clang::BO_Or:
      return api::fold_bit_or;
    case clang::BO_Xor:
      return api::fold_bit_xor;
    default:
      return nullptr;
  }
}

static const char* of_compound(clang::BinaryOperatorKind kind) {
  return of_operator(clang::BinaryOperator::getOpForCompoundAssignment(kind));
}
const clang::Expr& fold_reader::designated(const clang::Expr& name) const {
  const clang::Expr* part = &name;
  while (true) {
    const auto* above = llvm::dyn_cast_or_null<clang::Expr>(code_.above(part));
    const bool decays =
        above != nullptr && llvm::isa<clang::ImplicitCastExpr>(above) &&
        llvm::cast<clang::ImplicitCastExpr>(above)->getCastKind() == clang::CK_ArrayToPointerDecay;
    if (above == nullptr || !(decays || llvm::isa<clang::ParenExpr>(above) || is_step(*above, *part)))
      return *part;
    part = above;
  }
}

const clang::Expr& fold_reader::designated_in_rows(const clang::Expr& name) const {
  const clang::Expr* part = &designated(name);
  while (true) {
    const auto* next = llvm::dyn_cast_or_null<clang::Expr>(code_.above(part));
    const bool is_entry = next != nullptr && is_subscript_of_vector(*next) && object_of(*next) == part;
    if (!is_entry) next = coefficient_at(code_, *part);
    if (next == nullptr) return *part;
    part = &designated(*next);
  }
}

/// Of truth values: `x |= e` and `x = x || e` fold alike.
static const char* of_truth_values(const char* op) {
  if (op == api::fold_bit_or) return api::fold_any;
  return op == api::fold_bit_and ? api::fold_all : op;
}

update fold_reader::update_of(const clang::Expr& target) const {
  update found = written_update_of(target);
  if (target.getType()->isBooleanType()) found.op = of_truth_values(found.op);
  return found;
}

update fold_reader::written_update_of(const clang::Expr& target) const {
  const clang::Stmt* above = code_.above(&target);
  update found;
  found.target = &target;
  if (const auto* step = llvm::dyn_cast_or_null<clang::UnaryOperator>(above)) {
    if (!step->isIncrementDecrementOp()) return {};
    found.statement = step;
    found.op = api::fold_sum;
    return found;
  }
  const auto* op = llvm::dyn_cast_or_null<clang::BinaryOperator>(above);
  if (op == nullptr || !op->isAssignmentOp() || op->getLHS() != &target) return {};
  found.statement = op;
  if (const auto* compound = llvm::dyn_cast<clang::CompoundAssignOperator>(op)) {
    found.op = of_compound(op->getOpcode());
    found.operands = {op->getRHS()};
    found.computed = compound->getComputationResultType();
  } else {
    complete(found, *op);
  }
  return found;
}

/// The value of ({ ...; x += 1; }) is that of its last statement.
static bool is_value_of_block(const region& code, const clang::Stmt& block, const clang::Stmt& child) {
  const auto* statements = llvm::dyn_cast<clang::CompoundStmt>(&block);
  return statements != nullptr && statements->body_back() == &child &&
         llvm::isa_and_nonnull<clang::StmtExpr>(code.parent(&block).statement);
}

bool fold_reader::is_dropped(const clang::Expr& statement) const {
  const clang::Stmt* child = &statement;
  const clang::Stmt* above = code_.parent(child).statement;
  while (above != nullptr && llvm::isa<clang::ParenExpr, clang::FullExpr, clang::ImplicitCastExpr>(above)) {
    child = above;
    above = code_.parent(above).statement;
  }
  if (above == nullptr) return false;  // it initialises a variable
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(above)) {
    if (op->getOpcode() == clang::BO_Comma) return op->getLHS() == child || is_dropped(*op);
    return op->isLogicalOp() && op->getRHS() == child && is_dropped(*op);
  }
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(above))
    return choice->getCond() != child && is_dropped(*choice);
  if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(above)) return loop->getCond() != child;
  if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(above)) return branch->getCond() != child;
  if (const auto* loop = llvm::dyn_cast<clang::WhileStmt>(above)) return loop->getCond() != child;
  if (const auto* loop = llvm::dyn_cast<clang::DoStmt>(above)) return loop->getCond() != child;
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(above))
    return cast->getCastKind() == clang::CK_ToVoid;
  if (llvm::isa<clang::ReturnStmt, clang::SwitchStmt>(above)) return false;
  return !llvm::isa<clang::Expr>(above) && !is_value_of_block(code_, *above, *child);
}

bool are_same(const clang::ASTContext& ast, const clang::Expr& a, const clang::Expr& b) {
  llvm::FoldingSetNodeID first;
  llvm::FoldingSetNodeID second;
  bare(a).Profile(first, ast, /*Canonical=*/true);
  bare(b).Profile(second, ast, /*Canonical=*/true);
  return first == second;
}

/// Whether every iteration comes to a statement of the body, once or more often.
static bool always_runs(const region& code, const clang::Expr& statement) {
  if (code.function_of(&statement) != &code.body() || !conditions_above(code, statement).empty())
    return false;
  const auto leaves = [&](const clang::Stmt* node) {
    const bool jumps = llvm::isa<clang::ReturnStmt, clang::GotoStmt>(node);
    return (jumps && decides(code, *node, statement)) || llvm::isa<clang::CXXTryStmt>(node);
  };
  return std::none_of(code.nodes().begin(), code.nodes().end(), leaves);
}

/// x = x + e, x = x && e, x = std::max(x, e), x = e > x ? e : x, if (e > x) x = e, changed = true.
void fold_reader::complete(update& found, const clang::BinaryOperator& assignment) const {
  const clang::Expr& value = bare(*assignment.getRHS());
  if (may_move(code_, *found.target, *assignment.getRHS())) return;  // the value is computed before the place
  const auto* truth = llvm::dyn_cast<clang::CXXBoolLiteralExpr>(&value);
  if (truth != nullptr && found.target->getType()->isBooleanType()) {
    found.op = truth->getValue() ? api::fold_any : api::fold_all;
  } else if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&value)) {
    complete_operation(found, *op);
  } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&value)) {
    complete_call(found, *call);
  } else if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&value)) {
    complete_choice(found, *choice);
  }
  if (found.op == nullptr) complete_condition(found, value);
}

/// Notes the operand if it is the target: then this is a fold by `op`.
bool fold_reader::is_fold_of(update& found, const clang::Expr& operand, const char* op) const {
  if (!same(operand, *found.target) || changed_outside(code_, operand) != nullptr) return false;
  found.op = op;
  found.reads.push_back(&bare(operand));
  return true;
}

void fold_reader::complete_logical(update& found, const clang::BinaryOperator& op) const {
  const char* fold = op.getOpcode() == clang::BO_LAnd ? api::fold_all : api::fold_any;
  // of a number that is neither 0 nor 1, a part without updates must be told from one that came to 0
  const bool is_sure = found.target->getType()->isBooleanType() || fold == api::fold_all ||
                       always_runs(code_, *found.statement);
  if (!is_sure) return;
  if (is_fold_of(found, *op.getLHS(), fold)) {
    found.guarded.push_back(op.getRHS());
  } else {
    is_fold_of(found, *op.getRHS(), fold);
  }
}

void fold_reader::complete_operation(update& found, const clang::BinaryOperator& op) const {
  if (op.isLogicalOp()) return complete_logical(found, op);
  const char* fold = of_operator(op.getOpcode());
  if (fold == nullptr) return;
  found.computed = op.getType();
  if (op.getOpcode() != clang::BO_Sub && is_fold_of(found, *op.getRHS(), fold)) {
    found.operands = {op.getLHS()};
    return;
  }
  // x = x + a - b is ((x + a) - b)
  const clang::Expr* left = &op;
  std::vector<const clang::Expr*> operands;
  while (const auto* next = llvm::dyn_cast<clang::BinaryOperator>(left)) {
    if (of_operator(next->getOpcode()) != fold) return;
    operands.push_back(next->getRHS());
    left = &bare(*next->getLHS());
  }
  if (is_fold_of(found, *left, fold)) found.operands = std::move(operands);
}

/// {a, b, c} as an argument of type std::initializer_list.
static const clang::InitListExpr* listed(const clang::Expr& argument) {
  const auto* list = llvm::dyn_cast<clang::CXXStdInitializerListExpr>(argument.IgnoreImplicit());
  return list == nullptr ? nullptr
                         : llvm::dyn_cast<clang::InitListExpr>(list->getSubExpr()->IgnoreImplicit());
}

/// A constant that is neither NaN nor so large that a few products with it overflow; nothing for others.
static std::optional<double> small_constant(const clang::ASTContext& ast, const clang::Expr& e) {
  llvm::APFloat constant(0.0);
  if (e.isValueDependent() || !e.getType()->isRealFloatingType() || !e.EvaluateAsFloat(constant, ast))
    return std::nullopt;
  bool is_inexact = false;
  constant.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &is_inexact);
  const double value = constant.convertToDouble();
  return std::abs(value) <= 1e6 ? std::optional(value) : std::nullopt;
}

/// Whether the value comes from whole numbers, by few operations with constants.
static bool is_of_whole_numbers(const clang::ASTContext& ast, const clang::Expr& e, unsigned depth) {
  const clang::Expr& value = *e.IgnoreParenCasts();
  if (value.getType()->isIntegralOrUnscopedEnumerationType() || small_constant(ast, value)) return true;
  if (depth == 0) return false;
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&value)) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    return variable != nullptr && variable->getType().isConstQualified() && variable->getInit() != nullptr &&
           is_of_whole_numbers(ast, *variable->getInit(), depth - 1);
  }
  const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&value);
  if (op == nullptr || !(op->isAdditiveOp() || op->isMultiplicativeOp())) return false;
  const std::optional<double> left = small_constant(ast, *op->getLHS());
  const std::optional<double> right = small_constant(ast, *op->getRHS());
  if (op->getOpcode() == clang::BO_Div && (!right || *right == 0)) return false;
  return (left || right) && is_of_whole_numbers(ast, left ? *op->getRHS() : *op->getLHS(), depth - 1);
}

static bool may_be_nan(const clang::ASTContext& ast, const clang::Expr& e) {
  const clang::Expr& value = *e.IgnoreParenCasts();
  llvm::APFloat constant(0.0);
  const bool is_constant = !value.isValueDependent() && value.getType()->isRealFloatingType() &&
                           value.EvaluateAsFloat(constant, ast);
  constexpr unsigned most_operations = 4;
  return is_constant ? constant.isNaN() : !is_of_whole_numbers(ast, value, most_operations);
}

/// Notes that a choice replaces a variable that is NaN, and whether it passes over such operands.
static void replaces_nan(const clang::ASTContext& ast, update& found, bool skips_nan) {
  if (!found.target->getType()->isRealFloatingType() || ast.getLangOpts().NoHonorNaNs) return;
  const bool is_largest = found.op == api::fold_maximum;
  found.op = is_largest ? api::fold_maximum_number : api::fold_minimum_number;
  found.takes_nan = !skips_nan && std::any_of(found.operands.begin(), found.operands.end(),
                                              [&](const clang::Expr* e) { return may_be_nan(ast, *e); });
}

void fold_reader::complete_call(update& found, const clang::CallExpr& call) const {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  if (callee == nullptr || callee->getIdentifier() == nullptr || is_users(*callee)) return;
  llvm::StringRef name = callee->getName();
  const bool skips_nan = name.consume_front("f");
  if (skips_nan) name.consume_back("f");
  if (name != "max" && name != "min") return;
  const char* fold = name == "max" ? api::fold_maximum : api::fold_minimum;
  const clang::InitListExpr* list = call.getNumArgs() == 1 ? listed(*call.getArg(0)) : nullptr;
  if (call.getNumArgs() != 2 && list == nullptr) return;
  const auto operands = list != nullptr ? list->inits() : llvm::ArrayRef(call.getArgs(), 2);
  const auto own = std::find_if(operands.begin(), operands.end(), [&](const clang::Expr* operand) {
    return is_fold_of(found, *operand, fold);
  });
  if (own == operands.end()) return;
  std::copy_if(operands.begin(), operands.end(), std::back_inserter(found.operands),
               [&](const clang::Expr* operand) { return operand != *own; });
  found.computed = call.getType().getNonReferenceType();
  found.keeps_computed = true;
  if (skips_nan || own != operands.begin()) replaces_nan(code_.ast(), found, skips_nan);
}

/// Of `a < b` where the smaller, or the larger, of both is taken.
static const char* of_comparison(const clang::BinaryOperator& test, bool takes_left) {
  const auto kind = test.getOpcode();
  const bool less = kind == clang::BO_LT || kind == clang::BO_LE;
  if (!less && kind != clang::BO_GT && kind != clang::BO_GE) return nullptr;
  return less == takes_left ? api::fold_minimum : api::fold_maximum;
}

void fold_reader::complete_choice(update& found, const clang::ConditionalOperator& choice) const {
  const auto* test = llvm::dyn_cast<clang::BinaryOperator>(&bare(*choice.getCond()));
  if (test == nullptr) return;
  const clang::Expr& yes = *choice.getTrueExpr();
  const clang::Expr& no = *choice.getFalseExpr();
  const bool left_first = same(*test->getLHS(), yes) && same(*test->getRHS(), no);
  if (!left_first && !(same(*test->getRHS(), yes) && same(*test->getLHS(), no))) return;
  const char* fold = of_comparison(*test, left_first);
  const bool is_left = is_fold_of(found, *test->getLHS(), fold);
  if (!is_left && !is_fold_of(found, *test->getRHS(), fold)) return;
  const bool is_first = is_left == left_first;
  is_fold_of(found, is_first ? yes : no, fold);
  found.operands = {is_left ? test->getRHS() : test->getLHS()};
  found.repeated = {is_first ? &no : &yes};
  found.computed = choice.getType();
  found.keeps_computed = true;
  if (is_first) replaces_nan(code_.ast(), found, /*skips_nan=*/false);
}

static bool is_only_child(const clang::Stmt& node) {
  if (llvm::isa<clang::FullExpr>(node)) return true;
  const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&node);
  return block != nullptr && block->size() == 1;
}

/// The if around the only statement that it guards.
static const clang::IfStmt* branch_around(const region& code, const clang::Stmt& statement) {
  const clang::Stmt* child = &statement;
  const clang::Stmt* above = code.above(child);
  while (above != nullptr && is_only_child(*above)) {
    child = above;
    above = code.above(above);
  }
  const auto* branch = llvm::dyn_cast_or_null<clang::IfStmt>(above);
  return branch != nullptr && branch->getThen() == child && branch->getElse() == nullptr ? branch : nullptr;
}

/// The operands of a && b && c, the last one first.
static std::vector<const clang::Expr*> conjuncts(const clang::Expr& condition) {
  const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&bare(condition));
  if (op == nullptr || op->getOpcode() != clang::BO_LAnd) return {&bare(condition)};
  std::vector<const clang::Expr*> found = conjuncts(*op->getRHS());
  const std::vector<const clang::Expr*> before = conjuncts(*op->getLHS());
  found.insert(found.end(), before.begin(), before.end());
  return found;
}

/// if (e > x) x = e, with further conditions around, before or behind the comparison.
void fold_reader::complete_condition(update& found, const clang::Expr& value) const {
  std::vector<const clang::Expr*> behind;
  const clang::IfStmt* branch = branch_around(code_, *found.statement);
  while (branch != nullptr) {
    for (const clang::Expr* condition : conjuncts(*branch->getCond())) {
      complete_comparison(found, *condition, value);
      if (found.op != nullptr) return void(found.guarded = std::move(behind));
      behind.push_back(condition);
    }
    branch = branch->hasInitStorage() || branch->hasVarStorage() ? nullptr : branch_around(code_, *branch);
  }
}

void fold_reader::complete_comparison(update& found, const clang::Expr& condition,
                                      const clang::Expr& value) const {
  const auto* test = llvm::dyn_cast<clang::BinaryOperator>(&condition);
  if (test == nullptr || !test->isRelationalOp()) return;
  const bool takes_left = same(*test->getLHS(), value);
  if (!takes_left && !same(*test->getRHS(), value)) return;
  const clang::Expr& other = takes_left ? *test->getRHS() : *test->getLHS();
  if (!is_fold_of(found, other, of_comparison(*test, takes_left))) return;
  found.operands = {&value};
  found.repeated = {&value};
  found.computed = test->getLHS()->getType();
}

}  // namespace stradsap::pp
