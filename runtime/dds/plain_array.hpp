// An array of numbers, all zero at first: pages that are never written cost nothing, and a large array has
// huge pages. A small one takes no system call. Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include "runtime/dds/address_range.hpp"

namespace stradsap::rt {

template <class T> class plain_array {
  static_assert(std::is_trivial_v<T>);

 public:
  plain_array() = default;
  explicit plain_array(std::size_t size) : size_(size) {
    if (size * sizeof(T) > most_small_bytes) {
      memory_ = address_range(size * sizeof(T));
    } else if (size != 0) {
      small_.reset(static_cast<T*>(std::calloc(size, sizeof(T))));
      if (small_ == nullptr) throw std::bad_alloc();
    }
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T* data() const {
    return small_ != nullptr ? small_.get() : static_cast<T*>(static_cast<void*>(memory_.base()));
  }
  T& operator[](std::size_t i) const { return data()[i]; }
  [[nodiscard]] std::span<T> all() const { return std::span<T>(data(), size_); }
  [[nodiscard]] std::span<T> part(std::size_t begin, std::size_t count) const {
    return all().subspan(begin, count);
  }

 private:
  static constexpr std::size_t most_small_bytes = std::size_t{64} << 10;
  struct freed {
    void operator()(T* memory) const { std::free(memory); }
  };

  std::unique_ptr<T, freed> small_;
  address_range memory_;
  std::size_t size_ = 0;
};

}  // namespace stradsap::rt
