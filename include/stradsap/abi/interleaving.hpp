// Interleaved iterations: a body in three phases, so that iterations which share no element run as one. A sum
// over an inner loop is a chain of dependent additions; the chains of several iterations do not wait for each
// other.
// Only the plan knows that iterations share no element; no compiler can. The method is unroll and `jam`:
// Callahan, Cocke, Kennedy, "Estimating interlock and improving balance for pipelined architectures", 1988.
//
//   user:     float e = r.value - dot(p, q);       emitted: chains: four errors by one call of a dot product
//             p[k] += ...                                   rest:   the update, for one iteration
//
// Named in code that stradsap-cc emits; see `docs/decisions/interleaving.md`. All iterations of such a loop
// run through the phases, alone or together, so results do not depend on their company. Thread rule: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <stradsap/abi/build.hpp>
#include <stradsap/abi/capture.hpp>

namespace stradsap::abi {

/// A compiler that may reorder sums gains no speed from it, and without optimisation a debugger must show the
/// user's own lines.
#if defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__) && !defined(__FAST_MATH__)
inline constexpr bool interleaves_bodies = this_build != build::checked;
#else
inline constexpr bool interleaves_bodies = false;
#endif

/// One value for each interleaved iteration.
template <class T_> struct interleaved_values {
  T_ stradsap_of[interleave_width];
};

/// A body's own variable on its way to the next phase: a value, or the object of a reference.
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

/// The carried variables of one iteration.
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

/// The phases of a body. begin(j) finds the inputs of an iteration. chains(inputs of interleave_width
/// iterations) computes their sums and changes no element. rest(j, inputs, sum) does the remaining work.
template <class Begin_, class Chains_, class Rest_> struct body_phases {
  Begin_ begin;
  Chains_ chains;
  Rest_ rest;
};
template <class Begin_, class Chains_, class Rest_>
body_phases<Begin_, Chains_, Rest_> stradsap_phases(Begin_ begin, Chains_ chains, Rest_ rest) {
  return {begin, chains, rest};
}

/// A body, and a factory of its phases. A bit of Read stands for a capture that begin and chains read, and
/// that the rest of another iteration may write.
template <std::uint64_t Read_, class Given_, class Phases_> struct interleaved_body {};
template <std::uint64_t Read_, class Given_, class Phases_>
interleaved_body<Read_, Given_, Phases_> stradsap_interleaved(Given_, Phases_) {
  return {};
}

}  // namespace stradsap::abi
