// Labels for the iterations of one part of a loop: two iterations have one label if they touch the same set
// of groups, their signature. Thread rule: one thread at a time; parts are apart.
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
  /// `tokens`: one per capture.
  block_labels(const access_sets& sets, const std::vector<token_table>& tokens);

  [[nodiscard]] std::uint32_t num_labels() const { return static_cast<std::uint32_t>(counts_.size()); }
  /// Iterations of that label; may be none.
  [[nodiscard]] std::uint32_t count(std::uint32_t label) const { return counts_[label]; }
  /// The signature that a label stands for: tokens, sorted, each once.
  [[nodiscard]] std::vector<std::uint32_t> signature(std::uint32_t label) const;
  /// Each iteration's label; whoever needs them no longer may keep something else there.
  [[nodiscard]] plain_array<std::uint32_t>& of_iterations() { return labels_; }

 private:
  bool number_rows();
  void number_rows(std::size_t begin, std::size_t count);
  void search_sets();

  const access_sets& sets_;
  const std::vector<token_table>& tokens_;
  plain_array<std::uint32_t> labels_;
  std::vector<std::uint32_t> counts_;
  std::optional<signature_table> table_;  // where labels are not numbers in the positional system of groups
};

}  // namespace stradsap::rt
