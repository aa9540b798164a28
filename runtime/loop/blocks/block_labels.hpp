// Labels for the iterations of one part of a loop. Two iterations have the same label if they have the same
// signature, which is the set of groups they touch, and the same subpass. Thread rule: one thread at a time
// for each part.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/loop/access/access_sets.hpp"
#include "runtime/loop/blocks/signatures.hpp"
#include "runtime/loop/plan/group_index.hpp"

namespace stradsap::rt {

/// The number of a capture's first token, and the group of each element.
struct token_table {
  std::uint32_t first = 0;
  group_index groups;
};

class block_labels {
 public:
  /// `tokens`: one per capture. The second subpass begins at `second_subpass` in `sets`; if that is beyond
  /// them, nowhere.
  block_labels(const access_sets& sets, const std::vector<token_table>& tokens, std::uint64_t second_subpass);

  [[nodiscard]] std::uint32_t num_labels() const { return static_cast<std::uint32_t>(counts_.size()); }
  /// The number of iterations with that label; may be 0.
  [[nodiscard]] std::uint32_t count(std::uint32_t label) const { return counts_[label]; }
  [[nodiscard]] static std::uint32_t subpass(std::uint32_t label) { return label % num_subpasses; }
  /// The tokens of the label's signature: sorted, each once.
  [[nodiscard]] std::vector<std::uint32_t> signature(std::uint32_t label) const;
  /// The label of each iteration. A caller may overwrite them.
  [[nodiscard]] plain_array<std::uint32_t>& of_iterations() { return labels_; }

 private:
  static constexpr std::uint32_t num_subpasses = 2;

  bool number_rows();
  void number_rows(std::size_t begin, std::size_t count);
  void search_sets();
  [[nodiscard]] std::uint32_t subpass_of(std::uint64_t i) const { return i < second_subpass_ ? 0 : 1; }

  const access_sets& sets_;
  const std::vector<token_table>& tokens_;
  const std::uint64_t second_subpass_;
  plain_array<std::uint32_t> labels_;
  std::vector<std::uint32_t> counts_;
  std::optional<signature_table> table_;  // for labels that are not numbers with groups as digits
};

}  // namespace stradsap::rt
