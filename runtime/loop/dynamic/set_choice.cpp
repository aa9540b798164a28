#include "runtime/loop/dynamic/set_choice.hpp"

#include <algorithm>

namespace stradsap::rt {
namespace {

constexpr std::size_t none = ~std::size_t{0};
constexpr std::size_t several = none - 1;

class set_builder {
 public:
  set_builder(const set_shape& shape, std::size_t most, dependences& all, bool asks,
              const std::vector<std::int64_t>& in_flight)
      : room_((most + shape.shards - 1) / shape.shards), all_(all), asks_(asks), in_flight_(in_flight) {
    made_.shards.resize(shape.shards);
  }

  /// Whether the candidate has found a place.
  bool add(const candidate& one) {
    const std::size_t bound = depends_on_flight(one) ? several : shard_bound_to(one);
    if (bound == several) return false;
    const std::size_t shard = bound == none ? first_with_room() : bound;
    if (shard == none || made_.shards[shard].size() == room_) return false;
    made_.shards[shard].push_back(one);
    return true;
  }
  [[nodiscard]] chosen_set& made() { return made_; }

 private:
  [[nodiscard]] bool depend(std::int64_t one, std::int64_t other) {
    return asks_ ? all_.are_dependent(one, other) : all_.are_known_dependent(one, other);
  }
  [[nodiscard]] bool depends_on_flight(const candidate& one) {
    return all_.has_measure() && std::any_of(in_flight_.begin(), in_flight_.end(), [&](std::int64_t other) {
             return depend(one.iteration, other);
           });
  }
  /// The only shard with iterations on which this one depends.
  [[nodiscard]] std::size_t shard_bound_to(const candidate& one) {
    if (!all_.has_measure()) return none;
    std::size_t bound = none;
    for (std::size_t l = 0; l < made_.shards.size() && bound != several; ++l) {
      const std::vector<candidate>& shard = made_.shards[l];
      if (std::any_of(shard.begin(), shard.end(),
                      [&](const candidate& other) { return depend(one.iteration, other.iteration); }))
        bound = bound == none ? l : several;
    }
    return bound;
  }
  [[nodiscard]] std::size_t first_with_room() const {
    for (std::size_t l = 0; l < made_.shards.size(); ++l) {
      if (made_.shards[l].size() < room_) return l;
    }
    return none;
  }

  const std::size_t room_;  // of a shard
  dependences& all_;
  const bool asks_;
  const std::vector<std::int64_t>& in_flight_;
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
  return std::max(most_in_few, (sets.size + sets.shards - 1) / sets.shards);
}

chosen_set choose_set(const std::vector<candidate>& from, const set_shape& shape, dependences& all, bool asks,
                      const std::vector<std::int64_t>& in_flight) {
  const std::size_t most = std::min(shape.size, from.size());
  set_builder builder(shape, most, all, asks, in_flight);
  chosen_set& made = builder.made();
  for (std::size_t k = 0; k < from.size(); ++k) {
    const bool is_full = made.placed == most;
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

}  // namespace stradsap::rt
