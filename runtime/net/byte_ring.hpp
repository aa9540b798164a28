// A ring of bytes between one writer and one reader, in two processes or in one. It carries records, which
// the reader gets whole, in order and in place. Both sides map the memory of a ring, and they map its bytes
// twice, one copy behind the other, so that a record is always contiguous.
//
// The writer moves `tail` last, and a record becomes visible then. If a writer is killed before, the reader
// sees no part of the record.
// All threads see accesses to `tail`, `head` and the flags of sleeping sides in one order (seq_cst). One side
// sets its flag, then polls again; the other moves its end of the ring, then reads the flag. So at least one
// of them sees the other.
// Thread rule: a writer and a reader each belong to one thread at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace stradsap::rt {

/// The state of a ring that both sides share. An empty ring is all zeros.
struct ring_ends {
  alignas(64) std::atomic<std::uint64_t> tail;  // bytes written since the start
  alignas(64) std::atomic<std::uint64_t> head;  // bytes taken since the start
  alignas(64) std::atomic<std::uint32_t> wants_room;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes cannot share a lock of one");

/// The unit of a write. A frame longer than most_payload() is sent as several records.
struct record {
  std::span<const std::byte> payload;
  bool is_last = true;  // of its frame
};

class ring_writer {
 public:
  /// `first`: `size` bytes, a power of two, mapped twice in sequence.
  ring_writer(ring_ends& ends, std::byte* first, std::size_t size)
      : ends_(&ends), first_(first), size_(size) {}

  [[nodiscard]] std::size_t most_payload() const { return size_ / 4; }
  /// False if there is no room; then the reader reports the next room that it makes.
  [[nodiscard]] bool write(const record& r);

 private:
  [[nodiscard]] bool has_room(std::size_t size);

  ring_ends* ends_;
  std::byte* first_;
  std::size_t size_;
  std::uint64_t tail_ = 0;
  std::uint64_t head_ = 0;  // as last read
};

class ring_reader {
 public:
  ring_reader(ring_ends& ends, const std::byte* first, std::size_t size)
      : ends_(&ends), first_(first), size_(size) {}

  /// Whether the ring holds a record; called by any thread.
  [[nodiscard]] bool has_any() const {
    return ends_->tail.load(std::memory_order_seq_cst) != ends_->head.load(std::memory_order_relaxed);
  }
  /// The next record, valid until take(); nullopt if there is none. Throws error(errc::decode) for bytes that
  /// no writer writes.
  [[nodiscard]] std::optional<record> next();
  /// Releases the room of the record from next(). True if the writer waits for room and has enough now.
  [[nodiscard]] bool take();

 private:
  ring_ends* ends_;
  const std::byte* first_;
  std::size_t size_;
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;  // as last read
  std::size_t shown_ = 0;   // size of the record that next() returned
};

}  // namespace stradsap::rt
