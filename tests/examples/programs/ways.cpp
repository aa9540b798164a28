// Loops that run in place, by waves or on all ranks, as measured time tells. Their bits are the same on each
// way. argv[1]: grows, short_then_long, many, ordered, large.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Rating {
  int user, item;
  float value;
};
static constexpr int users = 3000, items = 2000;

static void fill(stradsap::dvector<Rating>& ratings, int num_users, int num_items) {
  for (int j = 0; j < static_cast<int>(ratings.size()); ++j)
    ratings[j] = {static_cast<int>(j * 7919u % num_users),
                  static_cast<int>((j * 104729u + j / 17) % num_items), 1.0f + j % 5};
}

static double sum_of(const stradsap::dvector<float>& p) {
  double sum = 0;
  for (int i = 0; i < static_cast<int>(p.size()); ++i) sum += i * p[i];
  return sum;
}

/// A vector grows between calls of a loop with a sum.
static void grow(int turns) {
  stradsap::dvector<float> x(1000, 0.1f);
  float sum = 0;
  for (int day = 0; day < 12; ++day) {
    sum = 0;
    stradsap::async_for(x.size(), [&x, &sum, turns](int64_t j) {
      float y = x[j];
      for (int t = 0; t < turns; ++t) y *= t % 2 ? 1.25f : 0.8f;
      x[j] = y + 0.001f * (j % 7);
      sum += x[j];
    });
    const std::size_t old = x.size();
    x.resize(old + 1000);
    for (std::size_t j = old; j < x.size(); ++j) x[j] = 0.1f + 0.01f * (j % 13);
  }
  std::printf("%.9g\n", sum);
}

/// A short call, then a long one, of one loop over new containers.
static void call_short_then_long() {
  stradsap::dvector<Rating> ratings(60000);
  fill(ratings, users / 10, items / 10);
  for (int fold = 0; fold < 3; ++fold) {
    stradsap::dvector<float> p(users / 10, 0.5f), q(items / 10, 0.5f);
    for (const int n : {1000, 20000}) {
      const int turns = n == 1000 ? 20000 : 0;
      stradsap::async_for(n, [&ratings, &p, &q, turns](int64_t k) {
        const Rating& r = ratings[k];
        float error = r.value - p[r.user] - q[r.item];
        for (int t = 0; t < turns; ++t) error *= t % 2 ? 1.25f : 0.8f;
        p[r.user] += 0.05f * error;
        q[r.item] += 0.05f * error;
      });
    }
    std::printf("%.17g\n", sum_of(p));
  }
}

/// A loop by blocks, and more loops over ranges between its calls than there are records of plans.
static void call_many() {
  stradsap::dvector<Rating> ratings(60000);
  fill(ratings, users, items);
  stradsap::dvector<float> p(users, 0.5f), q(items, 0.5f);
  std::vector<stradsap::dvector<double>> others;
  for (int k = 0; k < 70; ++k) others.emplace_back(3000, 1.0 + k);
  for (int epoch = 0; epoch < 3; ++epoch) {
    stradsap::async_for(ratings.size(), [&](int64_t k) {
      const Rating& r = ratings[k];
      const float error = r.value - p[r.user] - q[r.item];
      p[r.user] += 0.05f * error;
      q[r.item] += 0.05f * error;
    });
    for (auto& x : others) stradsap::async_for(x.size(), [&x](int64_t j) { x[j] = 0.5 * x[j] + 1; });
    std::printf("%.17g\n", sum_of(p));
  }
}

/// Loops in order, then one by blocks, over the same containers.
static void call_ordered_first() {
  stradsap::dvector<Rating> ratings(60000);
  fill(ratings, users, items);
  const auto ordered = stradsap::consistency::ordered;
  for (const int scaled : {0, 1}) {
    stradsap::dvector<float> p(users, 0.5f), q(items, 0.5f);
    if (scaled == 1) stradsap::parallel_for(users, [&p](int64_t i) { p[i] *= 1.0f + i % 3; }, ordered);
    for (const auto model : {ordered, stradsap::consistency::async}) {
      stradsap::parallel_for(
          ratings.size(),
          [&ratings, &p, &q](int64_t k) {
            const Rating& r = ratings[k];
            const float error = r.value - p[r.user] - q[r.item];
            p[r.user] += 0.05f * error;
            q[r.item] += 0.05f * error;
          },
          model);
      std::printf("%.17g\n", sum_of(p));
    }
  }
}

/// Additions of whole numbers into a container that is large beside the loop: their accumulators depend on
/// the number of executors. Sums of fractions and other elements beside them must not.
static void add_beside_fractions() {
  constexpr int n = 5000, size = 40000;
  stradsap::dvector<float> x(size);
  stradsap::dvector<int> counts(size);
  float sum = 0;
  double mean = 0;
  for (int call = 0; call < 2; ++call) {
    stradsap::async_for(n, [&x, &counts, &sum](int64_t j) {
      x[(j * 31) % 4001] += 0.3f * static_cast<float>(j % 97);
      counts[(j * 17) % size] += static_cast<int>(j);
      sum += 1.0f / static_cast<float>(j + 3);
    });
    stradsap::async_for(
        n, [&x](int64_t j) { x[(j * 31) % 4001] = 0.7f * x[(j * 31) % 4001] + 1.0f / float(j + 1); });
    stradsap::async_for(n, [&counts, &mean](int64_t j) {
      counts[(j * 17) % size] += 3;
      mean += 1.0 / static_cast<double>(j + 3);
    });
  }
  long count = 0;
  for (const int one : std::as_const(counts)) count = count * 7 + one;
  std::printf("%a %a %a %ld\n", static_cast<double>(sum), mean, sum_of(x), count);
}

int main(int, char** argv) {
  const std::string kind = argv[1];
  if (kind == "grows") grow(0);
  if (kind == "grows") grow(3000);
  if (kind == "short_then_long") call_short_then_long();
  if (kind == "many") call_many();
  if (kind == "ordered") call_ordered_first();
  if (kind == "large") add_beside_fractions();
}
