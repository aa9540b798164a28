#include "analyze/refusals/kept_places.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/StringSwitch.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyze/refusals/refusals.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {
namespace {

/// Whether the result of a container's method is a place in it.
bool gives_a_place(const clang::FunctionDecl* method) {
  if (method == nullptr) return false;
  if (method->getOverloadedOperator() == clang::OO_Subscript) return true;
  return method->getIdentifier() != nullptr && llvm::StringSwitch<bool>(method->getName())
                                                   .Cases("at", "front", "back", "data", "span", "find", true)
                                                   .Cases("begin", "end", "cbegin", "cend", true)
                                                   .Default(false);
}

/// The object of a method's or operator's call; the left operand and the operand of others that pass a place
/// on; null for all else.
const clang::Expr* origin(const clang::Expr& e) {
  if (const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&e))
    return call->getImplicitObjectArgument();
  if (const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&e))
    return call->getNumArgs() == 0 ? nullptr : call->getArg(0);
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e)) return member->getBase();
  if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(&e)) return element->getBase();
  if (const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(&e))
    return sum->isAdditiveOp() ? sum->getLHS() : nullptr;
  if (const auto* address = llvm::dyn_cast<clang::UnaryOperator>(&e))
    return address->getOpcode() == clang::UO_AddrOf || address->getOpcode() == clang::UO_Deref
               ? address->getSubExpr()
               : nullptr;
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&e))
    return made->getNumArgs() == 1 ? made->getArg(0) : nullptr;
  return nullptr;
}

/// The container from which the expression takes a place of an element; null if from none.
const clang::Expr* container_of_place(const clang::Expr& e) {
  const clang::Expr* at = e.IgnoreParenImpCasts()->IgnoreImplicit();
  while (at != nullptr) {
    const auto* call = llvm::dyn_cast<clang::CallExpr>(at);
    const clang::Expr* before = origin(*at);
    if (before == nullptr) return nullptr;
    before = before->IgnoreParenImpCasts()->IgnoreImplicit();
    if (call != nullptr && is_container(before->getType()) && gives_a_place(call->getDirectCallee()))
      return before;
    at = before;
  }
  return nullptr;
}

/// The names in `x`, `object.x` or `this->x`; none for all else.
std::vector<const clang::ValueDecl*> names_in(const clang::Expr& e) {
  const clang::Expr* bare = e.IgnoreParenImpCasts();
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(bare)) return {name->getDecl()};
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(bare);
  if (member == nullptr) return {};
  const clang::Expr* base = member->getBase()->IgnoreParenImpCasts();
  if (llvm::isa<clang::CXXThisExpr>(base)) return {member->getMemberDecl()};
  const auto* object = llvm::dyn_cast<clang::DeclRefExpr>(base);
  if (object == nullptr) return {};
  return {member->getMemberDecl(), object->getDecl()};
}

/// Whether a variable of the type keeps a place: a copy of an element is none.
bool keeps_places(const clang::VarDecl& variable, const clang::Expr& init) {
  const clang::QualType type = variable.getType();
  if (type->isReferenceType()) return init.isGLValue();
  if (type->isPointerType()) return true;
  const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(init.IgnoreParenImpCasts()->IgnoreImplicit());
  if (call == nullptr || !type->isRecordType() || !is_container(call->getImplicitObjectArgument()->getType()))
    return false;
  return call->getMethodDecl()->getIdentifier() != nullptr && gives_a_place(call->getMethodDecl()) &&
         !call->isGLValue();
}

struct kept_place {
  const clang::VarDecl* variable;
  std::vector<const clang::ValueDecl*> container;  // a loop on it has all of these names
  std::string container_text;
  std::string made;  // the text of the initialiser
  unsigned at;
};

struct loop_call {
  const clang::CallExpr* call;
  std::set<const clang::ValueDecl*> names;
  unsigned begin, end;
  std::vector<const clang::Stmt*> within;
};

struct use {
  const clang::DeclRefExpr* name;
  unsigned at;
  std::vector<const clang::Stmt*> within;
};

/// Numbers places, loops and uses in the order of the text.
class walker : public clang::RecursiveASTVisitor<walker> {
 public:
  explicit walker(const clang::ASTContext& ast) : ast_(ast) {}

  bool TraverseStmt(clang::Stmt* node) {
    if (node == nullptr) return true;
    const unsigned begin = now_++;
    const auto* call = llvm::dyn_cast<clang::CallExpr>(node);
    const bool is_loop = call != nullptr && is_loop_operator(call->getDirectCallee());
    const bool is_frame = llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt,
                                    clang::IfStmt, clang::SwitchStmt>(node);
    if (is_loop && !within_loop_ && !within_lambda_) {
      loops.push_back({call, {}, begin, 0, frames_});
      within_loop_ = true;
      followed_.clear();
    } else if (is_frame) {
      frames_.push_back(node);
    }
    const bool goes_on = RecursiveASTVisitor::TraverseStmt(node);
    if (is_loop && !within_lambda_ && loops.back().call == call) {
      loops.back().end = now_;
      within_loop_ = false;
    } else if (is_frame) {
      frames_.pop_back();
    }
    return goes_on;
  }
  bool TraverseLambdaExpr(clang::LambdaExpr* lambda) {
    const bool before = std::exchange(within_lambda_, true);
    const bool goes_on = RecursiveASTVisitor::TraverseLambdaExpr(lambda);
    within_lambda_ = before;
    return goes_on;
  }
  bool VisitVarDecl(clang::VarDecl* variable) {
    const clang::Expr* init = variable->getInit();
    if (within_loop_ || within_lambda_ || init == nullptr || variable->isImplicit() ||
        !variable->hasLocalStorage())
      return true;
    const clang::Expr* container = keeps_places(*variable, *init) ? container_of_place(*init) : nullptr;
    if (container == nullptr) return true;
    std::vector<const clang::ValueDecl*> names = names_in(*container);
    if (!names.empty())
      places.push_back({variable, std::move(names),
                        excerpt(ast_, container->getSourceRange()).value_or("the container"),
                        excerpt(ast_, init->getSourceRange()).value_or("..."), now_++});
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    if (within_loop_ && within_lambda_)
      loops.back().names.insert(name->getDecl());
    else if (!within_lambda_)
      uses[name->getDecl()].push_back({name, now_++, frames_});
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr* member) {
    if (within_loop_ && within_lambda_) loops.back().names.insert(member->getMemberDecl());
    return true;
  }
  /// Members of the object that a method names are named by the loop, too.
  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* call) {
    const clang::FunctionDecl* method = call->getMethodDecl();
    const bool is_body = within_loop_ && within_lambda_;
    if (!is_body || method == nullptr || !method->hasBody(method) || !is_users(*method)) return true;
    if (followed_.insert(method).second) TraverseStmt(method->getBody());
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* op) {
    if (op->getOpcode() == clang::BO_Assign) note_assigned(*op->getLHS());
    return true;
  }
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* call) {
    if (call->getOperator() == clang::OO_Equal) note_assigned(*call->getArg(0));
    return true;
  }

  std::vector<kept_place> places;
  std::vector<loop_call> loops;
  std::map<const clang::ValueDecl*, std::vector<use>> uses;
  std::set<const clang::ValueDecl*> assigned;

 private:
  void note_assigned(const clang::Expr& left) {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(left.IgnoreParenImpCasts());
    if (name != nullptr && !name->getDecl()->getType()->isReferenceType()) assigned.insert(name->getDecl());
  }

  const clang::ASTContext& ast_;
  unsigned now_ = 0;
  bool within_loop_ = false;    // of the API
  bool within_lambda_ = false;  // its body or option, or any other
  std::vector<const clang::Stmt*> frames_;
  std::set<const clang::FunctionDecl*> followed_;  // in the current loop
};

/// Whether the statements around two places have one in common that repeats both, and the variable is made
/// outside of it.
bool are_repeated(const loop_call& loop, const use& used, const clang::VarDecl& variable,
                  const clang::SourceManager& sources) {
  for (const clang::Stmt* frame : loop.within) {
    if (llvm::isa<clang::IfStmt, clang::SwitchStmt>(frame)) continue;
    const bool is_common = std::find(used.within.begin(), used.within.end(), frame) != used.within.end();
    if (is_common && sources.isBeforeInTranslationUnit(variable.getLocation(), frame->getBeginLoc()))
      return true;
  }
  return false;
}

/// Whether they stand in different branches of an `if`, or below one `switch`, where only one of them may
/// run.
bool are_alternatives(const loop_call& loop, const use& used, const clang::SourceManager& sources) {
  return std::any_of(loop.within.begin(), loop.within.end(), [&](const clang::Stmt* frame) {
    if (std::find(used.within.begin(), used.within.end(), frame) == used.within.end()) return false;
    const auto* branching = llvm::dyn_cast<clang::IfStmt>(frame);
    if (branching == nullptr) return llvm::isa<clang::SwitchStmt>(frame);
    const clang::Stmt* other = branching->getElse();
    const auto is_before = [&](clang::SourceLocation at) {
      return sources.isBeforeInTranslationUnit(at, other->getBeginLoc());
    };
    return other != nullptr && is_before(loop.call->getBeginLoc()) != is_before(used.name->getBeginLoc());
  });
}

}  // namespace

void warn_of_kept_places(const clang::FunctionDecl& function, diagnostics& out) {
  const clang::ASTContext& ast = out.ast();
  const clang::SourceManager& sources = ast.getSourceManager();
  walker found(ast);
  found.TraverseStmt(function.getBody());
  for (const kept_place& place : found.places) {
    if (found.assigned.count(place.variable) != 0) continue;
    const auto is_stale = [&](const use& used) {
      return std::any_of(found.loops.begin(), found.loops.end(), [&](const loop_call& loop) {
        const bool is_on_it = std::all_of(place.container.begin(), place.container.end(),
                                          [&](const auto* name) { return loop.names.count(name) != 0; });
        if (loop.begin < place.at || !is_on_it) return false;
        if (are_repeated(loop, used, *place.variable, sources)) return true;
        return used.at > loop.end && !are_alternatives(loop, used, sources);
      });
    };
    const std::vector<use>& uses = found.uses[place.variable];
    const auto first = std::find_if(uses.begin(), uses.end(), is_stale);
    if (first == uses.end()) continue;
    const unsigned line = sources.getPresumedLineNumber(place.variable->getLocation());
    out.report(refusal::kept_place, first->name->getExprLoc(),
               {place.variable->getNameAsString(), place.container_text, std::to_string(line), place.made});
  }
}

}  // namespace stradsap::pp
