#include "runtime/loop/accumulate/delayed_copies.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "runtime/dds/element_copies.hpp"
#include "runtime/loop/access/iteration_check.hpp"
#include "runtime/loop/accumulate/finite_folds.hpp"

namespace stradsap::rt {

static constexpr std::uint64_t last_change = ~std::uint64_t{0};

/// The copies of one accumulator.
struct delayed_copies::own_copies final : abi::element_source {
  own_copies(delayed_copies& in, std::size_t slots)
      : of(in),
        now(in.ops_, in.chunks_.num_elements()),
        start(in.ops_, in.chunks_.num_elements()),
        poisoned(now.at(0), now.size_bytes()),
        changes(slots),
        rounds(slots, never),
        copied(in.is_whole_ ? 0 : in.chunks_.num_chunks()),
        merge(in.ops_, in.rule_, in.chunks_.most_elements()) {}

  void* element(std::uint64_t i, abi::access) override {
    if (i >= of.local_.size()) of.local_.throw_out_of_range(i, of.in_.frame.name_of(of.capture_));
    return place(i, 1);
  }
  void* range(std::uint64_t first, std::uint64_t n, abi::access) override {
    of.local_.check_range(first, n, of.in_.frame.name_of(of.capture_));
    return place(first, n);
  }
  void* add_entry() override { throw error(errc::access, "a dvector has no keys"); }

  std::byte* place(std::uint64_t first, std::uint64_t n) {
    if (of.is_whole_ || n == 0) return now.at(first);
    const std::uint64_t last = of.chunks_.chunk_of(first + n - 1);
    for (std::uint64_t chunk = of.chunks_.chunk_of(first); chunk <= last; ++chunk) {
      if (copied[chunk] == 0) of.touch(*this, chunk);
    }
    return now.at(first);
  }

  delayed_copies& of;
  raw_copies now;
  raw_copies start;  // of the round
  poison::region poisoned;
  std::vector<shard_changes> changes;  // by slot of the round
  std::vector<std::size_t> rounds;     // by slot: the round of the changes, or `never`
  shard_changes held;                  // changes that are held back
  std::vector<std::uint64_t> since;    // of these: the first round with a part of the change
  std::vector<std::uint8_t> copied;    // by chunk, if copied on demand
  std::vector<std::uint64_t> touched;  // chunks that are copied
  std::size_t round = never;           // the last one that it began
  std::size_t seen = 0;                // folds that it sees in it
  change_merge merge;
};

/// Copying and comparing all elements in each round costs about as much as a few accesses of each iteration
/// on demand. The bits may depend on the choice, so it follows from counts.
static bool holds_all(const loop_frame& f, const chunking& chunks, std::size_t size, double iterations) {
  constexpr double always = 4096;
  constexpr double iteration_bytes = 256;
  if (is_checked(f)) return false;
  const auto size_bytes = static_cast<double>(chunks.num_elements() * size);
  return size_bytes <= always || size_bytes <= iteration_bytes * iterations;
}

delayed_copies::delayed_copies(const planning& in, std::size_t capture, const hot_units* hot,
                               delayed_shape shape)
    : in_(in),
      capture_(capture),
      local_(*in.frame.replicas[capture]),
      ops_(local_.ops()),
      hot_(hot),
      shape_(std::move(shape)),
      rule_(rule_for_copies(in.frame.entry->captures[capture], in.frame.relaxed[capture]->merge, ops_)),
      chunks_(hot == nullptr ? local_.size() : hot->num_elements(), ops_),
      is_whole_(hot != nullptr || holds_all(in.frame, chunks_, ops_.size, shape_.round.iterations)),
      newest_(ops_, chunks_.num_elements()),
      versions_(ops_, (shape_.bound + 1) * chunks_.num_elements()),
      changed_(shape_.bound + 1),
      received_(shape_.ranks.size()),
      merge_(ops_, rule_, chunks_.most_elements()) {
  for (const rank_id r : shape_.ranks) {
    own_.push_back(r == in.ranks.self() ? std::make_unique<own_copies>(*this, shape_.bound + 1) : nullptr);
  }
  load();
}

delayed_copies::~delayed_copies() = default;

void delayed_copies::assign(std::byte* to, const std::byte* from, std::uint64_t n) const {
  if (is_bytes(ops_)) return void(std::memcpy(to, from, n * ops_.size));
  for (std::uint64_t i = 0; i < n; ++i) assign_element(ops_, to + i * ops_.size, from + i * ops_.size);
}

void delayed_copies::load() {
  const std::uint64_t unit = hot_ == nullptr ? chunks_.num_elements() : hot_->unit();
  for (std::uint64_t place = 0; place < chunks_.num_elements(); place += unit)
    assign(newest_.at(place), local_.at(element_at(place)), unit);
  for (std::size_t slot = 0; slot <= shape_.bound; ++slot)
    assign(version(slot, 0), newest_.at(0), chunks_.num_elements());
}

void delayed_copies::store() const {
  const std::uint64_t unit = hot_ == nullptr ? chunks_.num_elements() : hot_->unit();
  for (std::uint64_t place = 0; place < chunks_.num_elements(); place += unit)
    assign(local_.at(element_at(place)), newest_.at(place), unit);
}

// ---- an accumulator's rounds ----

const std::byte* delayed_copies::seen(const own_copies& of, std::uint64_t place) const {
  return shape_.is_free ? newest_.at(place) : version(slot_of(of.round), place);
}

/// Adds the changes of a chunk, if there are any, to the accumulator's copy.
void delayed_copies::apply(own_copies& of, const shard_changes& changes, std::uint64_t chunk) const {
  const auto is_before = [](const chunk_change& one, std::uint64_t number) { return one.chunk < number; };
  const auto found = std::lower_bound(changes.all().begin(), changes.all().end(), chunk, is_before);
  if (found == changes.all().end() || found->chunk != chunk) return;
  const std::uint64_t first = chunks_.begin(chunk);
  try {
    of.merge.apply(of.now.at(first), chunks_.end(chunk) - first, *found);
  } catch (const error& e) {
    rethrow(e, first + of.merge.failed_at());
  }
}

/// Makes one chunk of the copies: the folds, then the accumulator's own changes that they lack. Changes that
/// are held back stay changes.
void delayed_copies::rebuild(own_copies& of, std::uint64_t chunk) const {
  const std::uint64_t first = chunks_.begin(chunk);
  const std::uint64_t n = chunks_.end(chunk) - first;
  const poison::opened copy(of.now.at(first), n * ops_.size);
  if (rule_.folded != nullptr) {  // the body reads nothing there
    rule_.folded->begin(of.now.at(first), n);
  } else {
    assign(of.now.at(first), seen(of, first), n);
    for (std::size_t r = of.seen; r < of.round; ++r) {
      if (of.rounds[slot_of(r)] == r) apply(of, of.changes[slot_of(r)], chunk);
    }
  }
  assign(of.start.at(first), of.now.at(first), n);
  apply(of, of.held, chunk);
}

void delayed_copies::touch(own_copies& of, std::uint64_t chunk) const {
  rebuild(of, chunk);
  of.copied[chunk] = 1;
  of.touched.push_back(chunk);
}

/// Makes all copies anew.
void delayed_copies::restart(own_copies& of) const {
  for (std::uint64_t chunk = 0; chunk < chunks_.num_chunks(); ++chunk) rebuild(of, chunk);
}

void delayed_copies::rethrow(const error& e, std::uint64_t place) const {
  throw error(e.code(), fmt::format("element {} of `{}`: {}", element_at(place), in_.frame.name_of(capture_),
                                    e.what()));
}

/// The chunks that may differ from the last round, in which it saw `before` folds: those of the folds that it
/// sees for the first time, and its own.
std::vector<std::uint64_t> delayed_copies::outdated(const own_copies& of, std::size_t before) const {
  std::vector<std::uint64_t> chunks;
  for (std::size_t r = before; r < of.seen; ++r) {
    const std::vector<std::uint64_t>& changed = changed_[slot_of(r)];
    chunks.insert(chunks.end(), changed.begin(), changed.end());
  }
  for (std::size_t r = of.round - std::min(of.round, shape_.bound + 1); r < of.round; ++r) {
    if (of.rounds[slot_of(r)] != r) continue;
    for (const chunk_change& one : of.changes[slot_of(r)].all()) chunks.push_back(one.chunk);
  }
  std::sort(chunks.begin(), chunks.end());
  chunks.erase(std::unique(chunks.begin(), chunks.end()), chunks.end());
  return chunks;
}

void delayed_copies::begin(std::uint32_t accumulator, std::size_t round) {
  own_copies& of = *own_[accumulator];
  const std::size_t before = std::exchange(of.round, round);
  const std::size_t saw = std::exchange(of.seen, seen_in(round));
  if (!is_whole_) {
    for (const chunk_change& one : of.held.all()) touch(of, one.chunk);
    return;
  }
  if (before == never || before + 1 != round) return restart(of);
  for (const std::uint64_t chunk : outdated(of, saw)) rebuild(of, chunk);
}

void delayed_copies::open(std::uint32_t accumulator, abi::window& view) {
  own_copies& of = *own_[accumulator];
  view = local_.window_through(of);
  view.base = of.now.at(0);
  view.count = view.readable = is_whole_ ? chunks_.num_elements() : 0;
}

std::byte* delayed_copies::at(std::uint32_t accumulator, std::uint64_t element) {
  return own_[accumulator]->place(place_of(element), 1);
}

std::byte* delayed_copies::range(std::uint32_t accumulator, std::uint64_t first, std::uint64_t n) {
  return own_[accumulator]->place(place_of(first), n);
}

void delayed_copies::list_changed(own_copies& of, std::uint64_t chunk) {
  const std::uint64_t first = chunks_.begin(chunk);
  const std::size_t size_bytes = chunks_.bytes_of(chunk);
  const std::byte* const start = of.start.at(first);
  const std::byte* const end = of.now.at(first);
  const poison::opened copy(end, size_bytes);
  shard_changes& to = of.changes[slot_of(of.round)];
  if (is_bytes(ops_)) {
    if (std::memcmp(start, end, size_bytes) == 0) return;
    std::byte* const both = to.add(chunk, 2 * size_bytes);
    std::memcpy(both, start, size_bytes);
    std::memcpy(both + size_bytes, end, size_bytes);
    return;
  }
  bytes encoded;
  abi::writer out(encoded);
  ops_.write(start, 1, out);
  const std::size_t middle = encoded.size();
  ops_.write(end, 1, out);
  const auto half = encoded.begin() + static_cast<std::ptrdiff_t>(middle);
  if (!std::equal(encoded.begin(), half, half, encoded.end())) to.add(chunk, encoded.data(), encoded.size());
}

void delayed_copies::close(std::uint32_t accumulator) {
  own_copies& of = *own_[accumulator];
  of.changes[slot_of(of.round)].clear();
  of.rounds[slot_of(of.round)] = of.round;
  if (is_whole_) {
    for (std::uint64_t chunk = 0; chunk < chunks_.num_chunks(); ++chunk) list_changed(of, chunk);
    return;
  }
  std::sort(of.touched.begin(), of.touched.end());
  for (const std::uint64_t chunk : of.touched) {
    list_changed(of, chunk);
    of.copied[chunk] = 0;
  }
  of.touched.clear();
}

// ---- changes that are held back ----

void delayed_copies::list_ended(std::size_t round, std::vector<waiting_change>& to) {
  bytes encoded;
  for (const auto& of : own_) {
    if (of == nullptr || of->rounds[slot_of(round)] != round) continue;
    std::size_t next = 0;  // held before
    const std::vector<chunk_change>& before = of->held.all();
    for (const chunk_change& one : of->changes[slot_of(round)].all()) {
      while (next < before.size() && before[next].chunk < one.chunk) ++next;
      const bool is_held = next < before.size() && before[next].chunk == one.chunk;
      encoded.clear();
      abi::writer out(encoded);
      write_change(one, round, out);
      const std::uint64_t n = chunks_.end(one.chunk) - chunks_.begin(one.chunk);
      to.push_back({merge_.significance(one, n), is_held ? of->since[next] : round, encoded.size()});
    }
  }
}

std::size_t delayed_copies::hold_back(std::size_t round, std::span<const waiting_change> chosen) {
  std::size_t k = 0;
  for (const auto& of : own_) {
    if (of == nullptr || of->rounds[slot_of(round)] != round) continue;
    shard_changes& ended = of->changes[slot_of(round)];
    std::vector<bool> waits(ended.all().size());
    of->held.clear();
    of->since.clear();
    for (std::size_t i = 0; i < waits.size(); ++i, ++k) {
      waits[i] = chosen[k].waits;
      if (!waits[i]) continue;
      const chunk_change& one = ended.all()[i];
      of->held.add(one.chunk, one.end, one.size);
      of->since.push_back(chosen[k].since);
    }
    ended.drop(waits);
  }
  return k;
}

// ---- messages ----

void delayed_copies::write_changes(std::size_t round, abi::writer& out) const {
  for (const auto& of : own_) {
    if (of == nullptr) continue;
    if (of->rounds[slot_of(round)] == round) {
      for (const chunk_change& one : of->changes[slot_of(round)].all()) write_change(one, round, out);
    }
    out(last_change);
  }
}

/// Both ranks have the version that the round began with; most of a start has its bytes.
void delayed_copies::write_change(const chunk_change& one, std::size_t round, abi::writer& out) const {
  out(one.chunk);
  if (!is_bytes(ops_)) {
    out(static_cast<std::uint64_t>(one.size));
    out.bytes(one.end, one.size);
    return;
  }
  const std::size_t size_bytes = chunks_.bytes_of(one.chunk);
  const std::byte* const known = version(slot_of(round), chunks_.begin(one.chunk));
  write_difference(out, known, one.end, size_bytes, chunks_.word_bytes());
  write_difference(out, one.end, one.end + size_bytes, size_bytes, chunks_.word_bytes());
}

void delayed_copies::read_changes(std::size_t round, rank_id from, abi::reader& in) {
  for (std::size_t a = 0; a < shape_.ranks.size(); ++a) {
    if (shape_.ranks[a] != from) continue;
    received_[a].clear();
    std::uint64_t chunk = 0;
    for (in(chunk); chunk != last_change; in(chunk)) {
      const bool is_next = received_[a].all().empty() || received_[a].all().back().chunk < chunk;
      if (chunk >= chunks_.num_chunks() || !is_next)
        throw error(errc::decode, fmt::format("a change of chunk {} of {}", chunk, chunks_.num_chunks()));
      read_change(chunk, round, in, received_[a]);
    }
  }
}

void delayed_copies::read_change(std::uint64_t chunk, std::size_t round, abi::reader& in,
                                 shard_changes& to) const {
  if (!is_bytes(ops_)) {
    const std::size_t size = in.count(1);
    return to.add(chunk, in.take(size), size);
  }
  const std::size_t size_bytes = chunks_.bytes_of(chunk);
  std::byte* const start = to.add(chunk, 2 * size_bytes);
  std::memcpy(start, version(slot_of(round), chunks_.begin(chunk)), size_bytes);
  read_difference(in, start, size_bytes, chunks_.word_bytes());
  std::memcpy(start + size_bytes, start, size_bytes);
  read_difference(in, start + size_bytes, size_bytes, chunks_.word_bytes());
}

// ---- the fold ----

std::vector<const std::vector<chunk_change>*> delayed_copies::changes_of(std::size_t round) const {
  std::vector<const std::vector<chunk_change>*> all(own_.size());
  for (std::size_t a = 0; a < own_.size(); ++a) {
    const own_copies* const own = own_[a].get();
    if (own != nullptr && own->rounds[slot_of(round)] != round) continue;  // it had no iterations
    const shard_changes& changes = own != nullptr ? own->changes[slot_of(round)] : received_[a];
    all[a] = &changes.all();
  }
  return all;
}

void delayed_copies::fold(std::size_t round) {
  const std::vector<const std::vector<chunk_change>*> all = changes_of(round);
  std::vector<std::size_t> next(all.size());
  std::vector<numbered_change> gathered;
  std::vector<std::uint64_t> changed;
  while (true) {
    std::uint64_t chunk = last_change;
    for (std::size_t a = 0; a < all.size(); ++a) {
      if (all[a] != nullptr && next[a] < all[a]->size()) chunk = std::min(chunk, (*all[a])[next[a]].chunk);
    }
    if (chunk == last_change) break;
    gathered.clear();
    for (std::size_t a = 0; a < all.size(); ++a) {
      if (all[a] != nullptr && next[a] < all[a]->size() && (*all[a])[next[a]].chunk == chunk)
        gathered.push_back({static_cast<std::uint32_t>(a), &(*all[a])[next[a]++]});
    }
    fold_chunk(chunk, gathered);
    changed.push_back(chunk);
  }
  changed_[slot_of(round)] = std::move(changed);
  num_folded_ = round + 1;
  update_version(round);
}

void delayed_copies::fold_chunk(std::uint64_t chunk, const std::vector<numbered_change>& all) {
  const std::uint64_t first = chunks_.begin(chunk);
  const std::uint64_t n = chunks_.end(chunk) - first;
  std::size_t bad = n;
  try {
    if (shape_.scale == nullptr) {
      bad = merge_.fold(newest_.at(first), n, all);
    } else {
      numbers_.clear();
      for (std::uint64_t place = first; place < first + n; ++place) numbers_.push_back(element_at(place));
      bad = merge_.fold_scaled(newest_.at(first), numbers_, all, *shape_.scale, shape_.round);
    }
  } catch (const error& e) {
    rethrow(e, first + merge_.failed_at());
  }
  if (bad != n) refuse_infinite(element_at(first + bad), in_.frame.name_of(capture_), rule_.how);
}

/// The version of the round lacks the folds since it was made.
void delayed_copies::update_version(std::size_t round) {
  const std::size_t slot = slot_of(round);
  for (std::size_t r = round - std::min(round, shape_.bound); r <= round; ++r) {
    for (const std::uint64_t chunk : changed_[slot_of(r)]) {
      const std::uint64_t first = chunks_.begin(chunk);
      assign(version(slot, first), newest_.at(first), chunks_.end(chunk) - first);
    }
  }
}

}  // namespace stradsap::rt
