// Touches that go together: if every iteration touches W[i], b[i] and C[k], the rows of W and b are one
// choice and those of C another. Containers of one class are cut alike, so a class counts as one touch when
// the number of groups is chosen. Thread rule: values.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/loop/access/access_sets.hpp"
#include "runtime/loop/launch/frame.hpp"

namespace stradsap::rt {

/// For each touch of the pattern, the first touch that names the same row in all iterations. No entries if
/// the iterations have no common pattern.
struct row_classes {
  std::vector<std::uint32_t> first;
  bool is_known = false;  // after a look at an iteration

  /// Keeps the classes that hold in both.
  void join(const row_classes& other);
  /// The number of classes; 0 if there is no common pattern.
  [[nodiscard]] std::size_t count() const;
};

/// By capture: the elements of a row, and the number of rows; 0 for containers that are cut already and have
/// no choice.
struct row_counts {
  std::vector<std::uint64_t> units;
  std::vector<std::uint64_t> rows;
};

[[nodiscard]] row_counts count_rows(const loop_frame& f, const std::vector<std::uint64_t>& units);

/// The classes in these sets. Containers with other numbers of rows are of other classes.
[[nodiscard]] row_classes classes_of(const access_sets& sets, const row_counts& counts);

}  // namespace stradsap::rt
