// Frames of bytes that identify them. Thread rule: functions without state.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "runtime/wire/messages.hpp"

/// Bytes that identify their frame.
inline stradsap::rt::bytes frame_of(std::uint64_t number, std::size_t size) {
  stradsap::rt::bytes made(std::max(size, sizeof number));
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<std::byte>(number + i * 7);
  std::memcpy(made.data(), &number, sizeof number);
  return made;
}

inline bool is_frame(std::span<const std::byte> got, std::uint64_t number, std::size_t size) {
  const stradsap::rt::bytes wanted = frame_of(number, size);
  return std::equal(got.begin(), got.end(), wanted.begin(), wanted.end());
}
