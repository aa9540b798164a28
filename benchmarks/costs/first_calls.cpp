// The first call of a loop, beside the same loop in plain C++. A process has one first call, so it measures
// one kind and size, and prints microseconds:
//
//   stradsap-run -n 2 --threads 1 ./first_calls plain|planned|accumulated ITERATIONS
//   first=812.3 plain=101.7
//
// plain: an iteration scales its own row. planned: a step of matrix factorization, on rows by indices.
// accumulated: an iteration adds its row to one of 32. `first` includes the sample, the plan, and the
// elements that other ranks need; `plain` is the median of five passes.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

constexpr int K = 16;
constexpr int bins = 32;
using Row = std::array<float, K>;

struct Rating {
  int user = 0, item = 0;
  float value = 0;
};
struct Point {
  Row at{};
  int bin = 0;
};

static double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static void fill(auto& rows) {
  std::mt19937 random(1);
  for (Row& row : rows) {
    for (float& one : row) one = 0.1f + static_cast<float>(random() % 1000) / 1000;
  }
}

static void fill_ratings(auto& ratings, int users, int items) {
  std::mt19937 random(2);
  for (Rating& one : ratings) {
    one.user = static_cast<int>(random() % static_cast<unsigned>(users));
    one.item = static_cast<int>(random() % static_cast<unsigned>(items));
    one.value = 4;
  }
}

static void fill_points(auto& points) {
  std::mt19937 random(3);
  for (Point& one : points) {
    one.bin = static_cast<int>(random() % bins);
    for (float& x : one.at) x = static_cast<float>(random() % 16);
  }
}

static void scale(Row& row) {
  float sum = 0;
  for (const float one : row) sum += one * one;
  const float factor = 1 / std::sqrt(sum);
  for (float& one : row) one *= factor;
}

static void step(float value, Row& p, Row& q) {
  float dot = 0;
  for (int k = 0; k < K; ++k) dot += p[k] * q[k];
  const float error = 0.01f * (value - dot);
  for (int k = 0; k < K; ++k) {
    const float old = p[k];
    p[k] += error * q[k];
    q[k] += error * old;
  }
}

/// Prints the times. `pass` is the plain loop over data of its own, `call` the first call.
static void print_times(auto pass, auto call) {
  std::array<double, 5> times;
  for (double& one : times) {
    const double start = seconds();
    pass();
    one = seconds() - start;
  }
  std::sort(times.begin(), times.end());
  const double start = seconds();
  call();
  std::printf("first=%.1f plain=%.1f\n", (seconds() - start) * 1e6, times[2] * 1e6);
}

/// The sum of all numbers, so that nothing is left out.
static double sum_of(const auto& rows) {
  double sum = 0;
  for (const Row& row : rows) {
    for (const float one : row) sum += one;
  }
  return sum;
}

static double plain(int64_t n) {
  std::vector<Row> own(n);
  stradsap::dvector<Row> rows(n);
  fill(own);
  fill(rows);
  print_times(
      [&] {
        for (int64_t j = 0; j < n; ++j) scale(own[j]);
      },
      [&] {
        stradsap::parallel_for(n, [&rows](int64_t j) { scale(rows[j]); }, stradsap::consistency::async);
      });
  return sum_of(own) - sum_of(std::as_const(rows));
}

static double planned(int64_t n) {
  const int users = static_cast<int>(n / 10), items = static_cast<int>(n / 20);
  std::vector<Rating> own(n);
  std::vector<Row> own_p(users), own_q(items);
  stradsap::dvector<Rating> ratings(n);
  stradsap::dvector<Row> p(users), q(items);
  fill_ratings(own, users, items);
  fill_ratings(ratings, users, items);
  for (auto* rows : {&own_p, &own_q}) fill(*rows);
  for (auto* rows : {&p, &q}) fill(*rows);
  print_times(
      [&] {
        for (int64_t j = 0; j < n; ++j) step(own[j].value, own_p[own[j].user], own_q[own[j].item]);
      },
      [&] {
        stradsap::parallel_for(
            n,
            [&ratings, &p, &q](int64_t j) {
              const Rating& one = std::as_const(ratings)[j];
              step(one.value, p[one.user], q[one.item]);
            },
            stradsap::consistency::async);
      });
  return std::isfinite(sum_of(own_p) + sum_of(std::as_const(p)) + sum_of(std::as_const(q))) ? 0 : 1;
}

static double accumulated(int64_t n) {
  std::vector<Point> own(n);
  std::vector<Row> own_sums(bins);
  stradsap::dvector<Point> points(n);
  stradsap::dvector<Row> sums(bins);
  fill_points(own);
  fill_points(points);
  print_times(
      [&] {
        for (Row& one : own_sums) one = {};
        for (int64_t j = 0; j < n; ++j) {
          for (int k = 0; k < K; ++k) own_sums[own[j].bin][k] += own[j].at[k];
        }
      },
      [&] {
        stradsap::parallel_for(
            n,
            [&points, &sums](int64_t j) {
              const Point& one = std::as_const(points)[j];
              for (int k = 0; k < K; ++k) sums[one.bin][k] += one.at[k];
            },
            stradsap::consistency::async);
      });
  return sum_of(own_sums) - sum_of(std::as_const(sums));
}

int main(int argc, char** argv) {
  const int64_t n = argc == 3 ? std::atoll(argv[2]) : 0;
  if (n < 20) {
    std::fprintf(stderr, "first_calls plain|planned|accumulated ITERATIONS, 20 or more\n");
    return 2;
  }
  const bool is_plain = std::strcmp(argv[1], "plain") == 0, is_planned = std::strcmp(argv[1], "planned") == 0;
  const double difference = is_plain ? plain(n) : is_planned ? planned(n) : accumulated(n);
  if (std::abs(difference) < 1) return 0;
  std::fprintf(stderr, "the sums differ by %g\n", difference);
  return 1;
}
