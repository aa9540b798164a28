#include "analyze/frontend/container_modes.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "analyze/access/accumulations.hpp"
#include "analyze/access/known_rows.hpp"
#include "analyze/access/repeated_places.hpp"
#include "analyze/code/place_comparisons.hpp"
#include "analyze/code/types.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

static bool is_scattered_by(unsigned mode) {
  return (mode & api::mode_write) != 0 && (mode & api::mode_aligned) == 0;
}

container_modes::container_modes(const loop_facts& facts, origins relaxed)
    : facts_(facts), relaxed_(std::move(relaxed)) {
  for (const outer_variable& variable : facts.outer) {
    if (variable.holder != nullptr) held_.insert(variable.storage());
  }
  find_accumulated();
  find_folds();
  find_compared();
  find_known_places();
}

/// Whether the node is part of the condition of a loop, as `p < end` of a walk within a row.
static bool bounds_a_loop(const region& code, const clang::Stmt& node) {
  const clang::Stmt* at = &node;
  const clang::Stmt* above = code.above(at);
  while (llvm::isa_and_nonnull<clang::Expr>(above)) above = code.above(at = above);
  const auto* round = llvm::dyn_cast_or_null<clang::ForStmt>(above);
  const auto* once = llvm::dyn_cast_or_null<clang::WhileStmt>(above);
  const auto* then = llvm::dyn_cast_or_null<clang::DoStmt>(above);
  return (round != nullptr && round->getCond() == at) || (once != nullptr && once->getCond() == at) ||
         (then != nullptr && then->getCond() == at);
}

/// Copies of the elements have to lie as the elements do if a comparison by order is not understood.
void container_modes::find_order(const clang::Stmt& node) {
  if (!compares_pointers(node) || llvm::cast<clang::BinaryOperator>(node).isEqualityOp() ||
      bounds_a_loop(facts_.code, node))
    return;
  for (const clang::ValueDecl* container : facts_.depends.of_value(node)) {
    const bool is_known = container != nullptr;  // null: data that no text shows
    if (is_known && container_name(container->getType()) == api::dvector)
      compared_[container] |= api::mode_ordered;
  }
}

void container_modes::find_compared() {
  for (const clang::Stmt* node : facts_.code.nodes()) {
    const std::optional<place_comparison> compared = place_comparison_of(facts_.code, *node);
    if (!compared) {
      find_order(*node);
      continue;
    }
    const std::vector<const clang::Expr*>& from = compared->accesses;
    for (const access& one : facts_.accesses) {
      if (std::find(from.begin(), from.end(), one.call) == from.end()) continue;
      for (const clang::ValueDecl* container : one.containers)
        compared_[container] |= api::mode_compared | (compared->is_ordered ? api::mode_ordered : 0);
    }
  }
}

void container_modes::find_accumulated() {
  for (const outer_variable& variable : facts_.outer) {
    if (!is_container(variable.type()) || facts_.written_through_const.count(variable.storage()) != 0)
      continue;
    const char* op = operator_of_accumulation(facts_.code, facts_.accesses, variable.storage());
    for (unsigned number = 0; op != nullptr && number < std::size(api::operators); ++number) {
      if (std::string_view(op) == api::operators[number])
        adds_only_[variable.storage()] = api::mode_accumulates | number << api::operator_shift;
    }
  }
}

void container_modes::find_folds() {
  origins written;
  for (const outer_variable& variable : facts_.outer) {
    const clang::ValueDecl* container = variable.storage();
    if (!is_container(variable.type()) || facts_.written_through_const.count(container) != 0) continue;
    if (is_scattered_by(by_text(container))) written.insert(container);
  }
  for (const clang::ValueDecl* container : written)
    folds_[container] = fold_of_copies(facts_.code, facts_.depends, facts_.accesses, container, written);
}

found_fold container_modes::fold_of(const clang::ValueDecl* container) const {
  const auto found = folds_.find(container);
  return found == folds_.end() || adds_only_.count(container) != 0 ? found_fold() : found->second;
}

static unsigned mode_of(copy_fold how) {
  switch (how) {
    case copy_fold::differences:
      return 0;
    case copy_fold::last:
      return api::mode_replaces;
    case copy_fold::last_parts:
      return api::mode_replaces_parts;
    case copy_fold::least:
      return api::mode_keeps_least;
    case copy_fold::greatest:
      return api::mode_keeps_greatest;
    case copy_fold::and_bits:
      return api::mode_folds_bits | abi::ands_bits << api::operator_shift;
    case copy_fold::or_bits:
      return api::mode_folds_bits | abi::ors_bits << api::operator_shift;
    case copy_fold::xor_bits:
      return api::mode_folds_bits | abi::xors_bits << api::operator_shift;
  }
  return 0;
}

/// Whether data that the loop writes decide which element it is.
bool container_modes::is_decided_by_writes(const access& one) const {
  const origins deciders = facts_.depends.of_access(*one.call);
  return std::any_of(facts_.outer.begin(), facts_.outer.end(), [&](const outer_variable& variable) {
    const clang::ValueDecl* container = variable.storage();
    return is_container(variable.type()) && deciders.count(container) != 0 && is_scattered(container) &&
           !facts_.depends.leaves_alone(container, deciders);
  });
}

void container_modes::find_known_places() {
  std::vector<const access*> decided;
  std::vector<const access*> sure;
  for (const access& one : facts_.accesses) {
    if (is_found_beforehand(one)) (is_decided_by_writes(one) ? decided : sure).push_back(&one);
  }
  const auto is_touched_anyway = [&](const access& one) {
    return std::any_of(sure.begin(), sure.end(), [&](const access* other) {
      return touches_same_place(facts_.code, facts_.depends, *other, one);
    });
  };
  std::set<const clang::Expr*> rows;
  for (const access* one : decided) {
    if (is_of_known_row(facts_.code, facts_.depends, facts_.accesses, *one)) {
      rows.insert(one->call);
    } else if (is_touched_anyway(*one)) {
      touched_anyway_.insert(one->call);
    }
  }
  of_known_rows_ = std::move(rows);
}

unsigned container_modes::by_text(const clang::ValueDecl* container) const {
  unsigned mode = 0;
  bool aligned = true;
  bool writes_own = true;
  for (const access& one : facts_.accesses) {
    if (one.containers.count(container) == 0) continue;
    mode |= one.bits;
    if (one.bits != use_none && !one.aligned) aligned = false;
    if ((one.bits & use_write) != 0 && !one.aligned) writes_own = false;
    if (one.is_range) mode |= api::mode_ranges;
  }
  if (mode != 0 && facts_.written_through_const.count(container) != 0) {
    mode |= use_both;
    writes_own = false;
  }
  if (aligned && mode != 0) return mode | api::mode_aligned;
  const auto compared = compared_.find(container);
  if (compared != compared_.end()) mode |= compared->second;
  return writes_own && (mode & use_write) != 0 ? mode | api::mode_writes_own : mode;
}

/// Whether some pointer may reach all elements, since its offsets are unknown.
unsigned container_modes::bits_of_reaches(const clang::ValueDecl* container) const {
  const bool is_any = std::any_of(facts_.accesses.begin(), facts_.accesses.end(), [&](const access& one) {
    return one.reach && one.reach->lost != nullptr && one.containers.count(container) != 0;
  });
  return is_any ? api::mode_reaches_any : 0;
}

unsigned container_modes::of(const clang::ValueDecl* container) const {
  unsigned mode = by_text(container);
  const auto added = adds_only_.find(container);
  const bool is_added = is_scattered_by(mode) && added != adds_only_.end();
  if (is_added) mode |= added->second | bits_of_reaches(container);
  const auto folded = folds_.find(container);
  if (!is_added && is_scattered_by(mode) && folded != folds_.end()) mode |= mode_of(folded->second.how);
  const auto said = facts_.options.annotations.find(container);
  if (said == facts_.options.annotations.end() || mode == 0) return mode;
  const bool is_known = is_added && (said->second.bits & api::mode_accumulates) != 0;
  if (is_known) return mode;
  const unsigned stated = (mode & ~(said->second.mask | api::mode_writes_own)) | said->second.bits;
  const bool is_late = is_scattered_by(mode) && held_.count(container) == 0;
  constexpr unsigned late = late_sum | api::operator_bits;
  return (stated & api::mode_adds_late) == 0 || is_late ? stated : stated & ~late;
}

bool container_modes::is_only_added(const clang::ValueDecl* container) const {
  return adds_only_.count(container) != 0 && held_.count(container) == 0 &&
         container_name(container->getType()) == api::dvector &&
         (of(container) & (api::mode_accumulates | api::mode_adds_late)) == api::mode_accumulates;
}

bool container_modes::is_scattered(const clang::ValueDecl* container) const {
  return is_scattered_by(of(container));
}

bool container_modes::may_be_relaxed(const clang::ValueDecl* container) const {
  return std::any_of(facts_.outer.begin(), facts_.outer.end(), [&](const outer_variable& variable) {
    return variable.storage() == container && held_.count(container) == 0 && is_container(variable.type()) &&
           container_name(variable.type()) == api::dvector && is_scattered(container);
  });
}

bool container_modes::surely_writes(const clang::ValueDecl* container) const {
  return std::any_of(facts_.accesses.begin(), facts_.accesses.end(), [&](const access& one) {
    return one.surely_written && one.containers.count(container) != 0;
  });
}

bool container_modes::is_found_beforehand(const access& one) const {
  if (one.bits == use_none || of_known_rows_.count(one.call) != 0) return false;
  if (touched_anyway_.count(one.call) != 0) return false;
  return std::any_of(one.containers.begin(), one.containers.end(), [&](const auto* container) {
    return is_scattered(container) && !has_copies(container);
  });
}

}  // namespace stradsap::pp
