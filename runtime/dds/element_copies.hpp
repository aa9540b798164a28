// Copies and comparisons of single elements. Most elements are as small as a word, and a call through a table
// would cost more than the work. Thread rule: functions of their arguments.
#pragma once

#include <cstdint>
#include <cstring>

#include <stradsap/abi/abi.hpp>

namespace stradsap::rt {

/// `to` is raw memory.
inline void copy_element(const abi::element_ops& ops, std::byte* to, const std::byte* from) {
  if (ops.own.copy != nullptr) return ops.own.copy(to, from);
  if (ops.size == 4) return void(std::memcpy(to, from, 4));
  if (ops.size == 8) return void(std::memcpy(to, from, 8));
  std::memcpy(to, from, ops.size);
}

inline void assign_element(const abi::element_ops& ops, std::byte* to, const std::byte* from) {
  if (ops.own.assign != nullptr) return ops.own.assign(to, from);
  if (ops.size == 4) return void(std::memcpy(to, from, 4));
  if (ops.size == 8) return void(std::memcpy(to, from, 8));
  std::memcpy(to, from, ops.size);
}

/// Whether the elements have different values; true if the type cannot be compared.
inline bool differ(const abi::element_ops& ops, const std::byte* a, const std::byte* b) {
  if (!ops.is_compared) return true;
  if (ops.own.same != nullptr) return !ops.own.same(a, b);
  if (ops.size == 4) return std::memcmp(a, b, 4) != 0;
  if (ops.size == 8) return std::memcmp(a, b, 8) != 0;
  return std::memcmp(a, b, ops.size) != 0;
}

}  // namespace stradsap::rt
