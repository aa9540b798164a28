#include "runtime/loop/plan/group_index.hpp"

#include <bit>

namespace stradsap::rt {

static constexpr std::uint64_t largest_table = std::uint64_t{1} << 24;

group_index::group_index(const partition& groups) : groups_(groups) {
  std::uint64_t inner_bounds = 0;
  for (std::uint32_t g = 0; g + 1 < groups.num_groups(); ++g) inner_bounds |= groups.end(g);
  shift_ = inner_bounds == 0 ? 63 : static_cast<unsigned>(std::countr_zero(inner_bounds));
  if (groups.size() == 0 || (groups.size() >> shift_) >= largest_table || groups.num_groups() > 1 << 16)
    return;
  table_ = plain_array<std::uint16_t>(((groups.size() - 1) >> shift_) + 1);
  for (std::uint32_t g = 0; g < groups.num_groups(); ++g) {
    for (std::uint64_t at = groups.begin(g); at < groups.end(g); at += std::uint64_t{1} << shift_) {
      table_[at >> shift_] = static_cast<std::uint16_t>(g);
    }
  }
}

}  // namespace stradsap::rt
