#include "analyze/globals.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "analyze/api_names.hpp"
#include "analyze/constants.hpp"
#include "analyze/source.hpp"
#include "analyze/uses.hpp"

namespace stradsap::pp {

static bool is_among(const std::vector<outer_variable>& known, const clang::ValueDecl* declaration) {
  return std::any_of(known.begin(), known.end(),
                     [&](const outer_variable& v) { return v.declaration == declaration; });
}

/// The variables of other scopes that a region names, each with the first place.
static std::vector<std::pair<const clang::VarDecl*, const clang::Expr*>> outside_names(const region& code) {
  std::vector<std::pair<const clang::VarDecl*, const clang::Expr*>> found;
  std::set<const clang::VarDecl*> seen;
  for (const clang::Stmt* node : code.nodes()) {
    const clang::ValueDecl* declaration = nullptr;
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(node)) declaration = name->getDecl();
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(node)) declaration = member->getMemberDecl();
    const auto* variable = llvm::dyn_cast_or_null<clang::VarDecl>(declaration);
    if (variable == nullptr || (code.declares(variable) && !variable->hasGlobalStorage())) continue;
    if (seen.insert(variable->getCanonicalDecl()).second)
      found.emplace_back(variable, llvm::cast<clang::Expr>(node));
  }
  return found;
}

/// The function whose local variable this is, lambdas and blocks looked through; null for globals and
/// members.
static const clang::FunctionDecl* owner_of(const clang::VarDecl& variable) {
  return llvm::dyn_cast_or_null<clang::FunctionDecl>(variable.getParentFunctionOrMethod());
}

/// Whether a lambda that was made before the loop names the variable: a capture of the body cannot help it.
static bool is_named_elsewhere(const region& code, const clang::VarDecl& variable) {
  const auto stands_in_body = [&](const clang::Expr* name) {
    const clang::DeclContext* at = code.function_of(name);
    while (at != nullptr && at != &code.body()) at = at->getParent();
    return at != nullptr || code.function_of(name) == nullptr;
  };
  const auto& uses = code.uses(&variable);
  return !std::all_of(uses.begin(), uses.end(), stands_in_body);
}

std::vector<outer_variable> variables_to_capture(const region& code,
                                                 const std::vector<outer_variable>& captured) {
  std::vector<outer_variable> found;
  for (const auto& [variable, name] : outside_names(code)) {
    const clang::FunctionDecl* owner = owner_of(*variable);
    if (owner == nullptr || code.contains(owner) || is_among(captured, variable)) continue;
    if (variable->hasGlobalStorage() ? has_constant_value(*variable)
                                     : !variable->getType()->isReferenceType())
      continue;
    if (variable->getTSCSpec() != clang::TSCS_unspecified || is_named_elsewhere(code, *variable)) continue;
    found.push_back({variable, variable->getNameAsString(), name->getExprLoc(), /*by_copy=*/false,
                     /*is_constant=*/false});
  }
  return found;
}

namespace {

class global_finder {
 public:
  global_finder(const region& code, const std::vector<outer_variable>& outer, const origins& steering,
                travelling_types& types, diagnostics& out)
      : code_(code), outer_(outer), steering_(steering), types_(types), out_(out) {}

  std::vector<loop_global> find() {
    for (const auto& [variable, name] : outside_names(code_)) {
      if (is_among(outer_, variable)) continue;
      const clang::FunctionDecl* owner = owner_of(*variable);
      const bool refers =
          variable->getType()->isReferenceType() && owner != nullptr && !code_.contains(owner);
      if (variable->hasGlobalStorage() || variable->isConstexpr() || refers) judge(*variable, *name);
    }
    return std::move(found_);
  }

 private:
  void judge(const clang::VarDecl& variable, const clang::Expr& name) {
    const std::string called = variable.getNameAsString();
    if (is_container(variable.getType())) {
      out_.report(refusal::global_container, name.getExprLoc(), {called, called}, {}, captured(variable));
    } else if (is_output(variable)) {
      report_all(variable, refusal::output_in_body, {});
    } else if (is_same_everywhere(variable)) {
      return;
    } else if (const clang::Expr* write = write_of(variable)) {
      out_.report(refusal::global_write, write->getExprLoc(), {called});
    } else if (const std::optional<std::string> path = path_to(variable); path && can_travel(variable)) {
      found_.push_back({*path, steering_.count(&variable) != 0 ? api::mode_steers : 0});
    } else if (!variable.hasGlobalStorage() && !variable.getType()->isReferenceType()) {
      report_all(variable, refusal::captured_pointer, {called});
    } else {
      report_all(variable, owner_of(variable) != nullptr ? refusal::static_local : refusal::mutable_global,
                 {called});
    }
  }

  /// `[&weights = weights]`, where the body itself uses that bare name and nothing else does. Into empty
  /// brackets goes one at a time.
  fix_its captured(const clang::VarDecl& variable) {
    if (code_.lambda() == nullptr) return {};
    for (const clang::Expr* use : code_.uses(&variable)) {
      const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(use);
      if (name == nullptr || name->hasQualifier() || code_.function_of(use) != &code_.body()) return {};
    }
    const bool empty =
        code_.lambda()->getCaptureDefault() == clang::LCD_None && code_.lambda()->explicit_captures().empty();
    if (empty && std::exchange(proposed_, true)) return {};
    const std::string called = variable.getNameAsString();
    return further_capture(code_.ast(), *code_.lambda(), "&" + called + " = " + called);
  }

  void report_all(const clang::VarDecl& variable, refusal kind, const std::vector<std::string>& words) {
    for (const clang::Expr* use : code_.uses(&variable)) out_.report(kind, use->getExprLoc(), words);
  }

  static bool is_output(const clang::VarDecl& variable) {
    static constexpr llvm::StringLiteral streams[] = {"cout",  "cerr",   "clog",  "wcout",
                                                      "wcerr", "stdout", "stderr"};
    if (is_users(variable) || variable.getIdentifier() == nullptr) return false;
    return std::find(std::begin(streams), std::end(streams), variable.getName()) != std::end(streams);
  }

  const clang::Expr* write_of(const clang::VarDecl& variable) {
    use_reader reader(code_);
    for (const clang::Expr* use : code_.uses(&variable)) {
      if ((reader.bits(*use) & use_write) != 0) return use;
    }
    return nullptr;
  }

  bool can_travel(const clang::VarDecl& variable) {
    const clang::QualType type = variable.getType();
    if (!is_users(variable) || variable.getTSCSpec() != clang::TSCS_unspecified) return false;
    if (type->isReferenceType() || type.isConstQualified() || type.isVolatileQualified()) return false;
    return !types_.add(type, variable.getNameAsString());
  }

  /// `::space::variable`, as it can be written where the loop stands; nothing if it cannot.
  std::optional<std::string> path_to(const clang::VarDecl& variable) const {
    const clang::SourceManager& sources = code_.ast().getSourceManager();
    const clang::VarDecl* first = variable.getFirstDecl();
    const auto* own = llvm::dyn_cast<clang::CXXRecordDecl>(first->getDeclContext());
    const bool in_class = own != nullptr && stands_inside(*own);  // which sees all of its members
    if (!in_class && !sources.isBeforeInTranslationUnit(first->getLocation(), code_.place())) {
      return std::nullopt;
    }
    std::string path = variable.getNameAsString();
    for (const clang::DeclContext* scope = first->getDeclContext(); !scope->isTranslationUnit();
         scope = scope->getParent()) {
      if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(scope)) {
        if (!space->isAnonymousNamespace()) path = space->getNameAsString() + "::" + path;
      } else if (const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(scope)) {
        if (record->getIdentifier() == nullptr || llvm::isa<clang::ClassTemplateSpecializationDecl>(record))
          return std::nullopt;
        if (variable.getAccess() != clang::AS_public && !stands_inside(*record)) return std::nullopt;
        path = record->getNameAsString() + "::" + path;
      } else if (!llvm::isa<clang::LinkageSpecDecl>(scope)) {
        return std::nullopt;
      }
    }
    return "::" + path;
  }
  /// Whether the loop is written in a member function of the class, which may name its private members.
  bool stands_inside(const clang::CXXRecordDecl& record) const {
    for (const clang::DeclContext* scope = code_.body().getParent(); scope != nullptr;
         scope = scope->getParent()) {
      if (scope->Equals(&record)) return true;
    }
    return false;
  }

  const region& code_;
  const std::vector<outer_variable>& outer_;
  const origins& steering_;
  travelling_types& types_;
  diagnostics& out_;
  std::vector<loop_global> found_;
  bool proposed_ = false;  // a capture, for empty brackets
};

}  // namespace

std::vector<loop_global> travelling_globals(const region& code, const std::vector<outer_variable>& outer,
                                            const origins& steering, travelling_types& types,
                                            diagnostics& out) {
  return global_finder(code, outer, steering, types, out).find();
}

}  // namespace stradsap::pp
