// Matrix factorization by stochastic gradient descent: a rating finds one row of each factor.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

#include <stradsap/stradsap.hpp>

constexpr int K = 64;
using Factor = std::array<float, K>;

struct Rating {
  int user;
  int item;
  float value;
};

static Factor draw_factor(std::mt19937& engine) {
  std::uniform_real_distribution<float> uniform(0, 1 / std::sqrt(static_cast<float>(K)));
  Factor f;
  for (float& x : f) x = uniform(engine);
  return f;
}

static float dot(const Factor& a, const Factor& b) {
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * b[k];
  return sum;
}

int main(int argc, char** argv) {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : 4'000'000;
  const int users = static_cast<int>(n / 50) + 10, items = static_cast<int>(n / 200) + 10;
  std::mt19937 engine(1);
  stradsap::dvector<Rating> ratings(n);
  for (Rating& r : ratings) {
    r.user = static_cast<int>(engine() % users);
    r.item = static_cast<int>(engine() % items);
    r.value = 1 + static_cast<float>((r.user % 5 + 1) * (r.item % 5 + 1)) / 6;
  }
  stradsap::dvector<Factor> P(users), Q(items);
  for (Factor& p : P) p = draw_factor(engine);
  for (Factor& q : Q) q = draw_factor(engine);

  const float reg = 0.02f;
  float rate = 0.02f;
  double first = 0, rmse = 0;
  for (int epoch = 0; epoch < 4; ++epoch) {
    double loss = 0;
    stradsap::parallel_for(
        n,
        [rate, reg, &ratings, &P, &Q, &loss](int64_t j) {
          const Rating& r = ratings[j];
          Factor& p = P[r.user];
          Factor& q = Q[r.item];
          const float e = r.value - dot(p, q);
          loss += e * e;
          for (int k = 0; k < K; ++k) {
            const float old = p[k];
            p[k] += rate * (e * q[k] - reg * old);
            q[k] += rate * (e * old - reg * q[k]);
          }
        },
        stradsap::consistency::async);
    rate *= 0.95f;
    rmse = std::sqrt(loss / static_cast<double>(n));
    if (epoch == 0) first = rmse;
    std::printf("epoch=%d rmse=%.17g\n", epoch, rmse);
  }
  return rmse < first ? 0 : 1;
}
