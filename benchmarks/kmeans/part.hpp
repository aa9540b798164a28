// The work of one worker of the rivals by hand: the nearest centers of its points, and sums over these
// points.
//
// A register holds one coordinate of sixteen centers. The distances are the original's, bit by bit.

#pragma once

#include <limits>
#include <utility>

#include "../simd.hpp"
#include "program.hpp"

constexpr float far_away = 1e15f;

/// Sixteen centers by coordinate.
using Group = std::array<lanes<16>, D>;

/// SIMD lanes beyond the last center are far from all points.
inline std::vector<Group> make_groups(const std::vector<Point>& centers) {
  std::vector<Group> groups((centers.size() + 15) / 16);
  for (size_t c = 0; c < groups.size() * 16; ++c) {
    for (int d = 0; d < D; ++d) {
      groups[c / 16][d][c % 16] = c < centers.size() ? centers[c][d] : far_away;
    }
  }
  return groups;
}

using numbers [[gnu::vector_size(64)]] = int;

/// The least of sixteen numbers.
template <class Register> [[gnu::always_inline]] inline auto least_of(Register x) {
  const auto fold = [&x](Register other) { x = x < other ? x : other; };
  fold(__builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  fold(__builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
  fold(__builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
  fold(__builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
  return x[0];
}

/// The least distance, and the first center that has it.
inline std::pair<float, int> find_nearest(const Point& point, const std::vector<Group>& groups) {
  constexpr numbers in_order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  lanes<16> least = std::numeric_limits<float>::max() - lanes<16>{};
  numbers nearest = {};
  for (int g = 0; g < static_cast<int>(groups.size()); ++g) {
    lanes<16> sum = {};
    for (int d = 0; d < D; ++d) sum += (point[d] - groups[g][d]) * (point[d] - groups[g][d]);
    nearest = sum < least ? in_order + 16 * g : nearest;
    least = sum < least ? sum : least;
  }
  const float distance = least_of(least);
  return {distance, least_of(least == distance ? nearest : numbers{} + std::numeric_limits<int>::max())};
}

/// Sums over points, by center.
struct Sums {
  std::vector<Point> points;
  std::vector<int64_t> counts;
  double inertia = 0;

  explicit Sums(int clusters) : points(clusters), counts(clusters) {}

  void clear() {
    std::fill(points.begin(), points.end(), Point{});
    std::fill(counts.begin(), counts.end(), 0);
    inertia = 0;
  }

  void add(const Point* first, const Point* last, const std::vector<Group>& groups) {
    for (; first < last; ++first) {
      const auto [distance, nearest] = find_nearest(*first, groups);
      for (int d = 0; d < D; ++d) points[nearest][d] += (*first)[d];
      ++counts[nearest];
      inertia += distance;
    }
  }

  void add(const Sums& other) {
    for (size_t c = 0; c < points.size(); ++c) {
      for (int d = 0; d < D; ++d) points[c][d] += other.points[c][d];
      counts[c] += other.counts[c];
    }
    inertia += other.inertia;
  }

  void move(std::vector<Point>& centers) const {
    for (size_t c = 0; c < centers.size(); ++c) {
      for (int d = 0; d < D && counts[c] > 0; ++d) centers[c][d] = points[c][d] / counts[c];
    }
  }
};
