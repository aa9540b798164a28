// D.span(first, n): rows of a flat matrix, read and written, over group boundaries, in batches on private copies, and
// beyond the end.
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

constexpr int64_t dim = 5, rows = 300, n = 6000;

static int64_t dot(std::span<const int64_t> a, std::span<const int64_t> b) {
  int64_t sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}
static void add(std::span<int64_t> to, int64_t x) {
  for (int64_t& one : to) one += x;
}

static dvector<int64_t> numbers(int64_t size, int64_t step) {
  dvector<int64_t> made(size);
  for (int64_t i = 0; i < size; ++i) made[i] = i * step % 17;
  return made;
}

template <class Body> static errc code_of(const Body& body) {
  try {
    body();
  } catch (const error& e) {
    return e.code();
  }
  return errc{};
}

static int beyond_the_end() {
  dvector<int64_t> X(10), Y(10);
  const dvector<int64_t>& looked_at = X;
  if (code_of([&] { X.span(3, 8)[0] = 1; }) != errc::out_of_range) return 20;
  if (code_of([&] { (void)looked_at.span(11, 0); }) != errc::out_of_range) return 21;
  if (code_of([&] { (void)looked_at.span(-1, 2); }) != errc::out_of_range) return 22;
  if (!X.span(10, 0).empty() || X.span(2, 8).size() != 8) return 23;
  for (const ConsistencyModel& model : {ConsistencyModel(consistency::async), ConsistencyModel(consistency::sync)}) {
    const auto writes = [&] {
      parallel_for(10, [&X](int64_t j) { X.span(j / 2, 7)[1] += 1; }, model);
    };
    const auto reads = [&] {
      parallel_for(10, [&X, &Y](int64_t j) { Y[j / 2] += std::as_const(X).span(j, 2)[1]; }, model);
    };
    if (code_of(writes) != errc::out_of_range || code_of(reads) != errc::out_of_range) return 24;
  }
  return 0;
}

int main() {
  dvector<int64_t> data = numbers(rows * dim, 7), W(rows * dim), id = numbers(n, 31), found(rows), whole(64);
  dvector<std::string> words(40, "w");
  int64_t total = 0, length = 0;
  parallel_for("cuts both into groups", n, [&](int64_t j) { W[j * 7 % (rows * dim)] += 1; }, consistency::async);
  parallel_for("cuts both into groups", n, [&](int64_t j) { whole[j * 7 % 64] += 1; }, consistency::async);
  for (int pass = 0; pass < 2; ++pass) {
    parallel_for("rows", n, [&](int64_t j) {
      const int64_t r = (id[j] * 19 + j) % rows;
      const std::span<const int64_t> x = data.span(r * dim, dim);
      const auto w = W.span((r + 1) % rows * dim, dim);
      for (int64_t k = 0; k < dim; ++k) w[k] += x[k];
      add(W.span(r * dim, 2), 3);
      W[r * dim] -= 1;
      w.back() += w.size();
      found[r % 7] += std::accumulate(x.begin(), x.end(), int64_t{0});
    }, consistency::async);
    parallel_for("all of it", 200, [&](int64_t j) {
      const auto every = whole.span(j % 3, 60);
      every[j % 60] += 1;
      total += every.size();
    }, consistency::async);
    parallel_for("run whole", 100, [&](int64_t j) {
      try {
        for (std::string& word : words.span(j % 20, 4)) word += 'a';
        length += static_cast<int64_t>(words.span(j % 20, 4).size());
      } catch (const std::bad_alloc&) {
        throw;
      }
    }, consistency::async);
    parallel_for("batches", n, [&](int64_t j) {
      W[j % rows * dim + 2] += 2;  // a copy of this element is there when the others come
      const auto w = W.span(j % rows * dim, dim);
      w[1] += w[2] > 0 ? 1 : 0;
    }, consistency::sync(500));
    parallel_for("in order", n, [&](int64_t j) { W.span(j % rows * dim + 1, 3)[2] += j % 3; }, consistency::ordered);
    parallel_for("reads", rows, [&](int64_t j) {
      total += dot(data.span(j * dim, dim), std::as_const(W).span(j * dim, dim));
      for (const int64_t x : W.span(0, j % 4)) total += x;
    }, consistency::async);
  }
  for (const std::string& word : std::as_const(words)) length += static_cast<int64_t>(word.size());
  const dvector<int64_t>& done = whole;
  const auto few = done.span(1, 3);
  std::printf("%lld %lld %lld %lld\n", static_cast<long long>(total), static_cast<long long>(length),
              static_cast<long long>(found[3]), static_cast<long long>(std::accumulate(few.begin(), few.end(), 0LL)));
  if (total != 9555703 || length != 1640) return 1;
  return beyond_the_end();
}
