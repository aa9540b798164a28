// A ring of bytes between one writer and one reader, in two processes or in one: records, which their reader
// sees whole, in order, and in place. What holds a ring lies in memory that both have mapped, the bytes of it
// twice, one copy behind the other, so that a record never has a seam.
//
// A record becomes visible when the writer moves `tail`, which it does last: of a writer that was killed
// before, the reader sees nothing. `tail` and what a reader sleeps by, `head` and what a writer waits by, are
// written and read in one order that all threads agree on (seq_cst): one side says that it waits and then
// looks again, the other one moves its end and then looks whether somebody waits, so one of them sees it.
// Thread rule: a writer and a reader each belong to one thread at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace stradsap::rt {

/// What both sides know of a ring. Zeros are a ring that is empty.
struct ring_ends {
  alignas(64) std::atomic<std::uint64_t> tail;  // bytes ever written
  alignas(64) std::atomic<std::uint64_t> head;  // bytes ever taken
  alignas(64) std::atomic<std::uint32_t> wants_room;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes cannot share a lock of one");

/// What may be written at once: longer frames go as several records.
struct record {
  std::span<const std::byte> payload;
  bool is_last = true;  // of its frame
};

class ring_writer {
 public:
  /// `size` bytes, a power of two, that are there twice from `first` on.
  ring_writer(ring_ends& ends, std::byte* first, std::size_t size)
      : ends_(&ends), first_(first), size_(size) {}

  [[nodiscard]] std::size_t most_payload() const { return size_ / 4; }
  /// False where there is no room; the reader then has been asked to say when there is.
  [[nodiscard]] bool write(const record& r);

 private:
  [[nodiscard]] bool has_room(std::size_t size);

  ring_ends* ends_;
  std::byte* first_;
  std::size_t size_;
  std::uint64_t tail_ = 0;
  std::uint64_t head_ = 0;  // as last seen
};

class ring_reader {
 public:
  ring_reader(ring_ends& ends, const std::byte* first, std::size_t size)
      : ends_(&ends), first_(first), size_(size) {}

  /// Whether something was written; by any thread.
  [[nodiscard]] bool has_any() const {
    return ends_->tail.load(std::memory_order_seq_cst) != ends_->head.load(std::memory_order_relaxed);
  }
  /// The next record, which stays as it is until take(); none where there is none. Throws error(errc::decode)
  /// where the ring holds what no writer writes.
  [[nodiscard]] std::optional<record> next();
  /// Gives back the room of what next() has shown. True where the writer waits for it and there is enough.
  [[nodiscard]] bool take();

 private:
  ring_ends* ends_;
  const std::byte* first_;
  std::size_t size_;
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;  // as last seen
  std::size_t shown_ = 0;   // bytes of the record that next() has shown
};

}  // namespace stradsap::rt
