// The distance between two values of an element: Euclidean, over all numbers in it. Thread rule: pure
// functions.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <stradsap/serialize.hpp>

namespace stradsap::abi {

/// Calls f(x, y) for the numbers x of one value and y of another. For anything else that differs it calls
/// f(1, 0): flags, text, sizes of vectors, classes with an encoding of their own.
template <class T_, class F_> void for_each_number(const T_& one, const T_& other, const F_& f_) {
  if constexpr (self_serializing<T_>) {
    if (&one != &other && encoded(one) != encoded(other)) f_(1, 0);
  } else if constexpr (reflected<T_>) {
    for_each_member(
        T_::stradsap_members_(), [&](const auto& a_, const auto& b_) { for_each_number(a_, b_, f_); }, one,
        other);
  } else if constexpr (smooth<T_>) {
    const auto a_ = static_cast<double>(one), b_ = static_cast<double>(other);
    one != other&& a_ == b_ ? f_(1, 0) : f_(a_, b_);  // integers of 64 bits may have one value as doubles
  } else if constexpr (is_array<T_>) {
    for (std::size_t i_ = 0; i_ < std::size(one); ++i_) for_each_number(one[i_], other[i_], f_);
  } else if constexpr (is_vector<T_>) {
    const std::size_t both = one.size() < other.size() ? one.size() : other.size();
    for (std::size_t i_ = 0; i_ < both; ++i_) for_each_number(one[i_], other[i_], f_);
    if (one.size() != other.size()) f_(1, 0);
  } else if constexpr (matrix_like<T_>) {
    const auto both = std::size_t(one.size() < other.size() ? one.size() : other.size());
    for (std::size_t i_ = 0; i_ < both; ++i_) for_each_number(one.data()[i_], other.data()[i_], f_);
    if (!has_same_shape(one, other)) f_(1, 0);
  } else if constexpr (is_tuple<T_>) {
    [&]<std::size_t... I_>(std::index_sequence<I_...>) {
      (for_each_number(std::get<I_>(one), std::get<I_>(other), f_), ...);
    }(std::make_index_sequence<std::tuple_size_v<T_>>());
  } else if constexpr (std::is_scalar_v<T_>) {
    if (!(one == other)) f_(1, 0);
  } else if (&one != &other && encoded(one) != encoded(other)) {
    f_(1, 0);
  }
}

/// The squared distance; with the same value twice, its squared norm. Zero only if no number differs, or is
/// not zero; infinite only if a number is infinite, or not a number.
template <class T_> double distance2(const T_& one, const T_& other) {
  double sum = 0;
  bool is_zero = true, is_finite = true;
  const bool is_norm = &one == &other;
  for_each_number(one, other, [&](double a_, double b_) {
    const double apart = is_norm ? a_ : a_ - b_;
    sum += apart * apart;
    is_zero = is_zero && apart == 0;
    is_finite = is_finite && a_ - a_ == 0 && b_ - b_ == 0;
  });
  if (sum == 0 && !is_zero) return std::numeric_limits<double>::min();
  const bool is_beyond = !(sum <= std::numeric_limits<double>::max());
  return is_beyond && is_finite ? std::numeric_limits<double>::max() : sum;
}

}  // namespace stradsap::abi
