#include "analyze/frontend/loop.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "analyze/access/accesses.hpp"
#include "analyze/access/accumulations.hpp"
#include "analyze/access/inserted_reaches.hpp"
#include "analyze/captures/capture_refusals.hpp"
#include "analyze/captures/captured_lambdas.hpp"
#include "analyze/captures/functors.hpp"
#include "analyze/captures/globals.hpp"
#include "analyze/captures/reductions.hpp"
#include "analyze/code/fields.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/dependences/const_writes.hpp"
#include "analyze/dependences/dependences.hpp"
#include "analyze/frontend/access_annotations.hpp"
#include "analyze/interleaving/interleaving.hpp"
#include "analyze/interleaving/pure_code.hpp"
#include "analyze/refusals/reexecution_safety.hpp"
#include "analyze/refusals/refusals.hpp"
#include "analyze/refusals/unknown_functions.hpp"
#include "analyze/slicing/slice.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace {

class loop_analyzer {
 public:
  loop_analyzer(const analysis_input& with, const clang::LambdaExpr* lambda, const clang::CXXMethodDecl& body,
                const loop_options& options)
      : ast_(with.ast),
        lambdas_(with.lambdas),
        options_(options),
        types_(with.types),
        out_(with.out),
        outer_(with_held_variables(with.ast, with.lambdas,
                                   lambda != nullptr ? outer_variables(with.ast, *lambda, with.out)
                                                     : functor_members(*body.getParent()),
                                   with.out)),
        code_(with.ast, lambda, body, holders_among(lambdas_, outer_), options.pure),
        depends_(code_),
        accesses_(with.reaches.joined(code_, find_accesses(code_, depends_, with.out))),
        written_through_const_(writes_through_const(code_, depends_)) {}

  analyzed_loop run() {
    refuse_in_region(code_, out_);
    analyzed_loop analyzed;
    loop_site& site = analyzed.site;
    for (const outer_variable& variable : variables_to_capture(code_, outer_)) {
      site.added_captures.push_back(variable.name);
      outer_.push_back(variable);
      outer_.back().is_added = true;
    }
    site.planned = options_.planned;
    site.is_kept = options_.is_kept;
    site.where = place_of(
        ast_, code_.lambda() != nullptr ? code_.lambda()->getBeginLoc() : code_.body().getLocation());
    refuse_annotations(code_, accesses_, outer_, options_.annotations, out_);
    refuse_lost_pointers();
    analyzed.reaches = inserted_reaches(accesses_);
    find_accumulated();
    find_steering();
    find_inspector(site);
    // a refusal names the function already, so it needs no warning
    if (!settle_self_dependence(site)) warn_of_unknown_functions(code_, out_);
    site.globals = travelling_globals(code_, outer_, steering_, types_, out_);
    if (steering_.count(nullptr) != 0) site.flags |= api::loop_unknown_dependences;
    if (asks_process(code_)) site.flags |= api::loop_asks_process;
    if (std::any_of(steering_.begin(), steering_.end(), is_random)) site.flags |= api::loop_random;
    for (const clang::LambdaExpr* lambda : holders_among(lambdas_, outer_))
      analyzed.lambdas[lambda].is_kept = true;
    for (const outer_variable& variable : outer_) {
      if (variable.holder == nullptr) {
        add_argument(site, variable);
      } else {
        add_held(analyzed, variable);
      }
    }
    for (captured_constant& one : constants_around(code_, outer_)) site.constants.push_back(std::move(one));
    constexpr std::size_t most_interleaved = 64;  // the runtime has a bit for each capture
    if (site.transactions.empty() && site.arguments.size() <= most_interleaved)
      site.interleaving = find_interleaving(code_, accesses_, captured_numbers(site));
    refuse_changed_constants();
    refuse_initialisers();
    std::vector<loop_argument> all = site.arguments;
    all.insert(all.end(), site.of_lambdas.begin(), site.of_lambdas.end());
    refuse_second_names(outer_, all, out_);
    return analyzed;
  }

 private:
  void add_argument(reconstructible_closure& to, const outer_variable& variable) {
    if (is_container(variable.type())) {
      to.arguments.push_back(container_argument(variable));
    } else if (variable.is_constant) {
      to.constants.push_back(
          constant_of(code_, capturing(variable), llvm::cast<clang::VarDecl>(*variable.declaration)));
    } else {
      to.arguments.push_back(value_argument(variable));
    }
  }

  std::vector<std::string> captured_numbers(const loop_site& site) const {
    std::vector<std::string> names;
    for (const loop_argument& argument : site.arguments) {
      const auto known = std::find_if(outer_.begin(), outer_.end(),
                                      [&](const outer_variable& one) { return one.name == argument.name; });
      if (argument.kind == argument_kind::value && argument.path.empty() && known != outer_.end() &&
          is_simple(known->type().getNonReferenceType()))
        names.push_back(argument.name);
    }
    return names;
  }

  /// Adds a capture of a lambda that the body captures. Other loops may use the lambda in other ways, so that
  /// it gets neither accumulation nor element lists.
  void add_held(analyzed_loop& analyzed, const outer_variable& variable) {
    reconstructible_closure& lambda = analyzed.lambdas[variable.holder];
    add_argument(lambda, variable);
    if (variable.is_constant) return;
    lambda.arguments.back().bits &= ~(api::mode_listed | api::mode_accumulates | api::operator_bits);
    analyzed.site.of_lambdas.push_back(lambda.arguments.back());
  }

  /// Finds a slice of the body that computes its accesses, so that reconnaissance need not run the whole
  /// body. Conditions that the slice omits no longer steer the loop.
  void find_inspector(loop_site& site) {
    slice_goal goal{accesses_};
    for (const access& one : accesses_) {
      if (is_found_beforehand(one)) goal.targets.push_back(&one);
    }
    for (const outer_variable& variable : outer_) {
      const unsigned mode = is_container(variable.type()) ? mode_of(variable.storage()) : 0;
      if ((mode & api::mode_write) == 0) continue;
      if ((mode & api::mode_aligned) != 0)
        goal.written_aligned.insert(variable.storage());
      else if (!is_steady(variable.storage()))
        goal.written.insert(variable.storage());
    }
    if (goal.targets.empty()) return;
    slice found = find_slice(code_, depends_, goal);
    if (!found.text.empty() && !describe_inspector(site)) {
      found.text.clear();
      found.why_not = "the head of the lambda cannot be repeated";
    }
    site.sets = found.text.empty() ? found_by::whole_body
                : found.is_exact   ? found_by::exact_slice
                                   : found_by::slice;
    site.why_whole_body = found.why_not;
    if (found.text.empty()) return;
    site.inspector = std::move(found.text);
    only_named_ = std::move(found.only_named);
    if (!found.left_out.empty()) site.flags |= api::loop_overshoots;
    depends_.ignore(std::move(found.left_out));
    find_steering();
  }

  /// Writes the head of the slice's lambda: that of the body, or plain [&] if the body has no init-captures.
  bool describe_inspector(loop_site& site) const {
    const bool own = has_own_captures();
    if (own && !site.added_captures.empty()) return false;
    const auto introducer = own ? head_of_inspector() : std::string("[&]");
    const clang::FunctionDecl& written =
        code_.lambda() != nullptr ? *code_.lambda()->getCallOperator() : code_.body();
    if (!introducer || written.getNumParams() != 1 || written.getParamDecl(0)->getName().empty())
      return false;
    const bool is_template =
        code_.lambda() != nullptr && !code_.lambda()->getExplicitTemplateParameters().empty();
    const auto parameter = excerpt(ast_, written.getParamDecl(0)->getSourceRange());
    if (!parameter || is_template) return false;
    site.inspector_begin =
        *introducer + "(" + *parameter + ") { (void)" + written.getParamDecl(0)->getNameAsString() + "; ";
    return true;
  }

  /// The body's own introducer, with results in place of initialisers that only one process can evaluate.
  std::optional<std::string> head_of_inspector() const {
    other_texts given;
    for (const outer_variable& variable : outer_) {
      if (variable.evaluated == nullptr || variable.holder != nullptr) continue;
      const auto begin = position_of(ast_, variable.evaluated->getBeginLoc());
      const auto end = position_after(ast_, variable.evaluated->getEndLoc());
      if (!begin || !end) return std::nullopt;
      given[begin->offset] = {end->offset - begin->offset, api::parameter_prefix + variable.name};
    }
    return excerpt(ast_, code_.lambda()->getIntroducerRange(), given);
  }

  bool has_own_captures() const {
    const clang::LambdaExpr* lambda = code_.lambda();
    return lambda != nullptr &&
           std::any_of(lambda->capture_begin(), lambda->capture_end(),
                       [&](const clang::LambdaCapture& capture) { return lambda->isInitCapture(&capture); });
  }

  void find_steering() {
    steering_.clear();
    for (const access& one : accesses_) {
      origins found = deciders_of(one);
      steering_.insert(found.begin(), found.end());
    }
  }

  origins deciders_of(const access& one) const {
    origins found = depends_.of_access(*one.call);
    if (!one.reach) return found;
    for (const clang::Expr* part : one.reach->parts) found.merge(depends_.of_value(*part));
    return found;
  }

  /// If iterations write, the analysis must know the elements that each pointer reaches.
  void refuse_lost_pointers() {
    for (const access& one : accesses_) {
      if (!one.reach || one.reach->lost == nullptr) continue;
      for (const clang::ValueDecl* container : one.containers) {
        if ((mode_of(container) & api::mode_write) == 0) continue;
        const bool made_in_body = code_.function_of(one.call) == &code_.body();
        const clang::SourceLocation made = one.call->getExprLoc();
        const clang::SourceLocation lost = one.reach->lost->getExprLoc();
        const std::string name = container->getNameAsString();
        out_.report(refusal::pointer_lost, made_in_body ? made : lost,
                    {name, one.reach->why, instead_of_pointer(one, name)}, made_in_body ? lost : made);
        break;
      }
    }
  }

  std::string instead_of_pointer(const access& lost, const std::string& container) const {
    if (is_view(lost.call->getType())) return "`s[k]`";
    const std::string first = subscript_text(code_.ast(), *lost.call);
    return "`" + container + "[" + first + " + k]`, `" + container + ".span(" + first + ", COUNT)`";
  }

  /// Refuses container reads in initialisers of captures: each process makes its own closure, so they run in
  /// all of them.
  void refuse_initialisers() {
    for (const access& one : accesses_) {
      if (code_.function_of(one.call) != nullptr) continue;
      out_.report(refusal::capture_reads_container, one.call->getExprLoc(),
                  {(*one.containers.begin())->getNameAsString()});
    }
    for (const clang::LambdaExpr* lambda : code_.made_before()) refuse_initialisers(*lambda);
  }
  void refuse_initialisers(const clang::LambdaExpr& lambda) {
    for (const clang::LambdaCapture& capture : lambda.captures()) {
      if (!lambda.isInitCapture(&capture)) continue;
      const auto& variable = llvm::cast<clang::VarDecl>(*capture.getCapturedVar());
      if (variable.getType()->isReferenceType()) continue;
      const outer_variable own{&variable, variable.getNameAsString(), capture.getLocation(), /*by_copy=*/true,
                               /*is_constant=*/false};
      refuse_casts(own);
      refuse_type(own);
    }
  }

  // ---- containers ----

  void find_accumulated() {
    for (const outer_variable& variable : outer_) {
      if (!is_container(variable.type()) || written_through_const_.count(variable.storage()) != 0) continue;
      if (only_replaces(code_, depends_, accesses_, variable.storage())) replaced_.insert(variable.storage());
      const char* op = operator_of_accumulation(code_, accesses_, variable.storage());
      for (unsigned number = 0; op != nullptr && number < std::size(api::operators); ++number) {
        if (std::string_view(op) == api::operators[number])
          adds_only_[variable.storage()] = api::mode_accumulates | number << api::operator_shift;
      }
    }
  }

  unsigned mode_of(const clang::ValueDecl* container) const {
    unsigned mode = 0;
    bool aligned = true;
    for (const access& one : accesses_) {
      if (one.containers.count(container) == 0) continue;
      mode |= one.bits;
      if (one.bits != use_none && !one.aligned) aligned = false;
      if (one.is_range) mode |= api::mode_ranges;
    }
    if (mode != 0 && written_through_const_.count(container) != 0) mode |= use_both;
    if (aligned && mode != 0) mode |= api::mode_aligned;
    const auto added = adds_only_.find(container);
    const bool is_added = is_scattered(mode) && added != adds_only_.end();
    if (is_added) mode |= added->second;
    if (!is_added && is_scattered(mode) && replaced_.count(container) != 0) mode |= api::mode_replaces;
    if (const auto said = options_.annotations.find(container);
        said != options_.annotations.end() && mode != 0) {
      const bool is_known = is_added && (said->second.bits & api::mode_accumulates) != 0;
      if (!is_known) mode = (mode & ~said->second.mask) | said->second.bits;
    }
    if (only_named_.count(container) != 0) mode |= api::mode_listed;
    if (steering_.count(container) == 0) return mode;
    const bool steady = (mode & api::mode_write) != 0 && is_steady(container);
    return mode | api::mode_steers | (steady ? api::mode_steady : 0);
  }

  /// Whether the loop writes only fields that steer nothing.
  bool is_steady(const clang::ValueDecl* container) const {
    return written_through_const_.count(container) == 0 && depends_.leaves_alone(container, steering_);
  }

  const clang::LambdaExpr* capturing(const outer_variable& variable) const {
    return variable.holder != nullptr ? variable.holder : code_.lambda();
  }

  loop_argument container_argument(const outer_variable& variable) {
    if (variable.by_copy) {
      out_.report(refusal::captured_container_copy, variable.where, {variable.name}, {},
                  captured_by_reference(ast_, capturing(variable), *variable.declaration));
    }
    loop_argument made{.name = variable.name,
                       .path = variable.path,
                       .evaluated = variable.evaluated != nullptr,
                       .kind = argument_kind::container,
                       .bits = mode_of(variable.storage()),
                       .has_keys = container_name(variable.type()) != api::dvector};
    const clang::QualType element = element_of(variable.type());
    const std::optional<origins> changed = depends_.changed_fields(variable.storage());
    const bool in_sight = written_through_const_.count(variable.storage()) == 0 && changed.has_value();
    if ((made.bits & api::mode_write) != 0 && in_sight) made.written_fields = field_bits(*changed, element);
    if ((made.bits & api::mode_steers) != 0) made.steering_fields = field_bits(steering_, element);
    return made;
  }

  bool is_scattered(unsigned mode) const {
    return (mode & api::mode_write) != 0 && (mode & api::mode_aligned) == 0;
  }

  bool surely_writes(const clang::ValueDecl* container) const {
    return std::any_of(accesses_.begin(), accesses_.end(), [&](const access& one) {
      return one.surely_written && one.containers.count(container) != 0;
    });
  }

  /// Whether the access must be known before the loop runs. Elements of other containers are present in any
  /// case: either all of them, or together with their iteration.
  bool is_found_beforehand(const access& one) const {
    return one.bits != use_none &&
           std::any_of(one.containers.begin(), one.containers.end(),
                       [&](const auto* container) { return is_scattered(mode_of(container)); });
  }

  struct self_dependence {
    const clang::Expr* where;
    std::vector<std::string> words;
  };
  /// Finds the accesses that depend on data that the loop writes: a set recorded before the loop would be
  /// wrong.
  std::vector<self_dependence> self_dependences() const {
    std::vector<self_dependence> found;
    for (const outer_variable& variable : outer_) {
      if (!is_container(variable.type()) || !is_scattered(mode_of(variable.storage()))) continue;
      if (is_steady(variable.storage())) continue;
      for (const access& one : accesses_) {
        if (!is_found_beforehand(one) || deciders_of(one).count(variable.storage()) == 0) continue;
        const char* verb = surely_writes(variable.storage()) ? "writes" : "may write";
        found.push_back({one.call, {variable.name, verb}});
      }
    }
    return found;
  }

  /// Makes iterations run as transactions if no set can be recorded and the body may run more than once.
  /// Returns whether the loop was refused.
  bool settle_self_dependence(loop_site& site) {
    if (!options_.planned) return false;
    const std::optional<single_effect> once = why_only_once(code_);
    site.may_run_again = !once;
    const std::vector<self_dependence> found = self_dependences();
    for (const self_dependence& one : found) {
      if (once) {
        out_.report(refusal::self_dependent, one.where->getExprLoc(),
                    {one.words[0], one.words[1], once->what}, once->where->getExprLoc());
      } else {
        site.transactions.insert({place_of(ast_, one.where->getExprLoc()), one.words[0], one.words[1]});
      }
    }
    if (site.transactions.empty()) return once && !found.empty();
    site.flags = (site.flags & ~api::loop_overshoots) | api::loop_transactional;
    site.sets = found_by::transactions;
    site.inspector.clear();
    only_named_.clear();
    return false;
  }

  // ---- values and reductions ----

  loop_argument value_argument(const outer_variable& variable) {
    if (refuse_tool(variable) || refuse_element(variable))
      return {.name = variable.name, .path = variable.path};
    const unsigned steers = steering_.count(variable.storage()) != 0 ? api::mode_steers : 0;
    reduction found = find_reduction(code_, accesses_, variable, names_of(variable.declaration), out_);
    if (!found.members.empty())
      return {.name = variable.name,
              .path = variable.path,
              .evaluated = variable.evaluated != nullptr,
              .kind = argument_kind::reduction,
              .folded = std::move(found.members)};
    if (!refuse_type(variable)) refuse_writes(variable, found.folds);
    warn_of_size(ast_, variable, out_);
    const std::vector<const clang::Expr*> names = names_of(variable.declaration);
    const bool moved = std::any_of(names.begin(), names.end(), [&](const clang::Expr* name) {
      return is_moved_into_capture(code_, *name);
    });
    return {.name = variable.name,
            .path = variable.path,
            .evaluated = variable.evaluated != nullptr,
            .kind = remade_lambda(lambdas_, variable.type()) != nullptr ? argument_kind::callable
                                                                        : argument_kind::value,
            .bits = steers | (moved ? api::mode_moved : 0),
            .by_copy = variable.of_closure};
  }

  /// The expressions that denote the variable, also through references.
  std::vector<const clang::Expr*> names_of(const clang::ValueDecl* variable) const {
    std::vector<const clang::Expr*> names;
    for (const clang::Expr* use : code_.uses(variable)) {
      const clang::VarDecl* alias = code_.parent(use).variable;
      const bool renamed = alias != nullptr && alias->getType()->isReferenceType() &&
                           !alias->isCXXForRangeDecl() && !llvm::isa<clang::DecompositionDecl>(alias);
      if (!renamed) names.push_back(use);
      if (!renamed) continue;
      const std::vector<const clang::Expr*> more = names_of(alias);
      names.insert(names.end(), more.begin(), more.end());
    }
    return names;
  }

  /// Refuses writes to const globals through casts.
  void refuse_changed_constants() {
    for (const auto& [variable, place] : written_through_const_) {
      const auto* global = llvm::dyn_cast_or_null<clang::VarDecl>(variable);
      if (global == nullptr || !global->hasGlobalStorage() || is_container(global->getType())) continue;
      out_.report(refusal::global_write, place->getExprLoc(), {global->getNameAsString()});
    }
  }

  void refuse_casts(const outer_variable& variable) {
    const auto cast = written_through_const_.find(variable.storage());
    if (cast == written_through_const_.end()) return;
    out_.report(refusal::write_through_capture, cast->second->getExprLoc(), {variable.name}, variable.where);
  }

  void refuse_writes(const outer_variable& variable, const std::vector<const clang::Expr*>& folds) {
    refuse_casts(variable);
    use_reader reader(code_);
    for (const clang::Expr* name : names_of(variable.declaration)) {
      if ((reader.bits(*name) & use_write) == 0) continue;
      if (std::find(folds.begin(), folds.end(), name) != folds.end()) continue;
      if (is_moved_into_capture(code_, *name) || draws_from_shared_engine(code_, *name)) continue;
      out_.report(refusal_of_write(variable.type()), name->getExprLoc(), {variable.name}, variable.where);
    }
  }

  bool is_written(const clang::ValueDecl& variable) const {
    return (use_reader(code_).bits_of_variable(variable) & use_write) != 0;
  }

  /// Refuses tools for the threads of one process, and views of its memory.
  bool refuse_tool(const outer_variable& variable) {
    if (!is_lock(variable.type()) && !is_view(variable.type())) return false;
    out_.report(is_lock(variable.type()) ? refusal::captured_lock : refusal::captured_view, variable.where,
                {variable.name, type_name(ast_, variable.type())});
    return true;
  }

  bool refuse_element(const outer_variable& variable) {
    if (!is_element_reference(variable)) return false;
    out_.report(refusal::captured_element_reference, variable.where, {variable.name}, {},
                is_written(*variable.declaration)
                    ? fix_its()
                    : captured_by_value(ast_, capturing(variable), *variable.declaration));
    return true;
  }

  /// Returns true if no other refusal of the variable is worth a report.
  bool refuse_type(const outer_variable& variable) {
    if (refuse_tool(variable)) return true;
    clang::QualType type = variable.type();
    if (remade_lambda(lambdas_, type) != nullptr)
      return false;  // its captures are analysed as captures of the loop
    const bool is_older = options_.is_kept || variable.holder != nullptr;
    if (variable.of_both && is_older && !type.getNonReferenceType().isConstQualified()) {
      out_.report(refusal::unserialisable_capture, variable.where,
                  {variable.name, variable.name, "is captured by value, as it is now, and by reference",
                   ", or compute the value in a variable before the lambda and capture that"});
    }
    if (type->isAnyPointerType() && !type->isFunctionPointerType()) {
      out_.report(refusal::captured_pointer, variable.where, {variable.name});
      return false;
    }
    if (refuse_element(variable)) return true;
    if (is_engine(type) && is_written(*variable.declaration)) return false;  // another refusal reports it
    const std::optional<obstacle> found = types_.add(type, variable.name);
    if (!found) return false;
    const clang::SourceLocation advice = found->where;
    out_.report(refusal::unserialisable_capture, variable.where,
                {variable.name, found->path, found->what, advice_to_describe(*found)}, advice);
    return found->is_container;
  }

  const clang::ASTContext& ast_;
  const lambda_table& lambdas_;
  const loop_options& options_;
  travelling_types& types_;
  diagnostics& out_;
  std::vector<outer_variable> outer_;
  region code_;
  dependences depends_;
  std::vector<access> accesses_;
  std::map<const clang::ValueDecl*, const clang::Expr*> written_through_const_;
  origins steering_;
  std::map<const clang::ValueDecl*, unsigned> adds_only_;  // containers: bits of their modes
  origins replaced_;                                       // the body only replaces their elements
  origins only_named_;                                     // the inspector never reads their elements
};

}  // namespace

analyzed_loop analyze_loop(const analysis_input& with, const clang::LambdaExpr* lambda,
                           const clang::CXXMethodDecl& body, const loop_options& options) {
  return loop_analyzer(with, lambda, body, options).run();
}

}  // namespace stradsap::pp
