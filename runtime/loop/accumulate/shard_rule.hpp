// The fold of the changes that several shards, or accumulators, made to one element. Thread rule: values.
#pragma once

#include <stradsap/abi/abi.hpp>

#include "runtime/loop/accumulate/chunks.hpp"
#include "runtime/loop/accumulate/finite_folds.hpp"

namespace stradsap::rt {

/// By an operator, from parts that start neutral; the value of the last shard; or by a rule for numbers.
struct shard_rule {
  const abi::accumulation* folded = nullptr;
  bool last_counts = false;
  merge::rule how = merge::sum;
  bool stays_finite = false;  // a fraction that has become infinite, or not a number, is an error

  [[nodiscard]] bool is_adaptive() const { return how.which() == merge::rule::kind::adaptive; }
};

/// Whether each rank folds all elements: in adaptive merges, since all ranks have their histories, and in
/// small containers, since a second message with results would take longer. The same on all ranks.
[[nodiscard]] inline bool folds_everywhere(const shard_rule& rule, const replica& local) {
  constexpr std::uint64_t most_bytes = 4096;
  if (rule.is_adaptive()) return true;
  const bool is_plain = is_bytes(local.ops()) && local.keys() == nullptr;
  return is_plain && rule.how.which() != merge::rule::kind::function &&
         local.size() * local.ops().size <= most_bytes;
}

/// The merge of values that a body means by its text; of a product, that of differences.
[[nodiscard]] inline merge::rule merge_in_text(unsigned mode) {
  using rules = merge::rule::kind;
  if ((mode & abi::keeps_least) != 0) return merge::min;
  if ((mode & abi::keeps_greatest) != 0) return merge::max;
  if ((mode & abi::replaces_parts) != 0) return merge::last;
  if (!abi::is_only_added(mode) && (mode & abi::folds_bits) == 0) return merge::sum;
  switch ((mode & abi::operator_bits) >> abi::operator_shift) {
    case abi::takes_minimum:
    case abi::takes_minimum_number:
      return merge::min;
    case abi::takes_maximum:
    case abi::takes_maximum_number:
      return merge::max;
    case abi::ands_bits:
      return rules::bit_and;
    case abi::ors_bits:
      return rules::bit_or;
    case abi::xors_bits:
      return rules::bit_xor;
    default:
      return merge::sum;
  }
}

/// An explicit merge replaces the rules that follow from how a body writes. Elements with memory of their own
/// have no neutral copies to begin with.
[[nodiscard]] inline shard_rule rule_for(const abi::capture_info& capture, const merge::rule& how,
                                         bool is_relaxed) {
  const bool stays_finite = is_relaxed && keeps_finite(how);
  if (how != merge::sum) return {nullptr, false, how, stays_finite};
  const bool by_operator =
      capture.added != nullptr && capture.added->shape == nullptr && !capture.added->is_sum;
  const bool only_replaces = (capture.mode & abi::replaces) != 0;
  const merge::rule in_text = merge_in_text(capture.mode);
  return {by_operator ? capture.added : nullptr, only_replaces, in_text,
          stays_finite && !by_operator && !only_replaces && in_text == merge::sum};
}

/// The same for copies that other copies are compared with: no element that is not plain bytes begins
/// neutral.
[[nodiscard]] inline shard_rule rule_for_copies(const abi::capture_info& capture, const merge::rule& how,
                                                const abi::element_ops& ops) {
  const shard_rule rule = rule_for(capture, how, /*is_relaxed=*/true);
  if (rule.folded == nullptr || is_bytes(ops)) return rule;
  return {nullptr, false, rule.how, keeps_finite(rule.how)};
}

}  // namespace stradsap::rt
