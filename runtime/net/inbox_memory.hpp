// The memory of a rank's inbox: a head, then the ends of a ring for each rank that may write here, then the
// rings. The owner creates and maps all of it. Each other rank maps the head and its own ring.
// Thread rule: immutable once made; the rings and the head have rules of their own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/base/ids.hpp"
#include "runtime/net/byte_ring.hpp"
#include "runtime/net/memory_file.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

/// The first bytes of an inbox.
struct inbox_head {
  std::uint64_t nonce;
  alignas(64) std::atomic<std::uint32_t> asleep;  // no thread polls: a writer rings
  std::atomic<std::uint32_t> waiting;             // threads that wait for a message
};

/// The offsets in an inbox for so many ranks.
struct inbox_layout {
  explicit inbox_layout(int ranks);
  [[nodiscard]] std::size_t ring_at(rank_id from) const {
    return head_bytes + static_cast<std::size_t>(from) * ring_bytes;
  }
  std::size_t head_bytes = 0;  // with the ends of all rings
  std::size_t ring_bytes = 0;
  std::size_t size_bytes = 0;
};

/// Creates the memory and keeps its descriptor, which other ranks open through /proc.
class own_inbox_memory {
 public:
  /// Nullopt if the system has no such memory for so many ranks.
  [[nodiscard]] static std::optional<own_inbox_memory> make(int ranks);

  [[nodiscard]] inbox_place place() const;
  [[nodiscard]] inbox_head& head() const;
  /// Maps the ring of a rank; nullopt if no addresses are left.
  [[nodiscard]] std::optional<ring_reader> ring(rank_id from);

 private:
  own_inbox_memory(int ranks, memory_file file) : layout_(ranks), file_(std::move(file)) {}

  inbox_layout layout_;
  memory_file file_;
  mapping head_;
  std::vector<mapping> rings_;
};

/// A mapping of the own part of another rank's inbox.
class opened_inbox_memory {
 public:
  /// Nullopt if `at` is not on this machine, may not be opened, or is not an inbox.
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
