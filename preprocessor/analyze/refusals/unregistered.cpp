#include "analyze/refusals/unregistered.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyze/code/uses.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

static bool is_named(const clang::FunctionDecl* callee, llvm::StringRef name) {
  return callee != nullptr && callee->getIdentifier() != nullptr && is_in_api(*callee) &&
         callee->getName() == name;
}

bool is_registration(const clang::FunctionDecl* callee) { return is_named(callee, api::resumable); }

static bool is_repetition(const clang::Stmt* node) {
  return llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(node);
}

/// The innermost loop around a node; null if there is none.
static const clang::Stmt* repetition_around(const region& code, const clang::Stmt* node) {
  while (node != nullptr && !is_repetition(node)) node = code.lexically_above(node);
  return node;
}

/// The variable of `x` and of `x.member`; null for all else.
static const clang::VarDecl* variable_of(const clang::Expr& e) {
  const clang::Expr* at = e.IgnoreParenImpCasts();
  while (const auto* member = llvm::dyn_cast<clang::MemberExpr>(at))
    at = member->getBase()->IgnoreParenImpCasts();
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(at);
  return name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
}

/// Whether resumable() might take a variable of the type, and its value be more than a tool: containers are
/// saved anyway, streams and threads cannot be copied, and times belong to one run.
static bool is_saved_state(clang::QualType type, int depth = 0) {
  constexpr int deepest = 8;  // a class that contains itself does so by pointers
  if (type.isConstQualified() || type->isReferenceType() || type->isPointerType()) return false;
  if (type->isArithmeticType() || type->isEnumeralType()) return true;
  if (is_container(type) || depth == deepest) return false;
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition() || record->isLambda() || is_in_api(*record)) return false;
  if (record->defaultedCopyConstructorIsDeleted()) return false;
  for (const clang::CXXConstructorDecl* made : record->ctors())
    if (made->isCopyConstructor() && made->isDeleted()) return false;
  const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(record->getDeclContext());
  if (space != nullptr && space->getName() == "chrono") return false;
  if (const auto* made = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record)) {
    for (const clang::TemplateArgument& one :
         made->getTemplateArgs().asArray())  // std::optional<dvector<int>>
      if (one.getKind() == clang::TemplateArgument::Type && is_container(one.getAsType())) return false;
  }
  if (!is_users(*record)) return true;
  return std::none_of(record->field_begin(), record->field_end(), [&](const clang::FieldDecl* field) {
    const clang::QualType of_field = field->getType();
    return is_container(of_field) || of_field->isPointerType() || of_field->isReferenceType() ||
           (of_field->isRecordType() && !is_saved_state(of_field.getUnqualifiedType(), depth + 1));
  });
}

/// Whether the use assigns the whole variable, in each round of the loop: its value before does not count.
static bool is_assigned_first(const region& code, const clang::Expr& use, const clang::Stmt* loop) {
  const clang::Stmt* above = code.lexically_above(&use);
  const auto* plain = llvm::dyn_cast_or_null<clang::BinaryOperator>(above);
  const auto* by_call = llvm::dyn_cast_or_null<clang::CXXOperatorCallExpr>(above);
  const bool is_assigned =
      (plain != nullptr && plain->getOpcode() == clang::BO_Assign && plain->getLHS() == &use) ||
      (by_call != nullptr && by_call->getOperator() == clang::OO_Equal && by_call->getArg(0) == &use);
  if (!is_assigned) return false;
  for (; above != nullptr && above != loop; above = code.lexically_above(above)) {
    if (llvm::isa<clang::IfStmt, clang::SwitchStmt, clang::LambdaExpr, clang::ConditionalOperator>(above) ||
        is_repetition(above))
      return false;
  }
  return true;
}

namespace {

/// The names in one function with a registration.
class loop_reader {
 public:
  explicit loop_reader(const region& code) : code_(code) {
    for (const clang::Stmt* node : code.nodes()) {
      if (code.function_of(node) == nullptr) continue;
      if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(node)) note(*name);
      const auto* call = llvm::dyn_cast<clang::CallExpr>(node);
      if (call != nullptr && is_registration(call->getDirectCallee())) note_registered(*call);
    }
  }

  /// The names of the variables, in the order of their declarations.
  std::vector<std::string> unregistered_in(const clang::Stmt* loop) const {
    std::map<clang::SourceLocation, std::string> found;
    const clang::SourceManager& sources = code_.ast().getSourceManager();
    for (const auto& [variable, uses] : uses_) {
      const bool is_outer = sources.isBeforeInTranslationUnit(variable->getLocation(), loop->getBeginLoc());
      if (is_outer && registered_.count(variable) == 0 && is_saved_state(variable->getType()) &&
          is_users(*variable) && goes_on_in(loop, uses))
        found.emplace(variable->getLocation(), variable->getNameAsString());
    }
    std::vector<std::string> names;
    for (auto& [at, name] : found) names.push_back(name);
    return names;
  }

 private:
  void note(const clang::DeclRefExpr& name) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name.getDecl());
    if (variable != nullptr && !variable->isConstexpr()) uses_[variable].push_back(&name);
  }
  void note_registered(const clang::CallExpr& call) {
    for (const clang::Expr* argument : call.arguments()) {
      if (const clang::VarDecl* variable = variable_of(*argument)) registered_.insert(variable);
    }
  }

  /// Whether a round of the loop changes the variable, and may see its value from the round before.
  bool goes_on_in(const clang::Stmt* loop, const std::vector<const clang::Expr*>& uses) const {
    const clang::Expr* first = nullptr;
    bool is_changed = false;
    for (const clang::Expr* use : uses) {
      if (!code_.is_around(loop, use)) continue;
      if (first == nullptr || code_.parent(use).order < code_.parent(first).order) first = use;
      use_reader reader(code_);
      is_changed |= (reader.bits_of_name(*use) & use_write) != 0 && reader.saw_write();
    }
    return is_changed && !is_assigned_first(code_, *first, loop);
  }

  const region& code_;
  std::map<const clang::VarDecl*, std::vector<const clang::Expr*>> uses_;
  std::set<const clang::VarDecl*> registered_;
};

}  // namespace

std::vector<resumed_loop> resumed_loops(const region& code) {
  std::vector<resumed_loop> loops;
  bool has_registration = false;
  for (const clang::Stmt* node : code.nodes()) {
    const auto* call = llvm::dyn_cast<clang::CallExpr>(node);
    has_registration |= call != nullptr && is_registration(call->getDirectCallee()) &&
                        code.is_around(code.body().getBody(), call);
  }
  if (!has_registration) return loops;
  const loop_reader reader(code);
  std::set<const clang::Stmt*> seen;  // a loop may have several save points
  for (const clang::Stmt* node : code.nodes()) {
    const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(node);
    if (call == nullptr || !is_named(call->getMethodDecl(), api::save_point)) continue;
    const clang::Stmt* loop = repetition_around(code, call);
    if (loop == nullptr || !code.is_around(code.body().getBody(), loop) || !seen.insert(loop).second)
      continue;
    std::vector<std::string> names = reader.unregistered_in(loop);
    if (!names.empty()) loops.push_back({place_of(code.ast(), loop->getBeginLoc()), std::move(names)});
  }
  return loops;
}

}  // namespace stradsap::pp
