#include "analyze/captures/globals.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "analyze/captures/capture_refusals.hpp"
#include "analyze/code/constants.hpp"
#include "analyze/code/member_captures.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

static bool is_among(const std::vector<outer_variable>& known, const clang::ValueDecl* declaration) {
  return std::any_of(known.begin(), known.end(),
                     [&](const outer_variable& v) { return v.declaration == declaration; });
}

/// The variables of other scopes that a region names, each with the first use for which `counts` returns
/// true.
template <class Counts>
static std::vector<std::pair<const clang::VarDecl*, const clang::Expr*>> outside_names(const region& code,
                                                                                       Counts counts) {
  std::vector<std::pair<const clang::VarDecl*, const clang::Expr*>> found;
  std::set<const clang::VarDecl*> seen;
  for (const clang::Stmt* node : code.nodes()) {
    const clang::ValueDecl* declaration = nullptr;
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(node)) declaration = name->getDecl();
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(node)) declaration = member->getMemberDecl();
    const auto* variable = llvm::dyn_cast_or_null<clang::VarDecl>(declaration);
    if (variable == nullptr || code.is_object(*variable)) continue;
    if (code.declares(variable) && !variable->hasGlobalStorage()) continue;
    const auto* name = llvm::cast<clang::Expr>(node);
    if (counts(*variable, *name) && seen.insert(variable->getCanonicalDecl()).second)
      found.emplace_back(variable, name);
  }
  return found;
}

/// The function with this local variable, also if a lambda or block declares it; null for globals and
/// members.
static const clang::FunctionDecl* owner_of(const clang::VarDecl& variable) {
  return llvm::dyn_cast_or_null<clang::FunctionDecl>(variable.getParentFunctionOrMethod());
}

/// Whether a lambda made before the loop names the variable, so that a capture of the body would not help.
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
  const auto all = [](const clang::VarDecl&, const clang::Expr&) { return true; };
  for (const auto& [variable, name] : outside_names(code, all)) {
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
    const auto counts = [&](const clang::VarDecl& variable, const clang::Expr& name) {
      return !belongs_to_capture(variable, name) && !leads_to_container(name);
    };
    for (const auto& [variable, name] : outside_names(code_, counts)) {
      const clang::FunctionDecl* owner = owner_of(*variable);
      const bool refers =
          variable->getType()->isReferenceType() && owner != nullptr && !code_.contains(owner);
      if (variable->hasGlobalStorage() || variable->isConstexpr() || refers) check(*variable);
    }
    return std::move(found_);
  }

 private:
  /// Whether the loop's captures cover this use: they capture the variable by its own name, or the use stands
  /// in the initialiser of an init-capture. All other uses mean this process's variable.
  bool belongs_to_capture(const clang::VarDecl& variable, const clang::Expr& name) const {
    const auto known = std::find_if(outer_.begin(), outer_.end(),
                                    [&](const outer_variable& v) { return v.declaration == &variable; });
    if (known == outer_.end()) return false;
    return known->is_added || is_captured_by_name(variable) || code_.function_of(&name) == nullptr;
  }

  /// Whether the name leads to a container, as `earth` in `earth.heights[j]`: the refusal then names the
  /// member.
  bool leads_to_container(const clang::Expr& name) const {
    const auto* member = llvm::dyn_cast_or_null<clang::MemberExpr>(code_.parent(&name).statement);
    return member != nullptr && (is_container(member->getType()) || leads_to_container(*member));
  }

  bool is_captured_by_name(const clang::VarDecl& variable) const {
    const auto captures = [&](const clang::LambdaExpr* lambda) {
      return std::any_of(lambda->capture_begin(), lambda->capture_end(), [&](const auto& capture) {
        return capture.capturesVariable() && capture.getCapturedVar() == &variable;
      });
    };
    return std::any_of(code_.made_before().begin(), code_.made_before().end(), captures);
  }

  void check(const clang::VarDecl& variable) {
    const std::string called = variable.getNameAsString();
    if (is_container(variable.getType())) {
      refuse_container(variable);
    } else if (is_lock(variable.getType())) {
      report_all(variable, refusal::captured_lock, {called, type_name(code_.ast(), variable.getType())});
    } else if (is_output(variable)) {
      report_all(variable, refusal::output_in_body, {});
    } else if (is_same_everywhere(variable)) {
      return;
    } else if (const clang::Expr* write = write_of(variable)) {
      report_write(*write, variable);
    } else if (const clang::Expr* use = outdated_use(variable)) {
      out_.report(refusal::reduction_read, use->getExprLoc(), {called});
    } else if (const std::optional<std::string> path = path_to(variable); path && can_travel(variable)) {
      found_.push_back({*path, steering_.count(&variable) != 0 ? api::mode_steers : 0});
    } else if (!variable.hasGlobalStorage() && !variable.getType()->isReferenceType()) {
      report_all(variable, refusal::captured_pointer, {called, ""});
    } else {
      report_all(variable, owner_of(variable) != nullptr ? refusal::static_local : refusal::mutable_global,
                 {called});
    }
  }

  /// Reports each function once, because each needs another name for the container.
  void refuse_container(const clang::VarDecl& variable) {
    std::set<const clang::FunctionDecl*> functions;
    for (const clang::Expr* use : own_uses(variable)) {
      const clang::FunctionDecl* function = code_.function_of(use);
      if (!functions.insert(function).second) continue;
      const std::string called = capture_of(variable).value_or(variable.getNameAsString());
      const auto spelled =
          function == &code_.body() ? excerpt(code_.ast(), use->getSourceRange()) : std::nullopt;
      const std::string path = path_to(variable).value_or("::" + variable.getNameAsString()).substr(2);
      out_.report(refusal::global_container, use->getExprLoc(),
                  {variable.getNameAsString(), called, spelled.value_or(path),
                   advice_for_use(code_, *use, capture_of(variable).has_value())},
                  {}, captured(variable));
    }
  }

  std::vector<const clang::Expr*> own_uses(const clang::VarDecl& variable) const {
    std::vector<const clang::Expr*> uses = code_.uses(&variable);
    std::erase_if(uses, [&](const clang::Expr* use) {
      return belongs_to_capture(variable, *use) || leads_to_container(*use);
    });
    return uses;
  }

  std::vector<const clang::VarDecl*> init_captures() const {
    std::vector<const clang::VarDecl*> found;
    for (const clang::LambdaExpr* lambda : code_.made_before()) {
      for (const clang::LambdaCapture& capture : lambda->captures()) {
        if (lambda->isInitCapture(&capture))
          found.push_back(llvm::cast<clang::VarDecl>(capture.getCapturedVar()));
      }
    }
    return found;
  }

  /// The name of the capture for the global.
  std::optional<std::string> capture_of(const clang::VarDecl& variable) const {
    for (const clang::VarDecl* capture : init_captures()) {
      if (whole_variable(initialiser_of(*capture)) == &variable) return capture->getNameAsString();
    }
    return std::nullopt;
  }

  /// A use that reads the variable's value from before the loop, while the body changes a capture of it or of
  /// a part of it.
  const clang::Expr* outdated_use(const clang::VarDecl& variable) {
    for (const clang::VarDecl* capture : init_captures()) {
      const clang::ValueDecl* field = nullptr;
      const bool is_part = global_named(initialiser_of(*capture), &field) == &variable;
      if (!capture->getType()->isReferenceType()) continue;
      if (!is_part && whole_variable(initialiser_of(*capture)) != &variable) continue;
      if ((use_reader(code_).bits_of_variable(*capture) & use_write) == 0) continue;
      for (const clang::Expr* use : own_uses(variable)) {
        const auto* member = llvm::dyn_cast_or_null<clang::MemberExpr>(code_.parent(use).statement);
        if (field == nullptr || member == nullptr || member->getMemberDecl() == field) return use;
      }
    }
    return nullptr;
  }

  void report_write(const clang::Expr& write, const clang::VarDecl& variable) {
    const clang::QualType type = variable.getType();
    if (draws_from_shared_engine(code_, write)) return;  // the refusal of the engine covers it
    const bool random = is_engine(type) || is_distribution(type);
    out_.report(random ? refusal_of_write(type) : refusal::global_write, write.getExprLoc(),
                {variable.getNameAsString()});
  }

  /// The edit to `[&weights = weights]`, if the body itself uses the plain name and no other code does. Empty
  /// brackets take one edit at a time.
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
    for (const clang::Expr* use : own_uses(variable)) out_.report(kind, use->getExprLoc(), words);
  }

  static bool is_output(const clang::VarDecl& variable) {
    static constexpr llvm::StringLiteral streams[] = {"cout",  "cerr",   "clog",  "wcout",
                                                      "wcerr", "stdout", "stderr"};
    if (is_users(variable) || variable.getIdentifier() == nullptr) return false;
    return std::find(std::begin(streams), std::end(streams), variable.getName()) != std::end(streams);
  }

  const clang::Expr* write_of(const clang::VarDecl& variable) {
    use_reader reader(code_);
    if (owns_memory(code_.ast(), variable.getType())) reader.follow_owned();
    for (const clang::Expr* use : own_uses(variable)) {
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

  /// `::space::variable`, in a form that is valid at the loop; nothing if there is none.
  std::optional<std::string> path_to(const clang::VarDecl& variable) const {
    const clang::SourceManager& sources = code_.ast().getSourceManager();
    const clang::VarDecl* first = variable.getFirstDecl();
    const auto* own = llvm::dyn_cast<clang::CXXRecordDecl>(first->getDeclContext());
    const bool in_class = own != nullptr && stands_inside(*own);  // the class sees all of its members
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
  /// Whether the loop belongs to a member function of the class, so that it may name private members.
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

std::string advice_for_use(const region& code, const clang::Expr& use, bool is_captured) {
  const clang::FunctionDecl* function = code.function_of(&use);
  for (const clang::DeclContext* at = function; at != nullptr; at = at->getParent()) {
    if (at == &code.body()) return is_captured ? ", and use that alone" : "";
  }
  if (function == nullptr) return "";
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
  const bool is_lambda = method != nullptr && method->getParent()->isLambda();
  const std::string name = is_lambda ? "the lambda" : "`" + function->getNameAsString() + "`";
  return ", and pass it to " + name + " as an argument";
}

std::vector<loop_global> travelling_globals(const region& code, const std::vector<outer_variable>& outer,
                                            const origins& steering, travelling_types& types,
                                            diagnostics& out) {
  return global_finder(code, outer, steering, types, out).find();
}

}  // namespace stradsap::pp
