// The changes that a rank sends with a budget of bytes.
#include "runtime/loop/accumulate/change_choice.hpp"

#include <vector>

#include "tests/support/catch.hpp"

using namespace stradsap::rt;

namespace {

/// The places of the changes that wait.
std::vector<std::size_t> waiting(std::vector<waiting_change> all, std::uint64_t budget, std::uint64_t due) {
  choose_changes(all, budget, due);
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k].waits) places.push_back(k);
  }
  return places;
}

using places = std::vector<std::size_t>;

}  // namespace

TEST_CASE("half of the budget is for the most significant changes, and half for the oldest", "[loop]") {
  const std::vector<waiting_change> all{{0.1, 5, 100}, {0.4, 5, 100}, {0.2, 3, 100}, {0.3, 4, 100}};
  CHECK(waiting(all, 400, 0).empty());
  CHECK(waiting(all, 399, 0) == places{0});
  CHECK(waiting(all, 200, 0) == places{0, 3});
  CHECK(waiting(all, 199, 0) == places{0, 2, 3});  // the first half has one byte more
  CHECK(waiting(all, 99, 0) == places{0, 1, 2, 3});
}

TEST_CASE("of equally significant changes the older are sent first, and of equally old the greater",
          "[loop]") {
  CHECK(waiting({{0.2, 5, 100}, {0.2, 4, 100}, {0.2, 3, 100}}, 100, 0) == places{0, 1});
  CHECK(waiting({{0.2, 5, 100}, {0.1, 5, 100}, {0.3, 5, 100}}, 100, 0) == places{0, 1});
}

TEST_CASE("changes that have waited long enough are sent beyond the budget, and leave less to others",
          "[loop]") {
  const std::vector<waiting_change> all{{0.9, 5, 100}, {0.1, 3, 100}, {0.8, 5, 50}, {0.0, 2, 100}};
  CHECK(waiting(all, 1, 4) == places{0, 2});
  CHECK(waiting(all, 250, 4) == places{0});  // the last 50 bytes go to a lesser change
  CHECK(waiting(all, 300, 4) == places{2});
  CHECK(waiting(all, 350, 4).empty());
}
