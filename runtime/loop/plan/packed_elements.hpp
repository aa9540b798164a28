// Elements as bits, for lists that go to other hosts. The elements of a block have words in narrow ranges:
// their subscripts lie in one group, and their numbers ascend. Each word of 4 bytes is sent with as many bits
// as the range of its values has, or the steps between them. Format: docs/formats.md. Thread rule: one thread
// at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>

#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

/// Bytes that are freed as they are taken.
class byte_queue {
 public:
  /// The bytes to append to.
  [[nodiscard]] bytes& end();
  [[nodiscard]] std::uint64_t size() const;
  /// Takes the next `length` bytes. Requires that there are so many.
  [[nodiscard]] bytes take(std::size_t length);

 private:
  std::deque<bytes> parts_;
  std::size_t taken_ = 0;  // of the first part
};

/// The most elements that a call of pack_elements() takes.
inline constexpr std::size_t most_packed = 2048;

/// Appends `count` elements of `size` bytes to `to`.
void pack_elements(const std::byte* first, std::size_t count, std::size_t size, bytes& to);

/// The reverse of pack_elements(), for bytes that come in pieces of any length.
class element_unpacker {
 public:
  explicit element_unpacker(std::size_t size) : size_(size) {}

  using sink = std::function<void(std::span<const std::byte> elements)>;
  /// Calls take(elements) for each call of pack_elements() that the piece completes. Throws
  /// error(errc::decode).
  void add(std::span<const std::byte> piece, const sink& take);
  /// Whether all pieces so far end with the elements of a call.
  [[nodiscard]] bool is_at_end() const { return pending_.empty(); }

 private:
  void unpack(std::span<const std::byte> packed, const sink& take);

  const std::size_t size_;
  bytes pending_;   // the begin of a call's bytes
  bytes elements_;  // of the last call
};

}  // namespace stradsap::rt
