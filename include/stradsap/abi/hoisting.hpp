// Subscripts that follow the index of an inner loop, checked once before the loop:
//
//   user:     for (int k = 0; k < K; ++k) sum += H[i * K + k];
//   emitted:  switch (const auto stradsap_hoisted_1 = ::stradsap::stradsap_rounds<int>(0, K) == 0
//                 ? ::stradsap::stradsap_no_hoist(H)
//                 : ::stradsap::stradsap_hoist(H, i * K + (0), 0, ::stradsap::stradsap_rounds<int>(0, K)); 0)
//             default: for (int k = 0; k < K; ++k)
//               sum += H[::stradsap::stradsap_nth(stradsap_hoisted_1, k, sizeof(i * K + k))];
//
// A loop with a check in each round has several exits, and g++ 12 packs no such loop.
// R. Gupta, "Optimizing array bound checks using flow analysis", 1993. Thread rule: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <stradsap/abi/internals.hpp>
#include <stradsap/abi/rounding.hpp>

namespace stradsap::abi {

/// The rounds of `for (Index_ k = start; k < bound; ++k)`.
template <class Index_, class Bound_> constexpr std::uint64_t stradsap_rounds(Index_ start, Bound_ bound) {
  return start < bound ? static_cast<std::uint64_t>(bound) - static_cast<std::uint64_t>(start) : 0;
}
/// The rounds of `for (Index_ k = start; k <= bound; ++k)`, at most 2^64 - 1.
template <class Index_, class Bound_>
constexpr std::uint64_t stradsap_rounds_through(Index_ start, Bound_ bound) {
  if (!(start <= bound)) return 0;
  const std::uint64_t last = static_cast<std::uint64_t>(bound) - static_cast<std::uint64_t>(start);
  return last + 1 == 0 ? last : last + 1;
}

/// The elements that the rounds of a loop access, one after the other.
template <class T_> struct hoisted {
  using value = std::remove_const_t<T_>;
  T_* base = nullptr;       // address of the element at index 0; null: each access is checked
  std::uint64_t shift = 0;  // subscript - index, modulo 2^64
};

/// A subscript of such an element.
template <class T_, class Index_> struct hoisted_index {
  T_* base;
  std::uint64_t shift;
  Index_ index;

  [[nodiscard]] constexpr std::uint64_t subscript() const {
    return static_cast<std::uint64_t>(index) + shift;
  }
};

/// One element that the loop only reads. Its value is read before the loop: g++ moves no read out of a loop
/// that may end before it, as by another access that throws.
template <class T_> struct loaded {
  bool is_there = false;  // else each access is checked
  std::uint64_t subscript = 0;
  T_ value = T_();
};
/// Whether elements are worth it: numbers, and small classes of them.
template <class T_> constexpr bool may_load() {
  if constexpr (std::is_trivially_copyable_v<T_> && std::is_nothrow_default_constructible_v<T_>) {
    return std::is_copy_constructible_v<T_> && sizeof(T_) <= 16;
  } else {
    return false;
  }
}

template <class T_> inline constexpr bool is_loaded = false;
template <class T_> inline constexpr bool is_loaded<loaded<T_>> = true;

template <class T_> inline constexpr bool is_hoisted = false;
template <class T_, class Index_> inline constexpr bool is_hoisted<hoisted_index<T_, Index_>> = true;

/// Checks the subscripts first, first + 1, ... of the rounds. `start` is the first index. Any other container
/// is used by plain subscripts.
template <class C_, class First_, class Start_>
constexpr auto stradsap_hoist([[maybe_unused]] C_& one, First_ first, Start_ start,
                              [[maybe_unused]] std::uint64_t rounds) {
  const auto from = static_cast<std::uint64_t>(first);
  const std::uint64_t shift = from - static_cast<std::uint64_t>(start);
  if constexpr (internals::hoists<C_>) {
    auto* const held = internals::held(one, from, rounds);
    using element = std::remove_pointer_t<decltype(held)>;
    return hoisted<element>{held == nullptr ? nullptr : held - static_cast<std::ptrdiff_t>(start), shift};
  } else {
    return hoisted<void>{nullptr, shift};
  }
}
/// The same for the subscripts first, first + step, first + 2 * step, ... of the rounds, of which there is at
/// least one. The index then counts in elements: it is stradsap_scaled(k, step), and so is `start`.
template <class C_, class First_>
constexpr auto stradsap_hoist_steps([[maybe_unused]] C_& one, First_ first, std::int64_t start,
                                    [[maybe_unused]] std::uint64_t rounds,
                                    [[maybe_unused]] std::int64_t step) {
  const auto from = static_cast<std::uint64_t>(first);
  const std::uint64_t shift = from - static_cast<std::uint64_t>(start);
  if constexpr (internals::hoists<C_>) {
    auto* const held = internals::held_in_steps(one, from, rounds, step);
    using element = std::remove_pointer_t<decltype(held)>;
    return hoisted<element>{held == nullptr ? nullptr : held - start, shift};
  } else {
    return hoisted<void>{nullptr, shift};
  }
}
/// A number whose sums and products go on at the other end of their type. Subscripts are made of such numbers
/// where the program itself might not evaluate them: an overflow of its own would be undefined.
template <class T_> struct wrapped {
  T_ value;

  template <class To_> constexpr explicit operator To_() const { return static_cast<To_>(value); }
};
template <class T_> constexpr wrapped<T_> stradsap_wrapped(T_ value) { return {value}; }

template <class T_> inline constexpr bool is_wrapped = false;
template <class T_> inline constexpr bool is_wrapped<wrapped<T_>> = true;
template <class One_, class Other_>
concept wraps = is_wrapped<One_> || is_wrapped<Other_>;

template <class T_> constexpr auto number_of(T_ one) {
  if constexpr (is_wrapped<T_>) {
    return one.value;
  } else {
    return one;
  }
}
template <class One_, class Other_, class Combine_>
constexpr auto wrap(One_ one, Other_ other, Combine_ combine) {
  using number = decltype(number_of(one) + number_of(other));
  using bits = std::make_unsigned_t<number>;
  const bits made = combine(static_cast<bits>(number_of(one)), static_cast<bits>(number_of(other)));
  return wrapped<number>{static_cast<number>(made)};
}
template <class One_, class Other_>
  requires wraps<One_, Other_>
constexpr auto operator+(One_ one, Other_ other) {
  return wrap(one, other, [](auto left, auto right) { return left + right; });
}
template <class One_, class Other_>
  requires wraps<One_, Other_>
constexpr auto operator-(One_ one, Other_ other) {
  return wrap(one, other, [](auto left, auto right) { return left - right; });
}
template <class One_, class Other_>
  requires wraps<One_, Other_>
constexpr auto operator*(One_ one, Other_ other) {
  return wrap(one, other, [](auto left, auto right) { return left * right; });
}

/// The same two checks for accesses that the program may guard: never throw. If the window lacks an element,
/// each access is checked. Windows, and so ranks, then decide which copy of the loop runs.
template <class C_, class First_, class Start_>
constexpr auto stradsap_hoist_guarded(C_& one, First_ first, Start_ start, std::uint64_t rounds) {
  const auto from = static_cast<std::uint64_t>(first);
  if constexpr (internals::hoists<C_>) {
    if (copies_round_apart || !internals::holds(one, from, rounds))
      return decltype(stradsap_hoist(one, first, start, rounds)){nullptr,
                                                                 from - static_cast<std::uint64_t>(start)};
  }
  return stradsap_hoist(one, first, start, rounds);
}
template <class C_, class First_>
constexpr auto stradsap_hoist_steps_guarded(C_& one, First_ first, std::int64_t start, std::uint64_t rounds,
                                            std::int64_t step) {
  const auto from = static_cast<std::uint64_t>(first);
  if constexpr (internals::hoists<C_>) {
    if (copies_round_apart || !internals::holds_in_steps(one, from, rounds, step))
      return decltype(stradsap_hoist_steps(one, first, start, rounds, step)){
          nullptr, from - static_cast<std::uint64_t>(start)};
  }
  return stradsap_hoist_steps(one, first, start, rounds, step);
}
/// The product of an index and the texts that a subscript multiplies it by.
template <class... Factor_> constexpr std::int64_t stradsap_scaled(Factor_... factors) {
  return static_cast<std::int64_t>((static_cast<std::uint64_t>(factors) * ...));
}
/// The same for one element, which the loop may not reach: never throws. Each access is then checked.
template <class C_, class First_> constexpr auto stradsap_hoist_if_held(C_& one, First_ first) {
  if constexpr (internals::hoists<C_>) {
    if (!internals::holds(one, static_cast<std::uint64_t>(first), 1))
      return decltype(stradsap_hoist(one, first, 0, 1)){nullptr, static_cast<std::uint64_t>(first)};
  }
  return stradsap_hoist(one, first, 0, 1);
}
/// Checks and reads one element, which the loop reads in each round and never writes.
template <class C_, class First_> constexpr auto stradsap_load(C_& one, First_ first) {
  using element = typename decltype(stradsap_hoist(one, first, 0, 1))::value;
  if constexpr (may_load<element>()) {
    const auto at = static_cast<std::uint64_t>(first);
    const element* const held = internals::is_view(one) ? internals::held(one, at, 1) : nullptr;
    return held == nullptr ? loaded<element>{false, at} : loaded<element>{true, at, *held};
  } else {
    return stradsap_hoist(one, first, 0, 1);
  }
}
/// The same for an element that the loop may not reach: never throws.
template <class C_, class First_> constexpr auto stradsap_load_if_held(C_& one, First_ first) {
  using made = decltype(stradsap_load(one, first));
  if constexpr (is_loaded<made>) {
    const auto at = static_cast<std::uint64_t>(first);
    return internals::holds(one, at, 1) ? stradsap_load(one, first) : made{false, at};
  } else {
    return stradsap_hoist_if_held(one, first);
  }
}
/// The same for a loop without rounds.
template <class C_> constexpr auto stradsap_no_load([[maybe_unused]] C_& one) {
  return decltype(stradsap_load(one, 0))();
}
/// The same for subscripts that are elements of `from`, which the loop only reads. Never throws. If it is not
/// known that all of them are in the window, each access is checked.
template <class C_, class From_>
constexpr auto stradsap_hoist_by([[maybe_unused]] C_& one, [[maybe_unused]] const From_& from) {
  using made = decltype(stradsap_hoist(one, 0, 0, 0));
  if constexpr (internals::hoists<C_> && internals::hoists<From_>) {
    return made{internals::spanned(one, from), 0};
  } else {
    return made();
  }
}
/// The same for a loop without rounds.
template <class C_> constexpr auto stradsap_no_hoist([[maybe_unused]] C_& one) {
  return decltype(stradsap_hoist(one, 0, 0, 0))();
}

/// The subscript at an index. The size of the subscript's text is not used: the text is not evaluated.
template <class T_, class Index_>
constexpr auto stradsap_nth(const hoisted<T_>& from, Index_ index, std::size_t) {
  if constexpr (std::is_void_v<T_>) {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(index) + from.shift);
  } else {
    return hoisted_index<T_, Index_>{from.base, from.shift, index};
  }
}

/// The subscript of the one element.
template <class T_, class Index_>
constexpr const loaded<T_>& stradsap_nth(const loaded<T_>& from, Index_, std::size_t) {
  return from;
}

/// A subscript that is an element of another container, and is evaluated once.
template <class T_, class Index_> constexpr auto stradsap_from(const hoisted<T_>& from, Index_ subscript) {
  if constexpr (std::is_void_v<T_>) {
    return subscript;
  } else {
    return hoisted_index<T_, Index_>{from.base, 0, subscript};
  }
}

}  // namespace stradsap::abi

namespace stradsap {

using abi::stradsap_from;
using abi::stradsap_hoist;
using abi::stradsap_hoist_by;
using abi::stradsap_hoist_guarded;
using abi::stradsap_hoist_if_held;
using abi::stradsap_hoist_steps;
using abi::stradsap_hoist_steps_guarded;
using abi::stradsap_load;
using abi::stradsap_load_if_held;
using abi::stradsap_no_hoist;
using abi::stradsap_no_load;
using abi::stradsap_nth;
using abi::stradsap_rounds;
using abi::stradsap_rounds_through;
using abi::stradsap_scaled;
using abi::stradsap_wrapped;

}  // namespace stradsap
