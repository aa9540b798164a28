// Draws pairs one by one and keeps those not seen before.
#include "pairs.hpp"

#include "random.hpp"
#include "zipf.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace stradsap::data {

namespace {

/// The cells of the users x items table taken so far: open addressing at half load, for a number known
/// beforehand.
class cell_set {
 public:
  explicit cell_set(std::uint64_t capacity) {
    std::uint64_t slots = 16;
    while (slots < 2 * capacity) slots *= 2;
    slots_.assign(slots, empty);
  }

  bool insert(std::uint64_t cell) {
    const std::uint64_t mask = slots_.size() - 1;
    for (std::uint64_t i = mix(cell) & mask;; i = (i + 1) & mask) {
      if (slots_[i] == cell) return false;
      if (slots_[i] == empty) {
        slots_[i] = cell;
        return true;
      }
    }
  }

 private:
  static constexpr std::uint64_t empty = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::uint64_t> slots_;
};

}  // namespace

/// A pair that was not drawn before. Where Zipf's law finds only taken cells, the next free one after a
/// random cell.
static pair_seen draw_new(const ratings_request& request, const zipf_ids& users, const zipf_ids& items,
                          cell_set& taken, random_stream& random) {
  constexpr int tries = 64;
  for (int i = 0; i < tries; ++i) {
    const pair_seen pair{users.draw(random), items.draw(random)};
    if (taken.insert(std::uint64_t{pair.user} * request.num_items + pair.item)) return pair;
  }
  const std::uint64_t num_cells = std::uint64_t{request.num_users} * request.num_items;
  std::uint64_t cell = random.below(num_cells);
  while (!taken.insert(cell)) cell = (cell + 1) % num_cells;
  return {static_cast<std::uint32_t>(cell / request.num_items),
          static_cast<std::uint32_t>(cell % request.num_items)};
}

split_pairs draw_pairs(const ratings_request& request) {
  const zipf_ids users(request.num_users, {request.seed, stream_id::user_ids});
  const zipf_ids items(request.num_items, {request.seed, stream_id::item_ids});
  cell_set taken(request.count);
  split_pairs pairs;
  pairs.train.reserve(request.count);
  // First a pair for each user and each item, so that every id occurs in the training part.
  const std::uint64_t num_covering = std::max(request.num_users, request.num_items);
  for (std::uint64_t i = 0; i < num_covering; ++i) {
    const pair_seen pair{users.id_at(i), items.id_at(i)};
    taken.insert(std::uint64_t{pair.user} * request.num_items + pair.item);
    pairs.train.push_back(pair);
  }
  std::vector<pair_seen> rest;
  rest.reserve(request.count - num_covering);
  random_stream random(request.seed, stream_id::draws);
  while (rest.size() < request.count - num_covering)
    rest.push_back(draw_new(request, users, items, taken, random));
  // Later draws avoid the cells of earlier ones; the shuffle keeps that out of the split.
  shuffle(rest, {request.seed, stream_id::rest_order});
  const auto num_test = num_test_ratings(request);
  const auto first_test = rest.end() - static_cast<std::ptrdiff_t>(num_test);
  pairs.test.assign(first_test, rest.end());
  pairs.train.insert(pairs.train.end(), rest.begin(), first_test);
  shuffle(pairs.train, {request.seed, stream_id::train_order});
  return pairs;
}

}  // namespace stradsap::data
