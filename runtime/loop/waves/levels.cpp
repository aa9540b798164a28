#include "runtime/loop/waves/levels.hpp"

#include <algorithm>
#include <utility>

namespace stradsap::rt {

void level_sorter::sort(const wave_sets& window) {
  base_ += num_levels();
  ends_.clear();
  std::vector<std::uint32_t> level_of(window.size());
  for (std::size_t i = 0; i < window.size(); ++i) {
    std::uint32_t level = base_;
    for (const std::uint32_t e : window.of(i)) level = std::max(level, last_[e]);
    for (const std::uint32_t e : window.of(i)) last_[e] = level + 1;
    level_of[i] = level - base_;
    if (level_of[i] == ends_.size()) ends_.push_back(0);
    ++ends_[level_of[i]];
  }
  std::uint32_t end = 0;
  for (std::uint32_t& e : ends_) e = std::exchange(end, end + e);
  order_.resize(window.size());
  for (std::uint32_t i = 0; i < window.size(); ++i) order_[ends_[level_of[i]]++] = i;
}

void part_dealer::begin(std::size_t width) {
  count_.fill(0);
  highest_ = 0;
  for (std::uint32_t d = 0; d <= depth; ++d) {
    const std::size_t fair = (width + (std::size_t{1} << d) - 1) >> d;
    most_[d] = static_cast<std::uint32_t>(std::max(fair, width * 9 / 8 >> d));
  }
}

void part_dealer::favour(std::uint32_t part) {
  favoured_.push_back(part);
  for (std::uint32_t node = num_wave_parts + part; node > 0; node /= 2) ++score_[node];
}

std::uint32_t part_dealer::deal() {
  std::uint32_t node = 1;
  for (std::uint32_t d = 1; d <= depth; ++d) {
    const std::uint32_t left = 2 * node;
    const bool prefers_left =
        score_[left] != score_[left + 1] ? score_[left] > score_[left + 1] : count_[left] <= count_[left + 1];
    node = left + (prefers_left ? 0 : 1);
    if (count_[node] >= most_[d]) node ^= 1;
  }
  highest_ = std::max(highest_, count_[node] + 1);
  const std::uint32_t part = node - num_wave_parts;
  for (; node > 0; node /= 2) ++count_[node];
  for (const std::uint32_t other : favoured_) {
    for (std::uint32_t at = num_wave_parts + other; at > 0; at /= 2) score_[at] = 0;
  }
  favoured_.clear();
  return part;
}

}  // namespace stradsap::rt
