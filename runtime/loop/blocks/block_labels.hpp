// Labels for the iterations of one part of a loop. Two iterations have the same label if they have the same
// signature, which is the set of groups they touch, and the same subpass. Thread rule: one thread at a time
// for each part.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/loop/access/access_sets.hpp"
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
  /// The tokens of the label's signature: sorted, each once. Requires the sets.
  [[nodiscard]] std::vector<std::uint32_t> signature(std::uint32_t label) const;
  /// The label of each iteration. A caller may overwrite them.
  [[nodiscard]] plain_array<std::uint32_t>& of_iterations() { return labels_; }

 private:
  static constexpr std::uint32_t num_subpasses = 2;

  /// The nodes of a tree from which one touch of a row chooses.
  struct tree_level {
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::uint32_t add_node() {
      const auto node = static_cast<std::uint32_t>(branches.size() / group_of->num_groups());
      branches.resize(branches.size() + group_of->num_groups(), none);
      return node;
    }

    const group_index* group_of;
    std::vector<std::uint32_t> branches;  // by node and group: the node of the next level, or `none`
  };

  using signature_tree = std::vector<tree_level>;

  bool number_rows();
  bool number_rows(signature_tree& tree, std::size_t begin, std::size_t count);
  void search_sets();
  void find_signature(std::uint64_t i, std::vector<std::uint32_t>& signature) const;
  std::uint32_t add_example(std::uint64_t i) {
    examples_.push_back(i);
    return static_cast<std::uint32_t>(examples_.size() - 1);
  }

  const access_sets& sets_;
  const std::vector<token_table>& tokens_;
  plain_array<std::uint32_t> labels_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint64_t> examples_;  // an iteration of each signature
};

}  // namespace stradsap::rt
