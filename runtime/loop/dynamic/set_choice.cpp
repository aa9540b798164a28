#include "runtime/loop/dynamic/set_choice.hpp"

#include <algorithm>

namespace stradsap::rt {
namespace {

constexpr std::size_t none = element_claims::none;
constexpr std::size_t several = element_claims::several;
// Of the updates of a shard by accesses, of which the work is known: light ones may be more.
constexpr std::size_t most_times_average = 2;

using shards_of_set = std::vector<std::vector<candidate>>;

/// Dependences by the program's measure.
class measured_bonds {
 public:
  measured_bonds(dependences& all, bool asks, const std::vector<std::int64_t>& in_flight)
      : all_(all), asks_(asks), in_flight_(in_flight) {}

  [[nodiscard]] std::size_t shard_bound_to(const candidate& one, const shards_of_set& shards) {
    if (!all_.has_measure()) return none;
    return depends_on_flight(one) ? several : only_shard_bound_to(one, shards);
  }
  void add(const candidate&, std::size_t) {}
  void expect(const candidate&, bool) const {}
  [[nodiscard]] static std::size_t weight(const candidate&) { return 1; }
  [[nodiscard]] static std::size_t most_members(std::size_t average) { return average; }

 private:
  [[nodiscard]] bool depend(std::int64_t one, std::int64_t other) {
    return asks_ ? all_.are_dependent(one, other) : all_.are_known_dependent(one, other);
  }
  [[nodiscard]] bool depends_on_flight(const candidate& one) {
    return std::any_of(in_flight_.begin(), in_flight_.end(),
                       [&](std::int64_t other) { return depend(one.iteration, other); });
  }
  [[nodiscard]] std::size_t only_shard_bound_to(const candidate& one, const shards_of_set& shards) {
    std::size_t bound = none;
    for (std::size_t l = 0; l < shards.size() && bound != several; ++l) {
      const std::vector<candidate>& shard = shards[l];
      if (std::any_of(shard.begin(), shard.end(),
                      [&](const candidate& other) { return depend(one.iteration, other.iteration); }))
        bound = bound == none ? l : several;
    }
    return bound;
  }

  dependences& all_;
  const bool asks_;
  const std::vector<std::int64_t>& in_flight_;
};

/// Dependences by the elements that iterations touch.
class touched_bonds {
 public:
  explicit touched_bonds(element_claims& claims) : claims_(claims) {}

  [[nodiscard]] std::size_t shard_bound_to(const candidate& one, const shards_of_set&) const {
    return claims_.shard_bound_to(one.iteration);
  }
  void add(const candidate& one, std::size_t shard) { claims_.add(one.iteration, shard); }
  void expect(const candidate& one, bool is_near) const { claims_.expect(one.iteration, is_near); }
  [[nodiscard]] std::size_t weight(const candidate& one) const { return claims_.weight(one.iteration); }
  [[nodiscard]] static std::size_t most_members(std::size_t average) { return most_times_average * average; }

 private:
  element_claims& claims_;
};

/// `Bonds`: the only shard on which a candidate depends, `none` or `several`.
template <class Bonds> class set_builder {
 public:
  /// A set of `most` of these.
  set_builder(const set_shape& shape, std::size_t most, const std::vector<candidate>& from, Bonds bonds)
      : most_members_(bonds.most_members((most + shape.shards - 1) / shape.shards)), bonds_(bonds) {
    std::size_t all = 0;
    for (std::size_t k = 0; k < most; ++k) all += bonds.weight(from[k]);
    most_weight_ = (all + shape.shards - 1) / shape.shards;
    weights_.resize(shape.shards);
    made_.shards.resize(shape.shards);
  }

  /// Candidate number k of these is next.
  void expect(const std::vector<candidate>& from, std::size_t k) const {
    constexpr std::size_t near = 4, far = 8;
    if (k + far < from.size()) bonds_.expect(from[k + far], /*is_near=*/false);
    if (k + near < from.size()) bonds_.expect(from[k + near], /*is_near=*/true);
  }
  /// Whether the candidate has found a place.
  bool add(const candidate& one) {
    const std::size_t bound = bonds_.shard_bound_to(one, made_.shards);
    if (bound == several) return false;
    const std::size_t weight = bonds_.weight(one);
    const std::size_t shard = bound == none ? first_with_room(weight) : bound;
    if (shard == none || !has_room(shard, weight)) return false;
    made_.shards[shard].push_back(one);
    weights_[shard] += weight;
    bonds_.add(one, shard);
    return true;
  }
  [[nodiscard]] chosen_set& made() { return made_; }

 private:
  /// A shard takes a candidate if at least half of it is within the shard's part of the work.
  [[nodiscard]] bool has_room(std::size_t shard, std::size_t weight) const {
    const std::size_t members = made_.shards[shard].size();
    return members < most_members_ && (members == 0 || 2 * weights_[shard] + weight <= 2 * most_weight_);
  }
  [[nodiscard]] std::size_t first_with_room(std::size_t weight) {
    while (with_room_ < weights_.size() && !has_room(with_room_, 1)) ++with_room_;
    for (std::size_t l = with_room_; l < weights_.size(); ++l)
      if (has_room(l, weight)) return l;
    return none;
  }

  const std::size_t most_members_;  // of a shard
  std::size_t most_weight_ = 0;
  std::vector<std::size_t> weights_;  // of shards
  Bonds bonds_;
  std::size_t with_room_ = 0;  // shards before it are full
  chosen_set made_;
};

}  // namespace

// Of a shard, in a set that is cut into few of them.
static constexpr std::size_t most_in_few = 16;

std::size_t num_candidates(std::int64_t stated, std::size_t size) {
  constexpr std::size_t for_each_place = 4;
  return stated != 0 ? static_cast<std::size_t>(stated) : for_each_place * size;
}

std::size_t room_of(const sets_shape& sets) {
  const std::size_t average = std::max(most_in_few, (sets.size + sets.shards - 1) / sets.shards);
  return sets.in_place ? most_times_average * average : average;
}

template <class Bonds>
static chosen_set choose_by(Bonds bonds, const std::vector<candidate>& from, const set_shape& shape) {
  const std::size_t most = std::min(shape.size, from.size());
  set_builder<Bonds> builder(shape, most, from, bonds);
  chosen_set& made = builder.made();
  for (std::size_t k = 0; k < from.size(); ++k) {
    const bool is_full = made.placed == most;
    if (!is_full) builder.expect(from, k);
    if (!is_full && builder.add(from[k])) {
      ++made.placed;
      made.refilled += k >= most ? 1 : 0;
    } else {
      made.left.push_back(from[k]);
      made.rejected += is_full ? 0 : 1;
    }
  }
  return std::move(made);
}

chosen_set choose_set(const std::vector<candidate>& from, const set_shape& shape, dependences& all, bool asks,
                      const std::vector<std::int64_t>& in_flight) {
  return choose_by(measured_bonds(all, asks, in_flight), from, shape);
}

chosen_set choose_set(const std::vector<candidate>& from, const set_shape& shape, element_claims& claims) {
  return choose_by(touched_bonds(claims), from, shape);
}

}  // namespace stradsap::rt
