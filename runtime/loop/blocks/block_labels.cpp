#include "runtime/loop/blocks/block_labels.hpp"

#include <algorithm>

#include "runtime/loop/blocks/signatures.hpp"

namespace stradsap::rt {

/// With at most this many branches, a tree is cheaper than a search.
static constexpr std::uint64_t most_branches = std::uint64_t{1} << 20;

block_labels::block_labels(const access_sets& sets, const std::vector<token_table>& tokens,
                           std::uint64_t second_subpass)
    : sets_(sets), tokens_(tokens), labels_(sets.size()) {
  if (!number_rows()) search_sets();
  counts_.resize(num_subpasses * examples_.size());
  for (std::uint64_t i = 0; i < labels_.size(); ++i) {
    labels_[i] = labels_[i] * num_subpasses + (i < second_subpass ? 0 : 1);
    ++counts_[labels_[i]];
  }
}

/// Numbers rows of one pattern by a tree: each group of a row chooses a branch, the last one a signature.
bool block_labels::number_rows() {
  if (!sets_.is_uniform()) return false;
  signature_tree tree;
  for (const std::uint32_t c : sets_.pattern()) tree.push_back({&tokens_[c].groups, {}});
  if (!tree.empty()) tree[0].add_node();
  constexpr std::size_t stretch = 2048;  // stays in the cache from level to level
  for (std::size_t begin = 0; begin < labels_.size(); begin += stretch) {
    if (!number_rows(tree, begin, std::min(stretch, labels_.size() - begin))) {
      examples_.clear();
      return false;
    }
  }
  return true;
}

bool block_labels::number_rows(signature_tree& tree, std::size_t begin, std::size_t count) {
  std::uint64_t num_branches = 0;
  if (tree.empty() && begin == 0) examples_.push_back(0);
  const std::span<std::uint32_t> nodes = labels_.part(begin, count);
  for (std::size_t t = 0; t < tree.size(); ++t) {
    const group_index& group_of = *tree[t].group_of;
    const std::uint32_t num_groups = group_of.num_groups();
    std::uint32_t* const branches = tree[t].branches.data();
    const std::uint32_t* element = sets_.rows().data() + begin * tree.size() + t;
    for (std::size_t i = 0; i < count; ++i, element += tree.size()) {
      std::uint32_t& next = branches[std::size_t{nodes[i]} * num_groups + group_of[*element]];
      if (next == tree_level::none) {
        next = t + 1 < tree.size() ? tree[t + 1].add_node() : add_example(begin + i);
      }
      nodes[i] = next;
    }
    num_branches += tree[t].branches.size();
    if (num_branches > most_branches) return false;
  }
  return true;
}

void block_labels::search_sets() {
  signature_table table;
  std::vector<std::uint32_t> signature;
  for (std::uint64_t i = 0; i < sets_.size(); ++i) {
    find_signature(i, signature);
    labels_[i] = table.number(signature);
    if (labels_[i] == examples_.size()) add_example(i);
  }
}

void block_labels::find_signature(std::uint64_t i, std::vector<std::uint32_t>& signature) const {
  signature.clear();
  sets_.visit(i, [&](std::uint32_t capture, std::uint64_t element) {
    signature.push_back(tokens_[capture].first + tokens_[capture].groups[element]);
  });
  std::sort(signature.begin(), signature.end());
  signature.erase(std::unique(signature.begin(), signature.end()), signature.end());
}

std::vector<std::uint32_t> block_labels::signature(std::uint32_t label) const {
  std::vector<std::uint32_t> found;
  find_signature(examples_[label / num_subpasses], found);
  return found;
}

}  // namespace stradsap::rt
