#include "runtime/loop/blocks/block_labels.hpp"

#include <algorithm>

namespace stradsap::rt {

/// With at most this many labels, an array of counters is cheaper than a search.
static constexpr std::uint64_t most_numbered = std::uint64_t{1} << 20;

block_labels::block_labels(const access_sets& sets, const std::vector<token_table>& tokens,
                           std::uint64_t second_subpass)
    : sets_(sets), tokens_(tokens), second_subpass_(second_subpass), labels_(sets.size()) {
  if (!number_rows()) search_sets();
}

/// Numbers rows of one pattern: the groups of a row are the digits of its label, the subpass is the last one.
bool block_labels::number_rows() {
  if (!sets_.is_uniform() || sets_.pattern().size() > 8) return false;
  std::uint64_t num_labels = num_subpasses;
  for (const std::uint32_t c : sets_.pattern()) {
    num_labels *= tokens_[c].groups.num_groups();
    if (num_labels > most_numbered) return false;
  }
  counts_.resize(num_labels);
  constexpr std::size_t stretch = 2048;  // stays in the cache from column to column
  for (std::size_t begin = 0; begin < labels_.size(); begin += stretch)
    number_rows(begin, std::min(stretch, labels_.size() - begin));
  return true;
}

void block_labels::number_rows(std::size_t begin, std::size_t count) {
  const std::size_t width = sets_.pattern().size();
  const std::span<std::uint32_t> labels = labels_.part(begin, count);
  for (std::size_t t = 0; t < width; ++t) {
    const group_index& group_of = tokens_[sets_.pattern()[t]].groups;
    const std::uint32_t* element = sets_.rows().data() + begin * width + t;
    for (std::uint32_t& label : labels) {
      label = label * group_of.num_groups() + group_of[*element];
      element += width;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    labels[i] = labels[i] * num_subpasses + subpass_of(begin + i);
    ++counts_[labels[i]];
  }
}

void block_labels::search_sets() {
  table_.emplace();
  std::vector<std::uint32_t> signature;
  for (std::uint64_t i = 0; i < sets_.size(); ++i) {
    signature.clear();
    sets_.visit(i, [&](std::uint32_t capture, std::uint64_t element) {
      signature.push_back(tokens_[capture].first + tokens_[capture].groups[element]);
    });
    std::sort(signature.begin(), signature.end());
    signature.erase(std::unique(signature.begin(), signature.end()), signature.end());
    const std::uint32_t number = table_->number(signature);
    labels_[i] = number * num_subpasses + subpass_of(i);
    if (number * num_subpasses == counts_.size()) counts_.resize(counts_.size() + num_subpasses);
    ++counts_[labels_[i]];
  }
}

std::vector<std::uint32_t> block_labels::signature(std::uint32_t label) const {
  label /= num_subpasses;
  if (table_) return table_->tokens(label);
  std::vector<std::uint32_t> signature;
  const auto pattern = sets_.pattern();
  for (std::size_t t = pattern.size(); t-- > 0;) {
    const token_table& tokens = tokens_[pattern[t]];
    signature.push_back(tokens.first + label % tokens.groups.num_groups());
    label /= tokens.groups.num_groups();
  }
  std::sort(signature.begin(), signature.end());
  signature.erase(std::unique(signature.begin(), signature.end()), signature.end());
  return signature;
}

}  // namespace stradsap::rt
