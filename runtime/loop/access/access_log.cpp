#include "runtime/loop/access/access_log.hpp"

#include <fmt/format.h>

namespace stradsap::rt {

std::uint64_t hash_of(const replica& local, const void* element) {
  const abi::element_ops& ops = local.ops();
  if (ops.own.write == nullptr) return abi::hash_bytes(element, ops.size);
  thread_local bytes out;  // check builds take many hashes
  out.clear();
  abi::writer to(out);
  ops.write(element, 1, to);
  return abi::hash_bytes(out.data(), out.size());
}

template <class Takes> static std::vector<logged_state> states_of(const loop_frame& f, const Takes& takes) {
  std::vector<logged_state> states;
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.replicas[c] == nullptr || f.first_of(c) != c) continue;
    const replica& local = *f.replicas[c];
    const partition& groups = local.groups();
    for (partition::group_id g = 0; g < groups.num_groups(); ++g) {
      if (!takes(groups.owner(g))) continue;
      logged_state state{static_cast<std::uint32_t>(c), groups.begin(g), {}};
      for (std::uint64_t i = groups.begin(g); i < groups.end(g); ++i)
        state.hashes.push_back(hash_of(local, local.at(i)));
      states.push_back(std::move(state));
    }
  }
  return states;
}

std::vector<logged_state> owned_states(const loop_frame& f, rank_id self) {
  return states_of(f, [self](rank_id owner) { return owner == self; });
}

std::vector<logged_state> all_states(const loop_frame& f) {
  return states_of(f, [](rank_id) { return true; });
}

// ---- versions ----

element_versions::element_versions(const loop_frame& f) : versions_(f.num_captures()) {
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.writes(c) && f.first_of(c) == c && f.uses[c] != usage::accumulated)
      versions_[c] = std::vector<std::atomic<std::uint64_t>>(f.replicas[c]->size());
  }
}

std::uint64_t element_versions::of(std::size_t capture, std::uint64_t element) const {
  return versions_[capture].empty() ? 0 : versions_[capture][element].load();
}

std::uint64_t element_versions::change(std::size_t capture, std::uint64_t element) {
  return versions_[capture][element].fetch_add(1);
}

std::vector<std::uint64_t> element_versions::take(std::size_t capture, std::uint64_t begin,
                                                  std::uint64_t end) const {
  return {versions_[capture].begin() + static_cast<std::ptrdiff_t>(begin),
          versions_[capture].begin() + static_cast<std::ptrdiff_t>(end)};
}

void element_versions::put(std::size_t capture, std::uint64_t begin, std::uint64_t end,
                           const std::vector<std::uint64_t>& versions) {
  if (versions.size() != end - begin) {
    throw error(errc::decode,
                fmt::format("a token brings {} versions, expected {}", versions.size(), end - begin));
  }
  for (std::uint64_t i = begin; i < end; ++i) versions_[capture][i].store(versions[i - begin]);
}

// ---- one executor's log ----

std::uint32_t place_list::number_of(const abi::access_place& where) {
  const auto [known, is_new] = number_of_.try_emplace({where.file, where.line}, places_.size());
  if (is_new) places_.push_back(where.line == 0 ? site_ : fmt::format("{}:{}", where.file, where.line));
  return known->second;
}

void access_recorder::begin(std::int64_t iteration, std::uint32_t block) {
  log_.iterations.push_back({iteration, block});
  first_ = log_.touches.size();
  known_.empty();
  at_.clear();
  running_ = true;
}

void access_recorder::touched(std::uint32_t capture, std::uint64_t element, const void* at, bool writes) {
  const auto first = static_cast<std::uint32_t>(frame_.first_of(capture));
  const auto next = static_cast<std::uint32_t>(log_.touches.size());
  const std::uint32_t place = known_.add(std::uint64_t{first} << 47 | element, next);
  if (place == next) {
    const std::uint64_t hash = hash_of(*frame_.replicas[first], at);
    log_.touches.push_back({static_cast<std::uint32_t>(log_.iterations.size() - 1), first, element,
                            versions_.of(first, element), hash, hash, places_.number_of(abi::current_access),
                            false, false});
    at_.push_back(at);
  }
  // a loop that only reads a container may name its elements without const
  logged_touch& touch = log_.touches[place];
  if (!writes || !frame_.writes(first) || touch.writes) return;
  touch.place = places_.number_of(abi::current_access);
  note_change(touch);
}

void access_recorder::note_change(logged_touch& touch) {
  touch.writes = true;
  touch.torn = versions_.change(touch.capture, touch.element) != touch.version;
}

void access_recorder::end() {
  if (!running_) return;
  running_ = false;
  for (std::size_t i = first_; i < log_.touches.size(); ++i) {
    logged_touch& touch = log_.touches[i];
    touch.after = hash_of(*frame_.replicas[touch.capture], at_[i - first_]);
    const bool in_spite_of_const =
        !touch.writes && touch.after != touch.before && frame_.writes(touch.capture);
    if (in_spite_of_const) note_change(touch);
    touch.torn =
        touch.torn || versions_.of(touch.capture, touch.element) != touch.version + (touch.writes ? 1 : 0);
  }
}

}  // namespace stradsap::rt
