// Captured vectors of records: bodies prefetch them where a plan lists iterations.
#define STRADSAP_INSTRUMENTED
#include <cstdint>
#include <numeric>
#include <vector>

#include <stradsap/stradsap.hpp>

#include "tests/support/catch.hpp"

namespace {

struct observation {
  int camera, point;
  double u, v;
};
using observations = std::vector<observation>;
using local = stradsap::abi::records_local<observations>;

template <unsigned Mode, class T>
constexpr bool prefetches =
    stradsap::abi::value_capture<Mode, "", T, stradsap::abi::named_value<T>>::prefetches;

/// Whether a block over these records prefetches some.
bool asks(const observations& all, const stradsap::abi::block& b) {
  local one(&all);
  one.enter<false>(b, 0);
  for (std::uint64_t k = 0; k < b.count; ++k) one.expect<4>(k + 8);  // also beyond the block
  return one.asks();
}

}  // namespace

TEST_CASE("records that decide places are prefetched", "[abi]") {
  CHECK(prefetches<stradsap::abi::steers, observations>);
  CHECK_FALSE(prefetches<0, observations>);
  CHECK_FALSE(prefetches<stradsap::abi::steers, std::vector<double>>);
  CHECK_FALSE(prefetches<stradsap::abi::steers, observation>);
}

TEST_CASE("large vectors of records are prefetched in lists of iterations", "[abi]") {
  std::vector<std::uint32_t> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 29500);  // some have no record
  stradsap::abi::block listed;
  listed.iterations = numbers.data();
  listed.count = numbers.size();
  stradsap::abi::block range;
  range.count = 1000;
  const observations large(30000), small(100);
  CHECK(asks(large, listed));
  CHECK_FALSE(asks(large, range));
  CHECK_FALSE(asks(small, listed));
}
