// A number or a struct for each element, all zero at first. Memory follows the touches of the loop: if it
// touches few elements of large containers, they are found by hashing. Thread rule: one thread.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "runtime/dds/plain_array.hpp"

namespace stradsap::rt {

template <class T> class element_table {
 public:
  /// At most `most_touched` of the elements are going to be changed.
  element_table(std::uint64_t num_elements, std::uint64_t most_touched)
      : is_hashed_(num_elements / least_untouched > most_touched) {
    if (is_hashed_) {
      entries_ = plain_array<entry>(std::bit_ceil(2 * (most_touched + 1)));
    } else {
      all_ = plain_array<T>(num_elements);
    }
  }

  /// To be changed.
  T& operator[](std::uint32_t element) {
    if (!is_hashed_) return all_[element];
    entry& e = entries_[place_of(element)];
    e.key = element + 1;
    return e.value;
  }
  [[nodiscard]] T value(std::uint32_t element) const {
    return is_hashed_ ? entries_[place_of(element)].value : all_[element];
  }

 private:
  static constexpr std::uint64_t least_untouched = 16;  // elements for each touched one, to hash

  struct entry {
    std::uint32_t key;  // element + 1; 0: none
    T value;
  };

  /// Where the element is, or would be.
  [[nodiscard]] std::size_t place_of(std::uint32_t element) const {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = (element * 0x9e3779b97f4a7c15u >> 32) & mask;
    while (entries_[at].key != 0 && entries_[at].key != element + 1) at = (at + 1) & mask;
    return at;
  }

  bool is_hashed_;
  plain_array<T> all_;
  plain_array<entry> entries_;
};

}  // namespace stradsap::rt
