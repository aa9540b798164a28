// Numbers as text, with four decimals: without libc's functions, which depend on the locale.
#pragma once

#include <charconv>
#include <cstdint>

namespace stradsap::data {

/// The decimal digits of a value, at most 20 of them. Returns their end.
inline char* write_whole(char* place, std::uint64_t value) {
  return std::to_chars(place, place + 20, value).ptr;
}

/// A value in units of 1/10000, at most 25 characters. Returns their end.
inline char* write_decimal(char* place, std::uint64_t units) {
  place = write_whole(place, units / 10000);
  *place++ = '.';
  for (std::uint64_t unit = 1000; unit > 0; unit /= 10) *place++ = static_cast<char>('0' + units / unit % 10);
  return place;
}
inline char* write_decimal(char* place, std::int64_t units) {
  if (units < 0) *place++ = '-';
  return write_decimal(place, static_cast<std::uint64_t>(units < 0 ? -units : units));
}

}  // namespace stradsap::data
