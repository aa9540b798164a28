// A plain array of elements of a type that only its operations describe. Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <utility>

#include <stradsap/abi/abi.hpp>

#include "runtime/dds/address_range.hpp"
#include "runtime/dds/poison.hpp"

namespace stradsap::rt {

/// Owns `size` value-initialised elements.
class element_array {
 public:
  element_array() = default;
  element_array(const abi::element_ops& ops, std::size_t size)
      : ops_(&ops), size_(size), memory_(size * ops.size), poisoned_(memory_.base(), size * ops.size) {
    if (!ops.born_zero) ops.construct(memory_.base(), size);
  }
  ~element_array() {
    if (ops_ != nullptr && !ops_->born_zero) ops_->destroy(memory_.base(), size_);
  }
  element_array(element_array&& other) noexcept { swap(other); }
  element_array& operator=(element_array&& other) noexcept {
    swap(other);
    return *this;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t size_bytes() const { return ops_ == nullptr ? 0 : size_ * ops_->size; }
  [[nodiscard]] std::byte* at(std::size_t i) const { return memory_.base() + i * ops_->size; }

 private:
  void swap(element_array& other) noexcept {
    std::swap(ops_, other.ops_);
    std::swap(size_, other.size_);
    std::swap(memory_, other.memory_);
    std::swap(poisoned_, other.poisoned_);
  }

  const abi::element_ops* ops_ = nullptr;
  std::size_t size_ = 0;
  address_range memory_;
  poison::region poisoned_;
};

}  // namespace stradsap::rt
