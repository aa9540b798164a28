#include "analyze/frontend/loop_arguments.hpp"

#include <algorithm>
#include <optional>

#include "analyze/captures/capture_refusals.hpp"
#include "analyze/captures/captured_lambdas.hpp"
#include "analyze/captures/captures.hpp"
#include "analyze/captures/reductions.hpp"
#include "analyze/code/fields.hpp"
#include "analyze/frontend/stated_models.hpp"
#include "analyze/interleaving/pure_code.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/fix_its.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

void loop_arguments::add(analyzed_loop& to, const outer_variable& variable) {
  if (variable.holder == nullptr) return add_to(to.site, variable);
  reconstructible_closure& lambda = to.lambdas[variable.holder];
  add_to(lambda, variable);
  if (variable.is_constant) return;
  // Other loops may use the lambda in other ways, so it gets neither accumulation nor element lists.
  lambda.arguments.back().bits &= ~(api::mode_listed | api::mode_accumulates | api::operator_bits);
  to.site.of_lambdas.push_back(lambda.arguments.back());
}

void loop_arguments::add_to(reconstructible_closure& closure, const outer_variable& variable) {
  const std::size_t before = closure.arguments.size();
  add_of_kind(closure, variable);
  if (closure.arguments.size() == before) return;
  closure.arguments.back().object = variable.object;
  closure.arguments.back().member = variable.member;
}

void loop_arguments::add_of_kind(reconstructible_closure& closure, const outer_variable& variable) {
  if (is_container(variable.type())) {
    closure.arguments.push_back(container(variable));
  } else if (variable.is_constant) {
    closure.constants.push_back(constant_of(facts_.code, facts_.capturing(variable),
                                            llvm::cast<clang::VarDecl>(*variable.declaration)));
  } else {
    closure.arguments.push_back(value(variable));
  }
}

std::vector<std::string> loop_arguments::numbers_among(const std::vector<loop_argument>& arguments) const {
  std::vector<std::string> names;
  for (const loop_argument& argument : arguments) {
    const auto known = std::find_if(facts_.outer.begin(), facts_.outer.end(),
                                    [&](const outer_variable& one) { return one.name == argument.name; });
    if (argument.kind == argument_kind::value && argument.path.empty() && known != facts_.outer.end() &&
        is_simple(known->type().getNonReferenceType()))
      names.push_back(argument.name);
  }
  return names;
}

unsigned loop_arguments::mode_of(const clang::ValueDecl* container) const {
  unsigned mode = modes_.of(container);
  if (only_named_.count(container) != 0) mode |= api::mode_listed;
  if (give_places_.count(container) != 0) mode |= api::mode_gives_places;
  if (modes_.is_relaxed(container)) mode |= api::mode_hinders;
  if (steers_.data().count(container) == 0) return mode;
  const bool steady = (mode & api::mode_write) != 0 && steers_.is_steady(container);
  return mode | api::mode_steers | (steady ? api::mode_steady : 0);
}

loop_argument loop_arguments::container(const outer_variable& variable) {
  if (variable.by_copy) {
    out_.report(refusal::captured_container_copy, variable.where, {variable.name}, {},
                captured_by_reference(facts_.ast, facts_.capturing(variable), *variable.declaration));
  }
  loop_argument made{.name = variable.name,
                     .path = variable.path,
                     .evaluated = variable.evaluated != nullptr,
                     .kind = argument_kind::container,
                     .bits = mode_of(variable.storage()),
                     .has_keys = container_name(variable.type()) != api::dvector};
  made.stale = staleness_of(facts_.ast, *variable.storage());
  const clang::QualType element = element_of(variable.type());
  const std::optional<origins> changed = facts_.depends.changed_fields(variable.storage());
  const bool in_sight = facts_.written_through_const.count(variable.storage()) == 0 && changed.has_value();
  if ((made.bits & api::mode_write) != 0 && in_sight) made.written_fields = field_bits(*changed, element);
  if ((made.bits & api::mode_steers) != 0) made.steering_fields = field_bits(steers_.data(), element);
  return made;
}

loop_argument loop_arguments::value(const outer_variable& variable) {
  if (checks_.refuse_tool(variable) || checks_.refuse_element(variable))
    return {.name = variable.name, .path = variable.path};
  const unsigned steers = steers_.data().count(variable.storage()) != 0 ? api::mode_steers : 0;
  reduction found = find_reduction(facts_.code, facts_.accesses, variable,
                                   names_of(facts_.code, variable.declaration), out_);
  if (!found.members.empty())
    return {.name = variable.name,
            .path = variable.path,
            .evaluated = variable.evaluated != nullptr,
            .kind = argument_kind::reduction,
            .folded = std::move(found.members)};
  if (!checks_.refuse_type(variable)) checks_.refuse_writes(variable, found.folds);
  warn_of_size(facts_.ast, variable, out_);
  const std::vector<const clang::Expr*> names = names_of(facts_.code, variable.declaration);
  const bool moved = std::any_of(names.begin(), names.end(), [&](const clang::Expr* name) {
    return is_moved_into_capture(facts_.code, *name);
  });
  return {.name = variable.name,
          .path = variable.path,
          .evaluated = variable.evaluated != nullptr,
          .kind = remade_lambda(facts_.lambdas, variable.type()) != nullptr ? argument_kind::callable
                                                                            : argument_kind::value,
          .bits = steers | (moved ? api::mode_moved : 0),
          .by_copy = variable.of_closure,
          .is_object = !is_simple(variable.type().getNonReferenceType())};
}

}  // namespace stradsap::pp
