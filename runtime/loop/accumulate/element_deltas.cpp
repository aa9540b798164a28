#include "runtime/loop/accumulate/element_deltas.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "runtime/base/check.hpp"
#include "runtime/dds/element_array.hpp"
#include "runtime/dds/element_exchange.hpp"
#include "runtime/loop/accumulate/fold_steps.hpp"

namespace stradsap::rt {

// Of a slice of elements, in all accumulators together.
static constexpr std::size_t cached_bytes = std::size_t{32} << 10;
static constexpr std::uint32_t most_leaves = 64;
static constexpr std::size_t worth_waking = std::size_t{512}
                                            << 10;  // bytes; fewer fold faster than executors wake
// Copies of so many bytes together stay in the cache of a core from one launch to the next. The fold leaves
// them neutral; larger ones are made neutral by the executor that adds into them next.
static constexpr std::size_t most_drained = std::size_t{512} << 10;

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

/// One fold. Accumulators are the leaves of a binary tree, in the order of their numbers; the container
/// itself is its first leaf, or joins its root. Each rank joins the subtrees that are all its own, and sends
/// their roots to the owners of the elements, which join the rest. So the tree alone decides the bits, and a
/// rank that has half of the accumulators sends one copy.
class element_deltas::folding {
 public:
  folding(const planning& in, const plan& p, element_deltas& deltas)
      : in_(in),
        ranks_(p.accumulator_ranks),
        replica_(deltas.replica_),
        copies_(*deltas.copies_),
        how_(deltas.how_),
        in_place_(deltas.in_place_),
        self_(in.ranks.self()),
        num_leaves_(std::bit_ceil(static_cast<std::uint32_t>(ranks_.size()))),
        size_bytes_(size_bytes()),
        slice_(cached_elements()) {
    STRADSAP_ASSERT(num_leaves_ <= most_leaves, "{} accumulators, expected at most {}", ranks_.size(),
                    most_leaves);
    for (std::uint32_t accumulator = in_place_; accumulator < ranks_.size(); ++accumulator) {
      if (ranks_[accumulator] != self_) continue;
      (void)deltas.at(accumulator, 0);  // a loop that failed may not have begun it
      ++num_mine_;
    }
    if (in_.ranks.world_size() > 1) find_roots(0, num_leaves_);
    joins_.reserve(ranks_.size());
    sum_ = find_joins(0, num_leaves_, joins_);
    drains_ = how_.drain != nullptr && in_.ranks.world_size() == 1 && num_mine_ * size_bytes_ <= most_drained;
    if (drains_ && in_place_ == 0) steps_ = fold_steps(used_leaves(), how_.drain_four != nullptr);
  }

  /// Whether the fold leaves the copies neutral.
  [[nodiscard]] bool drains() const { return drains_; }

  /// Packs the roots of this rank for the owners of the elements. Adds the pairs of ranks of which one has
  /// roots and the other one elements.
  void pack(element_exchange& out, pairs_of_ranks& pairs) {
    if (in_.ranks.world_size() == 1) return;
    const partition& groups = replica_.groups();
    for (partition::group_id g = 0; g < groups.num_groups(); ++g) {
      for (const subtree& root : roots_) pairs.add(root.rank, groups.owner(g));
    }
    for (const subtree& root : roots_) {
      if (root.rank != self_) continue;
      std::vector<join>& joins = joins_of_roots_.emplace_back();
      sums_of_roots_.push_back(*find_joins(root.first, root.width, joins));
    }
    for (rank_id owner = 0; owner < in_.ranks.world_size(); ++owner) {
      if (owner == self_) continue;
      for_each_piece(owner, [&](std::uint64_t begin, std::uint64_t end) {
        for (std::size_t r = 0; r < sums_of_roots_.size(); ++r) {
          run(joins_of_roots_[r], begin, end);
          replica_.ops().write(at(sums_of_roots_[r], begin), end - begin, out.writer(owner));
        }
      });
    }
  }

  void fold(element_exchange& parts) {
    if (in_.ranks.world_size() == 1) {
      return in_slices([this](std::uint64_t begin, std::uint64_t end) { fold_slice(begin, end); });
    }
    came_ = element_array(replica_.ops(), roots_.size() * slice_);
    for_each_piece(self_, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::size_t r = 0; r < roots_.size(); ++r) {
        if (roots_[r].rank != self_)
          replica_.ops().read(came_.at(r * slice_), end - begin, parts.reader(roots_[r].rank));
      }
      fold_slice(begin, end);
    });
  }

 private:
  /// `width` leaves from `first` on, of which all that were used are of one rank.
  struct subtree {
    std::uint32_t first;
    std::uint32_t width;
    rank_id rank;
  };

  [[nodiscard]] std::vector<bool> used_leaves() const {
    std::vector<bool> used(num_leaves_);
    for (std::uint32_t leaf = 0; leaf < ranks_.size(); ++leaf) used[leaf] = ranks_[leaf] == self_;
    return used;
  }
  [[nodiscard]] rank_id rank_of(std::uint32_t leaf) const {
    return leaf < ranks_.size() ? ranks_[leaf] : plan::nobody;
  }

  /// Finds the largest subtrees of one rank.
  void find_roots(std::uint32_t first, std::uint32_t width) {
    rank_id of = plan::nobody;
    bool is_of_one = true;
    for (std::uint32_t leaf = first; leaf < first + width; ++leaf) {
      if (rank_of(leaf) == plan::nobody) continue;
      is_of_one = is_of_one && (of == plan::nobody || of == rank_of(leaf));
      of = rank_of(leaf);
    }
    if (of == plan::nobody) return;
    if (is_of_one) return roots_.push_back({first, width, of});
    find_roots(first, width / 2);
    find_roots(first + width / 2, width / 2);
  }

  /// The place of a sum: an accumulator, or a root that came from another rank.
  struct operand {
    std::uint32_t number;
    bool came;
  };
  struct join {
    operand into;
    operand from;
  };

  /// Appends the joins that leave the sum of a subtree in place of one of its leaves, level by level. Null if
  /// none was used.
  std::optional<operand> find_joins(std::uint32_t first, std::uint32_t width,
                                    std::vector<join>& joins) const {
    std::array<std::optional<operand>, most_leaves> sums;  // of subtrees, by first leaf
    for (std::uint32_t k = 0; k < width; ++k) {
      if (rank_of(first + k) == self_) sums[k] = operand{first + k, /*came=*/false};
    }
    for (std::uint32_t r = 0; r < roots_.size(); ++r) {
      if (roots_[r].rank != self_ && roots_[r].first - first < width)
        sums[roots_[r].first - first] = operand{r, /*came=*/true};
    }
    for (std::uint32_t half = 1; half < width; half *= 2) {
      for (std::uint32_t k = 0; k < width; k += 2 * half) {
        if (!sums[k + half]) continue;
        if (sums[k]) {
          joins.push_back({*sums[k], *sums[k + half]});
        } else {
          sums[k] = sums[k + half];
        }
      }
    }
    return sums[0];
  }

  [[nodiscard]] std::byte* at(const operand& of, std::uint64_t begin) const {
    if (of.came) return came_.at(of.number * slice_);
    return of.number < in_place_ ? replica_.at(begin) : copies_.at(of.number - in_place_, begin);
  }

  void add(std::byte* into, std::byte* part, std::uint64_t n) const {
    drains_ ? how_.drain(into, part, n) : how_.combine(into, part, n);
  }

  void run(const std::vector<join>& joins, std::uint64_t begin, std::uint64_t end) const {
    for (const join& one : joins) add(at(one.into, begin), at(one.from, begin), end - begin);
  }

  void fold_slice(std::uint64_t begin, std::uint64_t end) const {
    if (!steps_.is_empty()) {
      const auto place = [&](std::uint32_t copy) { return copies_.at(copy, begin); };
      return steps_.run(how_, replica_.at(begin), place, end - begin);
    }
    run(joins_, begin, end);
    if (!sum_) return;
    std::byte* const sum = at(*sum_, begin);
    if (sum != replica_.at(begin)) add(replica_.at(begin), sum, end - begin);
  }

  [[nodiscard]] std::size_t size_bytes() const {
    const std::size_t own = how_.size_bytes == nullptr ? 0 : how_.size_bytes(replica_.at(0), replica_.size());
    return replica_.size() * replica_.ops().size + own;
  }

  /// Elements of which all accumulators fit a cache. Ranks that exchange slices agree on it.
  [[nodiscard]] std::uint64_t cached_elements() const {
    const std::uint64_t n = std::max<std::uint64_t>(1, replica_.size());
    const std::size_t own_bytes = in_.ranks.world_size() == 1 ? size_bytes_ : n * replica_.ops().size;
    const std::size_t all_bytes = std::max<std::size_t>(1, own_bytes * ranks_.size());
    return std::clamp<std::uint64_t>(n * cached_bytes / all_bytes, 1, n);
  }

  /// Calls each(begin, end) for slices that fit a cache, on all executors if that pays.
  template <class Each> void in_slices(const Each& each) {
    const auto pieces = [&](std::uint64_t begin, std::uint64_t end) {
      for (; begin < end; begin += slice_) each(begin, std::min(end, begin + slice_));
    };
    const auto executors = static_cast<std::uint64_t>(in_.pool.size());
    const std::uint64_t n = replica_.size();
    if (size_bytes_ * num_mine_ < worth_waking) return pieces(0, n);
    in_.pool.run([&](int number) {
      const auto k = static_cast<std::uint64_t>(number);
      pieces(n * k / executors, n * (k + 1) / executors);
    });
  }

  /// Calls each(begin, end) for the groups of an owner, in slices.
  template <class Each> void for_each_piece(rank_id owner, const Each& each) const {
    const partition& groups = replica_.groups();
    for (partition::group_id g = 0; g < groups.num_groups(); ++g) {
      if (groups.owner(g) != owner) continue;
      for (std::uint64_t at = groups.begin(g); at < groups.end(g); at += slice_)
        each(at, std::min(groups.end(g), at + slice_));
    }
  }

  const planning& in_;
  const std::vector<rank_id>& ranks_;  // of accumulators
  replica& replica_;
  element_copies& copies_;
  const abi::accumulation& how_;
  const std::uint32_t in_place_;
  const rank_id self_;
  const std::uint32_t num_leaves_;
  const std::size_t size_bytes_;  // of the elements, with memory that they own
  const std::uint64_t slice_;     // elements
  std::size_t num_mine_ = 0;      // copies that this rank has used
  bool drains_ = false;
  std::vector<subtree> roots_;  // if there are several ranks
  std::vector<join> joins_;     // of the whole tree
  fold_steps steps_;            // instead, of copies that it drains
  std::optional<operand> sum_;
  std::vector<std::vector<join>> joins_of_roots_;  // of this rank
  std::vector<operand> sums_of_roots_;
  element_array came_;  // a slice of each root, for those of other ranks
};

element_deltas::element_deltas(replica& local, const abi::accumulation& how, std::uint32_t count,
                               std::uint32_t in_place, copies_store& store)
    : accumulators(local),
      how_(how),
      in_place_(in_place),
      store_(store),
      copies_(in_place == count ? nullptr : store.take(local, how, count - in_place)) {}

element_deltas::~element_deltas() = default;

void element_deltas::pack(const planning& in, const plan& p, element_exchange& out, pairs_of_ranks& pairs) {
  if (copies_ == nullptr) return;
  folding_ = std::make_unique<folding>(in, p, *this);
  folding_->pack(out, pairs);
}

void element_deltas::fold(const planning&, const plan&, element_exchange& parts) {
  if (folding_ == nullptr) return;
  folding_->fold(parts);
  store_.keep(std::move(copies_), folding_->drains());
  folding_.reset();
}

}  // namespace stradsap::rt
