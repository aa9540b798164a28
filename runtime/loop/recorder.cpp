#include "runtime/loop/recorder.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace stradsap::rt {

recorder::recorder(const loop_frame& frame, copy_service& copies) : frame_(frame), copies_(copies) {
  for (std::size_t c = 0; c < frame.num_captures(); ++c) {
    auto s = std::make_unique<source>();
    s->owner = this;
    s->capture = static_cast<std::uint32_t>(c);
    abi::window w;
    if (const container_store* store = frame.stores[c]; store != nullptr) {
      s->scratch = std::make_unique<scratch_pool>(store->ops());
      s->all_held = store->all_held();
      const bool only_listed = (frame.entry->captures[c].mode & abi::listed) != 0 && store->keys() == nullptr;
      if (only_listed) s->listed = s->scratch->take();
      if (store->keys() != nullptr && frame.uses[c] == usage::owned && frame.first_of(c) == c) {
        s->pending = store->keys()->fresh();
      }
      const source& speaker = frame.first_of(c) == c ? *s : *captures_[frame.first_of(c)];
      w = store->window_through(*s);
      w.pending = speaker.pending.get();
      // What the loop only reads is here already (the planner saw to it) and needs no notes.
      if (!frame.writes(c)) w.count = w.readable = store->size();
    }
    windows_.push_back(w);
    captures_.push_back(std::move(s));
  }
}

recorder::~recorder() = default;

void recorder::run(std::int64_t begin, std::int64_t end) {
  left_ = static_cast<std::uint64_t>(end - begin);
  result_.ends.reserve(left_);
  const abi::launch_scope now(frame_.launch);
  frame_.entry->record(frame_.values.get(), windows_.data(), begin, end, *this);
}

void recorder::begin(std::int64_t) {}

void recorder::end() {
  for (const lent& l : lent_) {
    const std::size_t c = l.what.capture;
    if (l.at != nullptr) {
      frame_.stores[c]->ops().destroy(l.at, 1);
      captures_[c]->scratch->reset();
    }
    if (frame_.uses[c] == usage::owned) result_.touches.push_back(l.what);
  }
  lent_.clear();
  result_.ends.push_back(static_cast<std::uint32_t>(result_.touches.size()));
  // By now the rest can be guessed; growing by doubling would touch twice the memory.
  constexpr std::size_t enough = 1000;
  if (result_.ends.size() == enough)
    result_.touches.reserve(left_ * result_.touches.size() / enough * 21 / 20);
}

void* recorder::note(std::uint32_t capture, std::uint64_t i, abi::access) {
  const auto c = static_cast<std::uint32_t>(frame_.first_of(capture));
  const bool pending_key = captures_[c]->pending != nullptr && (i & pending_bit) != 0;
  const container_store& store = *frame_.stores[c];
  void* listed = captures_[capture]->listed;
  if (!pending_key && i >= store.size()) {
    if (listed != nullptr) return listed;  // a slice may name what the body would not touch: no element
    store.throw_out_of_range(i, frame_.name_of(capture));
  }
  const touch what{pending_key ? i & ~pending_bit : i, c, pending_key ? 1u : 0u};
  const auto known = std::find_if(lent_.begin(), lent_.end(), [&](const lent& l) { return l.what == what; });
  lent& noted = known != lent_.end() ? *known : lent_.emplace_back(lent{what, nullptr});
  if (listed != nullptr) return listed;
  if (noted.at == nullptr) noted.at = lend(*captures_[c], what);
  return noted.at;
}

std::byte* recorder::lend(const source& from, const touch& what) {
  container_store& store = *frame_.stores[what.capture];
  if (!what.pending_key && !from.all_held) copies_.ensure(store, what.element);
  std::byte* at = from.scratch->take();
  if (what.pending_key) {
    from.pending->construct_entry(what.element, at);
  } else {
    store.ops().copy(at, store.at(what.element));
  }
  return at;
}

}  // namespace stradsap::rt
