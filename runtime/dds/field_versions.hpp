// Versions of a container's elements, for the keys of plans: one counter for whole elements and 64 for
// fields. stradsap-cc assigns fields to the bits of masks. Thread rule: one thread.
#pragma once

#include <array>
#include <cstdint>

#include <stradsap/abi/abi.hpp>

namespace stradsap::rt {

class field_versions {
 public:
  /// The driver wrote elements, or added or removed some.
  void bump_all() { ++whole_; }
  /// A loop has written the fields of these bits.
  void bump(std::uint64_t fields) {
    if (~fields == 0) {  // packed by the compiler
      for (std::uint64_t& one : of_field_) ++one;
      return;
    }
    for (; fields != 0; fields &= fields - 1) ++of_field_[static_cast<std::size_t>(__builtin_ctzll(fields))];
  }
  /// Changes whenever one of these fields may have changed; constant for no fields.
  [[nodiscard]] std::uint64_t key(std::uint64_t fields) const {
    if (fields == 0) return 0;
    std::array<std::uint64_t, 65> counters{whole_};
    for (std::size_t bit = 0; bit < 64; ++bit) {
      if ((fields >> bit & 1) != 0) counters[1 + bit] = of_field_[bit];
    }
    return abi::hash_bytes(counters.data(), sizeof counters);
  }
  template <class Archive> void serialize(Archive& archive) { archive(whole_, of_field_); }

 private:
  std::uint64_t whole_ = 0;
  std::array<std::uint64_t, 64> of_field_{};
};

}  // namespace stradsap::rt
