// Insertions of loops into maps, by several loops one after the other and
// with keys at the limits of their type. The order on the driver is that
// of iterations and positions, as in program_order's plain containers.
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tests/support/program.hpp"

using limits = std::numeric_limits<std::int64_t>;

/// Keys of all kinds: dense ones of both signs, far ones, the limits.
static std::int64_t key_of(std::int64_t j, std::int64_t pass, std::int64_t position) {
  const auto draw = static_cast<std::int64_t>(
      test::draw(static_cast<std::uint64_t>(j), static_cast<std::uint64_t>(2 * pass + position), 400));
  switch (draw % 5) {
    case 0:
      return limits::min() + draw;
    case 1:
      return limits::max() - draw;
    case 2:
      return draw * 1000003;
    default:
      return draw - 200;
  }
}

/// The same maps, filled by a plain program.
struct reference {
  std::vector<std::int64_t> order;
  std::map<std::int64_t, long> count;
  std::map<std::int64_t, std::vector<std::int64_t>> values;

  void insert(std::int64_t key, std::int64_t value) {
    if (count[key]++ == 0) order.push_back(key);
    values[key].push_back(value);
  }
};

int main() {
  stradsap::abi::enter_main();
  const std::int64_t n = 6000;
  stradsap::dmap<std::int64_t, long> count;
  stradsap::dmultimap<std::int64_t, std::int64_t> values;
  stradsap::dvector<long> hits(300);
  reference expected;
  for (std::int64_t pass = 0; pass < 4; ++pass) {
    const std::int64_t between = limits::max() / 2 + pass;
    ++count[between];
    values.insert({between, -1});
    values.insert({between, -2});
    expected.insert(between, -1);
    expected.insert(between, -2);
    --expected.count[between];
    // `hits` cuts the blocks across the keys, so that iterations of a key run out of order
    stradsap::parallel_for(
        n,
        test::loop<1, 0>(
            "insertions.cpp:1",
            [](decltype(count)& count, decltype(values)& values, decltype(hits)& hits,
               const std::int64_t& pass) {
              return [&count, &values, &hits, pass](std::int64_t j) {
                for (std::int64_t position = 0; position < 2; ++position) {
                  const std::int64_t key = key_of(j, pass, position);
                  ++count[key];
                  values.insert({key, 2 * j + position});
                }
                ++hits[(j * 7919) % 300];
              };
            },
            test::container < test::reads | test::writes > (count),
            test::container < test::reads | test::writes > (values),
            test::container < test::reads | test::writes > (hits), test::value<test::steers>(pass)),
        pass == 2 ? stradsap::ConsistencyModel(stradsap::consistency::sync(1500))
                  : stradsap::consistency::async);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t position = 0; position < 2; ++position)
        expected.insert(key_of(j, pass, position), 2 * j + position);
    }
  }
  long wrong = 0;
  std::vector<std::int64_t> order, all;
  for (const auto& [key, number] : std::as_const(count)) {
    order.push_back(key);
    if (number != expected.count[key]) ++wrong;
  }
  for (const auto& [key, value] : values) all.push_back(value);
  std::vector<std::int64_t> expected_all;
  for (const std::int64_t key : expected.order) {
    const auto& of_key = expected.values[key];
    expected_all.insert(expected_all.end(), of_key.begin(), of_key.end());
    if (values.count(key) != of_key.size()) ++wrong;
  }
  const std::size_t size = values.size();
  const std::size_t erased = values.erase(limits::max() / 2);
  std::printf("wrong=%ld order=%s values=%s size=%zu erased=%zu left=%zu keys=%zu\n", wrong,
              order == expected.order ? "same" : "DIFFERENT", all == expected_all ? "same" : "DIFFERENT",
              size, erased, size - values.size(), order.size());
}
