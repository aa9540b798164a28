#include "analyze/interleaving/interleaved_code.hpp"

#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

#include "analyze/code/counting_loop.hpp"
#include "analyze/interleaving/pure_code.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

std::string in_iteration(const std::string& name, unsigned i) {
  return i == 0 ? name : "stradsap_" + name + "_" + std::to_string(i);
}

std::vector<const clang::ValueDecl*> variables_of(const clang::DeclStmt& statement) {
  std::vector<const clang::ValueDecl*> found;
  for (const clang::Decl* declaration : statement.decls()) {
    if (const auto* tuple = llvm::dyn_cast<clang::DecompositionDecl>(declaration)) {
      found.insert(found.end(), tuple->bindings().begin(), tuple->bindings().end());
    } else if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration)) {
      found.push_back(variable);
    }
  }
  return found;
}

std::string marked_used(const clang::DeclStmt& statement) {
  std::string text;
  for (const clang::ValueDecl* variable : variables_of(statement))
    text += "(void)" + variable->getNameAsString() + "; ";
  return text;
}

bool decides_below(const clang::Stmt& node) {
  const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node);
  return llvm::isa<clang::IfStmt, clang::AbstractConditionalOperator>(node) ||
         (binary != nullptr && (binary->isLogicalOp() || binary->isCommaOp()));
}

// ---- expressions common to all iterations ---------------------------------------------------------------

bool is_constant_expression(const clang::VarDecl& variable, const clang::ASTContext& ast) {
  return variable.getType()->isIntegralOrEnumerationType() && variable.isUsableInConstantExpressions(ast);
}

void interleaved_code::note_declared(const clang::Stmt& statement) {
  const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(&statement);
  if (declarations == nullptr) return;
  for (const clang::ValueDecl* declared : variables_of(*declarations)) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared);
    const bool is_constant = variable != nullptr && variable->getType().isConstQualified() &&
                             is_simple(variable->getType()) && variable->getInit() != nullptr;
    if (variable != nullptr && is_constant_expression(*variable, code_.ast())) continue;
    own_.insert(declared);
    if (!is_constant || !is_common(*variable->getInit())) varying_.insert(declared);
  }
}

/// Whether the node is the size of a std::array, which depends on its type only.
static bool is_size_by_type(const clang::Stmt& node) {
  const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&node);
  if (call == nullptr || call->getMethodDecl() == nullptr) return false;
  const clang::CXXMethodDecl& method = *call->getMethodDecl();
  return method.getIdentifier() != nullptr && method.getName() == "size" && is_in_std(method) &&
         method.getParent()->getName() == "array";
}

/// Whether an expression has the same value in all iterations before any of them writes.
bool interleaved_code::is_common(const clang::Stmt& node) const {
  if (is_size_by_type(node)) return true;
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node)) {
    if (varying_.count(name->getDecl()) != 0) return false;
  }
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
  const bool is_element = llvm::isa<clang::CXXOperatorCallExpr, clang::ArraySubscriptExpr>(node) ||
                          (call != nullptr && !llvm::isa<clang::CXXMemberCallExpr>(call));
  if (is_element) return false;
  return std::all_of(node.child_begin(), node.child_end(),
                     [&](const clang::Stmt* child) { return child == nullptr || is_common(*child); });
}

bool interleaved_code::is_common_loop(const clang::ForStmt& loop) const {
  const std::optional<counting_loop> counted = counting_loop_of(code_, loop);
  return counted && counted->surely_ends() && counted->index->getInit() != nullptr &&
         is_common(*counted->index->getInit()) && is_common(*counted->test->getRHS());
}

static bool is_within(const region& code, const clang::Stmt* node, const clang::Stmt& outer) {
  while (node != nullptr && node != &outer) node = code.above(node);
  return node != nullptr;
}

/// Whether each step of a loop changes a floating-point variable that the next step needs.
bool interleaved_code::has_chain(const clang::ForStmt& loop) const {
  const std::vector<const clang::Stmt*>& nodes = code_.nodes();
  return std::any_of(nodes.begin(), nodes.end(), [&](const clang::Stmt* node) {
    const clang::VarDecl* changed = changed_variable(code_, *node);
    if (changed == nullptr || !changed->getType()->isRealFloatingType()) return false;
    return is_within(code_, node, *loop.getBody()) &&
           !is_within(code_, code_.declaration_of(changed), *loop.getBody());
  });
}

bool interleaved_code::sums_up(const clang::Stmt& statement) {
  if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(&statement)) {
    return is_common_loop(*loop) && has_chain(*loop);
  }
  return !interleaved_calls(statement).empty();
}

// ---- calls --------------------------------------------------------------------------------------------

/// Whether a copy beside the function is found under the same qualified name. A function in extern "C" cannot
/// be a template.
static bool is_written_in_its_namespace(const clang::FunctionDecl& function) {
  const clang::DeclContext* around = function.getLexicalDeclContext();
  return around->Equals(function.getDeclContext()) && around->isFileContext() &&
         !function.isInExternCContext();
}

bool interleaved_code::is_interleaved_call(const clang::CallExpr& call) {
  const clang::FunctionDecl* function = free_helper(code_, call);
  if (function == nullptr || call.getNumArgs() != function->getNumParams()) return false;
  if (!is_written_in_its_namespace(*function)) return false;
  const interleaved_helpers::helper& known = helpers_.known(*function);
  if (!known.sums_up) return false;
  for (unsigned i = 0; i < call.getNumArgs(); ++i) {
    const bool is_bound = known.bounds.count(function->getParamDecl(i)) != 0;
    if (llvm::isa<clang::CXXDefaultArgExpr>(call.getArg(i)) || (is_bound && !is_common(*call.getArg(i))))
      return false;
  }
  return true;
}

/// The unconditional calls in a statement, inner calls first.
std::vector<const clang::CallExpr*> interleaved_code::interleaved_calls(const clang::Stmt& statement) {
  std::vector<const clang::CallExpr*> found;
  if (decides_below(statement) || !llvm::isa<clang::Expr, clang::DeclStmt>(statement)) return found;
  for (const clang::Stmt* child : statement.children()) {
    if (child == nullptr) continue;
    const std::vector<const clang::CallExpr*> below = interleaved_calls(*child);
    found.insert(found.end(), below.begin(), below.end());
  }
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&statement);
  if (call != nullptr && is_interleaved_call(*call)) found.push_back(call);
  return found;
}

// ---- text -----------------------------------------------------------------------------------------------

std::string interleaved_code::text_of(clang::SourceRange range, const other_texts& changed) const {
  const std::optional<std::string> text = excerpt(code_.ast(), range, changed);
  if (!text || text->empty()) throw not_interleavable{"a macro spells part of the sums"};
  return *text;
}

std::string interleaved_code::text_of(const clang::Stmt& node, unsigned i) const {
  other_texts changed;
  add_renamed(node, i, changed);
  return text_of(node.getSourceRange(), changed);
}

std::string interleaved_code::parameter_of(const clang::ParmVarDecl& parameter, unsigned i) const {
  if (parameter.hasDefaultArg()) throw not_interleavable{"a sum calls a function with a default argument"};
  other_texts changed;
  replace({parameter.getLocation(), parameter.getLocation()}, in_iteration(parameter.getNameAsString(), i),
          changed);
  return api::unused + text_of(parameter.getSourceRange(), changed);
}

void interleaved_code::print(const clang::Stmt& statement) {
  if (llvm::isa<clang::NullStmt>(statement)) return;
  const auto* loop = llvm::dyn_cast<clang::ForStmt>(&statement);
  if (loop != nullptr && is_common_loop(*loop)) {
    text_ += text_of({loop->getForLoc(), loop->getRParenLoc()}) + " { ";
    print_within(*loop->getBody());
    text_ += "} ";
  } else if (llvm::isa<clang::CompoundStmt>(statement)) {
    text_ += "{ ";
    print_within(statement);
    text_ += "} ";
  } else {
    note_declared(statement);
    const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(&statement);
    if (declarations != nullptr) refuse_mixed(*declarations);
    print_calls(statement);
    const unsigned copies = declarations != nullptr && !declares_own(*declarations) ? 1 : interleave_width;
    for (unsigned i = 0; i < copies; ++i) print_copy(statement, i);
    if (copies == 1) text_ += marked_used(*declarations);
  }
}

bool interleaved_code::declares_own(const clang::DeclStmt& statement) const {
  const std::vector<const clang::ValueDecl*> variables = variables_of(statement);
  return std::any_of(variables.begin(), variables.end(),
                     [&](const clang::ValueDecl* one) { return own_.count(one) != 0; });
}

/// Refuses declarations of several variables if an initialiser may name another one of them, or a name that
/// they hide.
void interleaved_code::refuse_mixed(const clang::DeclStmt& statement) {
  const std::vector<const clang::ValueDecl*> variables = variables_of(statement);
  const auto has_copies = [&](const clang::ValueDecl* one) { return own_.count(one) != 0; };
  if (statement.isSingleDecl()) return;
  if (!std::all_of(variables.begin(), variables.end(), has_copies) || !interleaved_calls(statement).empty())
    throw not_interleavable{"one declaration has several variables"};
  for (const clang::Stmt* value : statement.children()) {
    for (const clang::ValueDecl* one : variables) {
      const std::string name = one->getNameAsString();
      if (value != nullptr && names_in(text_of(*value, 0), name))
        throw not_interleavable{"one declaration has several variables"};
    }
  }
}

/// Prints a body without its braces.
void interleaved_code::print_within(const clang::Stmt& node) {
  if (!llvm::isa<clang::CompoundStmt>(node)) return print(node);
  for (const clang::Stmt* child : node.children()) print(*child);
}

void interleaved_code::print_copy(const clang::Stmt& statement, unsigned i) {
  const std::string text = text_of(statement, i);
  const bool is_closed = text.ends_with('}') && !llvm::isa<clang::Expr, clang::DeclStmt>(statement);
  text_ += text + (text.ends_with(';') || is_closed ? " " : "; ");
}

void interleaved_code::print_values(const clang::Expr& value, const std::string& name) {
  print_calls(value);
  for (unsigned i = 0; i < interleave_width; ++i)
    text_ += "const auto " + in_iteration(name, i) + " = (" + text_of(value, i) + "); ";
}

/// Makes `const auto stradsap_0_sums = stradsap_interleaved_dot(p, q, stradsap_p_1, stradsap_q_1, ...);`.
void interleaved_code::print_calls(const clang::Stmt& statement) {
  for (const clang::CallExpr* call : interleaved_calls(statement)) {
    const clang::FunctionDecl& function = *free_helper(code_, *call);
    helpers_.need(function);
    const std::set<const clang::VarDecl*>& bounds = helpers_.known(function).bounds;
    std::string arguments;
    for (unsigned i = 0; i < interleave_width; ++i) {
      for (unsigned a = 0; a < call->getNumArgs(); ++a) {
        if (i > 0 && bounds.count(function.getParamDecl(a)) != 0) continue;
        arguments += (arguments.empty() ? "" : ", ") + text_of(*call->getArg(a), i);
      }
    }
    const std::string value = "stradsap_" + std::to_string(calls_.size()) + "_sums";
    text_ += "const auto " + value + " = " + callee_text(*call) + "(" + arguments + "); ";
    calls_[call] = value;
  }
}

/// Makes `::space::stradsap_interleaved_dot<K>`, for any name of the callee.
std::string interleaved_code::callee_text(const clang::CallExpr& call) const {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(call.getCallee()->IgnoreParenImpCasts());
  if (name == nullptr) throw not_interleavable{"a sum calls a function by a pointer"};
  const clang::FunctionDecl& function = *free_helper(code_, call);
  std::string path = interleaved_helpers::name_of_copy(function);
  for (const clang::DeclContext* at = function.getDeclContext(); at != nullptr; at = at->getParent()) {
    const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(at);
    if (space != nullptr && !space->isAnonymousNamespace()) path = space->getNameAsString() + "::" + path;
  }
  const bool has_arguments = name->hasExplicitTemplateArgs();
  return "::" + path +
         (has_arguments ? text_of({name->getLAngleLoc(), name->getRAngleLoc()}) : std::string());
}

void interleaved_code::add_renamed(const clang::Stmt& node, unsigned i, other_texts& to) const {
  for (const clang::Stmt* child : node.children()) {
    if (child != nullptr) add_renamed(*child, i, to);
  }
  if (const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(&node)) {
    for (const clang::ValueDecl* variable : variables_of(*declarations)) {
      if (own_.count(variable) != 0) replace_name(variable->getLocation(), *variable, i, to);
    }
  }
  const auto* expression = llvm::dyn_cast<clang::Expr>(&node);
  if (expression == nullptr) return;
  if (const auto call = calls_.find(expression); call != calls_.end())
    return replace(node.getSourceRange(), call->second + "." + api::of + "[" + std::to_string(i) + "]", to);
  if (const auto other = names_.find(expression); other != names_.end())
    return replace(node.getSourceRange(), in_iteration(other->second, i), to);
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node);
  if (name != nullptr && own_.count(name->getDecl()) != 0)
    replace_name(name->getLocation(), *name->getDecl(), i, to);
}

void interleaved_code::replace_name(clang::SourceLocation where, const clang::ValueDecl& variable, unsigned i,
                                    other_texts& to) const {
  replace({where, where}, in_iteration(variable.getNameAsString(), i), to);
}

/// Replaces text; throws not_interleavable if a macro wrote it.
void interleaved_code::replace(clang::SourceRange range, const std::string& text, other_texts& to) const {
  const auto begin = position_of(code_.ast(), range.getBegin());
  const auto end = position_after(code_.ast(), range.getEnd());
  const bool is_written = range.getBegin().isFileID() && range.getEnd().isFileID();
  if (!is_written || !begin || !end || begin->file != end->file)
    throw not_interleavable{"a macro spells part of the sums"};
  to[begin->offset] = {end->offset - begin->offset, text};
}

}  // namespace stradsap::pp
