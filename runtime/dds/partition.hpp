// A container's groups: contiguous ranges of elements that move together, each with an owner. Thread rule:
// values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/base/check.hpp"
#include "runtime/base/ids.hpp"

namespace stradsap::rt {

/// Elements [begin, end) of a container.
struct element_range {
  std::uint64_t begin;
  std::uint64_t end;
};

class partition {
 public:
  using group_id = std::uint32_t;

  /// One group of `size` elements, owned by the driver.
  explicit partition(std::uint64_t size = 0) : bounds_{size}, owners_{driver_rank} {}
  /// Groups end at `bounds`.
  partition(std::vector<std::uint64_t> bounds, std::vector<rank_id> owners)
      : bounds_(std::move(bounds)), owners_(std::move(owners)) {
    STRADSAP_ASSERT(!bounds_.empty() && bounds_.size() == owners_.size(), "{} bounds, {} owners",
                    bounds_.size(), owners_.size());
  }

  [[nodiscard]] std::uint64_t size() const { return bounds_.back(); }
  [[nodiscard]] group_id num_groups() const { return static_cast<group_id>(bounds_.size()); }
  [[nodiscard]] std::uint64_t begin(group_id g) const { return g == 0 ? 0 : bounds_[g - 1]; }
  [[nodiscard]] std::uint64_t end(group_id g) const { return bounds_[g]; }
  [[nodiscard]] std::uint64_t count(group_id g) const { return end(g) - begin(g); }
  [[nodiscard]] group_id group_of(std::uint64_t element) const {
    return static_cast<group_id>(std::upper_bound(bounds_.begin(), bounds_.end(), element) - bounds_.begin());
  }
  [[nodiscard]] rank_id owner(group_id g) const { return owners_[g]; }
  void set_owner(group_id g, rank_id r) { owners_[g] = r; }

  [[nodiscard]] const std::vector<std::uint64_t>& bounds() const { return bounds_; }
  [[nodiscard]] const std::vector<rank_id>& owners() const { return owners_; }

  /// Without a branch for each group: the compiler packs the loop, which each launch runs.
  [[nodiscard]] bool is_all_of(rank_id r) const {
    bool is_all = true;
    for (const rank_id owner : owners_) is_all &= owner == r;
    return is_all;
  }
  [[nodiscard]] std::uint64_t elements_of(rank_id r) const {
    if (is_all_of(r)) return size();
    std::uint64_t total = 0;
    for (group_id g = 0; g < num_groups(); ++g) total += owner(g) == r ? count(g) : 0;
    return total;
  }

  // The functions below never read owners: bounds are part of a plan, and a plan must not depend on ranks.

  /// Moves the end of the last group up to `size`.
  void extend(std::uint64_t size) { bounds_.back() = size; }
  /// Adds a group of the driver that ends at `size`.
  void append(std::uint64_t size) {
    bounds_.push_back(size);
    owners_.push_back(driver_rank);
  }
  void shrink(std::uint64_t size) {
    while (bounds_.size() > 1 && bounds_[bounds_.size() - 2] >= size) {
      bounds_.pop_back();
      owners_.pop_back();
    }
    bounds_.back() = size;
  }

 private:
  std::vector<std::uint64_t> bounds_;
  std::vector<rank_id> owners_;
};

}  // namespace stradsap::rt
