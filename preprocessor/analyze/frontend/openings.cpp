#include "analyze/frontend/openings.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyze/captures/functors.hpp"
#include "analyze/code/control.hpp"
#include "analyze/frontend/loop_options.hpp"
#include "analyze/refusals/refusals.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace {

/// The operands that are evaluated in any case; nothing for other expressions.
std::optional<const clang::Expr*> surely_evaluated(const clang::Stmt& node) {
  if (const auto* choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(&node))
    return choice->getCond();
  const auto* both = llvm::dyn_cast<clang::BinaryOperator>(&node);
  if (both != nullptr && both->isLogicalOp()) return both->getLHS();
  return std::nullopt;
}

/// Finds code that starts no loop on other ranks and changes no container as a whole, so that containers stay
/// open in it.
class quiet_code {
 public:
  bool is_quiet(const clang::Stmt* node) {
    if (node == nullptr) return true;
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(node);
        call != nullptr && !is_quiet(call->getDirectCallee(), /*called=*/true))
      return false;
    if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(node);
        made != nullptr && !is_quiet(made->getConstructor(), /*called=*/true))
      return false;
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(node);
        name != nullptr && !is_quiet_value(*name))
      return false;
    if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(node)) return is_quiet(lambda->getBody());
    for (const clang::Stmt* child : node->children()) {
      if (!is_quiet(child)) return false;
    }
    return true;
  }

  bool is_quiet(const clang::FunctionDecl* function, bool called) {
    if (function == nullptr || is_loop_operator(function)) return false;
    if (is_in_api(*function)) return is_quiet_in_api(*function);
    if (!is_users(*function)) return true;
    const clang::FunctionDecl* defined = nullptr;
    if (!function->hasBody(defined)) return !called || function->isImplicit() || function->isDefaulted();
    const auto [known, fresh] = functions_.emplace(defined, true);  // a call of itself adds nothing
    if (fresh) {
      const bool is = is_quiet(defined->getBody());
      functions_[defined] = is;
      return is;
    }
    return known->second;
  }

 private:
  static bool is_quiet_in_api(const clang::FunctionDecl& function) {
    if (is_input_output(&function)) return false;
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
    if (method == nullptr || container_name(method->getThisType()->getPointeeType()).empty()) return true;
    if (function.getOverloadedOperator() == clang::OO_Subscript) return true;
    static const std::set<llvm::StringRef> accesses = {"at",   "size", "empty", "begin", "end",
                                                       "data", "span", "front", "back"};
    return function.getDeclName().isIdentifier() && accesses.count(function.getName()) != 0;
  }

  /// A lambda that may be called out of sight.
  bool is_quiet_value(const clang::DeclRefExpr& name) {
    const clang::CXXRecordDecl* closure = closure_class(name.getType());
    const clang::CXXMethodDecl* body = closure == nullptr ? nullptr : closure->getLambdaCallOperator();
    return body == nullptr || is_quiet(body, /*called=*/false);
  }

  std::map<const clang::FunctionDecl*, bool> functions_;
};

/// The containers that a statement accesses, as texts that mean the same just before it.
class accessed_containers {
 public:
  accessed_containers(const clang::ASTContext& ast, const clang::Stmt& statement)
      : sources_(ast.getSourceManager()), begin_(statement.getBeginLoc()) {}

  container_opening read(const clang::Stmt& part, bool in_loop) && {
    visit(&part, in_loop);
    for (const std::string& text : opening_.to_write) opening_.to_read.erase(text);
    return std::move(opening_);
  }

 private:
  static constexpr unsigned most_calls = 4;

  /// A call on the way from the statement: texts for its parameters and its object.
  struct frame {
    std::map<const clang::ValueDecl*, std::optional<std::string>> arguments = {};
    std::optional<std::string> object = {};
  };

  void visit(const clang::Stmt* node, bool in_loop) {
    if (node == nullptr || llvm::isa<clang::LambdaExpr>(node)) return;
    if (is_loop(*node)) {
      if (!frames_.empty()) return;  // it opens its containers itself
      in_loop = true;
    }
    if (const auto* choice = llvm::dyn_cast<clang::IfStmt>(node); choice != nullptr && !in_loop)
      return visit(choice->getCond(), in_loop);
    if (const auto surely = surely_evaluated(*node); surely && !in_loop) return visit(*surely, in_loop);
    for (const clang::Stmt* child : node->children()) visit(child, in_loop);
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(node)) read_call(*call, in_loop);
  }

  void read_call(const clang::CallExpr& call, bool in_loop) {
    const clang::FunctionDecl* callee = call.getDirectCallee();
    if (callee == nullptr) return;
    const auto* step = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&call);
    if (step != nullptr && step->getOperator() == clang::OO_Subscript &&
        container_name(step->getArg(0)->getType()) == api::dvector) {
      const std::optional<std::string> text = text_of(*step->getArg(0));
      const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
      if (text && method != nullptr) (method->isConst() ? opening_.to_read : opening_.to_write).insert(*text);
      return;
    }
    const clang::FunctionDecl* defined = nullptr;
    if (is_users(*callee) && callee->hasBody(defined) && frames_.size() < most_calls)
      follow(call, *defined, in_loop);
  }

  void follow(const clang::CallExpr& call, const clang::FunctionDecl& callee, bool in_loop) {
    frame made;
    unsigned first = 0;
    if (const auto* of_object = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call)) {
      const clang::Expr* object = of_object->getImplicitObjectArgument();
      if (object != nullptr && !object->getType()->isPointerType()) made.object = text_of(*object);
      if (object != nullptr && object->getType()->isPointerType() &&
          llvm::isa<clang::CXXThisExpr>(object->IgnoreParenImpCasts()))
        made.object = text_of_this();
    } else if (llvm::isa<clang::CXXOperatorCallExpr>(call) && llvm::isa<clang::CXXMethodDecl>(callee)) {
      first = 1;
      made.object = text_of(*call.getArg(0));
    }
    for (unsigned i = 0; i < callee.getNumParams() && first + i < call.getNumArgs(); ++i) {
      if (callee.getParamDecl(i)->getType()->isReferenceType())
        made.arguments[callee.getParamDecl(i)] = text_of(*call.getArg(first + i));
    }
    frames_.push_back(std::move(made));
    visit(callee.getBody(), in_loop);
    frames_.pop_back();
  }

  [[nodiscard]] std::optional<std::string> text_of_this() const {
    return frames_.empty() ? std::optional<std::string>("(*this)") : frames_.back().object;
  }

  [[nodiscard]] std::optional<std::string> text_of(const clang::Expr& e) const {
    const clang::Expr& bare = *e.IgnoreParenImpCasts();
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&bare))
      return text_of_variable(*name->getDecl());
    const auto* step = llvm::dyn_cast<clang::UnaryOperator>(&bare);
    if (step != nullptr && step->getOpcode() == clang::UO_Deref &&
        llvm::isa<clang::CXXThisExpr>(step->getSubExpr()->IgnoreParenImpCasts()))
      return text_of_this();
    const auto* member = llvm::dyn_cast<clang::MemberExpr>(&bare);
    const auto* field =
        member == nullptr ? nullptr : llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
    if (field == nullptr || !field->getDeclName().isIdentifier() || field->getName().empty()) return {};
    if (!frames_.empty() && field->getAccess() != clang::AS_public) return {};
    const clang::Expr& object = *member->getBase()->IgnoreParenImpCasts();
    if (member->isArrow() && !llvm::isa<clang::CXXThisExpr>(object)) return {};  // it may be null
    const std::optional<std::string> base = member->isArrow() ? text_of_this() : text_of(object);
    return base ? std::optional(*base + "." + field->getName().str()) : std::nullopt;
  }

  [[nodiscard]] std::optional<std::string> text_of_variable(const clang::ValueDecl& one) const {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(&one);
    if (variable == nullptr || !variable->getDeclName().isIdentifier()) return {};
    if (variable->isFileVarDecl()) return "::" + variable->getQualifiedNameAsString();
    if (frames_.empty()) {
      const bool is_before = sources_.isBeforeInTranslationUnit(variable->getLocation(), begin_);
      return is_before ? std::optional(variable->getName().str()) : std::nullopt;
    }
    const auto known = frames_.back().arguments.find(variable);
    return known == frames_.back().arguments.end() ? std::nullopt : known->second;
  }

  const clang::SourceManager& sources_;
  const clang::SourceLocation begin_;
  std::vector<frame> frames_;
  container_opening opening_;
};

/// Functions that only loop bodies call.
class functions_of_bodies : public clang::RecursiveASTVisitor<functions_of_bodies> {
 public:
  using functions = std::set<const clang::FunctionDecl*>;

  functions find(const clang::ASTContext& ast, const functions& bodies) && {
    for (clang::Decl* declaration : ast.getTranslationUnitDecl()->noload_decls()) {
      if (is_users(ast, declaration->getLocation())) TraverseDecl(declaration);
    }
    functions found;
    for (const clang::FunctionDecl* body : bodies) reach(body, found);
    for (bool changes = true; changes;) {
      changes = std::erase_if(found, [&](const clang::FunctionDecl* one) {
                  return bodies.count(one) == 0 && has_other_caller(one, found);
                }) != 0;
    }
    return found;
  }

  // ---- Clang's spelling ----
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool TraverseFunctionDecl(clang::FunctionDecl* one) {
    return inside(one, [&] { return RecursiveASTVisitor::TraverseFunctionDecl(one); });
  }
  bool TraverseCXXMethodDecl(clang::CXXMethodDecl* one) {
    return inside(one, [&] { return RecursiveASTVisitor::TraverseCXXMethodDecl(one); });
  }
  bool TraverseLambdaExpr(clang::LambdaExpr* one) {
    return inside(one->getCallOperator(), [&] { return RecursiveASTVisitor::TraverseLambdaExpr(one); });
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) { return note(name->getDecl()); }
  bool VisitMemberExpr(clang::MemberExpr* name) { return note(name->getMemberDecl()); }

 private:
  template <class Go> bool inside(const clang::FunctionDecl* one, const Go& go) {
    const clang::FunctionDecl* const outer = std::exchange(caller_, one->getCanonicalDecl());
    const bool goes_on = go();
    caller_ = outer;
    return goes_on;
  }
  bool note(const clang::ValueDecl* named) {
    const auto* callee = llvm::dyn_cast<clang::FunctionDecl>(named);
    if (callee == nullptr || !is_users(*callee)) return true;
    callees_[caller_].insert(callee->getCanonicalDecl());
    callers_[callee->getCanonicalDecl()].insert(caller_);
    return true;
  }
  void reach(const clang::FunctionDecl* one, functions& found) {
    if (!found.insert(one->getCanonicalDecl()).second) return;
    for (const clang::FunctionDecl* callee : callees_[one->getCanonicalDecl()]) reach(callee, found);
  }
  bool has_other_caller(const clang::FunctionDecl* one, const functions& found) {
    const functions& all = callers_[one];
    return std::any_of(all.begin(), all.end(), [&](const auto* by) { return found.count(by) == 0; });
  }

  const clang::FunctionDecl* caller_ = nullptr;
  std::map<const clang::FunctionDecl*, functions> callees_;
  std::map<const clang::FunctionDecl*, functions> callers_;
};

class openings_finder : public clang::RecursiveASTVisitor<openings_finder> {
 public:
  openings_finder(const clang::ASTContext& ast, const collected& found) : ast_(ast) {
    for (const clang::CallExpr* call : found.calls) note_body(*call);
    bodies_ = functions_of_bodies().find(ast, bodies_);
  }

  std::map<text_position, container_opening> find() && {
    for (clang::Decl* declaration : ast_.getTranslationUnitDecl()->noload_decls()) {
      if (is_users(ast_, declaration->getLocation())) TraverseDecl(declaration);
    }
    return std::move(openings_);
  }

  // ---- Clang's spelling ----
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (!function->doesThisDeclarationHaveABody() || function->isDependentContext()) return true;
    if (bodies_.count(function->getCanonicalDecl()) == 0 && !function->isConstexpr())
      read(*function->getBody());
    return true;
  }
  bool TraverseLambdaExpr(clang::LambdaExpr* lambda) {
    const clang::CXXMethodDecl* body = lambda->getCallOperator();
    if (bodies_.count(body->getCanonicalDecl()) != 0) return true;  // and all in it
    if (!body->isDependentContext()) read(*body->getBody());
    return RecursiveASTVisitor::TraverseLambdaExpr(lambda);
  }

 private:
  void note_body(const clang::CallExpr& call) {
    const clang::Expr* argument = body_argument(call);
    if (argument == nullptr) return;
    const clang::CXXRecordDecl* closure = closure_class(argument->getType());
    if (closure != nullptr && closure->getLambdaCallOperator() != nullptr)
      bodies_.insert(closure->getLambdaCallOperator()->getCanonicalDecl());
    if (const clang::CXXRecordDecl* functor = functor_class(argument->getType()))
      bodies_.insert(functor->method_begin(), functor->method_end());
  }

  void read(const clang::Stmt& body) {
    runs_loops_ = !quiet_.is_quiet(&body);
    visit(&body, /*in_block=*/true);
  }

  void visit(const clang::Stmt* node, bool in_block) {
    if (node == nullptr) return;
    if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(node)) {
      for (const clang::Stmt* child : block->body()) visit(child, /*in_block=*/true);
    } else if (const auto* choice = llvm::dyn_cast<clang::IfStmt>(node)) {
      if (in_block) open(*node, *choice->getCond(), in_block);
      visit(choice->getThen(), /*in_block=*/false);
      visit(choice->getElse(), /*in_block=*/false);
    } else if (const auto* label = llvm::dyn_cast<clang::SwitchCase>(node)) {
      visit(label->getSubStmt(), /*in_block=*/false);
    } else if (const auto* cases = llvm::dyn_cast<clang::SwitchStmt>(node)) {
      visit(cases->getBody(), /*in_block=*/false);
    } else if (const auto* attempt = llvm::dyn_cast<clang::CXXTryStmt>(node)) {
      visit(attempt->getTryBlock(), /*in_block=*/true);
    } else if (is_loop(*node)) {
      visit_loop(*node, in_block);
    } else if (llvm::isa<clang::Expr, clang::ReturnStmt>(node) ||
               (in_block && llvm::isa<clang::DeclStmt>(node))) {
      open(*node, *node, in_block);
    }
  }

  void visit_loop(const clang::Stmt& loop, bool in_block) {
    if (quiet_.is_quiet(&loop)) return open(loop, loop, in_block);
    if (const auto* one = llvm::dyn_cast<clang::ForStmt>(&loop)) visit(one->getBody(), false);
    if (const auto* one = llvm::dyn_cast<clang::WhileStmt>(&loop)) visit(one->getBody(), false);
    if (const auto* one = llvm::dyn_cast<clang::DoStmt>(&loop)) visit(one->getBody(), false);
    if (const auto* one = llvm::dyn_cast<clang::CXXForRangeStmt>(&loop)) visit(one->getBody(), false);
  }

  /// Opens the containers of a part of a statement before the statement. In functions that start no loops,
  /// which loops may call, statements without a loop are left to the callers.
  void open(const clang::Stmt& statement, const clang::Stmt& part, bool in_block) {
    if (!is_loop(statement) && (!runs_loops_ || !quiet_.is_quiet(&part))) return;
    if (statement.getBeginLoc().isMacroID() || stands_before_api(ast_, statement.getBeginLoc())) return;
    const std::optional<text_position> at = position_of(ast_, statement.getBeginLoc());
    if (!at) return;
    container_opening found = accessed_containers(ast_, statement).read(part, /*in_loop=*/false);
    if (found.to_read.empty() && found.to_write.empty()) return;
    container_opening& known = openings_[*at];
    known.in_block = in_block;
    known.to_read.merge(found.to_read);
    known.to_write.merge(found.to_write);
  }

  const clang::ASTContext& ast_;
  std::set<const clang::FunctionDecl*> bodies_;
  quiet_code quiet_;
  bool runs_loops_ = false;
  std::map<text_position, container_opening> openings_;
};

}  // namespace

std::map<text_position, container_opening> openings_of(const clang::ASTContext& ast, const collected& found) {
  const clang::LangOptions& options = ast.getLangOpts();
  const bool fuses = options.getDefaultFPContractMode() == clang::LangOptions::FPM_Fast;
  if (!options.AllowFPReassoc && !fuses) return {};
  return openings_finder(ast, found).find();
}

}  // namespace stradsap::pp
