// Common habits: a minimum under further conditions, std::max of a list, a vector moved into a capture, goto
// in a function, algorithms with lambdas that write elements, arrays under a condition on written data.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <tuple>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

static int64_t halve(int64_t x, const dvector<int64_t>& limits) {
again:
  if (x > limits[0]) {
    x /= 2;
    goto again;
  }
  if (x == 3) goto out;
  x += 1;
out:
  return x;
}

static void extremes(const dvector<int64_t>& X) {
  constexpr int64_t n = 500;
  int64_t best = -1, least = 1000, largest = 0, both = 1000;
  parallel_for(n, [&](int64_t j) {
    const int64_t e = X[j];
    if (best < e && e % 3 == 0) best = e;
    if (j > 10 && e < least && e % 2 == 1 && e > 4) least = e;
    largest = std::max({largest, e, X[j] / 2});
    if (both > e) {
      if (e % 5 == 0) both = e;
    }
  }, consistency::async);
  std::printf("%lld %lld %lld %lld\n", static_cast<long long>(best), static_cast<long long>(least),
              static_cast<long long>(largest), static_cast<long long>(both));
}

static int64_t moved() {
  dvector<int64_t> W(300, 1);
  std::vector<int64_t> decay{1, 2, 3};
  double factor = 2;
  parallel_for(300, [&W, table = std::move(decay), by = std::move(factor)](int64_t j) {
    W[j * 7 % 300] *= table[j % 3] * static_cast<int64_t>(by);
  }, consistency::async);
  std::vector<int64_t> first{4, 5}, second{6}, third{7, 8};
  const auto lookup = [kept = std::move(second)](int64_t i) { return kept[0] + i; };
  const auto twice = [before = first.size(), kept = std::move(first), after = first.size(), &W](int64_t j) {
    W[j] += kept[j % 2] + static_cast<int64_t>(10 * before + after);
  };
  parallel_for(300, twice, consistency::async);
  parallel_for(300, twice, consistency::ordered);
  parallel_for(300, [&third, kept = std::move(third), &lookup, &W](int64_t j) {
    W[j] += kept[1] + static_cast<int64_t>(third.size()) + lookup(j);
  }, consistency::async);
  // moved from once, at the construction of the lambda
  int64_t sum = static_cast<int64_t>(1000 * (decay.size() + first.size() + second.size() + third.size()));
  for (const int64_t w : std::as_const(W)) sum += w;
  return sum;
}

static int64_t algorithms() {
  dvector<int64_t> A(100), B(100, 7), C(100);
  dvector<std::vector<int64_t>> V(100, {1, 2, 50});
  parallel_for("ranges", 100, [&](int64_t j) { std::ranges::for_each(V[j], [&](int64_t x) { A[(x + j) % 100] += 1; }); },
               consistency::async);
  parallel_for("for_each", 100, [&](int64_t j) {
    std::for_each(V[j].begin(), V[j].end(), [&](const int64_t& x) { C[(x * j) % 100] += A[j]; });
  }, consistency::async);
  parallel_for("apply", 100, [&](int64_t j) {
    std::apply([&](int64_t k, int64_t by) { A[k % 100] += by; }, std::tuple(B[j] + j, 2));
  }, consistency::async);
  parallel_for("changes", 100, [&](int64_t j) { std::ranges::for_each(V[j / 2], [](int64_t& x) { x += 1; }); },
               consistency::async);
  int64_t sum = 0;
  for (int64_t i = 0; i < 100; ++i) sum += i * (A[i] + C[i]) + V[i][1];
  return sum;
}

/// The subscripts cannot leave the arrays, so the slice finds the elements without reading `score`.
static int64_t guarded() {
  const std::vector<int64_t> places{3, 5, 8, 13};
  const std::array<int64_t, 3> offsets{0, 20, 40};
  const int64_t steps[2] = {1, 2};
  dvector<int64_t> score(100), seen(100);
  parallel_for("margins", 400, [&](int64_t j) {
    if (score[j % 100] > 2) {
      for (std::size_t k = 0; k < places.size(); ++k) seen[places[k]] += 1;
      return;
    }
    for (int k = 0; k < 3; ++k) score[(offsets[k] + j) % 100] += 1;
    for (int k = 0; k < 2; ++k) seen[steps[k]] += 1;
  }, consistency::ordered);
  parallel_for("margins", 400, [&](int64_t j) {
    if (score[j % 100] > 2) {
      for (std::size_t k = 0; k < places.size(); ++k) seen[places[k]] += 1;
      return;
    }
    for (int k = 0; k < 3; ++k) score[(offsets[k] + j) % 100] += 1;
    for (int k = 0; k < 2; ++k) seen[steps[k]] += 1;
  }, consistency::async);
  int64_t sum = 0;
  for (int64_t i = 0; i < 100; ++i) sum += (i + 1) * seen[i];
  return sum;
}

int main() {
  dvector<int64_t> X(500), limits(1, 5), halved(500), hits(10);
  for (int64_t j = 0; j < 500; ++j) X[j] = (j * 389 + 7) % 997;
  extremes(X);
  parallel_for(500, [&](int64_t j) { hits[halve(X[j], limits) % 10] += 1; }, consistency::async);
  const int64_t of_moved = moved();
  std::printf("%lld %lld %lld %lld\n", static_cast<long long>(hits[3]), static_cast<long long>(of_moved),
              static_cast<long long>(algorithms()), static_cast<long long>(guarded()));
  return of_moved == 64950 ? 0 : 1;
}
