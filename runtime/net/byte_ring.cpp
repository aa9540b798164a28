#include "runtime/net/byte_ring.hpp"

#include <cstring>

#include <fmt/format.h>
#include <stradsap/error.hpp>

#include "runtime/base/check.hpp"

namespace stradsap::rt {
namespace {

struct record_head {
  std::uint32_t size;
  std::uint32_t is_last;
};

/// Records begin at multiples of 8, so that a record head never crosses the end.
std::size_t room_of(std::size_t payload) { return (sizeof(record_head) + payload + 7) / 8 * 8; }

}  // namespace

bool ring_writer::has_room(std::size_t size) {
  if (tail_ + size - head_ <= size_) return true;
  head_ = ends_->head.load(std::memory_order_seq_cst);
  return tail_ + size - head_ <= size_;
}

bool ring_writer::write(const record& r) {
  STRADSAP_ASSERT(r.payload.size() <= most_payload(), "a record of {} bytes, at most {}", r.payload.size(),
                  most_payload());
  const std::size_t size = room_of(r.payload.size());
  if (!has_room(size)) {
    ends_->wants_room.store(1, std::memory_order_seq_cst);
    if (!has_room(size)) return false;  // the reader takes a record after this check, and sees the flag
    ends_->wants_room.store(0, std::memory_order_relaxed);
  }
  std::byte* const at = first_ + (tail_ & (size_ - 1));
  const record_head head{static_cast<std::uint32_t>(r.payload.size()), r.is_last ? 1u : 0u};
  std::memcpy(at, &head, sizeof head);
  if (!r.payload.empty()) std::memcpy(at + sizeof head, r.payload.data(), r.payload.size());
  tail_ += size;
  ends_->tail.store(tail_, std::memory_order_seq_cst);
  return true;
}

std::optional<record> ring_reader::next() {
  if (head_ == tail_) tail_ = ends_->tail.load(std::memory_order_seq_cst);
  const std::uint64_t there = tail_ - head_;
  if (there == 0) return std::nullopt;
  const std::byte* const at = first_ + (head_ & (size_ - 1));
  record_head head{};
  if (there <= size_ && there % 8 == 0) std::memcpy(&head, at, sizeof head);
  shown_ = room_of(head.size);
  if (there > size_ || there % 8 != 0 || shown_ > there || head.is_last > 1) {
    throw error(errc::decode, fmt::format("its shared memory is corrupt: a record of {} bytes in {} of {}",
                                          head.size, there, size_));
  }
  return record{{at + sizeof head, head.size}, head.is_last == 1};
}

bool ring_reader::take() {
  head_ += shown_;
  ends_->head.store(head_, std::memory_order_seq_cst);
  if (ends_->wants_room.load(std::memory_order_seq_cst) == 0) return false;
  // Reports room in large steps, not after each record; at the latest when the ring is empty.
  const std::uint64_t tail = ends_->tail.load(std::memory_order_relaxed);  // exact: the writer waits
  const bool is_enough = tail - head_ <= size_ / 2;
  return is_enough && ends_->wants_room.exchange(0, std::memory_order_seq_cst) != 0;
}

}  // namespace stradsap::rt
