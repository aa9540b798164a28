// Local lambdas and helpers that return references to elements: read, written, and folded into captures.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

static const int d = 3;

/// Elements are only read, although the references would allow writes.
static void least(int64_t n, dvector<unsigned>& F) {
  unsigned by_if = 999, by_choice = 999, by_name = 999, by_helper = 999, largest = 0;
  parallel_for(n, [&](int64_t j) {
    const auto from = [&](int64_t i, int64_t k) -> unsigned& { return F[i * d + k]; };
    for (int k = 0; k < d; ++k) if (from(j, k) < by_if) by_if = from(j, k);
    auto any_index = [&](auto i) -> auto& { return F[i]; };
    by_choice = by_choice < any_index(j) ? by_choice : any_index(j);
    const auto& same = from;
    if (same(j, 1) < by_name) by_name = same(j, 1);
    const auto fold = [&](const auto& f, int64_t i) { if (f(i) < by_helper) by_helper = f(i); };
    fold(any_index, j);
    largest = std::max(largest, [&]() -> unsigned& { return F[j]; }());
  }, consistency::async);
  std::printf("%u %u %u %u %u\n", by_if, by_choice, by_name, by_helper, largest);
}

/// One call writes an element that no other call reads.
static void least_of_the_changed(int64_t n, dvector<unsigned>& F) {
  unsigned low = 999;
  parallel_for(n, [&](int64_t j) {
    auto from = [&](int64_t i) -> unsigned& { return F[i]; };
    if (from(j) < low) low = from(j);
    from(j) += 7;
  }, consistency::async);
  std::printf("%u %u\n", low, F[0]);
}

/// Written values do not decide which elements the loop touches.
static void rows(int64_t n, dvector<int>& P, dvector<double>& Q) {
  parallel_for(n, [&](int64_t j) {
    const auto row = [&](int64_t i, int64_t k) -> int& { return P[i * d + k]; };
    for (int k = 0; k < d; ++k) row(j, k) = 3 * row(j, k) + 1;
  }, consistency::async);
  parallel_for(n, [&](int64_t j) {
    int shifts[d] = {2, 0, 1};
    auto row = [&](auto i, int k) -> int& { return P[i * d + shifts[k]]; };
    for (int k = 0; k + 1 < d; ++k) row(j, k) -= row(j, k + 1);
    auto cell = [&](int64_t k) { return &Q[j * d + k]; };
    *cell(1) = ::drem(*cell(1), 7);  // a function known by its name alone
  }, consistency::async);
  int64_t sum = 0;
  for (int64_t i = 0; i < n * d; ++i) sum = 31 * sum % 1000003 + P[i] + static_cast<int64_t>(2 * Q[i]);
  std::printf("%lld\n", static_cast<long long>(sum));
}

/// Values that would differ at a second read are folded by their names.
static void drawn(int64_t n, const dvector<unsigned>& F) {
  unsigned low = 999;
  parallel_for(n, [&](int64_t j) {
    int at = 0;
    const auto next = [&] { return F[j * d + at++]; };
    for (int k = 0; k < d; ++k) {
      const unsigned value = next();
      if (value < low) low = value;
    }
  }, consistency::async);
  std::printf("%u\n", low);
}

/// Member functions that could be const.
struct scorer {
  int64_t at = 0;
  unsigned score(const dvector<unsigned>& F) { return F[at] + bonus(); }
  unsigned operator()(const dvector<unsigned>& F) { return score(F) + 1; }
  unsigned bonus() { return static_cast<unsigned>(at % 2); }
};
static void scored(int64_t n, const dvector<unsigned>& F) {
  unsigned low = 999;
  parallel_for(n, [&](int64_t j) {
    scorer s{j};
    if (s.score(F) < low) low = s.score(F);
    scorer* const again = &s;
    if (again->score(F) < low) low = again->score(F);
    if (s(F) < low) low = s(F);
  }, consistency::async);
  std::printf("%u\n", low);
}

int main() {
  const int64_t n = 400;
  dvector<unsigned> F(n * d);
  dvector<int> P(n * d);
  dvector<double> Q(n * d);
  for (int64_t i = 0; i < n * d; ++i) {
    F[i] = static_cast<unsigned>((i * 7919 + 350) % 911) + 13;
    P[i] = static_cast<int>(i * 31 % 97);
    Q[i] = 0.5 * static_cast<double>(i % 53);
  }
  least(n, F);
  least_of_the_changed(n, F);
  rows(n, P, Q);
  drawn(n, F);
  scored(n, F);
  return 0;
}
