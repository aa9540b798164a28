// Draws in proportion to weights that change.
#include "runtime/loop/dynamic/priority_sampler.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "tests/support/catch.hpp"

using stradsap::rt::priority_sampler;

namespace {

constexpr std::size_t draws_of_test = 400'000;

priority_sampler with_weights(const std::vector<double>& weights, std::uint64_t seed = 1) {
  priority_sampler sampler(static_cast<std::int64_t>(weights.size()), seed);
  for (std::size_t j = 0; j < weights.size(); ++j) sampler.set(static_cast<std::int64_t>(j), weights[j]);
  return sampler;
}

std::vector<std::size_t> counts_of(priority_sampler& sampler, std::size_t n, std::size_t draws) {
  std::vector<std::size_t> counts(n);
  for (std::size_t d = 0; d < draws; ++d) ++counts.at(static_cast<std::size_t>(sampler.draw()));
  return counts;
}

/// Pearson's chi-square of these counts minus its mean, in standard deviations: below 4 in all but one of
/// 30,000 trials. Expected counts below ten are joined.
double surprise(const std::vector<std::size_t>& counts, const std::vector<double>& weights) {
  const auto draws = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  double square = 0, degrees = -1, seen = 0, expected = 0;
  const auto close_class = [&] {
    if (expected == 0) return;
    square += (seen - expected) * (seen - expected) / expected;
    ++degrees;
    seen = expected = 0;
  };
  for (std::size_t j = 0; j < weights.size(); ++j) {
    seen += static_cast<double>(counts[j]);
    expected += draws * weights[j] / all;
    if (expected >= 10) close_class();
  }
  close_class();
  return (square - degrees) / std::sqrt(2 * degrees);
}

}  // namespace

TEST_CASE("Draws are in proportion to the weights", "[dynamic]") {
  std::vector<double> weights;
  for (int j = 0; j < 200; ++j) weights.push_back(j % 7 == 0 ? 0 : 1 + 0.37 * j);
  priority_sampler sampler = with_weights(weights);
  const std::vector<std::size_t> counts = counts_of(sampler, weights.size(), draws_of_test);
  CHECK(surprise(counts, weights) < 4);
  for (std::size_t j = 0; j < weights.size(); j += 7) CHECK(counts[j] == 0);
  // the test tells weights from others that differ by a tenth in one half
  std::vector<double> others = weights;
  for (std::size_t j = 0; j < 100; ++j) others[j] *= 1.1;
  CHECK(surprise(counts, others) > 4);
}

TEST_CASE("Draws of many small weights and a few large ones are in proportion", "[dynamic]") {
  std::vector<double> weights;  // half of the weight is in 10 iterations, a quarter in 500, and so on
  for (int j = 0; j < 20'000; ++j) weights.push_back(j < 10 ? 5e7 : j < 510 ? 5e5 : std::pow(1.0007, j));
  priority_sampler sampler = with_weights(weights);
  CHECK(surprise(counts_of(sampler, weights.size(), draws_of_test), weights) < 4);
}

TEST_CASE("Draws follow weights that have changed, also to zero and back", "[dynamic]") {
  constexpr std::int64_t n = 100;
  std::vector<double> weights(n, 1.0);
  priority_sampler sampler = with_weights(weights);
  for (int round = 0; round < 50; ++round) {
    for (std::int64_t j = 0; j < n; ++j) {
      const auto k = static_cast<std::size_t>(j);
      weights[k] = (round * 31 + j * 17) % 5 == 0 ? 0 : std::ldexp(1 + 0.01 * double(j), int(j * round) % 6);
      sampler.set(j, weights[k]);
      CHECK(sampler.weight(j) == weights[k]);
    }
  }
  std::size_t positive = 0;
  for (const double w : weights) positive += w > 0 ? 1 : 0;
  CHECK(positive < 100);
  CHECK(sampler.num_positive() == positive);
  CHECK(surprise(counts_of(sampler, n, draws_of_test), weights) < 4);
}

TEST_CASE("Weights that fall after each draw end all draws with the last iteration", "[dynamic]") {
  constexpr std::int64_t n = 1000;
  priority_sampler sampler(n, 5);
  for (std::int64_t j = 0; j < n; ++j) sampler.set(j, std::ldexp(1.0, static_cast<int>(j) - 500));
  std::vector<bool> drawn(n);
  for (std::int64_t d = 0; d < n; ++d) {
    const std::int64_t j = sampler.draw();
    CHECK_FALSE(drawn[static_cast<std::size_t>(j)]);
    drawn[static_cast<std::size_t>(j)] = true;
    sampler.set(j, 0);
  }
  CHECK(sampler.num_positive() == 0);
}

TEST_CASE("The least and the greatest numbers are weights", "[dynamic]") {
  using limits = std::numeric_limits<double>;
  const std::vector<double> all = {
      limits::denorm_min(), limits::min(), limits::min() * 0.75, 1, limits::max(), 0};
  priority_sampler sampler = with_weights(all);
  for (std::size_t j = 0; j < all.size(); ++j) CHECK(sampler.weight(static_cast<std::int64_t>(j)) == all[j]);
  for (int d = 0; d < 100; ++d) CHECK(sampler.draw() == 4);
  sampler.set(4, 0);
  for (int d = 0; d < 100; ++d) CHECK(sampler.draw() == 3);
  sampler.set(3, 0);
  const std::vector<double> small = {0, 4, 3};
  std::vector<std::size_t> counts = counts_of(sampler, small.size(), draws_of_test);
  CHECK(surprise(counts, small) < 4);
  sampler.set(1, 3 * limits::denorm_min());
  sampler.set(2, 0);
  CHECK(surprise(counts_of(sampler, 2, draws_of_test), {1, 3}) < 4);
}

TEST_CASE("Draws are the same for the same seed, and other ones for another", "[dynamic]") {
  const std::vector<double> weights(50, 1.5);
  priority_sampler one = with_weights(weights, 1), same = with_weights(weights, 1),
                   other = with_weights(weights, 2);
  std::size_t different = 0;
  for (int d = 0; d < 1000; ++d) {
    const std::int64_t j = one.draw();
    REQUIRE(same.draw() == j);
    different += other.draw() == j ? 0 : 1;
  }
  CHECK(different > 900);
}
