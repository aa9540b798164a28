#include "analyze/frontend/loop.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/captures/capture_refusals.hpp"
#include "analyze/captures/captured_lambdas.hpp"
#include "analyze/captures/globals.hpp"
#include "analyze/code/control.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/code/place_comparisons.hpp"
#include "analyze/frontend/access_annotations.hpp"
#include "analyze/frontend/capture_checks.hpp"
#include "analyze/frontend/fold_warnings.hpp"
#include "analyze/frontend/inspector.hpp"
#include "analyze/frontend/loop_arguments.hpp"
#include "analyze/frontend/pointer_advice.hpp"
#include "analyze/interleaving/interleaving.hpp"
#include "analyze/interleaving/pure_code.hpp"
#include "analyze/interleaving/straight_code.hpp"
#include "analyze/refusals/reexecution_safety.hpp"
#include "analyze/refusals/refusals.hpp"
#include "analyze/refusals/shared_text.hpp"
#include "analyze/refusals/unknown_functions.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {
namespace {

/// Runs the steps of the analysis in their order. Each step reads the results of those before it.
class loop_analyzer {
 public:
  loop_analyzer(const analysis_input& with, const captured_objects& objects, const clang::LambdaExpr* lambda,
                const clang::CXXMethodDecl& body, const loop_options& options)
      : facts_(with, objects, lambda, body, options),
        modes_(facts_),
        types_(with.types),
        checks_(facts_, with.types, with.out),
        out_(with.out) {}

  analyzed_loop run() {
    analyzed_loop analyzed;
    loop_site& site = analyzed.site;
    begin(site);
    refuse_in_region(facts_.code, out_);
    refuse_annotations(facts_.code, facts_.accesses, facts_.outer, facts_.options.annotations, out_);
    refuse_lost_pointers();
    refuse_shared_text(facts_.code, facts_.accesses, out_);
    warn_of_folds(facts_, modes_, out_);
    analyzed.reaches = inserted_reaches(facts_.accesses);
    analyzed.given = given_texts(facts_.code, facts_.accesses);
    analyzed.hoists =
        hoisted_checks(facts_.code, facts_.depends, facts_.accesses, facts_.written_through_const);
    for (const hoisted_check& one : analyzed.hoists) {
      if (one.is_guarded) site.flags |= api::loop_guarded;
    }
    for (const access& one : facts_.accesses) analyzed.subscripts.push_back(subscript_of(*one.call));
    auto inspected = std::make_unique<inspected_loop>(facts_, origins());
    set_inspector(site, inspected->inspector);
    // a refusal names the function already, so it needs no warning
    if (!settle_self_dependence(site, *inspected)) warn_of_unknown_functions(facts_.code, out_);
    if (!site.transactions.empty()) inspected = without_relaxed(site, std::move(inspected));
    site.knows_rows = site.transactions.empty() && inspected->modes.knows_rows();
    set_steering(site, inspected->steers);
    add_arguments(analyzed, *inspected);
    mark_deciders(site);
    set_straightness(site);
    limit_index(site);
    checks_.refuse_changed_constants();
    checks_.refuse_initialisers();
    std::vector<loop_argument> all = site.arguments;
    all.insert(all.end(), site.of_lambdas.begin(), site.of_lambdas.end());
    refuse_second_names(facts_.outer, all, out_);
    return analyzed;
  }

 private:
  /// How the accesses of the body are found, if some containers are consistency::stale.
  struct inspected_loop {
    inspected_loop(const loop_facts& facts, const origins& relaxed)
        : modes(facts, relaxed),
          inspector(find_inspector(facts, modes, steering(facts, modes, facts.depends))),
          depends(facts.depends.without(inspector.left_out)),
          steers(facts, modes, depends) {}
    inspected_loop(const inspected_loop&) = delete;
    inspected_loop& operator=(const inspected_loop&) = delete;

    const container_modes modes;
    loop_inspector inspector;
    const dependences depends;  // conditions that the inspector omits no longer steer the loop
    const steering steers;
  };

  void begin(loop_site& site) const {
    for (const outer_variable& variable : facts_.outer) {
      if (!variable.is_added) continue;
      const std::string& name = variable.object.empty() ? variable.name : variable.object;
      std::vector<std::string>& added = site.added_captures;
      if (std::find(added.begin(), added.end(), name) == added.end()) added.push_back(name);
    }
    site.planned = facts_.options.planned;
    site.stale = facts_.options.stale;
    site.folds_by_text = facts_.options.folds_by_text;
    site.is_kept = facts_.options.is_kept;
    const clang::LambdaExpr* lambda = facts_.code.lambda();
    site.where =
        place_of(facts_.ast, lambda != nullptr ? lambda->getBeginLoc() : facts_.code.body().getLocation());
  }

  static void set_inspector(loop_site& site, const loop_inspector& made) {
    site.sets = made.sets;
    site.inspector_begin = made.head;
    site.inspector = made.text;
    site.sliced_functions = made.functions;
    site.why_whole_body = made.why_whole_body;
    if (!made.left_out.empty()) site.flags |= api::loop_overshoots;
    if (made.fills_maps) site.flags |= api::loop_fills_maps;
  }

  void set_steering(loop_site& site, const steering& steers) {
    site.globals = travelling_globals(facts_.code, facts_.outer, steers.data(), types_, out_);
    if (steers.data().count(nullptr) != 0) {
      site.flags |= api::loop_unknown_dependences;
      site.unknown = steers.unknown();
    }
    if (asks_process(facts_.code)) site.flags |= api::loop_asks_process;
    if (std::any_of(steers.data().begin(), steers.data().end(), is_random)) site.flags |= api::loop_random;
  }

  void add_arguments(analyzed_loop& analyzed, const inspected_loop& inspected) {
    loop_site& site = analyzed.site;
    for (const clang::LambdaExpr* lambda : holders_among(facts_.lambdas, facts_.outer))
      analyzed.lambdas[lambda].is_kept = true;
    origins give_places;
    for (const hoisted_check& one : analyzed.hoists) {
      if (one.from != nullptr) give_places.insert(one.from);
    }
    loop_arguments arguments(facts_, inspected.modes, inspected.steers, inspected.inspector.only_named,
                             give_places, checks_, out_);
    for (const outer_variable& variable : facts_.outer) arguments.add(analyzed, variable);
    for (captured_constant& one : constants_around(facts_.code, facts_.outer))
      site.constants.push_back(std::move(one));
    constexpr std::size_t most_interleaved = 64;  // the runtime has a bit for each capture
    const bool reads_sums = std::any_of(facts_.outer.begin(), facts_.outer.end(), [&](const auto& variable) {
      return is_container(variable.type()) && modes_.adds_late(variable.storage());
    });
    if (!site.transactions.empty() || reads_sums || site.arguments.size() > most_interleaved) return;
    const std::vector<std::string> numbers = arguments.numbers_among(site.arguments);
    if (calls_for_numbers(site, numbers.size())) {
      site.why_not_interleaved = "inner loops read numbers by subscript, and the body captures an object";
      return;
    }
    interleaving found = find_interleaving(facts_.code, facts_.accesses, numbers);
    site.interleaving = std::move(found.text);
    site.why_not_interleaved = std::move(found.why_not);
  }

  /// Whether interleaved iterations would call a function for each number that inner loops read by subscript.
  /// Beside a captured object in memory, g++ does not know that the container is a view.
  bool calls_for_numbers(const loop_site& site, std::size_t num_numbers) const {
    const auto num_values = std::count_if(site.arguments.begin(), site.arguments.end(),
                                          [](const auto& one) { return one.kind == argument_kind::value; });
    const auto is_in_loop = [this](const clang::Stmt* at) {
      while (at != nullptr && !is_loop(*at)) at = facts_.code.above(at);
      return at != nullptr;
    };
    return static_cast<std::size_t>(num_values) > num_numbers &&
           std::any_of(facts_.accesses.begin(), facts_.accesses.end(), [&](const access& one) {
             return is_element_of_dvector(one) && !one.reach && one.call->getType()->isArithmeticType() &&
                    is_in_loop(one.call);
           });
  }

  static void limit_index(loop_site& site, unsigned bits) {
    if (bits == 31) site.flags |= api::loop_index_of_31_bits;
    if (bits == 32) site.flags |= api::loop_index_of_32_bits;
  }

  /// Limits the number of iterations if the body accesses elements at copies of its index in smaller types.
  void limit_index(loop_site& site) const {
    constexpr unsigned at_index = api::mode_aligned | api::mode_writes_own;
    for (const access& one : facts_.accesses) {
      const bool is_relied_on = std::any_of(
          one.containers.begin(), one.containers.end(),
          [&](const clang::ValueDecl* container) { return (modes_.of(container) & at_index) != 0; });
      if (one.aligned && is_relied_on) limit_index(site, one.bits_of_index);
    }
  }

  void set_straightness(loop_site& site) const {
    if (!site.transactions.empty()) return;
    const straight_findings straight = find_straightness(facts_.code, facts_.accesses);
    site.straight = straight.found;
    const auto& outer = facts_.outer;
    bool may_add_twice = false, adds = false;
    for (loop_argument& argument : site.arguments) {
      const auto variable = std::find_if(outer.begin(), outer.end(),
                                         [&](const auto& one) { return one.name == argument.name; });
      if (variable == outer.end()) continue;
      if (argument.kind == argument_kind::reduction && variable->type()->isRealFloatingType()) {
        adds = true;
        may_add_twice |= !is_added_once(facts_.code, *variable->declaration);
      }
      if (straight.rows.count(variable->declaration) == 0) continue;
      if (argument.by_copy || argument.kind != argument_kind::value) {
        site.straight = straightness::none;  // a copy in the closure would have a handle of its own
      } else {
        argument.bits |= api::mode_read_at_index;
        limit_index(site, straight.bits_of_index);
      }
    }
    site.adds_once = adds && !may_add_twice;
  }

  /// Marks the containers that make the loop run as transactions.
  static void mark_deciders(loop_site& site) {
    for (loop_argument& argument : site.arguments) {
      const bool decides = std::any_of(site.transactions.begin(), site.transactions.end(),
                                       [&](const auto& one) { return one.container == argument.name; });
      if (decides && argument.kind == argument_kind::container) argument.bits |= api::mode_decides;
    }
  }

  /// If iterations write, the analysis must know the elements that each pointer reaches. If they only add, a
  /// pointer that stays in the body may reach any.
  void refuse_lost_pointers() {
    for (const access& one : facts_.accesses) {
      if (!one.reach || one.reach->lost == nullptr) continue;
      for (const clang::ValueDecl* container : one.containers) {
        if ((modes_.of(container) & api::mode_write) == 0) continue;
        if (one.reach->lacks_offset && modes_.is_only_added(container)) continue;
        const bool made_in_body = facts_.code.function_of(one.call) == &facts_.code.body();
        const clang::SourceLocation made = one.call->getExprLoc();
        const clang::SourceLocation lost = one.reach->lost->getExprLoc();
        const std::string name = container->getNameAsString();
        const std::string only_adds =
            one.reach->lacks_offset ? ", and the loop does not only add into `" + name + "`" : "";
        out_.report(refusal::pointer_lost, made_in_body ? made : lost,
                    {name, one.reach->why + only_adds, instead_of_pointer(facts_.code, one, name)},
                    made_in_body ? lost : made);
        break;
      }
    }
  }

  struct self_dependence {
    const access* of;
    std::vector<std::string> words;
    const clang::Stmt* compared;  // pointers, which counts as a use of the data; or null

    const clang::Expr* where() const { return of->call; }
  };
  /// Finds the accesses that depend on data that the loop writes: a set recorded before the loop would be
  /// wrong.
  std::vector<self_dependence> self_dependences(const inspected_loop& inspected) const {
    const auto& [modes, inspector, depends, steers] = inspected;
    std::vector<self_dependence> found;
    for (const outer_variable& variable : facts_.outer) {
      if (!is_container(variable.type()) || !modes.is_scattered(variable.storage())) continue;
      if (steers.is_steady(variable.storage())) continue;
      for (const access& one : facts_.accesses) {
        if (!modes.is_found_beforehand(one) || steers.deciders_of(one).count(variable.storage()) == 0)
          continue;
        const char* verb = modes.surely_writes(variable.storage()) ? "writes" : "may write";
        found.push_back({&one, {variable.name, verb}, comparison_with(variable.storage())});
      }
    }
    return found;
  }

  /// A comparison of pointers into the container that is not seen to depend on subscripts alone; or null.
  const clang::Stmt* comparison_with(const clang::ValueDecl* container) const {
    if (container_name(container->getType()) != api::dvector) return nullptr;
    for (const clang::Stmt* node : facts_.code.nodes()) {
      if (compares_pointers(*node) && !place_comparison_of(facts_.code, *node) &&
          facts_.depends.of_value(*node).count(container) != 0)
        return node;
    }
    return nullptr;
  }

  std::optional<source_place> place_compared(const self_dependence& one) const {
    if (one.compared == nullptr) return std::nullopt;
    return place_of(facts_.ast, one.compared->getBeginLoc());
  }
  std::string instead_of_comparison(const self_dependence& one) const {
    const std::optional<source_place> compared = place_compared(one);
    if (!compared) return "";
    return "; the comparison of pointers in line " + std::to_string(compared->line) +
           " counts as a use of that data: compare the indices";
  }

  /// Makes iterations run as transactions if no set can be recorded and the body may run more than once.
  /// Returns whether the loop was refused.
  bool settle_self_dependence(loop_site& site, const inspected_loop& inspected) {
    if (!facts_.options.planned) return false;
    const std::optional<single_effect> once = why_only_once(facts_.code);
    site.may_run_again = !once;
    const std::vector<self_dependence> found = self_dependences(inspected);
    for (const self_dependence& one : found) {
      if (once) {
        out_.report(refusal::self_dependent, one.where()->getExprLoc(),
                    {one.words[0], one.words[1] + instead_of_comparison(one), once->what},
                    once->where->getExprLoc());
      } else {
        site.transactions.insert({place_of(facts_.ast, one.where()->getExprLoc()), one.words[0], one.words[1],
                                  place_compared(one)});
      }
    }
    if (site.transactions.empty()) return once && !found.empty();
    site.flags = (site.flags & ~api::loop_overshoots) | api::loop_transactional;
    site.sets = found_by::transactions;
    site.inspector.clear();
    return false;
  }

  /// The containers to relax so that all accesses of a transactional loop are found beforehand, and the
  /// analysis under that assumption. Null if there are none.
  std::unique_ptr<inspected_loop> relaxed_loop(const inspected_loop& strict) const {
    origins relaxed;
    std::vector<self_dependence> found = self_dependences(strict);
    std::unique_ptr<inspected_loop> made;
    while (!found.empty()) {
      const std::size_t before = relaxed.size();
      for (const self_dependence& one : found)
        relaxed.insert(one.of->containers.begin(), one.of->containers.end());
      const bool may_relax = std::all_of(
          relaxed.begin(), relaxed.end(),
          [&](const clang::ValueDecl* container) { return strict.modes.may_be_relaxed(container); });
      if (!may_relax || relaxed.size() == before) return nullptr;
      made = std::make_unique<inspected_loop>(facts_, relaxed);
      found = self_dependences(*made);
    }
    return made;
  }

  /// Prepares a transactional loop for a plan, in case that the containers which hinder one are
  /// consistency::stale at run time.
  std::unique_ptr<inspected_loop> without_relaxed(loop_site& site,
                                                  std::unique_ptr<inspected_loop> strict) const {
    std::unique_ptr<inspected_loop> made = relaxed_loop(*strict);
    if (made == nullptr) {
      strict->inspector.only_named.clear();
      return strict;
    }
    set_inspector(site, made->inspector);
    site.sets = found_by::transactions;
    if (made->inspector.sets != found_by::nothing) site.flags |= api::loop_relaxable;
    return made;
  }

  const loop_facts facts_;
  const container_modes modes_;
  travelling_types& types_;
  capture_checks checks_;
  diagnostics& out_;
};

/// The options with the variables that stand for members in place of these members.
static loop_options with_members_named(loop_options options, const captured_objects& objects) {
  access_annotations all;
  for (const auto& [container, said] : options.annotations) {
    const clang::VarDecl* member = objects.named_by(*said.named);
    all.emplace(member != nullptr ? member : container, said);
  }
  options.annotations = std::move(all);
  return options;
}

/// Adds the members of a class and its bases as text may name them: private ones by functions.
void add_members(const clang::CXXRecordDecl* record, const std::string& before, unsigned depth,
                 std::set<std::string>& found) {
  constexpr unsigned deepest = 4;
  if (record == nullptr || !record->hasDefinition() || !is_users(*record) || depth > deepest) return;
  record = record->getDefinition();
  for (const clang::CXXBaseSpecifier& base : record->bases())
    add_members(base.getType()->getAsCXXRecordDecl(), before, depth + 1, found);
  for (const clang::FieldDecl* field : record->fields()) {
    const std::string name = field->getNameAsString();
    const clang::CXXRecordDecl* type = field->getType().getNonReferenceType()->getAsCXXRecordDecl();
    if (name.empty()) add_members(type, before, depth + 1, found);  // an anonymous struct
    std::vector<std::string> texts{before + name};
    if (field->getAccess() != clang::AS_public) texts.push_back(before + api::opened_prefix + name + "()");
    for (const std::string& text : texts) {
      found.insert(text);
      add_members(type, text + ".", depth + 1, found);
    }
  }
}

std::map<std::string, std::set<std::string>> members_of(const captured_objects& objects) {
  std::map<std::string, std::set<std::string>> found;
  for (const used_member& one : objects.members()) {
    if (one.object == nullptr) continue;
    const auto [at, fresh] = found.try_emplace(one.object->getNameAsString());
    if (!fresh) continue;
    clang::QualType type = one.object->getType().getNonReferenceType();
    if (type->isPointerType()) type = type->getPointeeType();
    add_members(type->getAsCXXRecordDecl(), "", 0, at->second);
  }
  return found;
}

}  // namespace

analyzed_loop analyze_loop(const analysis_input& with, const clang::LambdaExpr* lambda,
                           const clang::CXXMethodDecl& body, const loop_options& options) {
  const captured_objects objects(with.ast, lambda, body, with.members, with.parts, with.passed, with.types,
                                 with.out);
  if (objects.is_refused()) return {};
  analyzed_loop made = loop_analyzer(with, objects, lambda, body, with_members_named(options, objects)).run();
  made.site.members_of_objects = members_of(objects);
  return made;
}

}  // namespace stradsap::pp
