#include "runtime/loop/plan/inspection.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "runtime/base/check.hpp"
#include "runtime/loop/access/recorder.hpp"
#include "runtime/loop/launch/keys.hpp"
#include "runtime/loop/plan/aligned_elements.hpp"

namespace stradsap::rt {

std::int64_t share_begin(const planning& in, rank_id r) {
  return static_cast<std::int64_t>(static_cast<__int128>(in.frame.n) * r / in.ranks.world_size());
}

void hold_inputs(const planning& in, std::int64_t begin, std::int64_t end) {
  const loop_frame& f = in.frame;
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    // The first touch of an uncut container would fetch all of it, and each lookup would take a lock.
    const bool looked_at = (f.entry->captures[c].mode & abi::listed) == 0 || f.replicas[c]->keys() != nullptr;
    const bool whole = f.uses[c] == usage::read ||
                       (f.uses[c] == usage::owned && f.replicas[c]->uncut() && looked_at) ||
                       (f.is_relaxed(c) && looked_at);
    if (whole) f.replicas[c]->hold_all();
    if (f.is_aligned(c)) {
      f.replicas[c]->borrow_range({static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end)});
    }
  }
}

/// Frees copies that this rank does not inspect, of containers that are about to enter plan layout. The
/// driver may have all elements, if the program has read them.
static void free_other_inputs(const planning& in, element_range share) {
  for (std::size_t c = 0; in.use_plan_layout && c < in.frame.num_captures(); ++c) {
    if (may_use_plan_layout(in.frame, c)) in.frame.replicas[c]->free_copies_outside(share);
  }
}

/// The slots of the keys that each executor met first, by executor and capture.
static std::vector<std::vector<std::vector<std::uint64_t>>> number_new_keys(
    const planning& in, const std::vector<std::unique_ptr<recorder>>& recorders) {
  const loop_frame& f = in.frame;
  std::vector<std::vector<std::vector<std::uint64_t>>> slots(
      recorders.size(), std::vector<std::vector<std::uint64_t>>(f.num_captures()));
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.uses[c] != usage::owned || f.replicas[c]->keys() == nullptr) continue;
    std::vector<const abi::key_index*> mine;
    for (const auto& r : recorders) mine.push_back(r->new_keys(c));
    std::vector<std::vector<std::uint64_t>> given = agree_on_keys(*f.replicas[c], mine, in.ranks);
    for (std::size_t executor = 0; executor < recorders.size(); ++executor)
      slots[executor][c] = std::move(given[executor]);
  }
  return slots;
}

/// The largest units that divide those of all executors on all ranks, and the existing groups.
static std::vector<std::uint64_t> agree_on_units(const planning& in,
                                                 const std::vector<std::unique_ptr<recorder>>& recorders) {
  const loop_frame& f = in.frame;
  std::vector<std::uint64_t> units(f.num_captures());
  bool all_one = true;
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    for (const auto& r : recorders) units[c] = std::gcd(units[c], r->unit(c));
    // elements that are named one after the other become a row, too
    const bool may_have_rows = f.uses[c] == usage::owned && f.replicas[c]->keys() == nullptr &&
                               (f.entry->captures[c].mode & (abi::ranges | abi::listed)) != 0;
    all_one = all_one && !may_have_rows;
  }
  if (!all_one) {
    bytes own;
    abi::writer out(own);
    out(units);
    for (const bytes& one : in.ranks.all_gather(own)) {
      std::vector<std::uint64_t> theirs;
      abi::reader reader(one);
      reader(theirs);
      STRADSAP_ASSERT(theirs.size() == units.size(), "{} units, {} expected", theirs.size(), units.size());
      for (std::size_t c = 0; c < units.size(); ++c) units[c] = std::gcd(units[c], theirs[c]);
    }
  }
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    const partition* groups = f.replicas[c] == nullptr ? nullptr : &f.replicas[c]->groups();
    for (std::uint32_t g = 0; units[c] > 1 && groups != nullptr && g + 1 < groups->num_groups(); ++g)
      units[c] = std::gcd(units[c], groups->end(g));
    units[c] = std::max<std::uint64_t>(1, units[c]);
  }
  return units;
}

static access_sets in_units(access_sets&& met, const recorder& from,
                            const std::vector<std::uint64_t>& units) {
  std::vector<std::uint64_t> own;
  for (std::size_t c = 0; c < units.size(); ++c) own.push_back(std::max<std::uint64_t>(1, from.unit(c)));
  return own == units ? std::move(met) : met.divided(own, units);
}

inspection inspect(const planning& in) {
  const auto executors = static_cast<std::size_t>(in.pool.size());
  const std::int64_t begin = share_begin(in, in.ranks.self());
  const std::int64_t end = share_begin(in, in.ranks.self() + 1);
  hold_inputs(in, begin, end);
  free_other_inputs(in, {static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end)});
  const std::int64_t n = end - begin;
  const auto part_begin = [&](std::size_t executor) {
    return begin + n * static_cast<std::int64_t>(executor) / static_cast<std::int64_t>(executors);
  };
  std::vector<std::unique_ptr<recorder>> recorders;
  for (std::size_t executor = 0; executor < executors; ++executor) {
    recorders.push_back(std::make_unique<recorder>(in.frame, in.copies));
  }
  in.pool.run([&](int number) {
    const auto executor = static_cast<std::size_t>(number);
    recorders[executor]->run(part_begin(executor), part_begin(executor + 1));
  });
  const auto slots = number_new_keys(in, recorders);
  std::vector<inspected_part> parts(executors);
  std::vector<std::uint64_t> units = agree_on_units(in, recorders);
  in.pool.run([&](int number) {
    const auto executor = static_cast<std::size_t>(number);
    access_sets sets = std::move(recorders[executor]->result());
    sets.give_slots(slots[executor]);
    parts[executor] = {part_begin(executor), in_units(std::move(sets), *recorders[executor], units)};
    recorders[executor].reset();
  });
  return {std::move(parts), std::move(units)};
}

/// The finalizer of splitmix64.
static std::uint64_t scrambled(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::uint64_t hash_of(const std::vector<inspected_part>& parts) {
  std::uint64_t sum = 0;
  for (const inspected_part& part : parts) {
    for (std::uint64_t i = 0; i < part.sets.size(); ++i) {
      const std::uint64_t iteration = scrambled(static_cast<std::uint64_t>(part.begin) + i);
      part.sets.visit(i, [&](std::uint32_t capture, std::uint64_t element) {
        sum += scrambled(iteration ^ (element << 16 | capture));
      });
    }
  }
  return sum;
}

}  // namespace stradsap::rt
