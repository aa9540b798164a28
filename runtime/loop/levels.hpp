// Levels of iterations, and the lanes' homes of elements: the part of planning by waves that knows neither
// ranks nor threads. Thread rule: one thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/loop/wave_plan.hpp"

namespace stradsap::rt {

/// What consecutive iterations touch, as numbers of elements.
struct wave_sets {
  std::vector<std::uint32_t> elements;
  std::vector<std::uint64_t> ends;  // of each iteration's elements

  [[nodiscard]] std::size_t size() const { return ends.size(); }
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
    return {elements.data() + begin, ends[i] - begin};
  }
};

/// Levels of one window of iterations after the other. All of a window come after those of the one before.
class level_sorter {
 public:
  explicit level_sorter(std::uint64_t num_elements) : last_(num_elements) {}

  void sort(const wave_sets& window);
  [[nodiscard]] std::uint32_t num_levels() const { return static_cast<std::uint32_t>(ends_.size()); }
  /// Iterations of the window's level l, as places in the window, in program order.
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t l) const {
    const std::uint32_t begin = l == 0 ? 0 : ends_[l - 1];
    return {order_.data() + begin, ends_[l] - begin};
  }
  /// Levels of all windows before this one.
  [[nodiscard]] std::uint32_t base() const { return base_; }

 private:
  std::vector<std::uint32_t> last_;  // per element: the level that touched it last, from 1; 0: none
  std::uint32_t base_ = 0;
  std::vector<std::uint32_t> ends_;
  std::vector<std::uint32_t> order_;
};

/// Deals a level's iterations to parts: each goes where the chain that it continues is, or most of what it
/// touches, as long as every half, quarter and so on of the parts keeps its share of the level.
class part_dealer {
 public:
  /// A level of `width` iterations begins.
  void begin(std::size_t width);
  /// Something that the next iteration touches is at `part`.
  void favour(std::uint32_t part);
  /// The iteration's part.
  std::uint32_t deal();
  /// The most iterations that a part has of this level.
  [[nodiscard]] std::uint32_t highest() const { return highest_; }

 private:
  static constexpr std::uint32_t depth = 6;
  static_assert(1u << depth == num_wave_parts);

  std::array<std::uint32_t, 2 * num_wave_parts> count_{};  // a binary tree: node k has 2k and 2k + 1
  std::array<std::uint32_t, 2 * num_wave_parts> score_{};
  std::array<std::uint32_t, depth + 1> most_{};
  std::vector<std::uint32_t> favoured_;
  std::uint32_t highest_ = 0;
};

}  // namespace stradsap::rt
