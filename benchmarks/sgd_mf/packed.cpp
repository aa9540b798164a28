// examples/sgd_mf/sgd_mf.cpp with the dot product and the step of the strong rivals, by whole registers.
//
// Options, reading, initial values and printing are those of the sequential original.

#include <stradsap/stradsap.hpp>

#include "blocked_dot.hpp"

/// blocked_dot and move in one. Both rows are read first: g++ 12 knows that they do not overlap, and then
/// reads them fewer times. Returns the error.
template <int K>
[[gnu::always_inline]] inline float step(Factor<K>& p, Factor<K>& q, float value, float rate, float reg) {
  constexpr int N = std::min(K, most_lanes), registers = K / N;
  lanes<N> old_p[registers], old_q[registers];
  for (int r = 0; r < registers; ++r) {
    old_p[r] = load<N>(p.data() + r * N);
    old_q[r] = load<N>(q.data() + r * N);
  }
  lanes<N> sum = old_p[0] * old_q[0];
  if constexpr (registers > 1) {
    lanes<N> odd = old_p[1] * old_q[1];
    for (int r = 2; r < registers; r += 2) {
      sum += old_p[r] * old_q[r];
      odd += old_p[r + 1] * old_q[r + 1];
    }
    sum += odd;
  }
  const float e = value - total(sum);
  for (int r = 0; r < registers; ++r)
    store<N>(p.data() + r * N, old_p[r] + rate * (e * old_q[r] - reg * old_p[r]));
  for (int r = 0; r < registers; ++r)
    store<N>(q.data() + r * N, old_q[r] + rate * (e * old_p[r] - reg * old_q[r]));
  return e;
}

template <int K> static void train_packed(const Options& options) {
  auto ratings = stradsap::read_text<Rating>(options.ratings, parse_rating);
  int64_t users = num_rows(options.ratings, ratings, &Rating::user);
  int64_t items = num_rows(options.ratings, ratings, &Rating::item);
  stradsap::dvector<Rating> test;
  if (!options.test.empty()) {
    test = stradsap::read_text<Rating>(options.test, parse_rating);
    users = std::max(users, num_rows(options.test, test, &Rating::user));
    items = std::max(items, num_rows(options.test, test, &Rating::item));
  }
  stradsap::dvector<Factor<K>> P(users), Q(items);
  initialize(P, options.seed, 0);
  initialize(Q, options.seed, 1);
  const int64_t n = ratings.size(), num_tests = test.size();
  const float reg = options.reg;

  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    const float rate = rate_of(options, epoch);
    double loss = 0;
    const double start = seconds_now();
    stradsap::async_for(n, [&](int64_t j) {
      const Rating& r = ratings[j];
      Factor<K>& p = P[r.user];
      Factor<K>& q = Q[r.item];
      const float e = step<K>(p, q, r.value, rate, reg);
      loss += e * e;
    });
    const double seconds = seconds_now() - start;

    double test_loss = 0;
    stradsap::async_for(num_tests, [&](int64_t j) {
      const Rating& r = test[j];
      const float e = r.value - dot(P[r.user], Q[r.item]);
      test_loss += e * e;
    });
    print_pass(epoch, seconds, loss / n, test_loss, num_tests);
  }
  if (options.hash) print_hash(P, Q);
}

int main(int argc, char** argv) {
  try {
    const Options options = parse_options(argc, argv);
    dispatch(options.rank, [&options]<int K>() { train_packed<K>(options); });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
