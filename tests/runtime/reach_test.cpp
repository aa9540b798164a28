// The reach of pointers to elements, and a view's part of it.
#define STRADSAP_INSTRUMENTED
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <stradsap/dvector.hpp>

using namespace stradsap::abi;

namespace {

constexpr std::int64_t size = 7;

/// Calls check(reach) for subscripts in and behind a container of `size` elements, and all nearby offsets.
void for_each_reach(const auto& check) {
  for (std::int64_t first = 0; first <= size + 2; ++first) {
    for (std::int64_t least = -4; least <= 4; ++least) {
      for (std::int64_t greatest = -4; greatest <= 4; ++greatest) check(reach(first, {least, greatest}));
    }
  }
}

/// Whether elements [begin, begin + count) hold all of `from`, tested one by one.
bool holds(std::int64_t begin, std::int64_t count, const reach& from) {
  const auto first = static_cast<std::int64_t>(from.first);
  bool all = first >= begin && first <= begin + count && !from.offsets.is_empty();
  for (std::int64_t k = from.offsets.least; k <= from.offsets.greatest; ++k)
    all = all && first + k >= begin && first + k < begin + count;
  return all;
}

/// Records its calls.
struct asked_source final : element_source {
  struct question {
    std::uint64_t first, n;
    bool operator==(const question&) const = default;
  };
  std::vector<question> asked;
  std::array<int, 2 * size> beyond{};
  void* element(std::uint64_t i, stradsap::abi::access) override {
    return range(i, 1, stradsap::abi::access::read);
  }
  void* range(std::uint64_t first, std::uint64_t n, stradsap::abi::access) override {
    asked.push_back({first, n});
    return beyond.data() + size;
  }
  void* add_entry() override { return nullptr; }
};

/// A log of 4 touches at a time, and a record of the calls to its owner.
struct noting_keeper : touch_log::keeper {
  std::array<std::uint64_t, 4> room{};
  std::array<std::uint32_t, 4> ends{};
  touch_log log{room.data(), room.data() + room.size(), room.data(),
                ends.data(), ends.data() + ends.size(), this};
  std::vector<std::uint64_t> named;
  int divided = 0;
  void make_room() override {
    named.insert(named.end(), room.data(), log.next);
    log.next = room.data();
  }
  void take() override { make_room(); }
  void divide(std::uint64_t, std::uint64_t, std::uint64_t) override { ++divided; }
  void close_runs() override {}
};

}  // namespace

TEST_CASE("whole units of what a container has are named by their first elements, others are divided",
          "[reach]") {
  constexpr std::uint64_t tag = std::uint64_t{5} << 56;
  int element = 0;
  for (std::uint64_t unit = 1; unit <= 4; ++unit) {
    for (std::uint64_t first = 0; first <= 14; ++first) {
      for (std::uint64_t n = 0; n <= 14; ++n) {
        noting_keeper keeper;
        listing all{&keeper.log, 13, tag, &element, unit};
        CAPTURE(unit, first, n);
        REQUIRE(all.name(first, n) == &element);
        keeper.take();
        const std::uint64_t end = std::min<std::uint64_t>(first + n, 13);
        const bool is_whole = first >= end || (first % unit == 0 && end % unit == 0);
        REQUIRE(keeper.divided == (is_whole ? 0 : 1));
        std::vector<std::uint64_t> wanted;
        for (std::uint64_t i = first; i < end; i += unit) wanted.push_back(tag | i);
        REQUIRE(keeper.named == wanted);
      }
    }
  }
}

/// The ranges that a listing asks for when an iteration names these elements, one by one.
static std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_of(
    const std::vector<std::uint64_t>& elements) {
  struct ranges_keeper final : noting_keeper {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    void divide(std::uint64_t, std::uint64_t first, std::uint64_t n) override {
      ranges.emplace_back(first, n);
    }
  } keeper;
  int element = 0;
  listing all{&keeper.log, 1000, 0, &element, 7919};  // no range is a whole unit
  for (const std::uint64_t i : elements) (void)all.name(i);
  all.close_runs();
  return keeper.ranges;
}

TEST_CASE("elements that are named one after the other are one range, along several rows at once",
          "[reach]") {
  using ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  CHECK(ranges_of({5, 6, 7, 8}) == ranges{{5, 4}});
  CHECK(ranges_of({5, 6, 5, 7, 6, 5}) == ranges{{5, 3}});
  CHECK(ranges_of({10, 20, 11, 21, 12, 22}) == ranges{{10, 3}, {20, 3}});
  CHECK(ranges_of({3, 2, 1}) == ranges{{3, 1}, {2, 1}, {1, 1}});
  std::vector<std::uint64_t> many;
  for (std::uint64_t row = 0; row < 10; ++row) many.push_back(row * 10);
  ranges alone;
  for (const std::uint64_t i : many) alone.emplace_back(i, 1);
  ranges closed = ranges_of(many);
  std::sort(closed.begin(), closed.end());
  CHECK(closed == alone);
}

TEST_CASE("a single element that is named again at once is named once in an iteration", "[reach]") {
  noting_keeper keeper;
  int element = 0;
  listing all{&keeper.log, 13, 0, &element};
  for (const std::uint64_t i : {4, 4, 4, 5, 4}) (void)all.name(i);
  all.close_runs();
  (void)all.name(4);
  keeper.take();
  CHECK(keeper.named == std::vector<std::uint64_t>{4, 5, 4, 4});
}

TEST_CASE("a reach is within the elements that hold its subscript and all of it", "[reach]") {
  for_each_reach([](const reach& from) {
    for (std::int64_t begin = 0; begin <= size; ++begin) {
      for (std::int64_t count = 0; begin + count <= size; ++count) {
        CAPTURE(from.first, from.offsets.least, from.offsets.greatest, begin, count);
        REQUIRE(from.is_within(static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(count)) ==
                holds(begin, count, from));
      }
    }
  });
}

TEST_CASE("a reach without an end is within nothing", "[reach]") {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
  constexpr std::uint64_t largest = std::uint64_t{1} << 62;
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000}, largest}) {
    for (const std::uint64_t begin : {std::uint64_t{0}, std::uint64_t{3}}) {
      for (const interval& offsets : {stradsap_everything(), interval{}, interval{least, greatest},
                                      interval{0, greatest}, interval{least, 0}, interval{greatest, least}}) {
        CAPTURE(begin, count, offsets.least, offsets.greatest);
        CHECK_FALSE(reach(begin, offsets).is_within(begin, count));
        CHECK_FALSE(reach(begin + count / 2, offsets).is_within(begin, count));
      }
    }
  }
}

TEST_CASE("a subscript below 0 is within nothing", "[reach]") {
  CHECK_FALSE(reach(-1, {0, 3}).is_within(0, 10));
  CHECK_FALSE(reach(-1, {1, 3}).is_within(0, 10));
  CHECK_FALSE(reach(-4, {0, 3}).is_within(3, 10));
}

TEST_CASE("a view has what lies in it, cut off at the container's ends, and asks for the rest", "[reach]") {
  std::array<int, size> elements{};
  for_each_reach([&](const reach& from) {
    for (std::uint64_t lo = 0; lo <= size; ++lo) {
      for (std::uint64_t count = 0; lo + count <= size; ++count) {
        asked_source source;
        const window w{.base = elements.data(),
                       .lo = lo,
                       .count = count,
                       .readable = count,
                       .size = element_count(size),
                       .source = &source};
        auto view = internals::view<stradsap::dvector<int>>(w);
        const reach::run run = from.within(size);
        const std::uint64_t end = run.first + run.size;
        const bool is_in_view = run.size == 0
                                    ? run.first <= size
                                    : run.first >= lo && run.first < lo + count && end <= lo + count;
        int* const base = is_in_view ? elements.data() + run.first : source.beyond.data() + size;
        CAPTURE(from.first, from.offsets.least, from.offsets.greatest, lo, count);
        REQUIRE(&view[from] == base + run.back);
        REQUIRE(&std::as_const(view)[from] == base + run.back);
        const std::vector<asked_source::question> wanted(is_in_view ? 0 : 2, {run.first, run.size});
        REQUIRE(source.asked == wanted);
      }
    }
  });
}

TEST_CASE("what a pointer surely reaches must be in the container, in whole windows and in others",
          "[reach]") {
  struct refusing_source final : element_source {
    void* element(std::uint64_t i, stradsap::abi::access) override { throw i; }
    void* range(std::uint64_t, std::uint64_t, stradsap::abi::access) override { throw "not whole"; }
    void* add_entry() override { return nullptr; }
  } source;
  std::array<int, size> elements{};
  for (const bool complete : {false, true}) {
    for_each_reach([&](const reach& some) {
      if (some.first > size) return;
      const reach from(static_cast<std::int64_t>(some.first), stradsap_sure(some.offsets));
      const window w{.base = elements.data(),
                     .count = size,
                     .readable = size,
                     .size = element_count(size),
                     .source = &source,
                     .complete = complete};
      auto view = internals::view<stradsap::dvector<int>>(w);
      std::int64_t missing = size + 100;
      for (std::int64_t k = from.offsets.greatest; k >= from.offsets.least; --k) {
        const std::int64_t i = static_cast<std::int64_t>(from.first) + k;
        if (i < 0 || i >= size) missing = i;
      }
      if (from.offsets.is_empty() && complete && from.first == size) return;  // as without a sure part
      std::int64_t refused = size + 100;
      try {
        const int* const written = &view[from];
        const int* const read = &std::as_const(view)[from];
        REQUIRE(written == elements.data() + from.first);
        REQUIRE(read == written);
      } catch (std::uint64_t i) {
        refused = static_cast<std::int64_t>(i);
      }
      CAPTURE(complete, from.first, from.offsets.least, from.offsets.greatest);
      REQUIRE(refused == missing);
    });
  }
}

/// Whether an operator's interval of two intervals contains its value for every pair of their numbers. For
/// two single numbers, it must contain that value and nothing else.
static bool holds_all(const interval& left, const interval& right, const auto& operate) {
  const interval all = operate(left, right);
  for (std::int64_t a = left.least; a <= left.greatest; ++a) {
    for (std::int64_t b = right.least; b <= right.greatest; ++b) {
      const std::int64_t value = operate(a, b);
      if (value < all.least || value > all.greatest) return false;
    }
  }
  return !left.is_one() || !right.is_one() || all.is_one();
}

static bool holds_everywhere(std::int64_t from, std::int64_t smallest_right, const auto& operate) {
  for (std::int64_t a = from; a <= 5; ++a) {
    for (std::int64_t b = a; b <= 5; ++b) {
      for (std::int64_t c = smallest_right; c <= 5; ++c) {
        for (std::int64_t d = c; d <= 5; ++d) {
          if (!holds_all({a, b}, {c, d}, operate)) return false;
        }
      }
    }
  }
  return true;
}

TEST_CASE("an interval holds every result of its operands, and of single numbers no other", "[reach]") {
  CHECK(holds_everywhere(-5, -5, [](const auto& a, const auto& b) { return a + b; }));
  CHECK(holds_everywhere(-5, -5, [](const auto& a, const auto& b) { return a - b; }));
  CHECK(holds_everywhere(-5, -5, [](const auto& a, const auto& b) { return a * b; }));
  CHECK(holds_everywhere(-5, 1, [](const auto& a, const auto& b) { return a / b; }));
  CHECK(holds_everywhere(-5, 1, [](const auto& a, const auto& b) { return a % b; }));
  CHECK(holds_everywhere(-5, -5, [](const auto& a, const auto& b) { return a & b; }));
  CHECK(holds_everywhere(0, 0, [](const auto& a, const auto& b) { return a << b; }));
  CHECK(holds_everywhere(-5, 0, [](const auto& a, const auto& b) { return a >> b; }));
}

TEST_CASE("a reach leaves a window if an element that exists is outside", "[reach]") {
  const reach backwards(100, {-10, -1});  // from the end of a container of 100 elements
  CHECK_FALSE(backwards.leaves(0, 100, 100));
  CHECK_FALSE(backwards.leaves(90, 10, 100));
  CHECK(backwards.leaves(91, 9, 100));
  CHECK(backwards.leaves(0, 99, 100));
  CHECK_FALSE(reach(100, {0, 5}).leaves(0, 100, 100));  // there are none
  CHECK(reach(50, {0, 5}).leaves(0, 50, 100));
  CHECK(reach(101, {0, 5}).leaves(0, 100, 100));
}
