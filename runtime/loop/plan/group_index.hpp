// The group of each element, from a table instead of a search. Thread rule: immutable once made.
#pragma once

#include <cstdint>

#include "runtime/dds/partition.hpp"
#include "runtime/dds/plain_array.hpp"

namespace stradsap::rt {

class group_index {
 public:
  group_index() = default;
  explicit group_index(const partition& groups);

  [[nodiscard]] std::uint32_t operator[](std::uint64_t element) const {
    return table_.size() == 0 ? groups_.group_of(element) : table_[element >> shift_];
  }
  [[nodiscard]] std::uint32_t num_groups() const { return groups_.num_groups(); }

 private:
  unsigned shift_ = 0;                // every bound but the last is a multiple of 2^shift
  plain_array<std::uint16_t> table_;  // empty where it would be too large
  partition groups_;
};

}  // namespace stradsap::rt
