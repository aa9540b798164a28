// Operators of reductions: the neutral value of a part, and the fold of a part into the whole. All operators
// are associative and commutative up to rounding, so any block may make a part; parts are folded in one fixed
// order.
// Thread rule: pure functions.
#pragma once

#include <limits>
#include <type_traits>

namespace stradsap::abi {

/// The number, which the compiler computes before it uses it.
#if defined(__has_builtin)
#if __has_builtin(__builtin_assoc_barrier)
inline constexpr bool has_barrier = true;
template <class Number_> [[__gnu__::__always_inline__]] inline Number_ barred(Number_ number) {
  return __builtin_assoc_barrier(number);
}
#define STRADSAP_HAS_BARRIER
#endif
#endif
#ifdef STRADSAP_HAS_BARRIER
#undef STRADSAP_HAS_BARRIER
#else
inline constexpr bool has_barrier = false;
template <class Number_> Number_ barred(Number_ number) { return number; }
#endif

}  // namespace stradsap::abi

namespace stradsap::abi::fold {

/// A whole number as one that wraps: a part may overflow where the total in program order does not.
template <class T_> constexpr auto wrapping(T_ number) {
  if constexpr (std::is_integral_v<T_>) {
    return static_cast<std::make_unsigned_t<decltype(T_() + 0U)>>(number);
  } else {
    return number;
  }
}

struct addition {
  /// For floating point -0.0: adding 0.0 would change a whole that is -0.0.
  template <class Member_> static constexpr auto identity() {
    using number = std::remove_reference_t<Member_>;
    if constexpr (std::is_floating_point_v<number>) {
      return static_cast<number>(-0.0);
    } else {
      return number();
    }
  }
  template <class T_> static constexpr void combine(T_& into, const T_& part) {
    into = static_cast<T_>(wrapping(into) + wrapping(part));
  }
  template <class T_> static constexpr void subtract(T_& from, const T_& part) {
    from = static_cast<T_>(wrapping(from) - wrapping(part));
  }
};

struct product {
  template <class Member_> static constexpr auto identity() {
    return static_cast<std::remove_reference_t<Member_>>(1);
  }
  template <class T_> static constexpr void combine(T_& into, const T_& part) {
    into = static_cast<T_>(wrapping(into) * wrapping(part));
  }
};

struct minimum {
  template <class Member_> static constexpr auto identity() {
    using limits = std::numeric_limits<std::remove_reference_t<Member_>>;
    return limits::has_infinity ? limits::infinity() : limits::max();
  }
  template <class T_> static void combine(T_& into, const T_& part) {
    if (part < into) into = part;
  }
};

struct maximum {
  template <class Member_> static constexpr auto identity() {
    using limits = std::numeric_limits<std::remove_reference_t<Member_>>;
    return limits::has_infinity ? -limits::infinity() : limits::lowest();
  }
  template <class T_> static void combine(T_& into, const T_& part) {
    if (into < part) into = part;
  }
};

/// Whether the compiler keeps NaN.
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
inline constexpr bool has_nan = false;
#else
inline constexpr bool has_nan = true;
#endif

template <class Number_> inline constexpr bool may_be_nan = has_nan && std::is_floating_point_v<Number_>;

/// `x = std::fmin(x, e)`: a number replaces NaN, and NaN no number.
struct minimum_number {
  template <class Member_> static constexpr auto identity() {
    using number = std::remove_reference_t<Member_>;
    return may_be_nan<number> ? std::numeric_limits<number>::quiet_NaN() : minimum::identity<number>();
  }
  template <class T_> static void combine(T_& into, const T_& part) {
    if (part < into || (into != into && part == part)) into = part;
  }
};

/// `x = std::fmax(x, e)`.
struct maximum_number {
  template <class Member_> static constexpr auto identity() {
    using number = std::remove_reference_t<Member_>;
    return may_be_nan<number> ? std::numeric_limits<number>::quiet_NaN() : maximum::identity<number>();
  }
  template <class T_> static void combine(T_& into, const T_& part) {
    if (into < part || (into != into && part == part)) into = part;
  }
};

struct bit_and {
  template <class Member_> static constexpr auto identity() {
    return static_cast<std::remove_reference_t<Member_>>(~std::remove_reference_t<Member_>());
  }
  template <class T_> static void combine(T_& into, const T_& part) { into = static_cast<T_>(into & part); }
};

struct bit_or {
  template <class Member_> static constexpr auto identity() { return std::remove_reference_t<Member_>(); }
  template <class T_> static void combine(T_& into, const T_& part) { into = static_cast<T_>(into | part); }
};

struct bit_xor {
  template <class Member_> static constexpr auto identity() { return std::remove_reference_t<Member_>(); }
  template <class T_> static void combine(T_& into, const T_& part) { into = static_cast<T_>(into ^ part); }
};

/// `x = x && e`. A number without a fold keeps its value: a part that is neither 0 nor 1 says so.
struct all {
  template <class Member_> static constexpr auto identity() {
    using number = std::remove_reference_t<Member_>;
    return static_cast<number>(std::is_same_v<number, bool> ? 1 : untouched);
  }
  template <class T_> static void combine(T_& into, const T_& part) {
    const bool folded = std::is_same_v<T_, bool> || part != static_cast<T_>(untouched);
    if (folded) into = static_cast<T_>(into && part);
  }

 private:
  static constexpr int untouched = 2;
};

/// `x = x || e`. stradsap-cc accepts a number other than a bool only if every iteration folds it.
struct any {
  template <class Member_> static constexpr auto identity() { return std::remove_reference_t<Member_>(); }
  template <class T_> static void combine(T_& into, const T_& part) { into = static_cast<T_>(into || part); }
};

}  // namespace stradsap::abi::fold
