// The arguments with which each process reconstructs a closure: one for each captured variable. Borrows from
// the facts; one thread at a time.
#pragma once

#include <string>
#include <vector>

#include "analyze/findings/translation_unit.hpp"
#include "analyze/frontend/capture_checks.hpp"
#include "analyze/frontend/container_modes.hpp"
#include "analyze/frontend/steering.hpp"

namespace stradsap::pp {

class loop_arguments {
 public:
  /// `only_named`: containers with elements that the inspector names but never reads. `give_places`: those
  /// with the subscripts of checks before inner loops.
  loop_arguments(const loop_facts& facts, const container_modes& modes, const steering& steers,
                 const origins& only_named, const origins& give_places, capture_checks& checks,
                 diagnostics& out)
      : facts_(facts),
        modes_(modes),
        steers_(steers),
        only_named_(only_named),
        give_places_(give_places),
        checks_(checks),
        out_(out) {}

  /// Adds the argument for a variable to the closure that captures it: the loop's, or that of a lambda that
  /// the loop captures. Reports refusals of the capture.
  void add(analyzed_loop& to, const outer_variable& variable);

  /// The arguments that are plain numbers, by name.
  std::vector<std::string> numbers_among(const std::vector<loop_argument>& arguments) const;

 private:
  void add_to(reconstructible_closure& closure, const outer_variable& variable);
  void add_of_kind(reconstructible_closure& closure, const outer_variable& variable);
  loop_argument container(const outer_variable& variable);
  loop_argument value(const outer_variable& variable);
  unsigned mode_of(const clang::ValueDecl* container) const;

  const loop_facts& facts_;
  const container_modes& modes_;
  const steering& steers_;
  const origins& only_named_;
  const origins& give_places_;
  capture_checks& checks_;
  diagnostics& out_;
};

}  // namespace stradsap::pp
