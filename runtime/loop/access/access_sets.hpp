// The read and write sets of consecutive iterations. In most loops, all iterations touch the same captures in
// the same order; a set is then only a row of element numbers. Thread rule: values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/dds/plain_array.hpp"
#include "runtime/loop/access/touch.hpp"

namespace stradsap::rt {

class access_sets {
 public:
  /// Announces the number of iterations to come.
  void expect(std::uint64_t iterations) { expected_ = iterations; }
  /// The set of the next iteration. It may contain an element twice.
  void add(std::span<const touch> set);
  /// Adds the sets of the next iterations if they are rows of the pattern; else returns false and adds
  /// nothing. `ends`: the end of each set in `touches`.
  [[nodiscard]] bool add_rows(std::span<const std::uint64_t> touches, std::span<const std::uint32_t> ends);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Touches of all iterations together.
  [[nodiscard]] std::uint64_t num_touches() const;
  /// Iterations that touch something.
  [[nodiscard]] std::uint64_t num_active() const;
  /// Adds to counts[c] how often capture c is touched.
  void count_by_capture(std::vector<std::uint64_t>& counts) const;
  /// Whether a row may touch an element twice.
  [[nodiscard]] bool may_repeat() const { return pattern_.empty() || repeats_; }
  /// Whether all sets are rows of one pattern.
  [[nodiscard]] bool is_uniform() const { return uniform_; }
  /// The captures that each iteration touches, in order. Requires uniform sets.
  [[nodiscard]] std::span<const std::uint32_t> pattern() const { return pattern_; }
  /// The elements of all iterations, row by row. Requires uniform sets.
  [[nodiscard]] std::span<const std::uint32_t> rows() const { return rows_.part(0, size_ * pattern_.size()); }

  /// Calls visit(capture, element) for each touch of iteration i, in order of first touches.
  template <class Visit> void visit(std::uint64_t i, const Visit& visit) const {
    if (uniform_) {
      const std::uint32_t* row = rows_.data() + i * pattern_.size();
      for (std::size_t t = 0; t < pattern_.size(); ++t) visit(pattern_[t], std::uint64_t{row[t]});
    } else {
      for (const touch& t : list(i)) visit(static_cast<std::uint32_t>(t.capture), std::uint64_t{t.element});
    }
  }

  /// The same sets in smaller units: a touch of from[c] elements of capture c becomes touches of units[c]
  /// elements each.
  [[nodiscard]] access_sets divided(const std::vector<std::uint64_t>& from,
                                    const std::vector<std::uint64_t>& units) const;
  /// Makes keys[c][k] the element of each touch of new key k of capture c.
  void give_slots(const std::vector<std::vector<std::uint64_t>>& keys);

 private:
  /// In a row: the touch of a new key.
  static constexpr std::uint32_t of_new_key = std::uint32_t{1} << 31;

  void begin_rows(std::span<const touch> first);
  [[nodiscard]] bool note_kinds(bool has_new_keys, bool has_large);
  [[nodiscard]] touch in_row(std::size_t at) const;
  [[nodiscard]] access_sets with_keys(const std::vector<std::vector<std::uint64_t>>& keys) const;
  [[nodiscard]] bool fits(std::span<const touch> set);
  void give_up_rows();
  [[nodiscard]] std::span<const touch> list(std::uint64_t i) const {
    const std::size_t from = i == 0 ? 0 : ends_[i - 1];
    return {touches_.data() + from, ends_[i] - from};
  }

  std::uint64_t expected_ = 0;
  std::uint64_t size_ = 0;
  bool uniform_ = true;
  std::vector<std::uint32_t> pattern_;
  bool repeats_ = false;             // a capture stands twice in the pattern
  bool has_new_keys_ = false;        // some rows have touches of new keys
  bool has_large_ = false;           // some rows have elements that look like those
  std::vector<std::uint64_t> tags_;  // of the touches of some rows, for comparison
  plain_array<std::uint32_t> rows_;  // room for all expected iterations
  // for sets that differ
  std::vector<touch> touches_;
  std::vector<std::uint64_t> ends_;  // of each iteration's touches
};

}  // namespace stradsap::rt
