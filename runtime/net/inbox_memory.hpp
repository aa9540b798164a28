// The memory of a rank's inbox: a head, then the ends of a ring for each rank that may write here, then the
// rings. Its owner makes it and maps all of it; each other rank maps the head, and its own ring.
// Thread rule: immutable once made; what lies in it says its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/base/ids.hpp"
#include "runtime/net/byte_ring.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

/// Addresses of a file's bytes, given back at the end.
class mapping {
 public:
  mapping() = default;
  ~mapping();
  mapping(mapping&& other) noexcept
      : first_(std::exchange(other.first_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  mapping& operator=(mapping&& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(size_, other.size_);
    return *this;
  }
  /// The `size` bytes from `offset` on, `times` times one behind the other; none where there are no
  /// addresses.
  [[nodiscard]] static std::optional<mapping> of(int descriptor, std::size_t offset, std::size_t size,
                                                 int times = 1);
  [[nodiscard]] std::byte* data() const { return first_; }

 private:
  mapping(std::byte* first, std::size_t size) : first_(first), size_(size) {}
  std::byte* first_ = nullptr;
  std::size_t size_ = 0;
};

/// What an inbox begins with.
struct inbox_head {
  std::uint64_t nonce;
  alignas(64) std::atomic<std::uint32_t> asleep;  // nobody looks: who writes something rings
  std::atomic<std::uint32_t> waiting;             // threads that wait for something
};

/// Where things are in the inbox of one of so many ranks.
struct inbox_layout {
  explicit inbox_layout(int ranks);
  [[nodiscard]] std::size_t ring_at(rank_id from) const {
    return head_bytes + static_cast<std::size_t>(from) * ring_bytes;
  }
  std::size_t head_bytes = 0;  // with the ends of all rings
  std::size_t ring_bytes = 0;
  std::size_t size_bytes = 0;
};

/// Makes the memory and keeps its descriptor, which others open through /proc.
class own_inbox_memory {
 public:
  /// None where the system has no such memory for so many ranks.
  [[nodiscard]] static std::optional<own_inbox_memory> make(int ranks);
  ~own_inbox_memory();
  own_inbox_memory(own_inbox_memory&& other) noexcept;
  own_inbox_memory& operator=(own_inbox_memory&&) = delete;

  [[nodiscard]] inbox_place place() const;
  [[nodiscard]] inbox_head& head() const;
  /// The ring of a rank, which takes addresses from now on; none where there are none left.
  [[nodiscard]] std::optional<ring_reader> ring(rank_id from);

 private:
  own_inbox_memory(int ranks, int descriptor) : layout_(ranks), descriptor_(descriptor) {}

  inbox_layout layout_;
  int descriptor_;
  mapping head_;
  std::vector<mapping> rings_;
};

/// A part of another rank's.
class opened_inbox_memory {
 public:
  /// None where `at` is not on this machine, not ours to open or not what it says.
  [[nodiscard]] static std::optional<opened_inbox_memory> open(const inbox_place& at, rank_id self,
                                                               int ranks);
  [[nodiscard]] inbox_head& head() const;
  [[nodiscard]] ring_writer ring() const;

 private:
  opened_inbox_memory(const inbox_layout& layout, rank_id self, mapping head, mapping ring)
      : layout_(layout), self_(self), head_(std::move(head)), ring_(std::move(ring)) {}

  inbox_layout layout_;
  rank_id self_;
  mapping head_;
  mapping ring_;
};

}  // namespace stradsap::rt
