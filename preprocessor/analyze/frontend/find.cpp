#include "analyze/frontend/find.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "analyze/captures/functors.hpp"
#include "analyze/code/member_captures.hpp"
#include "analyze/code/types.hpp"
#include "analyze/frontend/collect.hpp"
#include "analyze/frontend/editable_text.hpp"
#include "analyze/frontend/loop.hpp"
#include "analyze/frontend/loop_names.hpp"
#include "analyze/frontend/loop_options.hpp"
#include "analyze/frontend/openings.hpp"
#include "analyze/refusals/kept_places.hpp"
#include "analyze/refusals/misuse.hpp"
#include "analyze/refusals/option_functions.hpp"
#include "analyze/refusals/refusals.hpp"
#include "analyze/refusals/running_numbers.hpp"
#include "analyze/refusals/unregistered.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/diagnostics.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace {

class edits_finder {
 public:
  edits_finder(const clang::ASTContext& ast, const macro_expansions& expansions, shared_reaches& shared,
               member_variables& members, used_parts& parts, translation_unit& unit)
      : ast_(ast),
        shared_(shared),
        members_(members),
        parts_(parts),
        unit_(unit),
        found_(collect(ast)),
        text_(ast, expansions),
        names_(ast, found_.lambdas, text_),
        types_(ast),
        out_(ast) {}

  void find() {
    find_mains();
    for (const clang::CallExpr* call : found_.calls) find_loop(*call);
    for (const option_function& one : found_.option_functions) check(one);
    for (const clang::DeclaratorDecl* container : found_.containers) find_elements(*container);
    for (const clang::CallExpr* call : found_.registrations) find_registered(*call);
    for (const clang::FunctionDecl* function : found_.functions) find_resumed(*function);
    for (const clang::CallExpr* call : found_.variadic_calls) refuse_running_arguments(*call, out_);
    refuse_running_in_templates(found_.variadic_calls, found_.template_calls, out_);
    warn_of_kept_places(found_.functions, out_);
    refuse_mixed_text();
    join_lambdas();
    settle_helpers();
    settle_hoists();
    for (auto& [begin, site] : sites_) unit_.loops.push_back(std::move(site));
    for (auto& [begin, lambda] : lambdas_) unit_.lambdas.push_back(std::move(lambda));
    unit_.functor_uses.assign(functor_uses_.begin(), functor_uses_.end());
    unit_.openings = openings_of(ast_, found_);
    unit_.classes = types_.classes();
    unit_.opened = types_.opened();
    unit_.classes_before_api = types_.before_api();
    unit_.expansions = text_.replaced();
    unit_.diagnostics = out_.sorted();
  }

 private:
  void find_mains() {
    for (const clang::FunctionDecl* function : found_.mains) {
      const clang::Stmt* body = function->getBody();
      if (const auto* attempt = llvm::dyn_cast<clang::CXXTryStmt>(body)) body = attempt->getTryBlock();
      const auto after = position_after(ast_, llvm::cast<clang::CompoundStmt>(body)->getLBracLoc());
      if (after) unit_.main_bodies.push_back(*after);
    }
  }

  /// Refuses edits in the argument of a macro if the macro's expansion replaces the invocation.
  void refuse_mixed_text() {
    for (const auto& [begin, site] : sites_) {
      if (text_.is_in_replaced(begin)) out_.report(refusal::body_in_macro, starts_.at(begin), {});
    }
    for (const auto& [begin, reached] : unit_.reaches) {
      if (text_.is_in_replaced(begin)) out_.report(refusal::pointer_in_macro, starts_.at(begin), {});
    }
  }

  void find_loop(const clang::CallExpr& call) {
    const clang::Expr* argument = body_argument(call);
    if (argument == nullptr || call.isTypeDependent() || argument->isTypeDependent()) return;
    if (refuse_missing_model(call, out_) || refuse_two_bounds(call, out_)) return;
    if (const clang::CXXRecordDecl* functor = functor_class(argument->getType())) {
      return analyze_functor(call, *argument, *functor);
    }
    const clang::CXXRecordDecl* closure = closure_class(argument->getType());
    const auto known = closure == nullptr ? found_.lambdas.end() : found_.lambdas.find(closure);
    if (known == found_.lambdas.end()) {
      const std::string type =
          closure == nullptr ? type_name(ast_, argument->getType()) : "lambda of another file";
      out_.report(refusal::body_is_no_lambda, argument->getExprLoc(), {type});
      return;
    }
    analyze_body(call, *known->second);
  }

  void analyze_body(const clang::CallExpr& call, const clang::LambdaExpr& lambda) {
    const std::optional<text_range> where = text_.range_of(lambda.getSourceRange());
    if (!where) {
      out_.report(refusal::body_in_macro, lambda.getBeginLoc(), {});
      return;
    }
    if (!lambda.getCallOperator()->isConst() && !lambda.getCallOperator()->isStatic()) {
      out_.report(refusal::mutable_body, lambda.getBeginLoc(), {});
      return;
    }
    if (refuse_signature(*lambda.getCallOperator(), lambda.getBeginLoc(), out_)) return;
    loop_options options = loop_options_of(call);
    options.is_kept = !is_written_at(call, lambda);
    const auto [stated, fresh] = statements_.emplace(lambda.getCallOperator(), options);
    if (!fresh && !state_the_same(stated->second, options))
      out_.report(refusal::access_differs, call.getBeginLoc(), {});
    if (!analyzed_.emplace(lambda.getCallOperator(), options.planned).second) return;
    for (const clang::CXXMethodDecl* body : call_operators_of(lambda)) {
      passed_objects passed;
      do {
        add_body(call, lambda, *where, analyze(&lambda, *body, options, passed));
      } while (passed.next());
    }
  }

  analyzed_loop analyze(const clang::LambdaExpr* lambda, const clang::CXXMethodDecl& body,
                        const loop_options& options, passed_objects& passed) {
    return analyze_loop({ast_, found_.lambdas, types_, out_, shared_, members_, parts_, passed}, lambda, body,
                        options);
  }

  void add_body(const clang::CallExpr& call, const clang::LambdaExpr& lambda, const text_range& where,
                analyzed_loop analyzed) {
    loop_site& one = analyzed.site;
    put_in_place(one, lambda, where);
    one.captures_all = lambda.getCaptureDefault() == clang::LCD_ByRef;
    one.captures_none = lambda.getCaptureDefault() == clang::LCD_None && lambda.explicit_captures().empty();
    if (const auto introducer = text_.range_of(lambda.getIntroducerRange()))
      one.capture_end = introducer->last;
    put_numbers(one, lambda);
    names_.name(one, call, lambda);
    add(std::move(one), lambda.getBeginLoc());
    add_lambdas(analyzed);
    add_reaches(analyzed);
    add_hoists(analyzed);
  }

  /// Not in a lambda that the program keeps: it may call it later, when a variable has another value.
  void put_numbers(loop_site& made, const clang::LambdaExpr& lambda) const {
    if (made.is_kept || made.in_macro_argument) return;
    for (const clang::LambdaCapture& capture : lambda.captures()) {
      if (!capture.capturesVariable() || capture.getCaptureKind() != clang::LCK_ByCopy) continue;
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar());
      if (variable == nullptr || variable->isInitCapture() || capture.isPackExpansion() ||
          !variable->getType().getNonReferenceType()->isArithmeticType() || is_constant_of(made, *variable))
        continue;
      copied_number& one = made.numbers.emplace_back(variable->getNameAsString());
      if (capture.isImplicit()) continue;
      one.begin = position_of(ast_, capture.getLocation());
      one.end = position_after(ast_, capture.getLocation());
      if (!one.begin || !one.end) made.numbers.pop_back();
    }
  }

  static bool is_constant_of(const loop_site& made, const clang::VarDecl& variable) {
    return std::any_of(made.constants.begin(), made.constants.end(),
                       [&](const captured_constant& one) { return one.name == variable.getName(); });
  }

  void put_in_place(reconstructible_closure& made, const clang::LambdaExpr& lambda, const text_range& where) {
    made.begin = where.begin;
    made.end = where.end;
    made.in_macro_argument = lambda.getBeginLoc().isMacroID();
    text_.keep_expansion(made.begin);
    for (const auto& [capture, part] : captured_members(lambda)) {
      if (part.evaluated == nullptr) continue;
      if (const std::optional<text_range> init = text_.range_of(part.evaluated->getSourceRange())) {
        made.given.push_back({init->begin, init->end, capture->getNameAsString()});
      } else {
        out_.report(refusal::body_in_macro, part.evaluated->getBeginLoc(), {});
      }
    }
  }

  /// Adds the subscripts that lead to pointers, in the loop and in functions that it calls.
  void add_reaches(const analyzed_loop& analyzed) {
    for (const inserted_reach& one : analyzed.reaches) {
      const std::optional<text_range> where = text_.subscript_range(one.subscript);
      if (!where) {
        out_.report(refusal::pointer_in_macro, one.subscript.getBegin(), {});
        continue;
      }
      starts_.emplace(where->begin, one.subscript.getBegin());
      text_.keep_expansion(where->begin);
      reached_subscript& known = unit_.reaches[where->begin];
      known.end = one.index.empty() ? where->end : where->begin;
      known.index = one.index;
      known.offsets = one.offsets;
    }
    for (const auto& [where, text] : analyzed.given) {
      if (const auto at = position_of(ast_, where)) unit_.given.emplace(*at, text);
    }
  }

  /// Adds the checks that may move before inner loops. All loops that share the text must agree.
  void add_hoists(const analyzed_loop& analyzed) {
    std::map<text_position, std::optional<hoisted_subscript>> found;
    for (const clang::SourceRange one : analyzed.subscripts) {
      if (const auto where = text_.subscript_range(one)) found[where->begin];
    }
    for (const hoisted_check& one : analyzed.hoists) {
      const std::optional<text_range> where = text_.subscript_range(one.subscript);
      const std::optional<text_position> loop = position_of(ast_, one.loop);
      if (where && loop && where->begin.token < 0 && loop->file == where->begin.file)
        found[where->begin] = hoisted_subscript{*loop, where->end, one.made, one.index};
    }
    for (auto& [begin, one] : found) {
      const auto [known, fresh] = hoists_.emplace(begin, one);
      if (!fresh && known->second != one) known->second.reset();
    }
  }

  /// Leaves out checks in text that has other edits, and in subscripts that are checked as a whole.
  void settle_hoists() {
    text_position checked;  // the end of the last subscript
    for (auto& [begin, one] : hoists_) {
      const bool is_edited = unit_.reaches.count(begin) != 0 || text_.is_in_replaced(begin) ||
                             (one && text_.is_in_replaced(one->loop));
      if (!one || is_edited || begin < checked) continue;
      if (!one->index.empty()) checked = one->end;
      unit_.hoists.emplace(begin, std::move(*one));
    }
  }

  /// Joins the findings of loops on the lambdas that they capture.
  void add_lambdas(analyzed_loop& analyzed) {
    for (auto& [lambda, made] : analyzed.lambdas) {
      const clang::SourceLocation at = lambda->getBeginLoc();
      if (const std::optional<text_range> where = text_.range_of(lambda->getSourceRange())) {
        put_in_place(made, *lambda, *where);
        join_into(lambdas_, made, at);
      } else {
        out_.report(refusal::body_in_macro, at, {});
      }
    }
  }

  /// Makes a captured lambda that is also the body of a loop only once, as that body.
  void join_lambdas() {
    for (auto at = lambdas_.begin(); at != lambdas_.end();) {
      const auto loop = sites_.find(at->first);
      if (loop == sites_.end()) {
        ++at;
        continue;
      }
      join_both(static_cast<reconstructible_closure&>(loop->second), at->second, starts_.at(at->first));
      at = lambdas_.erase(at);
    }
  }

  /// Drops interleaving for loops with instances of one helper function that need different copies.
  void settle_helpers() {
    std::map<text_position, std::set<std::string>> copies;
    for (const auto& [begin, site] : sites_) {
      if (!site.interleaving) continue;
      for (const auto& [place, text] : site.interleaving->helpers) copies[place].insert(text);
    }
    for (auto& [begin, site] : sites_) {
      const auto is_disputed = [&](const auto& helper) { return copies.at(helper.first).size() > 1; };
      if (site.interleaving &&
          std::any_of(site.interleaving->helpers.begin(), site.interleaving->helpers.end(), is_disputed)) {
        site.interleaving.reset();
        site.why_not_interleaved = "sums of two loops need different copies of one function";
      }
    }
  }

  void check(const option_function& one) {
    if (refuse_changeable(one, out_)) return;
    passed_objects none;
    for (const clang::FunctionDecl* code : functions_of(ast_, one, found_.lambdas, out_)) {
      const captured_objects no_objects(ast_, nullptr, *code, members_, parts_, none, types_, out_);
      refuse_in_option(one, *code, found_.lambdas, no_objects, out_);
    }
  }

  /// The loops with save points of a function that calls resumable().
  void find_resumed(const clang::FunctionDecl& function) {
    const clang::SourceRange text = function.getSourceRange();
    const bool registers = std::any_of(
        found_.registrations.begin(), found_.registrations.end(), [&](const clang::CallExpr* call) {
          return !call->isTypeDependent() && text.fullyContains(call->getSourceRange());
        });
    if (!registers) return;
    passed_objects none;
    const captured_objects no_objects(ast_, nullptr, function, members_, parts_, none, types_, out_);
    for (resumed_loop& loop : resumed_loops(region(ast_, nullptr, function, {}, no_objects)))
      unit_.resumed.push_back(std::move(loop));
  }

  void analyze_functor(const clang::CallExpr& call, const clang::Expr& argument,
                       const clang::CXXRecordDecl& functor) {
    const clang::CXXMethodDecl* body = functor_body(functor, argument.getExprLoc(), out_);
    if (body == nullptr || !use_functor(call, argument)) return;
    const loop_options options = loop_options_of(call);
    if (!analyzed_.emplace(body, options.planned).second) return;
    passed_objects none;
    analyzed_loop analyzed = analyze(nullptr, *body, options, none);
    loop_site& one = analyzed.site;
    one.begin = one.end = *position_of(ast_, functor.getBraceRange().getEnd());
    one.functor = functor.getNameAsString();
    one.is_aggregate = functor.isAggregate();
    one.function = functor.getQualifiedNameAsString();
    add(std::move(one), functor.getLocation());
    add_lambdas(analyzed);
    add_reaches(analyzed);
    add_hoists(analyzed);
  }

  bool use_functor(const clang::CallExpr& call, const clang::Expr& argument) {
    if (const std::optional<text_range> where = text_.range_of(argument.getSourceRange())) {
      functor_uses_.insert({where->begin, where->end, names_.place_of_loop(call.getBeginLoc())});
      text_.keep_expansion(where->begin);
      return true;
    }
    out_.report(refusal::body_in_macro, argument.getBeginLoc(), {});
    return false;
  }

  static bool is_written_at(const clang::CallExpr& call, const clang::LambdaExpr& lambda) {
    return body_argument(call)->IgnoreUnlessSpelledInSource() == &lambda;
  }

  void add(loop_site one, clang::SourceLocation where) { join_into(sites_, std::move(one), where); }

  template <class Made>
  void join_into(std::map<text_position, Made>& all, Made one, clang::SourceLocation where) {
    starts_.emplace(one.begin, where);
    const auto [at, fresh] = all.emplace(one.begin, one);
    if (!fresh) join_both(at->second, one, where);
  }
  template <class Made> void join_both(Made& all, const Made& one, clang::SourceLocation where) {
    std::string conflict;
    if (!join(all, one, conflict)) out_.report(refusal::different_instances, where, {conflict});
  }

  void find_elements(const clang::DeclaratorDecl& declaration) {
    const clang::QualType type = declaration.getType().getNonReferenceType();
    const auto* special =
        llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
    if (special == nullptr) return;
    const llvm::ArrayRef<clang::TemplateArgument> arguments = special->getTemplateArgs().asArray();
    const std::size_t num_types = container_name(type) == api::dvector ? 1 : 2;
    for (std::size_t i = 0; i < std::min(num_types, arguments.size()); ++i) {
      if (arguments[i].getKind() != clang::TemplateArgument::Type) continue;
      const clang::QualType element = arguments[i].getAsType();
      const std::optional<obstacle> found = types_.add(element, type_name(ast_, element));
      if (!found) continue;
      out_.report(refusal::unserialisable_element, declaration.getLocation(),
                  {declaration.getNameAsString(), found->path, found->what, advice_to_describe(*found)},
                  found->where);
    }
  }

  /// Checks the types of registered variables, and collects their classes.
  void find_registered(const clang::CallExpr& call) {
    for (const clang::Expr* variable : call.arguments()) {
      const clang::QualType type = variable->getType();
      if (type->isDependentType()) continue;
      const std::string name = excerpt(ast_, variable->getSourceRange()).value_or("a variable");
      const std::optional<obstacle> found = types_.add(type, name);
      if (!found) continue;
      out_.report(
          refusal::unsaved_variable, variable->getExprLoc(),
          {name, found->path,
           found->is_container ? "is a distributed container, which needs no registration" : found->what,
           found->is_container ? ": containers are saved by themselves" : advice_to_describe(*found)},
          found->where);
    }
  }

  const clang::ASTContext& ast_;
  shared_reaches& shared_;
  member_variables& members_;
  used_parts& parts_;
  translation_unit& unit_;
  const collected found_;
  editable_text text_;
  const loop_names names_;
  travelling_types types_;
  diagnostics out_;
  std::set<std::pair<const clang::CXXMethodDecl*, bool>> analyzed_;  // and whether for a loop with a plan
  std::map<const clang::CXXMethodDecl*, loop_options> statements_;   // of the first loop with the body
  std::set<functor_use> functor_uses_;
  std::map<text_position, loop_site> sites_;
  std::map<text_position, reconstructible_closure> lambdas_;  // captured by loops
  std::map<text_position, clang::SourceLocation> starts_;
  std::map<text_position, std::optional<hoisted_subscript>> hoists_;  // empty where loops disagree
};

}  // namespace

void find_edits(const clang::ASTContext& ast, const macro_expansions& expansions, translation_unit& unit) {
  shared_reaches shared;
  member_variables members;
  used_parts parts;
  translation_unit found;
  bool is_settled = false;
  while (!is_settled) {
    found = unit;
    edits_finder(ast, expansions, shared, members, parts, found).find();
    is_settled = shared.settle();
    is_settled &= parts.settle();
  }
  unit = std::move(found);
}

}  // namespace stradsap::pp
