#include "runtime/loop/accumulate/entry_deltas.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>
#include <tsl/robin_map.h>

#include "runtime/dds/element_exchange.hpp"
#include "runtime/loop/launch/keys.hpp"

namespace stradsap::rt {

static constexpr std::size_t cache_lines = 128;        // that no two accumulators share
static constexpr std::uint64_t worth_sharing = 10000;  // entries; fewer are not worth waking all executors

entry_deltas::entry_deltas(replica& local, const abi::accumulation& how, std::uint32_t count)
    : accumulators(local),
      how_(how),
      memory_(address_range::ample_for_several()),
      stride_(memory_.size() / count / cache_lines * cache_lines),
      room_(stride_ / local.ops().size),
      copies_(count) {}

entry_deltas::~entry_deltas() {
  for (std::uint32_t accumulator = 0; accumulator < copies_.size(); ++accumulator) {
    for (std::uint64_t i = 0; i < copies_[accumulator].size; ++i)
      replica_.ops().destroy(entry(accumulator, i), 1);
  }
}

void entry_deltas::open(std::uint32_t accumulator, abi::window& view) {
  copy& own = copies_[accumulator];
  if (own.keys == nullptr) own.keys = replica_.keys()->fresh();
  view.base = memory_.base() + accumulator * stride_;
  view.count = view.readable = room_;
  view.keys = own.keys.get();
  view.may_insert = true;
}

std::byte* entry_deltas::add_entry(std::uint32_t accumulator) {
  copy& own = copies_[accumulator];
  const abi::element_ops& ops = replica_.ops();
  if (own.size >= room_ && (own.size - room_) % chunk_entries == 0)
    own.chunks.push_back(static_cast<std::byte*>(own.beyond.allocate(chunk_entries * ops.size, ops.align)));
  std::byte* const made = entry(accumulator, own.size);
  own.poisoned.cover(entry(accumulator, 0), std::min(room_, std::bit_ceil(own.size + 1)) * ops.size);
  const poison::opened now(made, ops.size);
  own.keys->construct_entry(own.size, made);
  ++own.size;
  how_.begin(made, 1);
  return made;
}

/// One fold.
class entry_deltas::folding {
 public:
  folding(const planning& in, const plan& p, entry_deltas& deltas)
      : in_(in),
        plan_(p),
        replica_(deltas.replica_),
        deltas_(deltas),
        self_(in.ranks.self()),
        used_(used_accumulators(p)),
        added_(deltas.copies_.size()) {
    for (const std::uint32_t accumulator : used_) {
      if (p.accumulator_ranks[accumulator] == self_ && deltas.copies_[accumulator].keys != nullptr)
        mine_.push_back(accumulator);
    }
    for (const std::uint32_t accumulator : mine_) num_entries_ += deltas.copies_[accumulator].size;
  }

  void run() {
    find_slots();
    if (in_.ranks.world_size() == 1) return fold_own();
    if (deltas_.how_.is_exact) join_on_each_rank();
    element_exchange additions(in_.ranks);
    pack(additions);
    additions.trade();
    fold_all(additions);
    additions.finish();
  }

 private:
  /// An entry of an accumulator, and the slot of its key in the map.
  struct addition {
    std::uint64_t slot;
    std::byte* entry;
  };

  /// Calls each(k, n) for each k < n, on all executors if that pays.
  template <class Each> void share(const Each& each) const {
    if (num_entries_ < worth_sharing) return each(std::uint64_t{0}, std::uint64_t{1});
    const auto executors = static_cast<std::uint64_t>(in_.pool.size());
    in_.pool.run([&](int number) { each(static_cast<std::uint64_t>(number), executors); });
  }

  /// Looks up the slots of all entries. All ranks agree on slots for new keys, in the order of accumulators.
  void find_slots() {
    const auto lists = static_cast<std::size_t>(in_.pool.size());
    std::vector<std::unique_ptr<abi::key_index>> unknown;
    for (std::size_t k = 0; k < lists; ++k) unknown.push_back(replica_.keys()->fresh());
    const auto for_accumulators = [&](std::uint64_t k, std::uint64_t n, const auto& each) {
      for (std::size_t i = mine_.size() * k / n; i < mine_.size() * (k + 1) / n; ++i) each(mine_[i]);
    };
    share([&](std::uint64_t k, std::uint64_t n) {
      for_accumulators(k, n, [&](std::uint32_t accumulator) { look_up(accumulator, *unknown[k]); });
    });
    std::vector<const abi::key_index*> lists_of_mine;
    for (const auto& list : unknown) lists_of_mine.push_back(list.get());
    const std::vector<std::vector<std::uint64_t>> given = agree_on_keys(replica_, lists_of_mine, in_.ranks);
    share([&](std::uint64_t k, std::uint64_t n) {
      for_accumulators(k, n, [&](std::uint32_t accumulator) {
        for (addition& one : added_[accumulator]) {
          if ((one.slot & abi::pending_bit) != 0) one.slot = given[k][one.slot & ~abi::pending_bit];
        }
      });
    });
  }

  void look_up(std::uint32_t accumulator, abi::key_index& unknown) {
    const copy& from = deltas_.copies_[accumulator];
    std::vector<std::uint64_t> slots;
    replica_.keys()->find_all(*from.keys, unknown, slots);
    added_[accumulator].reserve(from.size);
    for (std::uint64_t i = 0; i < from.size; ++i)
      added_[accumulator].push_back({slots[i], deltas_.entry(accumulator, i)});
  }

  void add(std::uint64_t slot, const std::byte* part) const {
    deltas_.how_.combine(replica_.at(slot), part, 1);
  }

  /// Each executor folds a range of the slots.
  void fold_own() const {
    share([&](std::uint64_t k, std::uint64_t n) {
      const std::uint64_t begin = replica_.size() * k / n;
      const std::uint64_t count = replica_.size() * (k + 1) / n - begin;
      for (const std::uint32_t accumulator : mine_) {
        for (const addition& one : added_[accumulator]) {
          if (one.slot - begin < count) add(one.slot, one.entry);
        }
      }
    });
  }

  /// Joins the accumulators of this rank, to send less. Only for exact additions, where it changes no bit.
  void join_on_each_rank() {
    tsl::robin_map<std::uint64_t, std::byte*> first;  // by slot
    for (const std::uint32_t accumulator : mine_) {
      std::erase_if(added_[accumulator], [&](const addition& one) {
        const auto [known, is_first] = first.try_emplace(one.slot, one.entry);
        if (!is_first) deltas_.how_.combine(known->second, one.entry, 1);
        return !is_first;
      });
    }
  }

  [[nodiscard]] rank_id owner_of(std::uint64_t slot) const {
    return replica_.groups().owner(replica_.groups().group_of(slot));
  }

  /// For each owner: the entries of this rank's accumulators. Each accumulator has their number, then slots
  /// and entries.
  void pack(element_exchange& out) const {
    for (const std::uint32_t accumulator : used_) {
      if (plan_.accumulator_ranks[accumulator] != self_) continue;
      std::vector<std::uint64_t> counts(static_cast<std::size_t>(in_.ranks.world_size()));
      for (const addition& one : added_[accumulator]) ++counts[static_cast<std::size_t>(owner_of(one.slot))];
      for (rank_id r = 0; r < in_.ranks.world_size(); ++r) {
        if (r != self_) out.writer(r)(counts[static_cast<std::size_t>(r)]);
      }
      for (const addition& one : added_[accumulator]) {
        const rank_id owner = owner_of(one.slot);
        if (owner == self_) continue;
        out.writer(owner)(one.slot);
        replica_.ops().write(one.entry, 1, out.writer(owner));
      }
    }
  }

  void fold_all(element_exchange& in) const {
    for (const std::uint32_t accumulator : used_) {
      const rank_id from = plan_.accumulator_ranks[accumulator];
      if (from != self_) {
        fold_from(in.reader(from));
        continue;
      }
      for (const addition& one : added_[accumulator]) {
        if (owner_of(one.slot) == self_) add(one.slot, one.entry);
      }
    }
  }

  /// Folds one accumulator of another rank into this rank's elements. Throws error(errc::decode).
  void fold_from(abi::reader& in) const {
    const address_range came(replica_.ops().size);
    std::uint64_t left = in.count(sizeof(std::uint64_t));
    if (left == 0) return;
    replica_.keys()->construct_entry(0, came.base());  // any key will do
    for (; left > 0; --left) {
      std::uint64_t slot = 0;
      in(slot);
      if (slot >= replica_.size() || owner_of(slot) != self_)
        throw error(errc::decode, fmt::format("an addition to entry {} came to who does not own it", slot));
      replica_.ops().read(came.base(), 1, in);
      add(slot, came.base());
    }
    replica_.ops().destroy(came.base(), 1);
  }

  const planning& in_;
  const plan& plan_;
  replica& replica_;
  const entry_deltas& deltas_;
  const rank_id self_;
  const std::vector<std::uint32_t> used_;     // that were used, on any rank
  std::vector<std::uint32_t> mine_;           // of this rank, with entries
  std::uint64_t num_entries_ = 0;             // of this rank's accumulators
  std::vector<std::vector<addition>> added_;  // by accumulator
};

void entry_deltas::fold(const planning& in, const plan& p, element_exchange&) { folding(in, p, *this).run(); }

}  // namespace stradsap::rt
