// Touches that name the same row in all iterations.
#include <cstdint>
#include <vector>

#include "runtime/loop/plan/row_classes.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

/// Iterations that touch one element of each capture.
static access_sets sets_of(const std::vector<std::vector<std::uint64_t>>& iterations) {
  access_sets sets;
  sets.expect(iterations.size());
  for (const auto& elements : iterations) {
    std::vector<touch> touches;
    for (std::size_t c = 0; c < elements.size(); ++c) touches.push_back({elements[c], c, 0});
    sets.add(touches);
  }
  return sets;
}

TEST_CASE("containers that are touched at the same row are one class", "[loop]") {
  const row_counts equal{{1, 1, 1, 1}, {9, 9, 9, 9}};
  CHECK(classes_of(sets_of({{1, 2, 1, 2}, {3, 3, 3, 3}, {5, 4, 5, 4}}), equal).first ==
        std::vector<std::uint32_t>{0, 1, 0, 1});
  CHECK(classes_of(sets_of({{1, 1, 1, 1}, {3, 3, 3, 3}, {5, 5, 4, 4}}), equal).first ==
        std::vector<std::uint32_t>{0, 0, 2, 2});
  CHECK(classes_of(sets_of({{1, 2, 1, 2}}), equal).count() == 2);
}

TEST_CASE("a row of a flat matrix is the row of a vector, if both have as many", "[loop]") {
  const access_sets sets = sets_of({{1, 10}, {3, 30}, {8, 80}});
  CHECK(classes_of(sets, {{1, 10}, {9, 9}}).count() == 1);
  CHECK(classes_of(sets, {{1, 10}, {9, 8}}).count() == 2);
  CHECK(classes_of(sets, {{1, 10}, {0, 0}}).count() == 2);  // both are cut
}

TEST_CASE("classes of parts hold where both have them", "[loop]") {
  const row_counts equal{{1, 1, 1}, {9, 9, 9}};
  row_classes all;
  all.join(classes_of(sets_of({{1, 1, 1}}), equal));
  CHECK(all.count() == 1);
  all.join(classes_of(sets_of({}), equal));
  CHECK(all.count() == 1);
  all.join(classes_of(sets_of({{1, 2, 2}}), equal));
  CHECK(all.first == std::vector<std::uint32_t>{0, 1, 1});
  all.join(classes_of(sets_of({{1, 2, 1}}), equal));
  CHECK(all.count() == 3);
  all.join(classes_of(sets_of({{1, 1, 1}, {1, 1}}), equal));  // no pattern
  CHECK(all.count() == 0);
  all.join(classes_of(sets_of({{1, 1, 1}}), equal));
  CHECK(all.count() == 0);
}
