// Updates that run free: chunks of iterations, and the elements that their executors claim.
#include "runtime/loop/dynamic/chunk_claims.hpp"

#include <cstdint>
#include <vector>

#include "tests/support/catch.hpp"

using stradsap::rt::candidate;
using stradsap::rt::chunk_claims;
using stradsap::rt::claim_shape;
using stradsap::rt::claim_shape_of;
using stradsap::rt::touched_elements;

namespace {

using places = std::vector<std::uint32_t>;

/// Iterations that each touch their own element and the next one.
touched_elements chain(std::uint32_t n) {
  std::vector<places> all;
  for (std::uint32_t j = 0; j < n; ++j) all.push_back({j, j + 1});
  return touched_elements(all);
}

/// Iterations that all touch one element.
touched_elements star(std::uint32_t n) {
  std::vector<places> all;
  for (std::uint32_t j = 0; j < n; ++j) all.push_back({0, j + 1});
  return touched_elements(all);
}

const std::vector<candidate> members{{0, 0}, {5, 0}, {1, 0}, {9, 0}, {8, 0}, {3, 0}};

}  // namespace

TEST_CASE("A claim leaves out the iterations that meet another executor's chunk", "[dynamic]") {
  const touched_elements all = chain(20);
  chunk_claims claims(all, {2, 4096}, 3);
  claims.begin(members);
  REQUIRE(claims.num_chunks() == 3);
  CHECK(claims.claim(0, 0) == places{0, 1});  // 0 and 5
  CHECK(claims.claim(1, 1) == places{3});     // 1 meets 0
  CHECK(claims.claim(2, 2) == places{5});     // 8 meets 9
  CHECK(claims.claim(0, 0) == places{1});     // now 0 meets 1
}

TEST_CASE("A chunk that is released or replaced meets nothing", "[dynamic]") {
  const touched_elements all = chain(20);
  chunk_claims claims(all, {2, 4096}, 2);
  claims.begin(members);
  (void)claims.claim(0, 0);
  claims.release(0);
  CHECK(claims.claim(1, 1) == places{2, 3});
  CHECK(claims.claim(0, 2) == places{5});
  (void)claims.claim(1, 0);
  CHECK(claims.claim(0, 2) == places{4, 5});
}

TEST_CASE("Chunks that only read an element do not meet in it", "[dynamic]") {
  // each writes its own element; 0 and 1 read that of 2
  const std::vector<places> read{{2}, {2}, {}};
  const touched_elements all({{0}, {1}, {2}}, read);
  chunk_claims claims(all, {1, 4096}, 2);
  const std::vector<candidate> three{{0, 0}, {1, 0}, {2, 0}};
  claims.begin(three);
  (void)claims.claim(0, 0);
  CHECK(claims.claim(1, 1) == places{1});
  CHECK(claims.claim(1, 2).empty());  // iteration 0 reads its element
  CHECK(claims.claim(0, 1).empty());  // it reads the element of 2
  claims.release(1);
  CHECK(claims.claim(0, 1) == places{1});
}

TEST_CASE("Elements that share a bit of the filter count as one", "[dynamic]") {
  const touched_elements all({{7}, {7 + 64}, {8 + 64}});
  chunk_claims claims(all, {1, 64}, 2);
  const std::vector<candidate> three{{0, 0}, {1, 0}, {2, 0}};
  claims.begin(three);
  (void)claims.claim(0, 0);
  CHECK(claims.claim(1, 1).empty());
  CHECK(claims.claim(1, 2) == places{2});
}

TEST_CASE("Chunks are short if iterations often meet, and there are none if most do", "[dynamic]") {
  const claim_shape seldom = claim_shape_of(chain(100000), 100000, 2);
  CHECK(seldom.chunk == 16);
  CHECK(seldom.prefetches);
  CHECK(claim_shape_of(chain(300), 300, 2).chunk == 4);
  CHECK(claim_shape_of(chain(300), 300, 5).chunk == 1);
  CHECK(claim_shape_of(star(1000), 1000, 2).chunk == 0);
  // more elements than filters tell apart
  std::vector<places> long_ones(4);
  for (std::uint32_t unit = 0; unit < 4000; ++unit) long_ones[unit % 4].push_back(unit);
  CHECK(claim_shape_of(touched_elements(long_ones), 4, 2).chunk == 0);
}
