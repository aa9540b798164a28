// examples/sgd_mf/sgd_mf.cpp with its rows in two flat vectors, as many programs keep their matrices.
//
// Options, reading, initial values and printing are those of the sequential original.

#include <span>

#include <stradsap/stradsap.hpp>

#include "program.hpp"

template <int K> static void initialize_flat(stradsap::dvector<float>& flat, uint64_t seed, uint64_t matrix) {
  float* const begin = flat.data();
  for (size_t row = 0; row * K < flat.size(); ++row) {
    std::span<float, K> factor(begin + row * K, K);
    initialize_row(factor, seed, matrix, row);
  }
}

template <int K> static void train_flat(const Options& options) {
  auto ratings = stradsap::read_text<Rating>(options.ratings, parse_rating);
  int64_t users = num_rows(options.ratings, ratings, &Rating::user);
  int64_t items = num_rows(options.ratings, ratings, &Rating::item);
  stradsap::dvector<Rating> test;
  if (!options.test.empty()) {
    test = stradsap::read_text<Rating>(options.test, parse_rating);
    users = std::max(users, num_rows(options.test, test, &Rating::user));
    items = std::max(items, num_rows(options.test, test, &Rating::item));
  }
  stradsap::dvector<float> P(users * K), Q(items * K);
  initialize_flat<K>(P, options.seed, 0);
  initialize_flat<K>(Q, options.seed, 1);
  const int64_t n = ratings.size(), num_tests = test.size();
  const float reg = options.reg;

  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    const float rate = rate_of(options, epoch);
    double loss = 0;
    const double start = seconds_now();
    const auto step = [rate, reg, &ratings, &P, &Q, &loss](int64_t j) {
      const Rating& r = ratings[j];
      float* p = &P[r.user * K];
      float* q = &Q[r.item * K];
      float dot = 0;
      for (int k = 0; k < K; ++k) dot += p[k] * q[k];
      const float e = r.value - dot;
      loss += e * e;
      for (int k = 0; k < K; ++k) {
        const float old = p[k];
        p[k] += rate * (e * q[k] - reg * old);
        q[k] += rate * (e * old - reg * q[k]);
      }
    };
    stradsap::parallel_for(n, step, stradsap::consistency::async);
    const double seconds = seconds_now() - start;

    double test_loss = 0;
    const auto add_loss = [&test, &P, &Q, &test_loss](int64_t j) {
      const Rating& r = test[j];
      const float* p = &P[r.user * K];
      const float* q = &Q[r.item * K];
      float dot = 0;
      for (int k = 0; k < K; ++k) dot += p[k] * q[k];
      const float e = r.value - dot;
      test_loss += e * e;
    };
    stradsap::parallel_for(num_tests, add_loss, stradsap::consistency::async);
    print_pass(epoch, seconds, loss / n, test_loss, num_tests);
  }
}

int main(int argc, char** argv) {
  try {
    const Options options = parse_options(argc, argv);
    dispatch(options.rank, [&options]<int K>() { train_flat<K>(options); });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
