#include "runtime/net/outbox.hpp"

#include <algorithm>
#include <utility>

namespace stradsap::rt {

void outbox::send(bytes frame, bool can_wait) {
  flush();
  if (!waiting_.empty() || !write(frame, can_wait)) waiting_.push_back(std::move(frame));
}

void outbox::flush() {
  while (!waiting_.empty() && write(waiting_.front(), /*can_wait=*/false)) waiting_.pop_front();
}

/// Writes the rest of the frame; true once all of it is written.
bool outbox::write(const bytes& frame, bool can_wait) {
  while (written_ < frame.size()) {
    const std::size_t size = std::min(frame.size() - written_, ring_.most_payload());
    const bool is_last = written_ + size == frame.size();
    if (!ring_.write({{frame.data() + written_, size}, is_last})) return false;
    written_ += size;
    wake(can_wait);
  }
  written_ = 0;
  return true;
}

/// Rings unless a thread polls; of several writers, one rings.
void outbox::wake(bool can_wait) {
  if (can_wait && memory_.head().waiting.load(std::memory_order_seq_cst) == 0) return;
  std::atomic<std::uint32_t>& asleep = memory_.head().asleep;
  if (asleep.load(std::memory_order_seq_cst) != 0 && asleep.exchange(0, std::memory_order_seq_cst) != 0)
    doorbell_.ring();
}

}  // namespace stradsap::rt
