// An array of numbers, all zero at first: pages that are never written cost nothing, and a large array has
// huge pages. Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "runtime/dds/address_range.hpp"

namespace stradsap::rt {

template <class T> class plain_array {
  static_assert(std::is_trivial_v<T>);

 public:
  plain_array() = default;
  explicit plain_array(std::size_t size) : memory_(size * sizeof(T)), size_(size) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T* data() const { return static_cast<T*>(static_cast<void*>(memory_.base())); }
  T& operator[](std::size_t i) const { return data()[i]; }
  [[nodiscard]] std::span<T> all() const { return std::span<T>(data(), size_); }
  [[nodiscard]] std::span<T> part(std::size_t begin, std::size_t count) const {
    return all().subspan(begin, count);
  }

 private:
  address_range memory_;
  std::size_t size_ = 0;
};

}  // namespace stradsap::rt
