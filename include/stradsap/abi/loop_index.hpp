// The iteration's number in the type that a loop body takes. Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <type_traits>

#include <stradsap/abi/loop_bits.hpp>
#include <stradsap/abi/loops.hpp>

namespace stradsap::abi {

/// The type of a body's parameter; void if the parameter is generic.
template <class Body_> struct index_of {
  using type = void;
};
template <class Body_>
  requires requires { &Body_::operator(); }
struct index_of<Body_> {
  template <class Result_, class Index_> static Index_ of(Result_ (Body_::*)(Index_) const);
  template <class Result_, class Index_> static Index_ of(Result_ (Body_::*)(Index_) const noexcept);
  using type = std::remove_cvref_t<decltype(of(&Body_::operator()))>;
};

/// Iteration j in the type of the body's parameter.
template <class Body_> auto as_index(std::int64_t j_) {
  using index = typename index_of<Body_>::type;
  if constexpr (std::is_void_v<index>) {
    return j_;
  } else {
    return static_cast<index>(j_);
  }
}

/// Throws error(errc::out_of_range) if the body's parameter cannot count to n: two iterations would have one
/// number. `site`: FILE:LINE of the loop, or its label, or null.
template <class Body_> void check_index(std::int64_t n_, const char* site) {
  using index = typename index_of<Body_>::type;
  if constexpr (!std::is_void_v<index>) {
    static_assert(std::is_integral_v<index>, "the body of a loop takes the iteration's number as an integer");
    if (n_ > 0 && static_cast<std::int64_t>(static_cast<index>(n_ - 1)) != n_ - 1) {
      refuse_index(site, n_, 8 * sizeof(index));
    }
  }
}

/// The same for a loop with these flags: also if a copy of the iteration's number in fewer bits cannot count
/// to n.
template <class Body_, unsigned Flags_> void check_index_of_loop(std::int64_t n_, const char* site) {
  check_index<Body_>(n_, site);
  constexpr unsigned bits = (Flags_ & index_of_31_bits) != 0   ? 31
                            : (Flags_ & index_of_32_bits) != 0 ? 32
                                                               : 63;
  if (n_ > 0 && (n_ - 1) >> bits != 0) refuse_index(site, n_, 32);
}

/// The number of iterations of a loop. Throws error(errc::out_of_range) for an unsigned number beyond 63
/// bits: it went below 0, as `X.size() - 1` does for an empty X.
template <class Count_> std::int64_t as_count(Count_ n_, const char* site) {
  const auto count = static_cast<std::int64_t>(n_);
  if ((n_ > 0 && count < 0) || static_cast<Count_>(count) != n_)
    refuse_count(site, static_cast<std::uint64_t>(n_));
  return count;
}

}  // namespace stradsap::abi
