// stradsap::random in bodies: at each launch, a slice repeats the draws that subscripts depend on.
// Sums of fractions show the order of iterations: it prints another serial order than the program's.
#include <cstdint>
#include <cstdio>
#include <random>
#include <utility>

#include <stradsap/stradsap.hpp>

static std::uint64_t pick(stradsap::random_stream& draw, std::uint64_t n) { return draw.below(n); }

/// The total of the weights, after a check that no place is negative.
static long total_of(const stradsap::dvector<long>& places) {
  long total = 0;
  for (const long value : places) total += value;
  return total;
}

int main() {
  const int n = 2000;
  const std::uint64_t size = 64;
  stradsap::dvector<long> places(size), hits(size);
  double sum = 0;
  double first = 0;
  long squares = 0;

  for (int call = 0; call < 2; ++call) {
    sum = 0;
    // a drawn subscript, and draws that decide nothing
    stradsap::parallel_for(n, [size, &places, &sum](int j) {
      auto draw = stradsap::random(j);
      places[draw.below(size)] += 1;
      sum += draw.uniform() + draw.normal() * 0;
    }, stradsap::consistency::async);
    if (call == 0) first = sum;
  }
  if (total_of(std::as_const(places)) != 2 * n || sum == first) return 1;
  std::printf("%a %a\n", first, sum);

  // drawn through a function, through <random>, and under a condition that a draw decides
  stradsap::parallel_for(n, [size, &places](int j) {
    stradsap::random_stream draw = stradsap::random(2 * j + 1);
    std::uniform_int_distribution<std::uint64_t> any(0, size - 1);
    const std::uint64_t from = pick(draw, size);
    if (draw.uniform(0, 4) < 1) {
      places[from] -= 1;
      places[any(draw)] += 1;
    }
  }, stradsap::consistency::async);
  if (total_of(std::as_const(places)) != 2 * n) return 2;

  // draws that decide nothing: the plan may be kept
  stradsap::parallel_for(n, [size, &hits, &squares](int j) {
    hits[static_cast<std::uint64_t>(j) * 7 % size] += static_cast<long>(stradsap::random(j).below(10));
    squares += stradsap::random(j).uniform() < 0.5 ? 1 : 0;
  }, stradsap::consistency::async);
  if (squares < n / 3 || squares > 2 * n / 3) return 3;

  // outside loops: the seed alone
  if (stradsap::random(5).below(1000) != stradsap::random(5).below(1000)) return 4;
  return 0;
}
