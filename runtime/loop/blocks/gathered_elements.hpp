// The elements that iterations of a list take by their index, read from their canonical memory in the order
// of the list. So a rank that sends them needs no sorted copy. Thread rule: immutable.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "runtime/dds/replica.hpp"

namespace stradsap::rt {

class gathered_elements {
 public:
  /// `numbers`: of the iterations in the order of the list. Elements of these numbers must be current here.
  gathered_elements(const replica& local, std::span<const std::uint32_t> numbers)
      : local_(local), numbers_(numbers), size_(local.ops().size) {}

  [[nodiscard]] std::byte* at(std::size_t k) const { return local_.at(numbers_[k]); }

  /// Copies `count` bytes from byte `begin` of the list on. They may begin and end inside an element.
  void copy(std::size_t begin, std::size_t count, std::byte* to) const {
    std::size_t k = begin / size_;
    if (const std::size_t within = begin % size_; within != 0) {
      const std::size_t rest = std::min(count, size_ - within);
      std::memcpy(to, at(k++) + within, rest);
      to += rest;
      count -= rest;
    }
    const std::size_t whole = count / size_;
    copy_whole(k, whole, to);
    if (const std::size_t rest = count % size_; rest != 0)
      std::memcpy(to + whole * size_, at(k + whole), rest);
  }

 private:
  void copy_whole(std::size_t first, std::size_t count, std::byte* to) const {
    switch (size_) {
      case 4:
        return copy_sized<4>(first, count, to);
      case 8:
        return copy_sized<8>(first, count, to);
      case 12:
        return copy_sized<12>(first, count, to);
      case 16:
        return copy_sized<16>(first, count, to);
      default:
        for (std::size_t k = 0; k < count; ++k) std::memcpy(to + k * size_, at(first + k), size_);
    }
  }
  /// A block's elements lie far apart, so the hardware does not prefetch them.
  template <std::size_t Size> void copy_sized(std::size_t first, std::size_t count, std::byte* to) const {
    constexpr std::size_t ahead = 32;
    for (std::size_t k = first; k < first + count; ++k, to += Size) {
      __builtin_prefetch(at(std::min(k + ahead, numbers_.size() - 1)));
      std::memcpy(to, at(k), Size);
    }
  }

  const replica& local_;
  const std::span<const std::uint32_t> numbers_;
  const std::size_t size_;
};

/// The same of elements that lie in the order of the list already.
class listed_elements {
 public:
  listed_elements(const std::byte* first, std::size_t size) : first_(first), size_(size) {}
  [[nodiscard]] const std::byte* at(std::size_t k) const { return first_ + k * size_; }
  void copy(std::size_t begin, std::size_t count, std::byte* to) const {
    std::memcpy(to, first_ + begin, count);
  }

 private:
  const std::byte* first_;
  const std::size_t size_;
};

}  // namespace stradsap::rt
