// Copies of elements that lie side by side, themselves side by side. Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <stradsap/abi.hpp>

namespace stradsap::rt {

class copied_range {
 public:
  /// Copies n elements, the first of which is at `from`.
  copied_range(const abi::element_ops& ops, const std::byte* from, std::uint64_t n)
      : ops_(&ops), at_(static_cast<std::byte*>(::operator new(n * ops.size, std::align_val_t(ops.align)))) {
    for (; size_ < n; ++size_) ops.copy(at_ + size_ * ops.size, from + size_ * ops.size);
  }
  ~copied_range() {
    if (at_ == nullptr) return;
    ops_->destroy(at_, size_);
    ::operator delete(at_, std::align_val_t(ops_->align));
  }
  copied_range(copied_range&& other) noexcept
      : ops_(other.ops_), at_(std::exchange(other.at_, nullptr)), size_(other.size_) {}
  copied_range& operator=(copied_range&&) = delete;

  [[nodiscard]] std::byte* at() const { return at_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  const abi::element_ops* ops_;
  std::byte* at_;
  std::uint64_t size_ = 0;
};

}  // namespace stradsap::rt
