#include "analyze/frontend/find.hpp"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyze/captures/functors.hpp"
#include "analyze/code/member_captures.hpp"
#include "analyze/code/types.hpp"
#include "analyze/frontend/loop.hpp"
#include "analyze/refusals/refusals.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/diagnostics.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace {

/// Collects declarations and calls in one walk over the user's code, instances of templates included.
class collector : public clang::RecursiveASTVisitor<collector> {
 public:
  explicit collector(const clang::ASTContext& ast) : ast_(ast) {}

  void collect() {
    for (clang::Decl* declaration : ast_.getTranslationUnitDecl()->decls()) {
      if (is_users(ast_, declaration->getLocation())) TraverseDecl(declaration);
    }
  }

  // ---- Clang's spelling ----
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitCallExpr(clang::CallExpr* call) {
    if (is_loop_operator(call->getDirectCallee())) calls.push_back(call);
    return true;
  }
  bool VisitRecoveryExpr(clang::RecoveryExpr* broken) {
    broken_calls.push_back(broken);
    return true;
  }
  bool VisitLambdaExpr(clang::LambdaExpr* lambda) {
    lambdas.emplace(lambda->getLambdaClass(), lambda);
    // no visited declaration contains the instances of a generic lambda
    const clang::FunctionTemplateDecl* generic = lambda->getDependentCallOperator();
    if (generic == nullptr) return true;
    for (const clang::FunctionDecl* instance : generic->specializations()) TraverseStmt(instance->getBody());
    return true;
  }
  bool VisitDeclaratorDecl(clang::DeclaratorDecl* declaration) {
    const bool data = llvm::isa<clang::VarDecl, clang::FieldDecl>(declaration);
    if (data && is_container(declaration->getType())) containers.push_back(declaration);
    return true;
  }
  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (function->isMain() && function->isThisDeclarationADefinition()) mains.push_back(function);
    return true;
  }

  std::vector<const clang::CallExpr*> calls;
  std::vector<const clang::RecoveryExpr*> broken_calls;
  lambda_table lambdas;
  std::vector<const clang::DeclaratorDecl*> containers;
  std::vector<const clang::FunctionDecl*> mains;

 private:
  const clang::ASTContext& ast_;
};

/// The function around a lambda; lambdas count as part of their functions.
std::string function_around(const clang::LambdaExpr& lambda) {
  const clang::DeclContext* scope = lambda.getLambdaClass()->getDeclContext();
  for (; scope != nullptr; scope = scope->getParent()) {
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(scope);
    if (method != nullptr && method->getParent()->isLambda()) continue;
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(scope))
      return function->getQualifiedNameAsString();
  }
  return {};
}

/// A range of text that can be edited: in the file, or in the expansion of one macro.
struct text_range {
  text_position begin;
  text_position last;  // its last token
  text_position end;   // just after it
};

class edits_finder {
 public:
  edits_finder(const clang::ASTContext& ast, const macro_expansions& expansions, shared_reaches& shared,
               translation_unit& unit)
      : ast_(ast),
        expansions_(expansions),
        shared_(shared),
        unit_(unit),
        found_(ast),
        types_(ast),
        out_(ast) {}

  void find() {
    found_.collect();
    find_mains();
    find_ordinals();
    for (const clang::CallExpr* call : found_.calls) find_loop(*call);
    for (const clang::DeclaratorDecl* container : found_.containers) find_elements(*container);
    refuse_mixed_text();
    join_lambdas();
    settle_helpers();
    for (auto& [begin, site] : sites_) unit_.loops.push_back(std::move(site));
    for (auto& [begin, lambda] : lambdas_) unit_.lambdas.push_back(std::move(lambda));
    unit_.functor_uses.assign(functor_uses_.begin(), functor_uses_.end());
    unit_.classes = types_.classes();
    unit_.classes_before_api = types_.before_api();
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

  std::optional<text_range> range_of(clang::SourceRange range) const {
    const auto begin = position_of(ast_, range.getBegin());
    const auto last = position_of(ast_, range.getEnd());
    const auto end = position_after(ast_, range.getEnd());
    if (begin && last && end && begin->file == end->file) return text_range{*begin, *last, *end};
    const auto first = expansions_.position_of(range.getBegin());
    const auto final = expansions_.position_of(range.getEnd());
    const bool one_macro = first && final && first->file == final->file && first->offset == final->offset;
    if (!one_macro) return std::nullopt;
    return text_range{*first, *final, *expansions_.position_after(range.getEnd())};
  }

  /// The range of a subscript. Macros that are whole operands of it stay as they are.
  std::optional<text_range> subscript_range(clang::SourceRange range) const {
    const clang::SourceManager& sources = ast_.getSourceManager();
    const clang::CharSourceRange chars = clang::Lexer::makeFileCharRange(
        clang::CharSourceRange::getTokenRange(range), sources, ast_.getLangOpts());
    const auto begin = chars.isValid() ? position_of(ast_, chars.getBegin()) : std::nullopt;
    if (!begin) return range_of(range);
    text_position end = *begin;
    end.offset = sources.getFileOffset(chars.getEnd());
    return text_range{*begin, end, end};
  }

  void keep_expansion(const text_position& place) {
    if (place.token >= 0)
      unit_.expansions.emplace(text_position{place.file, place.offset}, expansions_.at(place));
  }

  /// Refuses edits in the argument of a macro if the macro's expansion replaces the invocation.
  void refuse_mixed_text() {
    for (const auto& [begin, site] : sites_) {
      if (is_in_expansion(begin)) out_.report(refusal::body_in_macro, starts_.at(begin), {});
    }
    for (const auto& [begin, reached] : unit_.reaches) {
      if (is_in_expansion(begin)) out_.report(refusal::pointer_in_macro, starts_.at(begin), {});
    }
  }
  bool is_in_expansion(const text_position& place) const {
    const auto is_around = [&](const auto& expansion) {
      const auto& [invocation, whole] = expansion;
      return place.file == invocation.file && place.offset >= invocation.offset &&
             place.offset < invocation.offset + whole.length;
    };
    return place.token < 0 && std::any_of(unit_.expansions.begin(), unit_.expansions.end(), is_around);
  }

  /// Numbers all lambdas of a function, so that instantiations by other code change no number.
  void find_ordinals() {
    for (const auto& [closure, lambda] : found_.lambdas) {
      const std::optional<text_range> at = range_of(lambda->getSourceRange());
      if (at) lambdas_of_[{at->begin.file, function_around(*lambda)}].insert(at->begin);
    }
  }

  static const clang::Expr* body_argument(const clang::CallExpr& call) {
    const clang::FunctionDecl& callee = *call.getDirectCallee();
    const bool has_label = callee.getParamDecl(0)->getType()->isPointerType();
    const unsigned i = (has_label ? 1u : 0u) + (callee.getName() == api::sync_for ? 2u : 1u);
    return i < call.getNumArgs() ? call.getArg(i) : nullptr;
  }

  void find_loop(const clang::CallExpr& call) {
    const clang::Expr* argument = body_argument(call);
    if (argument == nullptr || call.isTypeDependent() || argument->isTypeDependent()) return;
    if (refuse_missing_model(call, out_)) return;
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
    const std::optional<text_range> where = range_of(lambda.getSourceRange());
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
    if (!analyzed_.emplace(lambda.getCallOperator(), options.planned).second) return;
    for (const clang::CXXMethodDecl* body : bodies(lambda)) {
      analyzed_loop analyzed =
          analyze_loop({ast_, found_.lambdas, types_, out_, shared_}, &lambda, *body, options);
      loop_site& one = analyzed.site;
      put_in_place(one, lambda, *where);
      one.captures_all = lambda.getCaptureDefault() == clang::LCD_ByRef;
      one.captures_none = lambda.getCaptureDefault() == clang::LCD_None && lambda.explicit_captures().empty();
      if (const auto introducer = range_of(lambda.getIntroducerRange())) one.capture_end = introducer->last;
      name(one, call, lambda);
      add(std::move(one), lambda.getBeginLoc());
      add_lambdas(analyzed);
      add_reaches(analyzed);
    }
  }

  void put_in_place(reconstructible_closure& made, const clang::LambdaExpr& lambda, const text_range& where) {
    made.begin = where.begin;
    made.end = where.end;
    made.in_macro_argument = lambda.getBeginLoc().isMacroID();
    keep_expansion(made.begin);
    for (const auto& [capture, part] : captured_members(lambda)) {
      if (part.evaluated == nullptr) continue;
      if (const std::optional<text_range> init = range_of(part.evaluated->getSourceRange())) {
        made.given.push_back({init->begin, init->end, capture->getNameAsString()});
      } else {
        out_.report(refusal::body_in_macro, part.evaluated->getBeginLoc(), {});
      }
    }
  }

  /// Adds the subscripts that lead to pointers, in the loop and in functions that it calls.
  void add_reaches(const analyzed_loop& analyzed) {
    for (const inserted_reach& one : analyzed.reaches) {
      const std::optional<text_range> where = subscript_range(one.subscript);
      if (!where) {
        out_.report(refusal::pointer_in_macro, one.subscript.getBegin(), {});
        continue;
      }
      starts_.emplace(where->begin, one.subscript.getBegin());
      keep_expansion(where->begin);
      reached_subscript& known = unit_.reaches[where->begin];
      known.end = one.index.empty() ? where->end : where->begin;
      known.index = one.index;
      known.offsets = one.offsets;
    }
  }

  /// Joins the findings of loops on the lambdas that they capture.
  void add_lambdas(analyzed_loop& analyzed) {
    for (auto& [lambda, made] : analyzed.lambdas) {
      const clang::SourceLocation at = lambda->getBeginLoc();
      if (const std::optional<text_range> where = range_of(lambda->getSourceRange())) {
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

  void analyze_functor(const clang::CallExpr& call, const clang::Expr& argument,
                       const clang::CXXRecordDecl& functor) {
    const clang::CXXMethodDecl* body = functor_body(functor, argument.getExprLoc(), out_);
    if (body == nullptr || !use_functor(call, argument)) return;
    const loop_options options = loop_options_of(call);
    if (!analyzed_.emplace(body, options.planned).second) return;
    analyzed_loop analyzed =
        analyze_loop({ast_, found_.lambdas, types_, out_, shared_}, nullptr, *body, options);
    loop_site& one = analyzed.site;
    one.begin = one.end = *position_of(ast_, functor.getBraceRange().getEnd());
    one.functor = functor.getNameAsString();
    one.is_aggregate = functor.isAggregate();
    one.function = functor.getQualifiedNameAsString();
    add(std::move(one), functor.getLocation());
    add_lambdas(analyzed);
    add_reaches(analyzed);
  }

  bool use_functor(const clang::CallExpr& call, const clang::Expr& argument) {
    if (const std::optional<text_range> where = range_of(argument.getSourceRange())) {
      functor_uses_.insert({where->begin, where->end, place_of_loop(call.getBeginLoc())});
      keep_expansion(where->begin);
      return true;
    }
    out_.report(refusal::body_in_macro, argument.getBeginLoc(), {});
    return false;
  }

  static std::vector<const clang::CXXMethodDecl*> bodies(const clang::LambdaExpr& lambda) {
    const clang::FunctionTemplateDecl* generic = lambda.getDependentCallOperator();
    if (generic == nullptr) return {lambda.getCallOperator()};
    std::vector<const clang::CXXMethodDecl*> found;
    for (const clang::FunctionDecl* instance : generic->specializations()) {
      if (instance->getBody() != nullptr) found.push_back(llvm::cast<clang::CXXMethodDecl>(instance));
    }
    return found;
  }

  void name(loop_site& site, const clang::CallExpr& call, const clang::LambdaExpr& lambda) const {
    site.function = function_around(lambda);
    const auto& offsets = lambdas_of_.at({site.begin.file, site.function});
    site.ordinal = static_cast<unsigned>(std::distance(offsets.begin(), offsets.find(site.begin)));
    // If a function wraps the loop operator, many loops share its call. Their lambdas' positions then name
    // them.
    const clang::SourceRange around = call.getSourceRange();
    const auto from = position_of(ast_, around.getBegin());
    const bool close = from && from->file == site.begin.file && closest_function(call, lambda);
    site.place = place_of_loop(close ? call.getBeginLoc() : lambda.getBeginLoc());
  }
  std::string place_of_loop(clang::SourceLocation where) const {
    const source_place place = place_of(ast_, where);
    return place.file + ":" + std::to_string(place.line);
  }

  static bool is_written_at(const clang::CallExpr& call, const clang::LambdaExpr& lambda) {
    return body_argument(call)->IgnoreUnlessSpelledInSource() == &lambda;
  }

  /// Whether the call passes the lambda itself, or a variable of the same function.
  static bool closest_function(const clang::CallExpr& call, const clang::LambdaExpr& lambda) {
    const clang::Expr* argument = body_argument(call)->IgnoreUnlessSpelledInSource();
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(argument);
    if (name == nullptr) return true;
    return name->getDecl()->getDeclContext() == lambda.getLambdaClass()->getDeclContext();
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

  const clang::ASTContext& ast_;
  const macro_expansions& expansions_;
  shared_reaches& shared_;
  translation_unit& unit_;
  collector found_;
  travelling_types types_;
  diagnostics out_;
  std::map<std::pair<std::string, std::string>, std::set<text_position>> lambdas_of_;
  std::set<std::pair<const clang::CXXMethodDecl*, bool>> analyzed_;  // and whether for a loop with a plan
  std::set<functor_use> functor_uses_;
  std::map<text_position, loop_site> sites_;
  std::map<text_position, reconstructible_closure> lambdas_;  // captured by loops
  std::map<text_position, clang::SourceLocation> starts_;
};

}  // namespace

void find_edits(const clang::ASTContext& ast, const macro_expansions& expansions, translation_unit& unit) {
  shared_reaches shared;
  translation_unit found;
  do {
    found = unit;
    edits_finder(ast, expansions, shared, found).find();
  } while (!shared.settle());
  unit = std::move(found);
}

void explain_errors(const clang::ASTContext& ast, const std::vector<stray_jump>& jumps,
                    translation_unit& unit) {
  collector found(ast);
  found.collect();
  diagnostics out(ast);
  for (const auto& [closure, lambda] : found.lambdas) {
    for (const clang::LambdaCapture& capture : lambda->captures()) {
      if (!capture.capturesVariable() || capture.getCaptureKind() != clang::LCK_ByCopy) continue;
      const clang::ValueDecl& variable = *capture.getCapturedVar();
      if (lambda->isInitCapture(&capture) || !is_container(variable.getType())) continue;
      out.report(refusal::captured_container_copy,
                 capture.isImplicit() ? lambda->getCaptureDefaultLoc() : capture.getLocation(),
                 {variable.getNameAsString()}, {}, captured_by_reference(ast, lambda, variable));
    }
  }
  for (const clang::RecoveryExpr* call : found.broken_calls) explain_call(ast, *call, out);
  for (const clang::CallExpr* call : found.calls) {
    (void)refuse_missing_model(*call, out);
    for (const clang::Expr* argument : call->arguments()) {
      const auto body = found.lambdas.find(closure_class(argument->getType()));
      if (body != found.lambdas.end()) explain_jumps(ast.getSourceManager(), jumps, *body->second, out);
    }
  }
  unit.diagnostics = out.sorted();
}

}  // namespace stradsap::pp
