#include "runtime/loop/shipment.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

#include "runtime/loop/aligned_elements.hpp"
#include "runtime/loop/iteration_check.hpp"

namespace stradsap::rt {
namespace {

/// Blocks by the rank that runs them, and where each rank's begin.
struct destinations {
  std::vector<std::uint32_t> blocks;
  std::vector<std::size_t> first;  // of each rank's in `blocks`, and one more
};

/// Executors look ahead beyond the last iteration.
plain_array<std::uint32_t> elements_of_column(std::size_t iterations) {
  return plain_array<std::uint32_t>(iterations + abi::prefetch_distance);
}

class sorter {
 public:
  sorter(const planning& in, std::vector<inspected_part>& parts, assignment& where)
      : in_(in), f_(in.frame), parts_(parts), where_(where) {}

  /// The share in the order of `to`. Iterations of one block stay in program order. What has been used is given
  /// back at once, the homes of aligned elements too where no other rank is asked.
  iteration_list sort(const destinations& to) {
    std::vector<std::vector<std::uint32_t>> next = first_places(to);
    iteration_list sorted = empty_list();
    in_.lanes.run([&](int lane) {
      const auto p = static_cast<std::size_t>(lane);
      std::vector<std::uint32_t>& places = where_.labels[p];
      for (std::uint32_t& at : places) at = next[p][where_.block_of[p][at]]++;
      for (std::size_t c = 0; c < f_.num_captures(); ++c) {
        if (f_.is_aligned(c)) scatter_elements(c, parts_[p].begin, places, sorted.streams[c]);
      }
    });
    if (in_.ranks.world_size() == 1) leave_home(in_);
    in_.lanes.run([&](int lane) {
      const auto p = static_cast<std::size_t>(lane);
      const std::vector<std::uint32_t> places = std::move(where_.labels[p]);
      const access_sets sets = std::move(parts_[p].sets);
      for (const touch_column& column : sorted.columns) scatter_column(sets, places, column);
      for (std::size_t i = 0; !sorted.sets.empty() && i < places.size(); ++i) {
        sets.visit(i, [&](std::uint32_t capture, std::uint64_t element) {
          sorted.sets[places[i]].push_back({element, capture, 0});
        });
      }
      std::uint32_t number = static_cast<std::uint32_t>(parts_[p].begin);
      for (const std::uint32_t place : places) sorted.numbers[place] = number++;
    });
    return sorted;
  }

 private:
  /// For each part and block: where the part's first iteration of it goes.
  std::vector<std::vector<std::uint32_t>> first_places(const destinations& to) {
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
      const container_store& store = *f_.stores[where_.pattern[t]];
      const bool useful = store.keys() != nullptr || store.ops().size >= abi::least_prefetched;
      if (useful) list.columns.push_back({where_.pattern[t], t, elements_of_column(size_)});
    }
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      list.streams.push_back(f_.is_aligned(c) ? element_array(f_.stores[c]->ops(), size_) : element_array());
    }
    if (is_checked(f_)) list.sets.resize(size_);
    return list;
  }

  static void scatter_column(const access_sets& sets, const std::vector<std::uint32_t>& places,
                             const touch_column& to) {
    const std::uint32_t* element = sets.rows().data() + to.touch;
    for (const std::uint32_t place : places) {
      to.elements[place] = *element;
      element += sets.pattern().size();
    }
  }

  template <std::size_t Size>
  static void scatter_bytes(const std::byte* from, const std::vector<std::uint32_t>& places, std::byte* to) {
    for (const std::uint32_t place : places) {
      std::memcpy(to + place * Size, from, Size);
      from += Size;
    }
  }

  void scatter_elements(std::size_t c, std::int64_t begin, const std::vector<std::uint32_t>& places,
                        const element_array& to) const {
    const container_store& store = *f_.stores[c];
    const std::byte* from = store.at(static_cast<std::uint64_t>(begin));
    const std::size_t size = store.ops().size;
    const bool as_bytes = store.ops().own.assign == nullptr;
    if (as_bytes && size == 4) return scatter_bytes<4>(from, places, to.at(0));
    if (as_bytes && size == 8) return scatter_bytes<8>(from, places, to.at(0));
    if (as_bytes && size == 12) return scatter_bytes<12>(from, places, to.at(0));
    if (as_bytes && size == 16) return scatter_bytes<16>(from, places, to.at(0));
    for (std::size_t i = 0; i < places.size(); ++i) store.ops().assign(to.at(places[i]), from + i * size);
  }

  const planning& in_;
  const loop_frame& f_;
  std::vector<inspected_part>& parts_;
  assignment& where_;
  std::uint32_t size_ = 0;
};

/// Sends each rank its part of a sorted share, and joins what comes.
class exchange_of_lists {
 public:
  exchange_of_lists(const planning& in, const destinations& to, const assignment& where)
      : in_(in), f_(in.frame), to_(to), where_(where) {}

  iteration_list run(const iteration_list& mine) {
    std::vector<bytes> out;
    std::size_t begin = 0;
    std::size_t kept = 0;
    for (rank_id r = 0; r < in_.ranks.world_size(); ++r) {
      const std::size_t count = count_for(in_.ranks.self(), r);
      const bool stays = r == in_.ranks.self();
      if (stays) kept = begin;
      out.push_back(stays ? bytes() : pack(mine, begin, count));
      begin += count;
    }
    return join(in_.ranks.all_to_all(std::move(out)), mine, kept);
  }

 private:
  [[nodiscard]] std::span<const std::uint32_t> blocks_of(rank_id r) const {
    const auto i = static_cast<std::size_t>(r);
    return std::span(to_.blocks).subspan(to_.first[i], to_.first[i + 1] - to_.first[i]);
  }
  /// How many iterations go from one rank to another.
  [[nodiscard]] std::size_t count_for(rank_id from, rank_id to) const {
    std::size_t count = 0;
    for (const std::uint32_t b : blocks_of(to))
      count += where_.rank_counts[static_cast<std::size_t>(from)][b];
    return count;
  }

  bytes pack(const iteration_list& list, std::size_t begin, std::size_t count) const {
    std::size_t size = (1 + list.columns.size()) * count * sizeof(std::uint32_t);
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (f_.is_aligned(c)) size += count * f_.stores[c]->ops().size;
    }
    bytes packed;
    packed.reserve(size);
    abi::writer out(packed);
    out.bytes(list.numbers.data() + begin, count * sizeof(std::uint32_t));
    for (const touch_column& column : list.columns) {
      out.bytes(column.elements.data() + begin, count * sizeof(std::uint32_t));
    }
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (f_.is_aligned(c) && count > 0) f_.stores[c]->ops().write(list.streams[c].at(begin), count, out);
    }
    for (std::size_t i = begin; !list.sets.empty() && i < begin + count; ++i) {
      std::vector<std::uint64_t> set;
      for (const touch& t : list.sets[i]) set.push_back(std::bit_cast<std::uint64_t>(t));
      out(set);
    }
    return packed;
  }

  /// For each run of iterations of this rank's blocks: calls keep(place in the own list from `kept` on,
  /// place, count) if they were here, else take(reader of a rank's share, place, count), in the order in
  /// which each rank sent them.
  template <class Keep, class Take>
  void for_each_run(std::vector<abi::reader>& in, std::size_t kept, const Keep& keep,
                    const Take& take) const {
    std::size_t place = 0;
    for (const std::uint32_t b : blocks_of(in_.ranks.self())) {
      for (std::size_t r = 0; r < in.size(); ++r) {
        const std::size_t count = where_.rank_counts[r][b];
        if (static_cast<rank_id>(r) == in_.ranks.self()) {
          keep(kept, place, count);
          kept += count;
        } else if (count > 0) {
          take(in[r], place, count);
        }
        place += count;
      }
    }
  }

  void join_numbers(std::vector<abi::reader>& in, std::size_t kept, const plain_array<std::uint32_t>& mine,
                    plain_array<std::uint32_t>& joined) const {
    const auto keep = [&](std::size_t from, std::size_t place, std::size_t count) {
      std::copy_n(mine.data() + from, count, joined.data() + place);
    };
    for_each_run(in, kept, keep, [&](abi::reader& from, std::size_t place, std::size_t count) {
      from.bytes(joined.data() + place, count * sizeof(std::uint32_t));
    });
  }

  void join_elements(std::vector<abi::reader>& in, std::size_t kept, const abi::element_ops& ops,
                     const element_array& mine, const element_array& joined) const {
    const auto keep = [&](std::size_t from, std::size_t place, std::size_t count) {
      if (count > 0 && ops.own.assign == nullptr) {
        std::memcpy(joined.at(place), mine.at(from), count * ops.size);
        return;
      }
      for (std::size_t k = 0; k < count; ++k) ops.assign(joined.at(place + k), mine.at(from + k));
    };
    for_each_run(in, kept, keep, [&](abi::reader& from, std::size_t place, std::size_t count) {
      ops.read(joined.at(place), count, from);
    });
  }

  iteration_list join(const std::vector<bytes>& shares, const iteration_list& mine, std::size_t kept) const {
    std::size_t size = 0;
    for (rank_id r = 0; r < in_.ranks.world_size(); ++r) size += count_for(r, in_.ranks.self());
    iteration_list joined;
    std::vector<abi::reader> in(shares.begin(), shares.end());
    joined.numbers = plain_array<std::uint32_t>(size);
    join_numbers(in, kept, mine.numbers, joined.numbers);
    for (const touch_column& sent : mine.columns) {
      joined.columns.push_back({sent.capture, sent.touch, elements_of_column(size)});
      join_numbers(in, kept, sent.elements, joined.columns.back().elements);
    }
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      joined.streams.push_back(f_.is_aligned(c) ? element_array(f_.stores[c]->ops(), size) : element_array());
      if (f_.is_aligned(c)) join_elements(in, kept, f_.stores[c]->ops(), mine.streams[c], joined.streams[c]);
    }
    if (is_checked(f_)) join_sets(in, kept, mine, joined);
    return joined;
  }

  void join_sets(std::vector<abi::reader>& in, std::size_t kept, const iteration_list& mine,
                 iteration_list& joined) const {
    joined.sets.resize(joined.numbers.size());
    const auto keep = [&](std::size_t from, std::size_t place, std::size_t count) {
      for (std::size_t k = 0; k < count; ++k) joined.sets[place + k] = mine.sets[from + k];
    };
    for_each_run(in, kept, keep, [&](abi::reader& from, std::size_t place, std::size_t count) {
      for (std::size_t k = place; k < place + count; ++k) {
        std::vector<std::uint64_t> words;
        from(words);
        for (const std::uint64_t word : words) joined.sets[k].push_back(std::bit_cast<touch>(word));
      }
    });
  }

  const planning& in_;
  const loop_frame& f_;
  const destinations& to_;
  const assignment& where_;
};

}  // namespace

static destinations destinations_of(const plan& p, int ranks) {
  destinations to;
  to.blocks.resize(p.blocks.size());
  std::iota(to.blocks.begin(), to.blocks.end(), 0u);
  std::stable_sort(to.blocks.begin(), to.blocks.end(),
                   [&p](std::uint32_t a, std::uint32_t b) { return p.blocks[a].rank < p.blocks[b].rank; });
  for (rank_id r = 0; r <= ranks; ++r) {
    const auto first = std::partition_point(to.blocks.begin(), to.blocks.end(),
                                            [&](std::uint32_t b) { return p.blocks[b].rank < r; });
    to.first.push_back(static_cast<std::size_t>(first - to.blocks.begin()));
  }
  return to;
}

void ship(const planning& in, std::vector<inspected_part> parts, assignment where, plan& p) {
  const destinations to = destinations_of(p, in.ranks.world_size());
  p.share = sorter(in, parts, where).sort(to);
  if (in.ranks.world_size() > 1) {
    p.share = exchange_of_lists(in, to, where).run(p.share);
    leave_home(in);
  }
  std::uint64_t begin = 0;
  for (const std::uint32_t b : to.blocks) {
    if (p.blocks[b].rank != in.ranks.self()) continue;
    p.blocks[b].begin = begin;
    begin += p.blocks[b].count;
  }
}

}  // namespace stradsap::rt
