// Loops of which each iteration writes elements behind those of the iterations before: rows of any length,
// with gaps, without elements, and one that is long.
#include <vector>

#include "tests/support/program.hpp"

constexpr std::int64_t n = 3000;
constexpr unsigned named = test::reads | test::writes | stradsap::abi::listed;

static std::vector<std::uint64_t> some_rows() {
  std::vector<std::uint64_t> first{2};
  for (std::uint64_t j = 0; j < n; ++j) {
    const std::uint64_t length = test::draw(j, 1, 4) == 0 ? 0 : test::draw(j, 0, 50);
    first.push_back(first.back() + (j == 1000 ? 20000 : length));
  }
  return first;
}

/// Row j without its last element. `second`: the row of the last iteration, to write two rows of one
/// iteration.
template <int Number>
static void add_rows(stradsap::dvector<int>& x, stradsap::dvector<double>& sums,
                     const stradsap::dvector<std::uint64_t>& first, std::int64_t count, std::int64_t other,
                     std::int64_t others, const char* site) {
  stradsap::parallel_for(
      count,
      test::loop<Number, 0>(
          site,
          [](decltype(x)& x, decltype(sums)& sums, decltype(first)& first, const std::int64_t& other,
             const std::int64_t& others) {
            return [&x, &sums, &first, &other, &others](std::int64_t j) {
              const std::int64_t row = j == other ? others : j;
              double sum = 0;
              for (std::uint64_t i = first[row]; i + 1 < first[row + 1]; ++i)
                sum += x[i] = static_cast<int>(x[i] * 3u + static_cast<unsigned>(j));
              sums[j] = sum;
            };
          },
          test::container<named>(x), test::container < test::writes | test::aligned > (sums),
          test::container < test::reads | test::steers > (first), test::value<test::steers>(other),
          test::value<test::steers>(others)),
      stradsap::consistency::async);
}

static void fill(stradsap::dvector<int>& x) {
  stradsap::parallel_for(
      static_cast<std::int64_t>(x.size()),
      test::loop<9, 0>(
          "stretches.cpp:9",
          [](decltype(x)& x) { return [&x](std::int64_t j) { x[j] = static_cast<int>(j % 101); }; },
          test::container < test::writes | test::aligned > (x)),
      stradsap::consistency::async);
}

int main() {
  stradsap::abi::enter_main();
  const std::vector<std::uint64_t> rows = some_rows();
  stradsap::dvector<std::uint64_t> first(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) first[k] = rows[k];
  stradsap::dvector<int> fresh(rows.back() + 3);
  stradsap::dvector<int> cut(rows.back() + 3);
  stradsap::dvector<int> shared(rows.back() + 3);
  stradsap::dvector<double> sums(n);
  stradsap::dvector<double> few_sums(n);
  fill(cut);
  for (int pass = 0; pass < 3; ++pass) {
    add_rows<1>(fresh, sums, first, n, 0, 0, "stretches.cpp:1");
    add_rows<2>(cut, sums, first, n, 0, 0, "stretches.cpp:2");
    add_rows<3>(shared, sums, first, n, 2998, 1001, "stretches.cpp:3");  // not in the sample
    add_rows<4>(fresh, few_sums, first, 1010, 0, 0, "stretches.cpp:4");
    add_rows<5>(fresh, few_sums, first, 40, 0, 0, "stretches.cpp:5");
  }
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < fresh.size(); ++i)
    hash = hash * 31 + static_cast<std::uint64_t>(fresh[i] + 2 * cut[i] + 3 * shared[i]);
  double sum = 0;
  for (std::int64_t j = 0; j < n; ++j) sum += sums[j] + few_sums[j];
  std::printf("hash=%016llx sum=%.17g\n", static_cast<unsigned long long>(hash), sum);
}
