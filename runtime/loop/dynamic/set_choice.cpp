#include "runtime/loop/dynamic/set_choice.hpp"

#include <algorithm>

namespace stradsap::rt {
namespace {

constexpr std::size_t none = ~std::size_t{0};
constexpr std::size_t several = none - 1;

class set_builder {
 public:
  set_builder(const set_shape& shape, std::size_t most, dependences& all, bool asks)
      : room_((most + shape.lanes - 1) / shape.lanes), all_(all), asks_(asks) {
    made_.lanes.resize(shape.lanes);
  }

  /// Whether the candidate has found a place.
  bool add(const candidate& one) {
    const std::size_t bound = lane_bound_to(one);
    if (bound == several) return false;
    const std::size_t lane = bound == none ? first_with_room() : bound;
    if (lane == none || made_.lanes[lane].size() == room_) return false;
    made_.lanes[lane].push_back(one);
    return true;
  }
  [[nodiscard]] chosen_set& made() { return made_; }

 private:
  [[nodiscard]] bool depend(const candidate& one, const candidate& other) {
    return asks_ ? all_.are_dependent(one.iteration, other.iteration)
                 : all_.are_known_dependent(one.iteration, other.iteration);
  }
  /// The only lane with iterations on which this one depends.
  [[nodiscard]] std::size_t lane_bound_to(const candidate& one) {
    if (!all_.has_measure()) return none;
    std::size_t bound = none;
    for (std::size_t l = 0; l < made_.lanes.size() && bound != several; ++l) {
      const std::vector<candidate>& lane = made_.lanes[l];
      if (std::any_of(lane.begin(), lane.end(), [&](const candidate& other) { return depend(one, other); }))
        bound = bound == none ? l : several;
    }
    return bound;
  }
  [[nodiscard]] std::size_t first_with_room() const {
    for (std::size_t l = 0; l < made_.lanes.size(); ++l) {
      if (made_.lanes[l].size() < room_) return l;
    }
    return none;
  }

  const std::size_t room_;  // of a lane
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
