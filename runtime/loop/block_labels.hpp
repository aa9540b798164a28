// Labels for the iterations of one part of a loop: two iterations have one label if they touch the same set
// of groups, their signature, in the same half of the loop. Thread rule: one thread at a time; parts are
// apart.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/loop/access_sets.hpp"
#include "runtime/loop/group_index.hpp"
#include "runtime/loop/signatures.hpp"

namespace stradsap::rt {

/// Where the tokens of one capture's groups begin, and which element is in which group.
struct token_table {
  std::uint32_t first = 0;
  group_index groups;
};

class block_labels {
 public:
  /// `tokens`: one per capture. The loop's second half begins at `second_half` in `sets`, or at their end.
  block_labels(const access_sets& sets, const std::vector<token_table>& tokens, std::uint64_t second_half);

  [[nodiscard]] std::uint32_t num_labels() const { return static_cast<std::uint32_t>(counts_.size()); }
  /// Iterations of that label; may be none.
  [[nodiscard]] std::uint32_t count(std::uint32_t label) const { return counts_[label]; }
  [[nodiscard]] static std::uint32_t half(std::uint32_t label) { return label % halves; }
  /// The signature that a label stands for: tokens, sorted, each once.
  [[nodiscard]] std::vector<std::uint32_t> signature(std::uint32_t label) const;
  /// Each iteration's label; whoever needs them no longer may keep something else there.
  [[nodiscard]] plain_array<std::uint32_t>& of_iterations() { return labels_; }

 private:
  static constexpr std::uint32_t halves = 2;

  bool number_rows();
  void number_rows(std::size_t begin, std::size_t count);
  void search_sets();
  [[nodiscard]] std::uint32_t half_of(std::uint64_t i) const { return i < second_half_ ? 0 : 1; }

  const access_sets& sets_;
  const std::vector<token_table>& tokens_;
  const std::uint64_t second_half_;
  plain_array<std::uint32_t> labels_;
  std::vector<std::uint32_t> counts_;
  std::optional<signature_table> table_;  // where labels are not numbers in the positional system of groups
};

}  // namespace stradsap::rt
