// A range of addresses that is ours whether or not memory stands behind it: an element keeps its address in
// every process and for ever, and only pages that are touched cost memory.
// Thread rule: one thread at a time; the memory itself has its users' rules.
#pragma once

#include <cstddef>

namespace stradsap::rt {

class address_range {
 public:
  address_range() = default;
  /// Reserves at least `size` bytes of zeros, in units of 2 MiB. Throws error(errc::cluster) where the system
  /// has no such range to give.
  explicit address_range(std::size_t size) : address_range(size, /*least=*/size, /*advised_from=*/0) {}
  /// The largest that a container which grows in place should ask for. What is used of it first lies on small
  /// pages.
  [[nodiscard]] static address_range ample();
  /// As large, for several lists side by side of which each grows in place, on small pages; empty where the
  /// system has no such range.
  [[nodiscard]] static address_range ample_for_several();
  ~address_range();
  address_range(address_range&& other) noexcept;
  address_range& operator=(address_range&& other) noexcept;

  /// All bytes are zero again, and cost no memory.
  void forget();
  [[nodiscard]] std::byte* base() const { return base_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  /// Half as many, a quarter, ... where the system has no more, but at least `least`.
  address_range(std::size_t size, std::size_t least, std::size_t advised_from);

  std::byte* base_ = nullptr;  // on a huge-page boundary
  std::size_t size_ = 0;
  void* mapped_ = nullptr;
  std::size_t mapped_size_ = 0;
};

}  // namespace stradsap::rt
