// A reserved range of addresses. An element keeps its address in it, the same offset in every process. Only
// pages that are touched cost memory.
// Thread rule: one thread at a time; the users of the memory have rules of their own.
#pragma once

#include <cstddef>

namespace stradsap::rt {

class address_range {
 public:
  address_range() = default;
  /// Reserves at least `size` bytes of zeros, in units of 2 MiB. Throws error(errc::cluster) if the system
  /// has no such range.
  explicit address_range(std::size_t size) : address_range(size, /*least=*/size, /*advised_from=*/0) {}
  /// The largest range for a container that grows in place. Its first 2 MiB are on small pages.
  [[nodiscard]] static address_range ample();
  /// A range of the same size on small pages, for lists that grow in place side by side; empty if the system
  /// has no such range.
  [[nodiscard]] static address_range ample_for_several();
  /// A range of which few pages are touched: on small pages until expect_dense().
  [[nodiscard]] static address_range sparse(std::size_t size);
  ~address_range();
  address_range(address_range&& other) noexcept;
  address_range& operator=(address_range&& other) noexcept;

  /// Most of its first `size` bytes are going to be touched, so it may use huge pages.
  void expect_dense(std::size_t size);
  /// Makes all bytes zero again and gives their memory back.
  void forget() { forget(0, size_); }
  /// The same for bytes [begin, end), of which it frees whole pages; the other bytes keep their values.
  void forget(std::size_t begin, std::size_t end);
  [[nodiscard]] std::byte* base() const { return base_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  /// Tries half the size, a quarter and so on if the system has no more, down to `least`. Asks for huge pages
  /// beyond `advised_from`.
  address_range(std::size_t size, std::size_t least, std::size_t advised_from);

  std::byte* base_ = nullptr;  // at a huge-page boundary
  std::size_t size_ = 0;
  void* mapped_ = nullptr;
  std::size_t mapped_size_ = 0;
};

}  // namespace stradsap::rt
