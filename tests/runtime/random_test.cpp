#include <array>
#include <cmath>
#include <limits>
#include <set>

#include <stradsap/abi/internals.hpp>
#include <stradsap/random.hpp>

#include "tests/support/catch.hpp"

using stradsap::random_stream;
using stradsap::abi::launch_key;
using stradsap::abi::launch_scope;

static random_stream stream_of(const launch_key& launch, std::uint64_t index) {
  return stradsap::abi::internals::stream<random_stream>(launch, index);
}

TEST_CASE("Philox2x64-7 gives the known answers of Random123", "[random]") {
  const auto encrypted = [](std::uint64_t first, std::uint64_t second, std::uint64_t key) {
    const auto made = stradsap::abi::philox::encrypt({first, second}, key);
    return std::array{made.word_0, made.word_1};
  };
  const std::uint64_t ones = ~std::uint64_t{0};
  CHECK(encrypted(0, 0, 0) ==
        std::array{std::uint64_t{0xb41da69fbfefc666}, std::uint64_t{0x511e9ce1a5534056}});
  CHECK(encrypted(ones, ones, ones) ==
        std::array{std::uint64_t{0xa4696cc04462015d}, std::uint64_t{0x724782dae17169e9}});
  CHECK(encrypted(0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0) ==
        std::array{std::uint64_t{0x98ed1534392bf372}, std::uint64_t{0x67528b1568882fd5}});
}

TEST_CASE("a stream draws the words of its blocks in order, and copies go on from there", "[random]") {
  const launch_key launch{42, 3};
  random_stream draw = stream_of(launch, 9);
  for (std::uint64_t block = 0; block < 100; ++block) {
    const auto made = stradsap::abi::philox::encrypt({block | std::uint64_t{3} << 32, 9}, 42);
    random_stream copy = draw;
    CHECK(draw() == made.word_0);
    CHECK(copy() == made.word_0);
    copy = draw;
    CHECK(draw() == made.word_1);
    CHECK(copy() == made.word_1);
  }
}

TEST_CASE("streams of other seeds, launches and iterations share no draw", "[random]") {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32}) {
    for (std::uint32_t launch = 0; launch < 4; ++launch) {
      for (std::uint64_t j :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
        random_stream draw = stream_of(launch_key{seed, launch}, j);
        for (int k = 0; k < 5; ++k) seen.insert(draw());
      }
    }
  }
  CHECK(seen.size() == 3 * 4 * 4 * 5);
}

TEST_CASE("a stream belongs to the launch whose bodies the thread runs", "[random]") {
  const auto here = [] { return stradsap::random(9)(); };
  const std::uint64_t outside = here();
  CHECK(stream_of(launch_key{stradsap::abi::seed(), 0}, 9)() == outside);
  {
    const launch_scope outer(launch_key{3, 1});
    CHECK(here() == stream_of(launch_key{3, 1}, 9)());
    {
      const launch_scope inner(launch_key{3, 2});
      CHECK(here() == stream_of(launch_key{3, 2}, 9)());
    }
    CHECK(here() == stream_of(launch_key{3, 1}, 9)());
  }
  CHECK(here() == outside);
}

/// Chi-square of how often draws fall into equal cells.
template <class Draw> static double chi_square(int cells, int draws, const Draw& draw) {
  std::vector<int> hits(static_cast<std::size_t>(cells));
  for (int i = 0; i < draws; ++i) ++hits[draw(i)];
  const double expected = static_cast<double>(draws) / cells;
  double sum = 0;
  for (const int h : hits) sum += (h - expected) * (h - expected) / expected;
  return sum;
}

TEST_CASE("draws are uniform, within streams and across them", "[random]") {
  // 99 degrees of freedom: 149.4 is exceeded once in a thousand, 61.1 undercut once in a thousand
  const auto is_likely = [](double value) { return value > 61.1 && value < 149.4; };
  const auto cell = [](double u) { return static_cast<std::size_t>(u * 100); };
  random_stream one = stream_of(launch_key{42, 1}, 0);
  CHECK(is_likely(chi_square(100, 100000, [&](int) { return cell(one.uniform()); })));
  CHECK(is_likely(chi_square(100, 100000, [&](int j) {
    return cell(stream_of(launch_key{42, 2}, static_cast<std::uint64_t>(j)).uniform());
  })));
  CHECK(is_likely(chi_square(100, 100000, [&](int) { return one.below(100); })));
}

TEST_CASE("below takes every n, and leaves nothing out", "[random]") {
  random_stream draw = stream_of(launch_key{7, 1}, 0);
  for (int i = 0; i < 100; ++i) CHECK(draw.below(1) == 0);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 100; ++i) seen.insert(draw.below(3));
  CHECK(seen == std::set<std::uint64_t>{0, 1, 2});
  // of n just above 2^63 nearly half of the bits are drawn again: each quarter is as frequent
  for (const std::uint64_t n : {std::uint64_t{1} << 63, (std::uint64_t{1} << 63) + 1, ~std::uint64_t{0}}) {
    const double sum = chi_square(4, 4000, [&](int) {
      const std::uint64_t drawn = draw.below(n);
      CHECK(drawn < n);
      return std::min<std::size_t>(3, drawn / (n / 4));
    });
    CHECK(sum < 16.3);  // 3 degrees of freedom, once in a thousand
  }
}

TEST_CASE("uniform stays in its bounds, and normal has mean 0 and variance 1", "[random]") {
  random_stream draw = stream_of(launch_key{11, 1}, 0);
  double sum = 0;
  double squares = 0;
  int beyond = 0;
  constexpr int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double u = draw.uniform();
    const double v = draw.uniform(-3, 5);
    REQUIRE((u >= 0 && u < 1 && v >= -3 && v <= 5));
    const double z = draw.normal();
    sum += z;
    squares += z * z;
    if (std::abs(z) > 1.959964) ++beyond;
  }
  CHECK(std::abs(sum / n) < 0.0104);  // 3.3 standard errors
  CHECK(std::abs(squares / n - 1) < 0.0148);
  CHECK(std::abs(beyond - n / 20) < 228);
}

TEST_CASE("a stream is a generator as <random> wants them", "[random]") {
  STATIC_REQUIRE(std::uniform_random_bit_generator<random_stream>);
  STATIC_REQUIRE(random_stream::max() == std::numeric_limits<std::uint64_t>::max());
}
