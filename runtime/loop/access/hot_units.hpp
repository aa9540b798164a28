// The hottest elements of a container that is consistency::stale with hottest(n). They are in no access set;
// accumulators have private copies of them. A unit is a row, if iterations touch rows as a whole; else one
// element. Thread rule: immutable once made.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace stradsap::rt {

class hot_units {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  hot_units() = default;
  /// `firsts`: the first elements of the hot units, in order. `size`: elements of the container.
  hot_units(std::vector<std::uint64_t> firsts, std::uint64_t unit, std::uint64_t size)
      : unit_(unit), firsts_(std::move(firsts)), places_(size / unit + 1, none) {
    for (std::uint32_t k = 0; k < firsts_.size(); ++k) places_[firsts_[k] / unit] = k;
  }

  [[nodiscard]] bool empty() const { return firsts_.empty(); }
  [[nodiscard]] std::uint64_t unit() const { return unit_; }
  /// The first elements of the hot units, in order.
  [[nodiscard]] const std::vector<std::uint64_t>& firsts() const { return firsts_; }
  [[nodiscard]] bool has(std::uint64_t element) const {
    return !firsts_.empty() && places_[element / unit_] != none;
  }
  /// The place of a hot element among all elements of hot units.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t element) const {
    return places_[element / unit_] * unit_ + element % unit_;
  }
  [[nodiscard]] std::size_t size_bytes() const {
    return firsts_.size() * sizeof firsts_[0] + places_.size() * sizeof places_[0];
  }
  [[nodiscard]] std::uint64_t num_elements() const { return firsts_.size() * unit_; }

 private:
  std::uint64_t unit_ = 1;
  std::vector<std::uint64_t> firsts_;
  std::vector<std::uint32_t> places_;  // by unit
};

}  // namespace stradsap::rt
