#include "analyze/refusals/refusals.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <utility>

#include "analyze/captures/globals.hpp"
#include "analyze/code/control.hpp"
#include "analyze/code/eigen.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

template <std::size_t N> static bool is_one_of(llvm::StringRef name, const llvm::StringLiteral (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_loop_operator(const clang::FunctionDecl* function) {
  if (function == nullptr || function->getIdentifier() == nullptr || !is_in_api(*function)) return false;
  const llvm::StringRef name = function->getName();
  return name == api::parallel_for || name == api::async_for || name == api::sync_for;
}

static constexpr llvm::StringLiteral hidden[] = {"rand",    "srand",   "random",    "srandom",   "drand48",
                                                 "srand48", "lrand48", "mrand48",   "strtok",    "asctime",
                                                 "ctime",   "gmtime",  "localtime", "setlocale", "strerror"};
static constexpr llvm::StringLiteral identity[] = {"get_id",       "getpid",       "getppid",
                                                   "gettid",       "pthread_self", "omp_get_thread_num",
                                                   "sched_getcpu", "getcpu",       "thrd_current"};
static constexpr llvm::StringLiteral process[] = {"exit",     "_exit",  "_Exit",    "quick_exit", "system",
                                                  "fork",     "vfork",  "setjmp",   "_setjmp",    "longjmp",
                                                  "execv",    "execvp", "execl",    "execlp",     "setenv",
                                                  "unsetenv", "putenv", "clearenv", "chdir",      "fchdir"};
/// Floating-point control and flags belong to a thread; iterations run under those of the driver at the
/// loop's start.
static constexpr llvm::StringLiteral sets_arithmetic[] = {
    "fesetround",     "fesetenv",        "feupdateenv",           "feholdexcept",  "fesetmode",
    "feenableexcept", "fedisableexcept", "feclearexcept",         "feraiseexcept", "fesetexceptflag",
    "fesetexcept",    "_mm_setcsr",      "__builtin_ia32_ldmxcsr"};
static constexpr llvm::StringLiteral asks_flags[] = {"fetestexcept", "fegetexceptflag", "fetestexceptflag"};
static constexpr llvm::StringLiteral output[] = {"printf", "puts",  "putchar", "vprintf",
                                                 "perror", "print", "println"};

/// Whether a free function belongs to a library; this includes C functions that the user only declares.
static bool is_of_library(const clang::FunctionDecl& callee) {
  const bool is_foreign = !is_users(callee) || (callee.isExternC() && !callee.isDefined());
  return callee.getIdentifier() != nullptr && is_foreign && !is_in_api(callee) &&
         !llvm::isa<clang::CXXMethodDecl>(callee);
}

/// Whether the call is the expansion of `errno`.
static bool is_errno(const clang::CallExpr& call) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  return callee != nullptr && callee->getIdentifier() != nullptr && callee->getName() == "__errno_location" &&
         is_of_library(*callee);
}

/// Whether a function sets state of the process: std::locale::global, std::filesystem::current_path with an
/// argument.
static bool sets_process(const clang::FunctionDecl& callee) {
  if (callee.getIdentifier() == nullptr || !is_in_std(callee)) return false;
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
  if (method != nullptr)
    return callee.getName() == "global" && method->getParent()->getIdentifier() != nullptr &&
           method->getParent()->getName() == "locale";
  const clang::CXXRecordDecl* first =
      callee.getNumParams() == 0
          ? nullptr
          : callee.getParamDecl(0)->getType().getNonReferenceType()->getAsCXXRecordDecl();
  return callee.getName() == "current_path" && first != nullptr && first->getName() == "path";
}

bool is_refused_by_name(const clang::FunctionDecl& function) {
  if (!is_of_library(function)) return false;
  const llvm::StringRef name = function.getName();
  return is_one_of(name, hidden) || is_one_of(name, identity) || is_one_of(name, process) ||
         is_one_of(name, sets_arithmetic) || is_one_of(name, asks_flags) || is_one_of(name, output);
}

namespace {

class inspector {
 public:
  inspector(const region& code, diagnostics& out, called_as use) : code_(code), out_(out), use_(use) {}

  void inspect() {
    for (const clang::Stmt* node : code_.nodes()) {
      const auto* member = llvm::dyn_cast<clang::MemberExpr>(node);
      if (member != nullptr && use_ == called_as::body) inspect_member(*member);
      if (const auto* call = llvm::dyn_cast<clang::CallExpr>(node)) inspect_call(*call);
      const bool goes_to = llvm::isa<clang::GotoStmt>(node) && code_.function_of(node) == &code_.body();
      if (goes_to || llvm::isa<clang::IndirectGotoStmt>(node)) {
        out_.report(refusal::jump_in_body, node->getBeginLoc(), {"goto"});
      }
      if (llvm::isa<clang::AsmStmt>(node)) out_.report(refusal::jump_in_body, node->getBeginLoc(), {"asm"});
    }
    for (const clang::VarDecl* variable : code_.variables()) inspect_copy(*variable);
    inspect_results();
  }

 private:
  /// Reports values that the body returns: they would be lost.
  void inspect_results() {
    if (use_ != called_as::body || code_.body().getReturnType()->isVoidType()) return;
    for (const clang::Stmt* node : code_.nodes()) {
      const auto* leaves = llvm::dyn_cast<clang::ReturnStmt>(node);
      if (leaves == nullptr || leaves->getRetValue() == nullptr || code_.function_of(node) != &code_.body())
        continue;
      return out_.report(refusal::value_returned, leaves->getBeginLoc(), {});
    }
  }

  /// Whether an expression leads from `this` or from a captured variable. The refusal of that capture
  /// suffices.
  bool is_in_captured_object(const clang::Expr& e) const {
    const clang::Expr& at = *e.IgnoreParenImpCasts();
    if (llvm::isa<clang::CXXThisExpr>(at)) return true;
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&at))
      return is_in_captured_object(*member->getBase());
    if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(&at))
      return is_in_captured_object(*step->getSubExpr());
    if (const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&at))
      return call->getNumArgs() > 0 && is_in_captured_object(*call->getArg(0));
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&at);
    const auto* variable = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    if (variable == nullptr || !variable->hasLocalStorage()) return false;
    return !code_.declares(variable) ||
           (variable->isInitCapture() && code_.declaration_of(variable) == nullptr);
  }

  /// Reports a container that is reached through an object, unless that is an element of another container.
  void inspect_member(const clang::MemberExpr& member) {
    if (is_container(member.getType()) && !is_in_captured_object(*member.getBase())) {
      out_.report(refusal::global_container, member.getMemberLoc(),
                  {member.getMemberDecl()->getNameAsString(), member.getMemberDecl()->getNameAsString(),
                   spelled(member), advice_for_use(code_, member, /*is_captured=*/false)});
    }
  }

  std::string spelled(const clang::MemberExpr& member) const {
    const std::string name = member.getMemberDecl()->getNameAsString();
    return excerpt(code_.ast(), member.getSourceRange()).value_or(name);
  }

  void inspect_call(const clang::CallExpr& call) {
    const clang::FunctionDecl* callee = call.getDirectCallee();
    if (callee == nullptr) return;
    if (is_loop_operator(callee)) {
      out_.report(refusal::nested_loop, call.getExprLoc(), {});
      return;
    }
    if (is_input_output(callee)) {
      const llvm::StringRef name = callee->getName();
      const char* const instead =
          name == api::report         ? "fold the value into a reduction, and report that after the loop"
          : name.starts_with("save_") ? "save after the loop, in main"
                                      : "read before the loop, in main, and capture the container";
      out_.report(refusal::input_output_in_body, call.getExprLoc(), {name.str(), instead});
      return;
    }
    if (sets_process(*callee)) {
      out_.report(refusal::process_call, call.getExprLoc(), {callee->getQualifiedNameAsString()});
    }
    if (!is_of_library(*callee) && !draws_numbers(*callee)) return;
    const llvm::StringRef name = callee->getName();
    if (is_one_of(name, hidden) || draws_numbers(*callee)) {
      out_.report(
          refusal::hidden_state, call.getExprLoc(),
          {name.str(), " that all iterations share", "use something that is made from the index and a seed"});
    }
    if (is_one_of(name, identity)) {
      out_.report(refusal::hidden_state, call.getExprLoc(),
                  {name.str(), ", the thread or process that runs the iteration",
                   "use something that is made from the index"});
    }
    if (is_one_of(name, asks_flags)) {
      out_.report(refusal::hidden_state, call.getExprLoc(),
                  {name.str(), ", the floating-point flags of the thread that runs the iteration",
                   "look at the numbers themselves, as by `std::isfinite(x)`"});
    }
    if (is_errno(call)) inspect_errno(call);
    if (is_one_of(name, sets_arithmetic)) out_.report(refusal::process_call, call.getExprLoc(), {name.str()});
    if (is_one_of(name, process)) out_.report(refusal::process_call, call.getExprLoc(), {name.str()});
    if (is_one_of(name, output) && use_ != called_as::by_driver)
      out_.report(refusal::output_in_body, call.getExprLoc(), {});
  }

  /// Reports reads of errno, unless the body has set it first: it holds the thread's last failure.
  void inspect_errno(const clang::CallExpr& call) {
    if (is_set(call)) return;
    for (const clang::Stmt* node : code_.nodes()) {
      const auto* other = llvm::dyn_cast<clang::CallExpr>(node);
      if (other != nullptr && is_errno(*other) && is_set(*other) && may_precede(code_, *other, call)) return;
    }
    out_.report(refusal::hidden_state, call.getExprLoc(),
                {"errno", ", that of the thread which runs the iteration",
                 "write `errno = 0;` in the body, before the call that may set it"});
  }

  /// Whether the call is the target of `errno = 0`.
  bool is_set(const clang::CallExpr& call) const {
    const clang::Stmt* part = &call;
    const clang::Stmt* above = code_.above(part);
    while (above != nullptr &&
           (llvm::isa<clang::ParenExpr>(above) || llvm::isa<clang::UnaryOperator>(above))) {
      part = std::exchange(above, code_.above(above));
    }
    const auto* op = llvm::dyn_cast_or_null<clang::BinaryOperator>(above);
    return op != nullptr && op->getOpcode() == clang::BO_Assign && op->getLHS() == part;
  }

  /// The access that initialises a variable of deduced type, if the variable is a copy; else null.
  static const clang::CallExpr* copied_element(const clang::VarDecl& variable) {
    if (variable.getInit() == nullptr || variable.getType()->isReferenceType()) return nullptr;
    if (variable.getTypeSourceInfo() == nullptr) return nullptr;
    if (variable.getTypeSourceInfo()->getType()->getContainedAutoType() == nullptr) return nullptr;
    const clang::Expr* init = variable.getInit()->IgnoreImplicit();
    if (const auto* copy = llvm::dyn_cast<clang::CXXConstructExpr>(init)) {
      if (copy->getNumArgs() != 1) return nullptr;
      init = copy->getArg(0)->IgnoreImplicit();
    }
    const auto* call = llvm::dyn_cast<clang::CallExpr>(init);
    const clang::Expr* object = call != nullptr ? object_of(*call) : nullptr;
    if (object == nullptr || !is_container(object->getType())) return nullptr;
    // otherwise an iterator or a span
    const clang::FunctionDecl* callee = call->getDirectCallee();
    return callee != nullptr && callee->getReturnType()->isReferenceType() ? call : nullptr;
  }

  /// Warns of `auto x = D[i];` if x changes afterwards and no code reads it again.
  void inspect_copy(const clang::VarDecl& variable) {
    const clang::CallExpr* access = copied_element(variable);
    if (access == nullptr) return;
    const auto* tuple = llvm::dyn_cast<clang::DecompositionDecl>(&variable);
    if (tuple == nullptr) return inspect_changes(variable, variable, variable.getNameAsString(), *access);
    std::string names;
    for (const clang::BindingDecl* binding : tuple->bindings())
      names += (names.empty() ? "" : ", ") + binding->getNameAsString();
    for (const clang::BindingDecl* binding : tuple->bindings())
      inspect_changes(*binding, variable, "[" + names + "]", *access);
  }

  void inspect_changes(const clang::ValueDecl& name, const clang::VarDecl& copy, const std::string& declared,
                       const clang::CallExpr& access) {
    const auto& uses = code_.uses(&name);
    use_reader reader(code_);
    const clang::Expr* last_change = nullptr;
    for (const clang::Expr* use : uses) {
      const unsigned bits = reader.bits(*use);
      if ((bits & use_write) != 0) last_change = use;
    }
    const bool used_after = last_change != nullptr && uses.back() != last_change;
    if (last_change == nullptr || used_after) return;
    const bool changeable = !access.getType().isConstQualified() && !copy.getType().isConstQualified();
    out_.report(refusal::changed_copy, last_change->getExprLoc(), {name.getNameAsString(), declared},
                copy.getLocation(), changeable ? insertion(code_.ast(), copy.getLocation(), "&") : fix_its());
  }

  const region& code_;
  diagnostics& out_;
  const called_as use_;
};

}  // namespace

void refuse_in_region(const region& code, diagnostics& out, called_as use) {
  inspector(code, out, use).inspect();
}

}  // namespace stradsap::pp
