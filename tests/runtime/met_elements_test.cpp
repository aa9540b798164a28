// The search for two iterations that touch a common element.
#include "runtime/loop/access/met_elements.hpp"

#include <atomic>
#include <bit>
#include <numeric>
#include <vector>

#include "runtime/loop/access/touch.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

namespace {

using touched = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // captures and elements

/// A search over two containers of 300 elements each; a touch of the second stands for `unit` of them.
class search {
 public:
  explicit search(std::int64_t first, std::int64_t n, std::size_t runs = 4)
      : work_(runs), met_({300, 0, 300}, first, n, work_, found_) {}

  /// Whether the next iterations, one for each set, meet no earlier one.
  bool adds(const std::vector<touched>& sets, std::uint64_t unit = 1) {
    std::vector<std::uint64_t> touches;
    std::vector<std::uint32_t> ends;
    for (const touched& set : sets) {
      for (const auto& [capture, element] : set)
        touches.push_back(std::bit_cast<std::uint64_t>(touch{element, capture, 0}));
      ends.push_back(static_cast<std::uint32_t>(touches.size()));
    }
    const std::vector<std::uint64_t> units{1, 1, unit};
    try {
      met_.add(touches, ends, units);
    } catch (const iterations_meet&) {
      return false;
    }
    return true;
  }

  [[nodiscard]] const std::vector<std::uint64_t>& work() const { return work_; }
  [[nodiscard]] bool found() const { return found_; }
  met_elements& met() { return met_; }

 private:
  std::vector<std::uint64_t> work_;
  std::atomic<bool> found_ = false;
  met_elements met_;
};

}  // namespace

TEST_CASE("a meeting in the last iteration is found", "[loop]") {
  for (const std::uint64_t element : {0u, 63u, 64u, 65u, 255u}) {
    search all(0, 257);
    for (std::uint64_t i = 0; i < 256; ++i) REQUIRE(all.adds({{{0, i}}}));
    CHECK_FALSE(all.adds({{{0, 299}, {0, element}}}));
    CHECK(all.found());
  }
}

TEST_CASE("an iteration may touch an element several times, and another container at the same index",
          "[loop]") {
  search some(0, 10);
  CHECK(some.adds({{{0, 7}, {0, 7}, {2, 7}}, {}, {{0, 8}, {2, 8}, {0, 8}}}));
  CHECK_FALSE(some.adds({{{0, 9}, {2, 8}}}));
}

TEST_CASE("rows meet in any of their elements", "[loop]") {
  search rows(0, 10);
  CHECK(rows.adds({{{2, 0}}, {{2, 60}}, {{2, 180}}}, 60));
  CHECK(rows.adds({{{2, 120}}, {{2, 179}}}, 1));
  CHECK_FALSE(rows.adds({{{2, 239}}}, 1));
  search whole(0, 10);
  CHECK(whole.adds({{{2, 150}}}, 1));
  CHECK_FALSE(whole.adds({{{2, 0}}}, 300));
}

TEST_CASE("a search that begins anew has forgotten all iterations", "[loop]") {
  search some(0, 10);
  CHECK(some.adds({{{0, 1}}, {{0, 2}}}));
  some.met().clear();
  CHECK(some.adds({{{0, 2}}, {{0, 1}}}));
}

TEST_CASE("shares meet if they have a common element", "[loop]") {
  search one(0, 4);
  search other(2, 4);
  REQUIRE(one.adds({{{0, 5}}, {{2, 299}}}));
  REQUIRE(other.adds({{{0, 6}}, {{2, 299}}}));
  const std::size_t words = one.met().marks().num_words();
  CHECK_FALSE(one.met().marks().join(other.met().marks(), 0, words / 2));
  CHECK(one.met().marks().join(other.met().marks(), words / 2, words));
}

TEST_CASE("work counts the elements and iterations of each run", "[loop]") {
  search all(0, 8);
  REQUIRE(all.adds({{{0, 1}, {0, 2}}, {{0, 3}}, {{2, 0}}, {}, {}, {}, {{2, 60}}, {{0, 9}}}, 60));
  CHECK(all.work() == std::vector<std::uint64_t>{5, 62, 2, 63});
  search half(4, 8);
  REQUIRE(half.adds({{}, {{0, 1}}, {}, {}}));
  CHECK(half.work() == std::vector<std::uint64_t>{0, 0, 3, 2});
}
