// Tells the optimiser that containers in a body never overlap, like std::vectors. Otherwise a store through
// one could change any other, and inner loops over two of them would be versioned or stay scalar.
// For generated code and the headers of this folder; not for users. Thread rule: values.
#pragma once

#include <cstddef>

namespace stradsap::abi {

/// Returns `base`, and promises to the optimiser: elements reached through the result are reached through no
/// pointer that is not made from it. Each container in a body is an object of its own, so the promise holds.
/// Without elements, `base` is null, and the result an address that nobody reads: g++ tests no base for null.
[[nodiscard, __gnu__::__malloc__, __gnu__::__returns_nonnull__]] void* assume_noalias(void* base) noexcept;

/// Returns `element` as an address made from `base`; the promise of `assume_noalias` for `base` covers it
/// too.
template <class T_> T_* made_from(void* base, void* element) {
  // Not through integers: g++ forgets the pointer that they were made from.
  std::ptrdiff_t distance = static_cast<std::byte*>(element) - static_cast<std::byte*>(base);
  asm("" : "+r"(distance));  // else g++ knows that the sum is `element`
  return static_cast<T_*>(static_cast<void*>(static_cast<std::byte*>(base) + distance));
}

/// The same for the result of a function that is declared pure: its call stays even if the element is not
/// used.
template <class T_> [[__gnu__::__always_inline__]] inline T_* kept_from(void* base, void* element) {
  std::ptrdiff_t distance = static_cast<std::byte*>(element) - static_cast<std::byte*>(base);
  asm volatile("" : "+r"(distance));  // the distance, since g++ takes an address in an asm for published
  return static_cast<T_*>(static_cast<void*>(static_cast<std::byte*>(base) + distance));
}

/// Ends the promise: writes through `base` are complete here, and other pointers may change the elements from
/// now on. A call, since g++ takes an asm statement for a change of all memory, also of objects that no other
/// code knows: it would forget the views that captured lambdas hold.
void end_noalias(const void* base) noexcept;

/// True. The optimiser knows only that it reads the elements, and publishes no pointer.
[[__nodiscard__, __gnu__::__pure__]] bool are_written(const void* base) noexcept;

/// The same where nothing else reaches the elements before this end: no other thread, and no call that
/// returns to the body. `base` then stays unpublished, so elements are apart from all that pointers in memory
/// lead to, as the elements of captured vectors.
inline void end_noalias_alone(const void* base) {
  if (!are_written(base)) __builtin_trap();
}

}  // namespace stradsap::abi
