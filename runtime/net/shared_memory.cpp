#include "runtime/net/shared_memory.hpp"

namespace stradsap::rt {

shared_memory::shared_memory(const options& o, traffic& counted)
    : options_(o),
      traffic_(counted),
      inbox_(o.shared_memory ? inbox::make(o) : nullptr),
      links_(static_cast<std::size_t>(o.world_size)) {}

std::optional<inbox_place> shared_memory::place() const {
  if (inbox_ == nullptr) return std::nullopt;
  return inbox_->place();
}

std::optional<opened_inbox_memory> shared_memory::open_memory(rank_id of_rank, const inbox_place& at) {
  if (inbox_ == nullptr || !of(of_rank).its_doorbell.open(options_.run_dir, of_rank)) return std::nullopt;
  return opened_inbox_memory::open(at, options_.rank, options_.world_size);
}

bool shared_memory::flush(rank_id to) {
  link& l = of(to);
  const lock_guard hold(l.sending);
  if (!l.out) return true;
  l.out->flush();
  return l.out->is_empty();
}

bool shared_memory::open_inbox(rank_id from) { return inbox_ != nullptr && inbox_->open(from); }

void shared_memory::close_inbox(rank_id from) {
  if (inbox_ != nullptr) inbox_->close(from);
}

std::optional<message> shared_memory::next(rank_id from) {
  std::optional<message> m;
  if (inbox_ == nullptr) return m;
  link& l = of(from);
  if (const auto frame = inbox_->next(from)) {
    traffic_.received(frame->size());
    m = l.in.open(*frame);
    inbox_->take(from);
  }
  if (inbox_->made_room(from)) l.its_doorbell.ring();
  return m;
}

int shared_memory::descriptor() const { return inbox_ == nullptr ? -1 : inbox_->own_doorbell().descriptor(); }

void shared_memory::hush() const {
  if (inbox_ != nullptr) inbox_->own_doorbell().hush();
}

}  // namespace stradsap::rt
