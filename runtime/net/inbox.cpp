#include "runtime/net/inbox.hpp"

#include <algorithm>
#include <utility>

namespace stradsap::rt {

std::unique_ptr<inbox> inbox::make(const options& o) {
  auto memory = own_inbox_memory::make(o.world_size);
  if (!memory) return nullptr;
  std::unique_ptr<inbox> made(new inbox(std::move(*memory), o.world_size));
  if (!made->doorbell_.make(o.run_dir, o.rank)) return nullptr;
  return made;
}

bool inbox::open(rank_id from) {
  source& s = of(from);
  s.ring = memory_.ring(from);
  s.is_open = s.ring.has_value();
  return s.is_open;
}

void inbox::close(rank_id from) { of(from).is_open = false; }

std::optional<std::span<const std::byte>> inbox::next(rank_id from) {
  source& s = of(from);
  if (!s.is_open) return std::nullopt;
  while (const auto r = s.ring->next()) {
    if (r->is_last && s.begun.empty()) return r->payload;
    s.begun.insert(s.begun.end(), r->payload.begin(), r->payload.end());
    if (r->is_last) return s.begun;
    s.made_room |= s.ring->take();
  }
  return std::nullopt;
}

void inbox::take(rank_id from) {
  source& s = of(from);
  s.made_room |= s.ring->take();
  s.begun = {};
}

bool inbox::made_room(rank_id from) { return std::exchange(of(from).made_room, false); }

bool inbox::has_one(const source& s) { return s.is_open && s.ring->has_any(); }

bool inbox::has_any() const { return std::any_of(sources_.begin(), sources_.end(), has_one); }

bool inbox::has_any(rank_id from) const { return has_one(sources_[static_cast<std::size_t>(from)]); }

// If several threads begin and end, the last one to end writes the flag last.
void inbox::begin_looking() {
  if (lookers_.fetch_add(1) == 0) memory_.head().asleep.store(0, std::memory_order_seq_cst);
}

void inbox::end_looking() {
  if (lookers_.fetch_sub(1) == 1) memory_.head().asleep.store(1, std::memory_order_seq_cst);
}

}  // namespace stradsap::rt
