// Whether a loop runs by blocks or in the order of its index, according to the times of its calls.
#include "runtime/loop/blocks/index_pace.hpp"

#include <string>

#include "tests/support/catch.hpp"

using stradsap::rt::index_pace;

/// A letter for each call: b by blocks, i by index.
static std::string ways(index_pace& pace, int calls, double by_blocks, double by_index) {
  std::string all;
  for (int call = 0; call < calls; ++call) {
    const bool is_by_index = pace.begin();
    pace.ran(is_by_index ? by_index : by_blocks);
    all += is_by_index ? 'i' : 'b';
  }
  return all;
}

TEST_CASE("the faster of blocks and index order runs, and the other one ever more rarely", "[loop]") {
  index_pace faster_by_index;
  CHECK(ways(faster_by_index, 18, 3, 1) == "biiiiibiiiiiiiibii");
  index_pace faster_by_blocks;
  CHECK(ways(faster_by_blocks, 18, 1, 3) == "bibbbbibbbbbbbbibb");
}

TEST_CASE("a change of the times changes the way of a loop", "[loop]") {
  index_pace pace;
  CHECK(ways(pace, 4, 3, 1) == "biii");
  CHECK(ways(pace, 12, 1, 3) == "iibbbbibbbbb");  // one long call may have been disturbed
}

TEST_CASE("one disturbed call changes nothing", "[loop]") {
  index_pace pace;
  CHECK(ways(pace, 4, 3, 1) == "biii");
  (void)pace.begin();
  pace.ran(10);
  CHECK(ways(pace, 1, 3, 1) == "i");
}
