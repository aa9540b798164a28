// Prints the contents of containers, so that check_accepted.py compares the runs of a program. One thread,
// between loops.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <type_traits>

namespace printed {

inline void add_to(std::uint64_t& hash, std::uint64_t bits) {
  hash = (hash ^ bits) * 1099511628211U;
  hash ^= hash >> 29;
}

/// Of a number, or of a range of ranges of numbers.
template <class T> void add_to(std::uint64_t& hash, const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    add_to(hash, std::bit_cast<std::uint64_t>(static_cast<double>(value)));
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    add_to(hash, static_cast<std::uint64_t>(value));
  } else {
    for (const auto& one : value) add_to(hash, one);
  }
}

template <class... Numbers> void print(const char* name, const Numbers&... numbers) {
  std::printf("%s", name);
  (std::printf(" %.17g", static_cast<double>(numbers)), ...);
  std::printf("\n");
}

/// The hash of a dvector, of `part` of each element.
template <class C, class Part> void print_elements(const char* name, const C& elements, Part part) {
  std::uint64_t hash = elements.size();
  for (const auto& one : elements) add_to(hash, part(one));
  std::printf("%s %016llx\n", name, static_cast<unsigned long long>(hash));
}

template <class C> void print_elements(const char* name, const C& elements) {
  print_elements(name, elements, [](const auto& one) -> const auto& { return one; });
}

/// The hash of a dmap, of `part` of each entry; it does not depend on the order of insertion.
template <class C, class Part> void print_entries(const char* name, const C& entries, Part part) {
  std::uint64_t sum = entries.size();
  for (const auto& [key, value] : entries) {
    std::uint64_t hash = 1;
    add_to(hash, key);
    add_to(hash, part(value));
    sum += hash;
  }
  std::printf("%s %016llx\n", name, static_cast<unsigned long long>(sum));
}

}  // namespace printed
