// Unroll-and-jam: a body cut in three, so that iterations which share nothing run side by side. A sum over an
// inner loop is a chain of additions, each of which waits for the one before; those of several iterations do
// not wait for each other (Callahan, Cocke, Kennedy, "Estimating interlock and improving balance for
// pipelined architectures", 1988). Whether iterations share nothing is what a plan knows and a compiler does
// not.
//
//   user:     float e = r.value - dot(p, q);       emitted: chains: four errors by one call of a dot product
//             p[k] += ...                                   rest:   the update, for one iteration
//
// Emitted by stradsap-cc, see docs/decisions/jamming.md. All iterations run through the same code, alone or
// with others, so that results do not depend on who ran beside whom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <stradsap/build.hpp>
#include <stradsap/capture.hpp>

namespace stradsap::abi {

/// Iterations that run side by side, at most.
inline constexpr std::size_t jam_width = 4;

/// Where it pays: a compiler that may reorder sums needs no help, and one that does not optimise shall show
/// the user's own lines.
#if defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__) && !defined(__FAST_MATH__)
inline constexpr bool jams_bodies = this_build != build::checked;
#else
inline constexpr bool jams_bodies = false;
#endif

/// One value of each of the iterations.
template <class T> struct jammed_values {
  T stradsap_of[jam_width];
};

/// A body's own variable on its way from one phase to the next: a value, or what a reference refers to.
template <class T> struct carried {
  using type = T;
  std::remove_const_t<T> value;
  carried() = default;
  explicit carried(const T& variable) : value(variable) {}
  T stradsap_get() const { return value; }
};
template <class T> struct carried<T&> {
  using type = T&;
  T* place;
  carried() = default;
  explicit carried(T& variable) : place(&variable) {}
  T& stradsap_get() const { return *place; }
};
template <class Carried> using carried_type = typename std::remove_cvref_t<Carried>::type;

/// Variables of one iteration.
template <class Each, class... T> struct carried_parts;
template <std::size_t... I, class... T>
struct carried_parts<std::index_sequence<I...>, T...> : parts<std::index_sequence<I...>, carried<T>...> {
  carried_parts() = default;
  explicit carried_parts(std::add_lvalue_reference_t<T>... variable)
      : parts<std::index_sequence<I...>, carried<T>...>{{carried<T>(variable)}...} {}
};
template <class... T> using carry = carried_parts<std::index_sequence_for<T...>, T...>;

template <std::size_t I, class T> T& stradsap_at(part<I, T>& one) { return one.value; }
template <std::size_t I, class T> const T& stradsap_at(const part<I, T>& one) { return one.value; }

/// The phases of a body. begin(j) finds what an iteration reads; chains(what each of jam_width iterations
/// found) computes their sums and changes nothing; rest(j, what it found, what it came to) does the rest.
template <class Begin, class Chains, class Rest> struct body_phases {
  Begin begin;
  Chains chains;
  Rest rest;
};
template <class Begin, class Chains, class Rest>
body_phases<Begin, Chains, Rest> stradsap_phases(Begin begin, Chains chains, Rest rest) {
  return {begin, chains, rest};
}

/// A body, and a factory of its phases. Bits of Read: captures that the first two read and the last one of
/// another iteration may write.
template <std::uint64_t Read, class Given, class Phases> struct jammed_body {};
template <std::uint64_t Read, class Given, class Phases>
jammed_body<Read, Given, Phases> stradsap_jammed(Given, Phases) {
  return {};
}

}  // namespace stradsap::abi
