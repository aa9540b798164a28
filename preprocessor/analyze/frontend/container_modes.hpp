// The use that a body makes of each container: reads, writes, additions, by the text or by the user's
// access(...). At run time some containers may be consistency::stale, and their accesses need not be known;
// an analysis may assume that of any. Immutable; borrows from the facts; one thread at a time.
#pragma once

#include <map>
#include <set>

#include "analyze/access/copy_folds.hpp"
#include "analyze/frontend/loop_facts.hpp"
#include "analyze/source/api_names.hpp"

namespace stradsap::pp {

class container_modes {
 public:
  /// `relaxed`: containers that are assumed to be consistency::stale.
  explicit container_modes(const loop_facts& facts, origins relaxed = {});

  /// Mode bits of api_names.hpp. The bits on steering and on lists of elements need later steps.
  unsigned of(const clang::ValueDecl* container) const;
  /// Whether the body adds into the container and reads values as of the start of the loop:
  /// access(adds_late).
  bool adds_late(const clang::ValueDecl* container) const { return (of(container) & late_sum) == late_sum; }
  bool is_relaxed(const clang::ValueDecl* container) const { return relaxed_.count(container) != 0; }
  /// Whether accesses need no plan, since accumulators are copies of the container.
  bool has_copies(const clang::ValueDecl* container) const {
    return is_relaxed(container) || adds_late(container);
  }
  /// Whether the container may be consistency::stale: a dvector that no lambda captures for the body.
  bool may_be_relaxed(const clang::ValueDecl* container) const;
  /// Whether some accesses touch an unknown column of a row that another access touches whole.
  bool knows_rows() const { return !of_known_rows_.empty(); }
  /// Whether the body only adds into the dvector, and names each addition: then no pointer to its elements
  /// leaves the body, and one of unknown reach may reach all of them.
  bool is_only_added(const clang::ValueDecl* container) const;
  /// Whether the body writes the container, and not only at the loop's own index.
  bool is_scattered(const clang::ValueDecl* container) const;
  /// Whether the text writes it, in contrast to code out of sight that may.
  bool surely_writes(const clang::ValueDecl* container) const;
  /// The fold if shards or accumulators have copies of the container, unless it is that of an operator.
  found_fold fold_of(const clang::ValueDecl* container) const;
  /// Whether the access must be known before the loop runs. Elements of other containers are present in any
  /// case: either all of them, or together with their iteration.
  bool is_found_beforehand(const access& one) const;

 private:
  static constexpr unsigned late_sum = api::mode_accumulates | api::mode_adds_late;

  unsigned by_text(const clang::ValueDecl* container) const;
  unsigned bits_of_reaches(const clang::ValueDecl* container) const;
  void find_accumulated();
  void find_folds();
  void find_compared();
  void find_order(const clang::Stmt& node);
  void find_known_places();
  bool is_decided_by_writes(const access& one) const;

  const loop_facts& facts_;
  const origins relaxed_;
  std::map<const clang::ValueDecl*, unsigned> adds_only_;  // containers: bits of their modes
  std::map<const clang::ValueDecl*, unsigned> compared_;   // the body compares addresses of their elements
  std::map<const clang::ValueDecl*, found_fold> folds_;    // of containers that the body writes
  origins held_;                                           // captured by lambdas that the body captures
  std::set<const clang::Expr*> of_known_rows_;             // accesses: see access/known_rows.hpp
  std::set<const clang::Expr*> touched_anyway_;            // accesses: see access/repeated_places.hpp
};

}  // namespace stradsap::pp
