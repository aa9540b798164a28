#include "runtime/loop/dynamic/set_choice.hpp"

#include <algorithm>

namespace stradsap::rt {
namespace {

constexpr std::size_t none = ~std::size_t{0};
constexpr std::size_t several = none - 1;

class set_builder {
 public:
  set_builder(const set_shape& shape, std::size_t most, dependences& all, bool asks)
      : room_((most + shape.shards - 1) / shape.shards), all_(all), asks_(asks) {
    made_.shards.resize(shape.shards);
  }

  /// Whether the candidate has found a place.
  bool add(const candidate& one) {
    const std::size_t bound = shard_bound_to(one);
    if (bound == several) return false;
    const std::size_t shard = bound == none ? first_with_room() : bound;
    if (shard == none || made_.shards[shard].size() == room_) return false;
    made_.shards[shard].push_back(one);
    return true;
  }
  [[nodiscard]] chosen_set& made() { return made_; }

 private:
  [[nodiscard]] bool depend(const candidate& one, const candidate& other) {
    return asks_ ? all_.are_dependent(one.iteration, other.iteration)
                 : all_.are_known_dependent(one.iteration, other.iteration);
  }
  /// The only shard with iterations on which this one depends.
  [[nodiscard]] std::size_t shard_bound_to(const candidate& one) {
    if (!all_.has_measure()) return none;
    std::size_t bound = none;
    for (std::size_t l = 0; l < made_.shards.size() && bound != several; ++l) {
      const std::vector<candidate>& shard = made_.shards[l];
      if (std::any_of(shard.begin(), shard.end(), [&](const candidate& other) { return depend(one, other); }))
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
  chosen_set made_;
};

}  // namespace

chosen_set choose_set(const std::vector<candidate>& from, const set_shape& shape, dependences& all,
                      bool asks) {
  const std::size_t most = std::min(shape.size, from.size());
  set_builder builder(shape, most, all, asks);
  std::size_t placed = 0;
  for (const candidate& one : from) {
    if (placed < most && builder.add(one)) {
      ++placed;
    } else {
      builder.made().left.push_back(one);
    }
  }
  return std::move(builder.made());
}

}  // namespace stradsap::rt
