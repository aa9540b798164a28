#include "runtime/loop/accumulate/late_sums.hpp"

#include <utility>

namespace stradsap::rt {

void late_sums::open(std::uint32_t accumulator, abi::window& view) {
  view.base = at(accumulator, 0);
  view.count = view.readable = replica_.size();
}

std::byte* late_sums::at(std::uint32_t accumulator, std::uint64_t i) {
  if (std::exchange(has_start_[accumulator], char{1}) == 0) {
    const std::size_t size_bytes = replica_.size() * replica_.ops().size;
    std::byte* const first = sums_.at(accumulator, 0);
    const poison::opened sums(first, size_bytes);
    const poison::opened elements(replica_.at(0), size_bytes);
    how_.combine(first, replica_.at(0), replica_.size());
  }
  return sums_.at(accumulator, i);
}

void late_sums::pack(const planning& in, const plan& p, element_exchange& out, pairs_of_ranks& pairs) {
  for (std::uint32_t accumulator = 0; accumulator < has_start_.size(); ++accumulator) {
    if (has_start_[accumulator] != 0)
      how_.subtract(sums_.at(accumulator, 0), replica_.at(0), replica_.size());
  }
  sums_.pack(in, p, out, pairs);
}

}  // namespace stradsap::rt
