// How the optimiser learns that containers in a body are apart, as std::vectors are: without it, a store
// through one could change any other, and inner loops over two of them are versioned or stay scalar. For
// generated code and the headers of this folder; not for users. Thread rule: values.
#pragma once

#include <cstddef>

namespace stradsap::abi {

/// The same address, and a promise to the optimiser: what is reached through the result is reached through
/// nothing else that is not made from it. A container in a body is as much an object of its own as a
/// std::vector is, and inner loops over two of them are compiled alike.
[[nodiscard, __gnu__::__malloc__]] void* separate(void* base) noexcept;

/// `element`, as an address made from `base`: what `separate` promised of `base` holds for it too.
template <class T_> T_* made_from(void* base, void* element) {
  // Not through integers: of these g++ no longer knows what they were made from.
  std::ptrdiff_t distance = static_cast<std::byte*>(element) - static_cast<std::byte*>(base);
  asm("" : "+r"(distance));  // else the sum is known to be `element`
  return static_cast<T_*>(static_cast<void*>(static_cast<std::byte*>(base) + distance));
}

/// What was written through `base` is written, and others may change it from now on.
inline void let_go(const void* base) { asm volatile("" : : "r"(base) : "memory"); }

}  // namespace stradsap::abi
