// Levels of iterations, and the dealing of a level to parts. This step of planning by waves depends on
// neither ranks nor threads. Thread rule: one thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/loop/plan/wave_plan.hpp"
#include "runtime/loop/waves/element_table.hpp"

namespace stradsap::rt {

/// The elements that consecutive iterations touch, by number.
struct wave_sets {
  std::vector<std::uint32_t> elements;
  std::vector<std::uint64_t> ends;  // of each iteration's elements

  [[nodiscard]] std::size_t size() const { return ends.size(); }
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
    return {elements.data() + begin, ends[i] - begin};
  }
};

/// Sorts one segment of iterations after the other into levels. All levels of a segment follow those of the
/// previous one.
class level_sorter {
 public:
  /// All segments touch at most `most_touched` elements.
  level_sorter(std::uint64_t num_elements, std::uint64_t most_touched) : last_(num_elements, most_touched) {}

  void sort(const wave_sets& window);
  [[nodiscard]] std::uint32_t num_levels() const { return static_cast<std::uint32_t>(ends_.size()); }
  /// The iterations of level l, as places in the segment, in program order.
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t l) const {
    const std::uint32_t begin = l == 0 ? 0 : ends_[l - 1];
    return {order_.data() + begin, ends_[l] - begin};
  }
  /// The number of levels of all previous segments.
  [[nodiscard]] std::uint32_t base() const { return base_; }

 private:
  element_table<std::uint32_t> last_;  // the level that touched the element last, from 1; 0: none
  std::uint32_t base_ = 0;
  std::vector<std::uint32_t> ends_;
  std::vector<std::uint32_t> order_;
};

/// Deals a level's iterations to parts. An iteration goes to the part of the chain that it continues, or to
/// the part with most of its elements. Every half, quarter and so on of the parts keeps its share of the
/// level.
class part_dealer {
 public:
  /// Begins a level of `width` iterations.
  void begin(std::size_t width);
  /// The part `part` has an element that the next iteration touches.
  void favour(std::uint32_t part);
  /// Chooses the part of the next iteration.
  std::uint32_t deal();
  /// The number of iterations of the part that has most of this level.
  [[nodiscard]] std::uint32_t highest() const { return highest_; }

 private:
  static constexpr std::uint32_t depth = 6;
  static_assert(1u << depth == num_wave_parts);

  std::array<std::uint32_t, 2 * num_wave_parts> count_{};  // a binary tree: node k has children 2k and 2k + 1
  std::array<std::uint32_t, 2 * num_wave_parts> score_{};
  std::array<std::uint32_t, depth + 1> most_{};
  std::vector<std::uint32_t> favoured_;
  std::uint32_t highest_ = 0;
};

}  // namespace stradsap::rt
