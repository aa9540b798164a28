#include "analyze/frontend/inspector.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "analyze/code/types.hpp"
#include "analyze/slicing/own_places.hpp"
#include "analyze/slicing/slice.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// The body's own introducer, with results in place of initialisers that only one process can evaluate.
static std::optional<std::string> own_introducer(const loop_facts& facts) {
  other_texts given;
  for (const outer_variable& variable : facts.outer) {
    if (variable.evaluated == nullptr || variable.holder != nullptr) continue;
    const auto begin = position_of(facts.ast, variable.evaluated->getBeginLoc());
    const auto end = position_after(facts.ast, variable.evaluated->getEndLoc());
    if (!begin || !end) return std::nullopt;
    given[begin->offset] = {end->offset - begin->offset, api::parameter_prefix + variable.name};
  }
  return excerpt(facts.ast, facts.code.lambda()->getIntroducerRange(), given);
}

static bool has_own_captures(const loop_facts& facts) {
  const clang::LambdaExpr* lambda = facts.code.lambda();
  return lambda != nullptr &&
         std::any_of(lambda->capture_begin(), lambda->capture_end(),
                     [&](const clang::LambdaCapture& capture) { return lambda->isInitCapture(&capture); });
}

/// The head of the inspector's lambda: that of the body, or plain [&] if the body has no init-captures.
/// Nothing if the body's cannot be repeated.
static std::optional<std::string> head_of(const loop_facts& facts) {
  const bool own = has_own_captures(facts);
  const bool has_added = std::any_of(facts.outer.begin(), facts.outer.end(),
                                     [](const outer_variable& variable) { return variable.is_added; });
  if (own && has_added) return std::nullopt;
  const auto introducer = own ? own_introducer(facts) : std::string("[&]");
  const clang::LambdaExpr* lambda = facts.code.lambda();
  const clang::FunctionDecl& written = lambda != nullptr ? *lambda->getCallOperator() : facts.code.body();
  if (!introducer || written.getNumParams() != 1 || written.getParamDecl(0)->getName().empty())
    return std::nullopt;
  const bool is_template = lambda != nullptr && !lambda->getExplicitTemplateParameters().empty();
  const auto parameter = excerpt(facts.ast, written.getParamDecl(0)->getSourceRange());
  if (!parameter || is_template) return std::nullopt;
  return *introducer + "(" + *parameter + ") { (void)" + written.getParamDecl(0)->getNameAsString() + "; ";
}

static slice_goal goal_of(const loop_facts& facts, const container_modes& modes, const steering& steers) {
  slice_goal goal{facts.accesses};
  for (const access& one : facts.accesses) {
    if (modes.is_found_beforehand(one)) goal.targets.push_back(&one);
  }
  for (const outer_variable& variable : facts.outer) {
    const unsigned mode = is_container(variable.type()) ? modes.of(variable.storage()) : 0;
    if ((mode & api::mode_write) == 0) continue;
    if ((mode & api::mode_aligned) != 0)
      goal.written_aligned.insert(variable.storage());
    else if (!steers.is_steady(variable.storage()))
      goal.written.insert(variable.storage());
  }
  return goal;
}

/// A slice that omits the conditions on data that decide no place, if that is safe.
static slice find_steady_slice(const loop_facts& facts, slice_goal goal) {
  goal.omissible = conditions_on_own_places(facts.code, facts.depends, goal.targets);
  slice found = find_slice(facts.code, facts.depends, goal);
  if (!found.text.empty() || goal.omissible.empty()) return found;
  goal.omissible.clear();
  return find_slice(facts.code, facts.depends, goal);
}

/// Whether the body writes a map, and not only by additions, which private copies take.
static bool writes_map(const loop_facts& facts, const container_modes& modes) {
  return std::any_of(facts.outer.begin(), facts.outer.end(), [&](const outer_variable& variable) {
    const llvm::StringRef name = container_name(variable.type());
    return (name == api::dmap || name == api::dmultimap) && modes.is_scattered(variable.storage()) &&
           (modes.of(variable.storage()) & api::mode_accumulates) == 0;
  });
}

loop_inspector find_inspector(const loop_facts& facts, const container_modes& modes, const steering& steers) {
  loop_inspector made;
  const slice_goal goal = goal_of(facts, modes, steers);
  if (goal.targets.empty()) return made;
  slice found = find_steady_slice(facts, goal);
  const std::optional<std::string> head = found.text.empty() ? std::nullopt : head_of(facts);
  made.sets = found_by::whole_body;
  made.why_whole_body =
      found.text.empty() || head ? found.why_not : "the head of the lambda cannot be repeated";
  if (!head) return made;
  made.fills_maps = found.is_mostly_body && writes_map(facts, modes);
  made.sets = found.is_exact && !modes.knows_rows() ? found_by::exact_slice : found_by::slice;
  made.head = *head;
  made.text = std::move(found.text);
  made.functions = std::move(found.functions);
  made.only_named = std::move(found.only_named);
  for (const outer_variable& variable : facts.outer) {
    if (is_container(variable.type()) && modes.has_copies(variable.storage()))
      made.only_named.insert(variable.storage());
  }
  made.left_out = std::move(found.left_out);
  return made;
}

}  // namespace stradsap::pp
