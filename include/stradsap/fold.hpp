// Operators of reductions: what a block's part begins with, and how a part joins the whole. All are
// associative and commutative up to rounding, so that parts may be made anywhere; they are joined in one
// fixed order.
#pragma once

#include <limits>
#include <type_traits>

namespace stradsap::abi::fold {

struct sum {
  /// Of fractions -0.0: with 0.0 a whole that is -0.0 would change.
  template <class Member> static constexpr auto identity() {
    using number = std::remove_reference_t<Member>;
    if constexpr (std::is_floating_point_v<number>) {
      return static_cast<number>(-0.0);
    } else {
      return number();
    }
  }
  template <class T> static void combine(T& into, const T& part) { into = static_cast<T>(into + part); }
};

struct product {
  template <class Member> static constexpr auto identity() {
    return static_cast<std::remove_reference_t<Member>>(1);
  }
  template <class T> static void combine(T& into, const T& part) { into = static_cast<T>(into * part); }
};

struct minimum {
  template <class Member> static constexpr auto identity() {
    using limits = std::numeric_limits<std::remove_reference_t<Member>>;
    return limits::has_infinity ? limits::infinity() : limits::max();
  }
  template <class T> static void combine(T& into, const T& part) {
    if (part < into) into = part;
  }
};

struct maximum {
  template <class Member> static constexpr auto identity() {
    using limits = std::numeric_limits<std::remove_reference_t<Member>>;
    return limits::has_infinity ? -limits::infinity() : limits::lowest();
  }
  template <class T> static void combine(T& into, const T& part) {
    if (into < part) into = part;
  }
};

struct bit_and {
  template <class Member> static constexpr auto identity() {
    return static_cast<std::remove_reference_t<Member>>(~std::remove_reference_t<Member>());
  }
  template <class T> static void combine(T& into, const T& part) { into = static_cast<T>(into & part); }
};

struct bit_or {
  template <class Member> static constexpr auto identity() { return std::remove_reference_t<Member>(); }
  template <class T> static void combine(T& into, const T& part) { into = static_cast<T>(into | part); }
};

struct bit_xor {
  template <class Member> static constexpr auto identity() { return std::remove_reference_t<Member>(); }
  template <class T> static void combine(T& into, const T& part) { into = static_cast<T>(into ^ part); }
};

/// `x = x && e`. A number keeps its value if nothing was folded in; a part tells that by being neither 0 nor
/// 1.
struct all {
  template <class Member> static constexpr auto identity() {
    using number = std::remove_reference_t<Member>;
    return static_cast<number>(std::is_same_v<number, bool> ? 1 : untouched);
  }
  template <class T> static void combine(T& into, const T& part) {
    const bool folded = std::is_same_v<T, bool> || part != static_cast<T>(untouched);
    if (folded) into = static_cast<T>(into && part);
  }

 private:
  static constexpr int untouched = 2;
};

/// `x = x || e`. Of a number that is no bool, every iteration does it: stradsap-cc sees to that.
struct any {
  template <class Member> static constexpr auto identity() { return std::remove_reference_t<Member>(); }
  template <class T> static void combine(T& into, const T& part) { into = static_cast<T>(into || part); }
};

}  // namespace stradsap::abi::fold
