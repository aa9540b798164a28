#include "runtime/loop/recorder.hpp"

#include <algorithm>
#include <bit>

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
      s->first = static_cast<std::uint32_t>(frame.first_of(c));
      s->size = store->size();
      s->owned = frame.uses[c] == usage::owned;
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
  frame_.entry->record(frame_.values.data(), windows_.data(), begin, end, *this);
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
  ranges_.clear();
  known_.empty();
  drop_repeated();
  known_.empty();
  result_.ends.push_back(static_cast<std::uint32_t>(result_.touches.size()));
  // By now the rest can be guessed; growing by doubling would touch twice the memory.
  constexpr std::size_t enough = 1000;
  if (result_.ends.size() == enough)
    result_.touches.reserve(left_ * result_.touches.size() / enough * 21 / 20);
}

/// Of the iteration that ends; the order of first touches stays.
void recorder::drop_repeated() {
  constexpr std::ptrdiff_t few = 8;
  const auto first = result_.touches.begin() + (result_.ends.empty() ? 0 : result_.ends.back());
  const auto number = [](const touch& t) { return std::bit_cast<std::uint64_t>(t); };
  const auto does_not_rise = [&](const touch& a, const touch& b) { return number(a) >= number(b); };
  if (std::adjacent_find(first, result_.touches.end(), does_not_rise) == result_.touches.end()) return;
  auto kept = first;
  const bool are_few = result_.touches.end() - first <= few;
  for (auto at = first; at != result_.touches.end(); ++at) {
    const auto place = static_cast<std::uint32_t>(kept - first);
    const bool fresh =
        are_few ? std::find(first, kept, *at) == kept : known_.add(number(*at), place) == place;
    if (fresh) *kept++ = *at;
  }
  result_.touches.erase(kept, result_.touches.end());
}

void* recorder::note(std::uint32_t capture, std::uint64_t i) {
  const std::uint32_t c = captures_[capture]->first;
  const bool pending_key = captures_[c]->pending != nullptr && (i & pending_bit) != 0;
  const container_store& store = *frame_.stores[c];
  if (!pending_key && i >= store.size()) {
    store.throw_out_of_range(i, frame_.name_of(capture));
  }
  const touch what{pending_key ? i & ~pending_bit : i, c, pending_key ? 1u : 0u};
  const auto next = static_cast<std::uint32_t>(lent_.size());
  const std::uint32_t place = known_.add(std::bit_cast<std::uint64_t>(what), next);
  if (place == next) lent_.push_back({what, nullptr});
  if (lent_[place].at == nullptr) lent_[place].at = lend(*captures_[c], what);
  return lent_[place].at;
}

void* recorder::list_range(const source& from, std::uint64_t begin, std::uint64_t n) {
  const std::uint64_t end = begin + std::min(n, from.size - std::min(begin, from.size));
  for (std::uint64_t i = begin; i < end; ++i) (void)list(from, i);
  return from.listed;
}

/// One copy for each question: elements that several of them name have several, and nothing that counts
/// depends on what the body writes into them.
void* recorder::note_range(std::uint32_t capture, std::uint64_t begin, std::uint64_t n) {
  const std::uint32_t c = captures_[capture]->first;
  container_store& store = *frame_.stores[c];
  store.check_range(begin, n, frame_.name_of(capture));
  for (const lent_range& known : ranges_) {
    if (known.capture == c && known.begin == begin && known.copies.size() == n) return known.copies.at();
  }
  for (std::uint64_t i = begin; i < begin + n; ++i) {
    const touch what{i, c, 0};
    const auto next = static_cast<std::uint32_t>(lent_.size());
    if (known_.add(std::bit_cast<std::uint64_t>(what), next) == next) lent_.push_back({what, nullptr});
    if (!captures_[c]->all_held) copies_.ensure(store, i);
  }
  ranges_.push_back({c, begin, copied_range(store.ops(), store.at(begin), n)});
  return ranges_.back().copies.at();
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
