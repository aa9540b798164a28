// Memory for copies of elements that the runtime alone accesses, or that it opens to bodies itself. Thread
// rule: one thread at a time for an element.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include "runtime/loop/accumulate/chunks.hpp"

namespace stradsap::rt {

/// Owns room for `size` elements. Those of types that are no plain bytes are constructed; plain bytes have
/// any values.
class raw_copies {
 public:
  raw_copies(const abi::element_ops& ops, std::size_t size)
      : ops_(ops), size_(size), memory_(allocate(size * ops.size)) {
    if (!is_bytes(ops_)) ops_.construct(memory_, size_);
  }
  ~raw_copies() {
    if (!is_bytes(ops_)) ops_.destroy(memory_, size_);
    ::operator delete(memory_, alignment);
  }
  raw_copies(const raw_copies&) = delete;
  raw_copies& operator=(const raw_copies&) = delete;

  [[nodiscard]] std::byte* at(std::size_t i) const { return memory_ + i * ops_.size; }
  [[nodiscard]] std::size_t size_bytes() const { return size_ * ops_.size; }

 private:
  static constexpr std::align_val_t alignment{128};
  static std::byte* allocate(std::size_t size_bytes) {
    return static_cast<std::byte*>(::operator new(size_bytes + 1, alignment));
  }

  const abi::element_ops& ops_;
  const std::size_t size_;
  std::byte* const memory_;
};

}  // namespace stradsap::rt
