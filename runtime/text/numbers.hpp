// Numbers of text files: std::from_chars, after a short way for short decimals that gives the same bits.
// Thread rule: pure functions.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

namespace stradsap::rt {

enum class number_fault : std::uint8_t { none, no_number, too_large };

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// The powers of ten that a double holds exactly.
inline constexpr double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// Whether rounding a double to Real_ rounds twice: it lies halfway between two floats.
template <class Real_> bool rounds_twice(double value) {
  if constexpr (std::is_same_v<Real_, double>) {
    return false;
  } else {
    return (__builtin_bit_cast(std::uint64_t, value) & 0x1fff'ffff) == 0x1000'0000;
  }
}

template <class Number_>
const char* parse_exactly(const char* at, const char* end, Number_& value, number_fault& fault) {
  const std::from_chars_result done = std::from_chars(at, end, value);
  if (done.ec == std::errc::result_out_of_range) fault = number_fault::too_large;
  if (done.ec == std::errc::invalid_argument) fault = number_fault::no_number;
  return done.ptr;
}

/// Reads digits and at most one point, up to 19 digits in all; so whole numbers to 2^53 and their quotients
/// by a power of ten are exact. W. D. Clinger, "How to read floating point numbers accurately", 1990.
template <class Real_>
const char* parse_real(const char* const begin, const char* end, Real_& value, number_fault& fault) {
  const char* at = begin;
  const bool is_negative = at != end && *at == '-';
  at += is_negative ? 1 : 0;
  std::uint64_t digits = 0;
  const char* const first = at;
  while (at != end && is_digit(*at)) digits = 10 * digits + static_cast<std::uint64_t>(*at++ - '0');
  std::ptrdiff_t num_digits = at - first, decimals = 0;
  if (at != end && *at == '.') {
    const char* const point = at++;
    while (at != end && is_digit(*at)) digits = 10 * digits + static_cast<std::uint64_t>(*at++ - '0');
    decimals = at - point - 1;
    num_digits += decimals;
  }
  const bool goes_on = at != end && (*at == 'e' || *at == 'E');
  if (num_digits == 0 || num_digits > 19 || goes_on || digits > std::uint64_t{1} << 53)
    return parse_exactly(begin, end, value, fault);
  const double exact = static_cast<double>(static_cast<std::int64_t>(digits)) / exact_powers[decimals];
  if (rounds_twice<Real_>(exact)) return parse_exactly(begin, end, value, fault);
  value = static_cast<Real_>(is_negative ? -exact : exact);
  return at;
}

/// Reads the number at the beginning of [at, end), without blanks before it; a `+` may precede it. Returns
/// the first character behind it. Sets `fault` if there is none, or none that fits.
template <class Number_>
const char* parse_number(const char* at, const char* end, Number_& value, number_fault& fault) {
  if (at != end && *at == '+') {
    ++at;
    if (at != end && (*at == '-' || *at == '+')) {
      fault = number_fault::no_number;
      return at;
    }
  }
  if constexpr (std::is_floating_point_v<Number_>) {
    return parse_real(at, end, value, fault);
  } else {
    return parse_exactly(at, end, value, fault);
  }
}

}  // namespace stradsap::rt
