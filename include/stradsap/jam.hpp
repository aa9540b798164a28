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
template <class T_> struct jammed_values {
  T_ stradsap_of[jam_width];
};

/// A body's own variable on its way from one phase to the next: a value, or what a reference refers to.
template <class T_> struct carried {
  using type = T_;
  std::remove_const_t<T_> value;
  carried() = default;
  explicit carried(const T_& variable) : value(variable) {}
  T_ stradsap_get() const { return value; }
};
template <class T_> struct carried<T_&> {
  using type = T_&;
  T_* place;
  carried() = default;
  explicit carried(T_& variable) : place(&variable) {}
  T_& stradsap_get() const { return *place; }
};
template <class Carried_> using carried_type = typename std::remove_cvref_t<Carried_>::type;

/// Variables of one iteration.
template <class Each_, class... T_> struct carried_parts;
template <std::size_t... I_, class... T_>
struct carried_parts<std::index_sequence<I_...>, T_...> : parts<std::index_sequence<I_...>, carried<T_>...> {
  carried_parts() = default;
  explicit carried_parts(std::add_lvalue_reference_t<T_>... variable)
      : parts<std::index_sequence<I_...>, carried<T_>...>{{carried<T_>(variable)}...} {}
};
template <class... T_> using carry = carried_parts<std::index_sequence_for<T_...>, T_...>;

template <std::size_t I_, class T_> T_& stradsap_at(part<I_, T_>& one) { return one.value; }
template <std::size_t I_, class T_> const T_& stradsap_at(const part<I_, T_>& one) { return one.value; }

/// The phases of a body. begin(j) finds what an iteration reads; chains(what each of jam_width iterations
/// found) computes their sums and changes nothing; rest(j, what it found, what it came to) does the rest.
template <class Begin_, class Chains_, class Rest_> struct body_phases {
  Begin_ begin;
  Chains_ chains;
  Rest_ rest;
};
template <class Begin_, class Chains_, class Rest_>
body_phases<Begin_, Chains_, Rest_> stradsap_phases(Begin_ begin, Chains_ chains, Rest_ rest) {
  return {begin, chains, rest};
}

/// A body, and a factory of its phases. Bits of Read: captures that the first two read and the last one of
/// another iteration may write.
template <std::uint64_t Read_, class Given_, class Phases_> struct jammed_body {};
template <std::uint64_t Read_, class Given_, class Phases_>
jammed_body<Read_, Given_, Phases_> stradsap_jammed(Given_, Phases_) {
  return {};
}

}  // namespace stradsap::abi
