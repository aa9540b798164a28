// Draws of the dynamic scheduler in proportion to priorities: each step draws an iteration and gives it
// another priority. Beside it stands a linear scan over the sums of priorities, which the ancestor of this
// scheduler has. Prints "N steps-of-sampler steps-of-scan" a second of processor time, the best of 5 rounds.
//
//   benchmarks/run draws

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <random>
#include <vector>

#include "runtime/loop/dynamic/priority_sampler.hpp"

static volatile std::int64_t sink;

static double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Squared changes between 2^-30 and 1: most updates change little.
class priorities {
 public:
  explicit priorities(std::mt19937_64& random) {
    std::uniform_real_distribution<double> exponent(-30, 0);
    for (double& one : values_) one = std::exp2(exponent(random));
  }
  double next() { return values_[at_++ % values_.size()]; }

 private:
  std::array<double, 1024> values_{};
  std::size_t at_ = 0;
};

class linear_scan {
 public:
  linear_scan(std::int64_t n, std::uint64_t seed) : weights_(static_cast<std::size_t>(n)), random_(seed) {}
  void set(std::int64_t j, double weight) { weights_[static_cast<std::size_t>(j)] = weight; }
  std::int64_t draw() {
    const double all = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    double left = std::uniform_real_distribution<double>(0, all)(random_);
    std::size_t j = 0;
    for (; j + 1 < weights_.size() && left >= weights_[j]; ++j) left -= weights_[j];
    return static_cast<std::int64_t>(j);
  }

 private:
  std::vector<double> weights_;
  std::mt19937_64 random_;
};

/// Steps a second.
template <class Sampler> static double rate_of(std::int64_t n, std::int64_t steps) {
  std::mt19937_64 random(1);
  priorities next(random);
  Sampler sampler(n, 1);
  for (std::int64_t j = 0; j < n; ++j) sampler.set(j, next.next());
  double best = 0;
  for (int round = 0; round < 5; ++round) {
    const double start = cpu_seconds();
    std::int64_t sum = 0;
    for (std::int64_t step = 0; step < steps; ++step) {
      const std::int64_t j = sampler.draw();
      sampler.set(j, next.next());
      sum += j;
    }
    sink = sum;
    best = std::max(best, static_cast<double>(steps) / (cpu_seconds() - start));
  }
  return best;
}

int main() {
  for (const std::int64_t n : {10'000, 100'000, 1'000'000, 10'000'000}) {
    const double ours = rate_of<stradsap::rt::priority_sampler>(n, 1'000'000);
    const double scan = rate_of<linear_scan>(n, std::max<std::int64_t>(2, 20'000'000 / n));
    std::printf("%lld %.0f %.0f\n", static_cast<long long>(n), ours, scan);
  }
}
