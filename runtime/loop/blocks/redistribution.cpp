#include "runtime/loop/blocks/redistribution.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <stradsap/error.hpp>

#include "runtime/dds/element_exchange.hpp"
#include "runtime/loop/access/iteration_check.hpp"
#include "runtime/loop/blocks/block_origins.hpp"
#include "runtime/loop/blocks/gathered_elements.hpp"
#include "runtime/loop/plan/aligned_elements.hpp"
#include "runtime/loop/plan/byte_runs.hpp"
#include "runtime/loop/plan/packed_elements.hpp"

namespace stradsap::rt {
namespace {

/// Has room beyond the last iteration, because executors read ahead.
plain_array<std::uint32_t> elements_of_column(std::size_t iterations) {
  return plain_array<std::uint32_t>(iterations + abi::prefetch_reach);
}

class sorter {
 public:
  sorter(const planning& in, std::vector<inspected_part>& parts, assignment& where)
      : in_(in), f_(in.frame), parts_(parts), where_(where) {}

  /// The share in the order of `to`. Iterations of one block stay in program order. Frees each input after
  /// its use. With one rank, that includes the canonical memory of aligned elements; with several, these stay
  /// there, and the list has none.
  iteration_list sort(const block_destinations& to) {
    std::vector<std::vector<std::uint32_t>> next = first_places(to);
    iteration_list sorted = empty_list();
    in_.pool.run([&](int executor) {
      const auto p = static_cast<std::size_t>(executor);
      const std::span<std::uint32_t> places = where_.labels[p].all();
      for (std::uint32_t& at : places) at = next[p][where_.block_of[p][at]]++;
      for (std::size_t c = 0; c < f_.num_captures(); ++c) {
        if (has_stream(c)) scatter_elements(c, parts_[p].begin, places, sorted.streams[c]);
      }
    });
    if (in_.ranks.world_size() == 1) adopt_plan_layouts(in_);
    in_.pool.run([&](int executor) {
      const auto p = static_cast<std::size_t>(executor);
      const plain_array<std::uint32_t> labels = std::move(where_.labels[p]);
      const std::span<const std::uint32_t> places = labels.all();
      const access_sets sets = std::move(parts_[p].sets);
      for (const touch_column& column : sorted.columns) scatter_column(sets, places, column);
      for (std::size_t i = 0; !sorted.sets.empty() && i < places.size(); ++i) {
        sets.visit(i, [&](std::uint32_t capture, std::uint64_t element) {
          for (std::uint64_t k = 0; k < where_.units[capture]; ++k)
            sorted.sets[places[i]].push_back({element + k, capture, 0});
        });
      }
      auto number = static_cast<std::uint32_t>(parts_[p].begin);
      scatter(places, sorted.numbers.data(), [&](std::uint32_t& at) { at = number++; });
    });
    return sorted;
  }

 private:
  /// By part and block: the position of the part's first iteration of that block.
  std::vector<std::vector<std::uint32_t>> first_places(const block_destinations& to) {
    std::vector<std::vector<std::uint32_t>> next(parts_.size(), std::vector<std::uint32_t>(to.blocks.size()));
    for (const std::uint32_t b : to.blocks) {
      for (std::size_t p = 0; p < parts_.size(); ++p) {
        next[p][b] = size_;
        size_ += where_.part_counts[p][b];
      }
    }
    return next;
  }

  iteration_list empty_list() const {
    iteration_list list;
    list.numbers = plain_array<std::uint32_t>(size_);
    for (std::uint32_t t = 0; t < where_.pattern.size(); ++t) {
      const replica& local = *f_.replicas[where_.pattern[t]];
      const std::uint64_t size = local.ops().size * where_.units[where_.pattern[t]];
      const bool may_own_rows = local.ops().own.destroy != nullptr;
      const bool useful = local.keys() != nullptr || size >= abi::least_prefetched || may_own_rows ||
                          (has_long_sums() && f_.runs_side_by_side(where_.pattern[t]));
      if (useful) list.columns.push_back({where_.pattern[t], t, elements_of_column(size_)});
    }
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      list.streams.push_back(has_stream(c) ? element_array(f_.replicas[c]->ops(), size_) : element_array());
    }
    if (is_checked(f_)) list.sets.resize(size_);
    return list;
  }

  [[nodiscard]] bool has_stream(std::size_t c) const {
    return f_.is_aligned(c) && in_.ranks.world_size() == 1;
  }

  /// Whether bodies interleave iterations. container_local::is_long_row has the same condition for rows.
  [[nodiscard]] bool has_long_sums() const {
    if ((f_.entry->flags & abi::long_sums) != 0) return true;
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      const bool has_rows = f_.replicas[c] != nullptr && (f_.entry->captures[c].mode & abi::ranges) != 0;
      if (has_rows && f_.replicas[c]->ops().size * where_.units[c] >= abi::least_long) return true;
    }
    return false;
  }

  /// Calls write(to[place]) for each place. The places lie in as many pages as there are blocks, so the
  /// hardware does not prefetch them; explicit prefetches halve the time.
  template <class T, class Write>
  static void scatter(std::span<const std::uint32_t> places, T* to, const Write& write) {
    constexpr std::size_t ahead = 32;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto* soon = reinterpret_cast<const char*>(to + places[std::min(i + ahead, places.size() - 1)]);
      __builtin_prefetch(soon, /*rw=*/1);
      __builtin_prefetch(soon + sizeof(T) - 1, /*rw=*/1);
      write(to[places[i]]);
    }
  }

  static void scatter_column(const access_sets& sets, std::span<const std::uint32_t> places,
                             const touch_column& to) {
    const std::uint32_t* element = sets.rows().data() + to.touch;
    scatter(places, to.elements.data(), [&](std::uint32_t& at) {
      at = *element;
      element += sets.pattern().size();
    });
  }

  template <std::size_t Size>
  static void scatter_bytes(const std::byte* from, std::span<const std::uint32_t> places, std::byte* to) {
    scatter(places, reinterpret_cast<std::array<std::byte, Size>*>(to), [&](auto& at) {
      std::memcpy(&at, from, Size);
      from += Size;
    });
  }

  void scatter_elements(std::size_t c, std::int64_t begin, std::span<const std::uint32_t> places,
                        const element_array& to) const {
    const replica& local = *f_.replicas[c];
    const std::byte* from = local.at(static_cast<std::uint64_t>(begin));
    const std::size_t size = local.ops().size;
    const bool as_bytes = local.ops().own.assign == nullptr;
    if (as_bytes && size == 4) return scatter_bytes<4>(from, places, to.at(0));
    if (as_bytes && size == 8) return scatter_bytes<8>(from, places, to.at(0));
    if (as_bytes && size == 12) return scatter_bytes<12>(from, places, to.at(0));
    if (as_bytes && size == 16) return scatter_bytes<16>(from, places, to.at(0));
    for (std::size_t i = 0; i < places.size(); ++i) local.ops().assign(to.at(places[i]), from + i * size);
  }

  const planning& in_;
  const loop_frame& f_;
  std::vector<inspected_part>& parts_;
  assignment& where_;
  std::uint32_t size_ = 0;
};

/// Elements for another rank: runs of this rank's, or packed.
struct outgoing_elements {
  byte_runs runs;
  byte_queue packed;
  [[nodiscard]] std::uint64_t size() const { return runs.size() + packed.size(); }
};

/// Elements of another rank, on the way to their places in `joined`.
class incoming_elements {
 public:
  incoming_elements(rank_id from, std::byte* joined, std::size_t size, bool is_packed)
      : from_(from), joined_(joined), places_(size), is_packed_(is_packed), packed_(size) {}

  void expect(std::size_t place, std::size_t count) { places_.add(place, count); }
  void add(std::span<const std::byte> piece) {
    if (!is_packed_) return store(piece);
    packed_.add(piece, [this](std::span<const std::byte> elements) { store(elements); });
  }
  void check_end() const {
    if (stored_ != places_.size() || !packed_.is_at_end()) fail();
  }

 private:
  void store(std::span<const std::byte> elements) {
    stored_ += elements.size();
    if (stored_ > places_.size()) fail();
    places_.take(elements.size(), [&](std::size_t at, std::size_t count) {
      std::memcpy(joined_ + at, elements.data(), count);
      elements = elements.subspan(count);
    });
  }
  [[noreturn]] void fail() const {
    throw error(errc::decode, fmt::format("{} bytes of rank {}, not {}", stored_, from_, places_.size()));
  }

  rank_id from_;
  std::byte* joined_;
  byte_runs places_;
  std::uint64_t stored_ = 0;
  bool is_packed_;
  element_unpacker packed_;
};

/// Sends each rank its part of a sorted share and joins the incoming parts. It exchanges list by list, to
/// hold little data twice.
class exchange_of_lists {
 public:
  /// This rank's iterations of block b begin at from[b] in its lists.
  exchange_of_lists(const planning& in, const block_destinations& to, const block_origins& origins,
                    const std::vector<std::uint64_t>& from)
      : in_(in), f_(in.frame), to_(to), origins_(origins), from_(from), runs_(runs_for_this_rank()) {}

  /// `from_canonical`: aligned elements are in their canonical memory, not in the list.
  iteration_list run(iteration_list mine, bool from_canonical) {
    iteration_list joined;
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (!f_.is_aligned(c)) {
        joined.streams.emplace_back();
      } else if (from_canonical) {
        const replica& local = *f_.replicas[c];
        joined.streams.push_back(trade(local.ops(), gathered_elements(local, mine.numbers.all())));
      } else {
        joined.streams.push_back(trade(f_.replicas[c]->ops(), std::move(mine.streams[c])));
      }
    }
    joined.numbers = trade(std::move(mine.numbers), plain_array<std::uint32_t>(num_joined_));
    for (touch_column& sent : mine.columns) {
      joined.columns.push_back(
          {sent.capture, sent.touch, trade(std::move(sent.elements), elements_of_column(num_joined_))});
    }
    if (is_checked(f_)) joined.sets = trade(std::move(mine.sets));
    return joined;
  }

 private:
  [[nodiscard]] std::size_t num_ranks() const { return static_cast<std::size_t>(in_.ranks.world_size()); }
  /// Iterations that are contiguous both in the list of their sender and here.
  struct run_of_block {
    std::size_t rank;   // the sender
    std::size_t from;   // position in this rank's list, if it is the sender
    std::size_t place;  // position in the joined list
    std::size_t count;
  };
  std::vector<run_of_block> runs_for_this_rank() {
    std::vector<run_of_block> runs;
    const std::span<const std::uint32_t> mine = to_.blocks_of(in_.ranks.self());
    for (std::size_t i = 0; i < mine.size(); ++i) {
      for (std::size_t r = 0; r < num_ranks(); ++r) {
        const std::size_t count = origins_.from(static_cast<rank_id>(r))[i];
        if (count > 0) runs.push_back({r, from_[mine[i]], num_joined_, count});
        num_joined_ += count;
      }
    }
    return runs;
  }

  /// Sends every rank the bytes that write(begin, count, writer) makes of its iterations. Calls read(place,
  /// count, reader) for incoming runs, and copy(from, place, count) for runs that stay.
  template <class Write, class Copy, class Read>
  void trade(const Write& write, const Copy& copy, const Read& read) const {
    element_exchange elements(in_.ranks);
    const std::vector<std::uint32_t>& counts = origins_.own();
    for (rank_id r = 0; r < in_.ranks.world_size(); ++r) {
      if (r == in_.ranks.self()) continue;
      for (const std::uint32_t b : to_.blocks_of(r)) {
        if (counts[b] > 0) write(from_[b], counts[b], elements.writer(r));
      }
    }
    elements.trade();
    for (const run_of_block& run : runs_) {
      const auto from = static_cast<rank_id>(run.rank);
      if (from == in_.ranks.self()) {
        copy(run.from, run.place, run.count);
      } else {
        read(run.place, run.count, elements.reader(from));
      }
    }
    elements.finish();
  }

  /// Exchanges data without serialisation, from its source to its final place. Those for other hosts are
  /// packed.
  template <class Elements>
  void trade_bytes(const Elements& mine, std::byte* joined, std::size_t size) const {
    const auto self = static_cast<std::size_t>(in_.ranks.self());
    std::vector<outgoing_elements> out;
    std::vector<incoming_elements> in;
    std::vector<std::uint64_t> sizes;
    for (rank_id r = 0; r < in_.ranks.world_size(); ++r) {
      out.push_back(out_for(mine, r, size));
      in.emplace_back(r, joined, size, is_packed(r, size));
      sizes.push_back(out.back().size());
    }
    for (const run_of_block& run : runs_) {
      if (run.rank != self) {
        in[run.rank].expect(run.place, run.count);
      } else {
        mine.copy(run.from * size, run.count * size, joined + run.place * size);
      }
    }
    const auto next = [&](rank_id to, std::size_t length) {
      outgoing_elements& of_rank = out[static_cast<std::size_t>(to)];
      if (is_packed(to, size)) return of_rank.packed.take(length);
      bytes piece(length);
      std::byte* next_byte = piece.data();
      of_rank.runs.take(length, [&](std::size_t at, std::size_t count) {
        mine.copy(at, count, std::exchange(next_byte, next_byte + count));
      });
      return piece;
    };
    const auto take = [&](rank_id from, std::span<const std::byte> piece, std::uint64_t) {
      in[static_cast<std::size_t>(from)].add(piece);
    };
    in_.ranks.trade(sizes, next, take);
    for (const incoming_elements& of_rank : in) of_rank.check_end();
  }

  /// Whether elements of a size go to the rank packed, and come from it so. Long ones are rows of numbers,
  /// which do not get much shorter.
  [[nodiscard]] bool is_packed(rank_id r, std::size_t size) const {
    constexpr std::size_t longest = 64;
    return size <= longest && in_.ranks.is_far(r);
  }

  template <class Elements>
  outgoing_elements out_for(const Elements& mine, rank_id to, std::size_t size) const {
    outgoing_elements out{byte_runs(size), {}};
    if (to == in_.ranks.self()) return out;
    const bool packs = is_packed(to, size);
    bytes some(packs ? most_packed * size : 0);
    for (const std::uint32_t b : to_.blocks_of(to)) {
      const std::size_t count = origins_.own()[b];
      if (!packs) out.runs.add(from_[b], count);
      for (std::size_t k = 0; packs && k < count; k += most_packed) {
        const std::size_t now = std::min(most_packed, count - k);
        mine.copy((from_[b] + k) * size, now * size, some.data());
        pack_elements(some.data(), now, size, out.packed.end());
      }
    }
    return out;
  }

  plain_array<std::uint32_t> trade(const plain_array<std::uint32_t> mine,
                                   plain_array<std::uint32_t> joined) const {
    trade_bytes(listed_elements(std::as_bytes(mine.all()).data(), sizeof(std::uint32_t)),
                std::as_writable_bytes(joined.all()).data(), sizeof(std::uint32_t));
    return joined;
  }

  element_array trade(const abi::element_ops& ops, const element_array mine) const {
    return trade(ops, listed_elements(mine.at(0), ops.size));
  }

  template <class Elements> element_array trade(const abi::element_ops& ops, const Elements& mine) const {
    element_array joined(ops, num_joined_);
    if (ops.own.write == nullptr) {
      trade_bytes(mine, joined.at(0), ops.size);
      return joined;
    }
    trade(
        [&](std::size_t begin, std::size_t count, abi::writer& to) {
          for (std::size_t k = begin; k < begin + count; ++k) ops.write(mine.at(k), 1, to);
        },
        [&](std::size_t from, std::size_t place, std::size_t count) {
          for (std::size_t k = 0; k < count; ++k) ops.assign(joined.at(place + k), mine.at(from + k));
        },
        [&](std::size_t place, std::size_t count, abi::reader& from) {
          ops.read(joined.at(place), count, from);
        });
    return joined;
  }

  using touch_sets = std::vector<std::vector<touch>>;
  touch_sets trade(touch_sets mine) const {
    touch_sets joined(num_joined_);
    trade(
        [&](std::size_t begin, std::size_t count, abi::writer& to) {
          for (std::size_t i = begin; i < begin + count; ++i) {
            std::vector<std::uint64_t> set;
            for (const touch& t : mine[i]) set.push_back(std::bit_cast<std::uint64_t>(t));
            to(set);
          }
        },
        [&](std::size_t from, std::size_t place, std::size_t count) {
          std::move(&mine[from], &mine[from] + count, &joined[place]);
        },
        [&](std::size_t place, std::size_t count, abi::reader& from) {
          for (std::size_t k = place; k < place + count; ++k) {
            std::vector<std::uint64_t> words;
            from(words);
            for (const std::uint64_t word : words) joined[k].push_back(std::bit_cast<touch>(word));
          }
        });
    return joined;
  }

  const planning& in_;
  const loop_frame& f_;
  const block_destinations& to_;
  const block_origins& origins_;
  const std::vector<std::uint64_t>& from_;
  std::size_t num_joined_ = 0;
  const std::vector<run_of_block> runs_;
};

}  // namespace

/// Sets the begin of this rank's blocks; they lie in its lists in the order of `to`.
static void note_begins(plan& p, const block_destinations& to, rank_id self) {
  std::uint64_t begin = 0;
  for (const std::uint32_t b : to.blocks) {
    if (p.blocks[b].rank != self) continue;
    p.blocks[b].begin = begin;
    begin += p.blocks[b].count;
  }
}

void redistribute(const planning& in, std::vector<inspected_part> parts, assignment where, plan& p) {
  const block_destinations to(p.blocks, in.ranks.world_size());
  p.share = sorter(in, parts, where).sort(to);
  if (in.ranks.world_size() > 1) {
    const block_origins origins(in.ranks, to, std::move(where.counts));
    std::vector<std::uint64_t> from(p.blocks.size());
    std::uint64_t sorted = 0;
    for (const std::uint32_t b : to.blocks) {
      from[b] = sorted;
      sorted += origins.own()[b];
    }
    p.share = exchange_of_lists(in, to, origins, from).run(std::move(p.share), /*from_canonical=*/true);
    adopt_plan_layouts(in);
  }
  note_begins(p, to, in.ranks.self());
}

std::uint64_t repartition(const planning& in, plan& p) {
  const std::vector<plan_block> before = p.blocks;
  p.by_index.reset();
  place(p, std::move(p.weights), in.ranks.world_size(), in.pool.size(), in.shares);
  std::uint64_t came = 0;
  for (std::size_t b = 0; b < before.size(); ++b) {
    const bool is_new = p.blocks[b].rank == in.ranks.self() && before[b].rank != in.ranks.self();
    came += is_new ? before[b].count : 0;
  }
  if (!p.listed) return came;
  std::vector<std::uint64_t> from;
  for (const plan_block& b : before) from.push_back(b.begin);
  const block_destinations to(p.blocks, in.ranks.world_size());
  const block_origins origins(in.ranks.self(), to, before);
  p.share = exchange_of_lists(in, to, origins, from).run(std::move(p.share), /*from_canonical=*/false);
  note_begins(p, to, in.ranks.self());
  return came;
}

}  // namespace stradsap::rt
