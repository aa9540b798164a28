#include "runtime/loop/accumulate/element_deltas.hpp"

#include <algorithm>
#include <utility>

#include "runtime/base/check.hpp"
#include "runtime/dds/element_exchange.hpp"

namespace stradsap::rt {

static constexpr std::size_t cached_bytes = std::size_t{16} << 10;  // of a slice of elements
static constexpr std::size_t worth_waking = std::size_t{512}
                                            << 10;  // bytes; fewer fold faster than executors wake

void element_deltas::open(std::uint32_t accumulator, abi::window& view) {
  if (accumulator >= in_place_) copies_->begin(accumulator - in_place_, replica_);
  view.base = at(accumulator, 0);
  view.count = view.readable = replica_.size();
}

std::byte* element_deltas::at(std::uint32_t accumulator, std::uint64_t i) {
  if (accumulator < in_place_) return replica_.at(i);
  const std::uint32_t copy = accumulator - in_place_;
  if (!copies_->has_begun(copy)) copies_->begin(copy, replica_);
  return copies_->at(copy, i);
}

std::byte* element_deltas::add_entry(std::uint32_t) {
  STRADSAP_ASSERT(false, "a dvector has no keys");
  return nullptr;
}

/// One fold.
class element_deltas::folding {
 public:
  folding(const planning& in, const plan& p, element_deltas& deltas)
      : in_(in),
        plan_(p),
        replica_(deltas.replica_),
        copies_(*deltas.copies_),
        how_(deltas.how_),
        in_place_(deltas.in_place_),
        self_(in.ranks.self()),
        used_(used_accumulators(p)) {
    std::erase_if(used_, [&](std::uint32_t accumulator) { return accumulator < in_place_; });
    for (const std::uint32_t accumulator : used_) {
      if (rank_of(accumulator) != self_) continue;
      (void)deltas.at(accumulator, 0);  // a loop that failed may not have begun it
      mine_.push_back(accumulator);
    }
  }

  void run() {
    if (in_.ranks.world_size() == 1) {
      in_slices([this](std::uint64_t begin, std::uint64_t end) { fold_own(begin, end); });
    } else {
      if (how_.is_exact) join_on_each_rank();
      element_exchange sums(in_.ranks);
      pack(sums);
      sums.trade();
      fold_all(sums);
      sums.finish();
      in_slices([this](std::uint64_t begin, std::uint64_t end) { clear(begin, end); });
    }
  }

 private:
  [[nodiscard]] std::byte* part_of(std::uint32_t accumulator, std::uint64_t i) const {
    return copies_.at(accumulator - in_place_, i);
  }
  [[nodiscard]] rank_id rank_of(std::uint32_t accumulator) const {
    return plan_.accumulator_ranks[accumulator];
  }
  [[nodiscard]] std::uint64_t cached() const {
    return std::max<std::uint64_t>(1, cached_bytes / replica_.ops().size);
  }

  [[nodiscard]] std::size_t size_bytes() const {
    const std::size_t own = how_.size_bytes == nullptr ? 0 : how_.size_bytes(replica_.at(0), replica_.size());
    return replica_.size() * replica_.ops().size + own;
  }

  /// Calls each(begin, end) for slices that fit a cache, on all executors if that pays.
  template <class Each> void in_slices(const Each& each) {
    const auto pieces = [&](std::uint64_t begin, std::uint64_t end) {
      for (; begin < end; begin += cached()) each(begin, std::min(end, begin + cached()));
    };
    const auto executors = static_cast<std::uint64_t>(in_.pool.size());
    const std::uint64_t n = replica_.size();
    if (size_bytes() * used_.size() < worth_waking) return pieces(0, n);
    in_.pool.run([&](int number) {
      const auto k = static_cast<std::uint64_t>(number);
      pieces(n * k / executors, n * (k + 1) / executors);
    });
  }

  /// Joins the accumulators of each rank, to send less. Only for exact additions, where it changes no bit.
  void join_on_each_rank() {
    std::vector<std::uint32_t> first;
    for (const std::uint32_t accumulator : used_) {
      if (first.empty() || rank_of(first.back()) != rank_of(accumulator)) first.push_back(accumulator);
    }
    const auto all = std::exchange(used_, std::move(first));
    in_slices([&](std::uint64_t begin, std::uint64_t end) {
      std::uint32_t into = 0;
      for (const std::uint32_t accumulator : all) {
        const bool is_first = std::find(used_.begin(), used_.end(), accumulator) != used_.end();
        if (is_first) into = accumulator;
        if (!is_first && rank_of(accumulator) == self_)
          how_.combine(part_of(into, begin), part_of(accumulator, begin), end - begin);
      }
    });
  }

  void fold_own(std::uint64_t begin, std::uint64_t end) {
    for (const std::uint32_t accumulator : used_)
      how_.combine(replica_.at(begin), part_of(accumulator, begin), end - begin);
    clear(begin, end);
  }

  void clear(std::uint64_t begin, std::uint64_t end) const {
    for (const std::uint32_t accumulator : mine_) copies_.clear(accumulator - in_place_, begin, end);
  }

  /// Calls each(begin, end) for the groups of an owner, in slices.
  template <class Each> void for_each_piece(rank_id owner, const Each& each) const {
    const partition& groups = replica_.groups();
    for (partition::group_id g = 0; g < groups.num_groups(); ++g) {
      if (groups.owner(g) != owner) continue;
      for (std::uint64_t at = groups.begin(g); at < groups.end(g); at += cached())
        each(at, std::min(groups.end(g), at + cached()));
    }
  }

  /// For each owner: the elements of this rank's accumulators, one accumulator after the other.
  void pack(element_exchange& out) const {
    for (rank_id owner = 0; owner < in_.ranks.world_size(); ++owner) {
      for (const std::uint32_t accumulator : used_) {
        if (rank_of(accumulator) != self_ || owner == self_) continue;
        for_each_piece(owner, [&](std::uint64_t begin, std::uint64_t end) {
          replica_.ops().write(part_of(accumulator, begin), end - begin, out.writer(owner));
        });
      }
    }
  }

  void fold_all(element_exchange& in) {
    const address_range came(cached() * replica_.ops().size);
    for (const std::uint32_t accumulator : used_) {
      const rank_id from = rank_of(accumulator);
      for_each_piece(self_, [&](std::uint64_t begin, std::uint64_t end) {
        if (from == self_) return how_.combine(replica_.at(begin), part_of(accumulator, begin), end - begin);
        replica_.ops().read(came.base(), end - begin, in.reader(from));
        how_.combine(replica_.at(begin), came.base(), end - begin);
      });
    }
  }

  const planning& in_;
  const plan& plan_;
  replica& replica_;
  element_copies& copies_;
  const abi::accumulation& how_;
  const std::uint32_t in_place_;
  const rank_id self_;
  std::vector<std::uint32_t> used_;  // that were used, on any rank, and are folded
  std::vector<std::uint32_t> mine_;  // of them, those of this rank
};

void element_deltas::fold(const planning& in, const plan& p) {
  folding(in, p, *this).run();
  store_.keep(std::move(copies_));
}

}  // namespace stradsap::rt
