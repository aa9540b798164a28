// The scale of merge::adaptive: from round to round it finds a step between the sum and the mean.
#include "runtime/loop/accumulate/adaptive_scale.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <stradsap/abi/merge.hpp>

#include "tests/support/catch.hpp"

using stradsap::rt::adaptive_scale;
using stradsap::rt::round_shape;

namespace {

constexpr round_shape of_16{16, 64};

/// The same with a bound, of a random part of the accumulators. An accumulator sees the folds up to `bound`
/// rounds before the last, and its own changes since then. The greatest distance in the second half.
double distance_with_bound(unsigned bound, double share, int uses, double rate) {
  adaptive_scale scale(1);
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  constexpr std::size_t rounds = 240;
  std::vector<double> folds{0};
  std::vector<std::vector<double>> changes(16, std::vector<double>(rounds));
  double worst = 0;
  for (std::size_t r = 0; r < rounds; ++r) {
    double sum = 0;
    std::uint32_t which = 0;
    for (std::uint32_t a = 0; a < 16; ++a) {
      if (uniform(random) >= share) continue;
      double start = folds[r - std::min<std::size_t>(r, bound)];
      for (std::size_t q = r - std::min<std::size_t>(r, bound); q < r; ++q) start += changes[a][q];
      double own = start;
      for (int k = 0; k < uses; ++k) own += rate * (1 + 0.1 * normal(random) - own);
      sum += changes[a][r] = own - start;
      which |= std::uint32_t{1} << a;
    }
    const auto touching = static_cast<unsigned>(std::popcount(which));
    const double by = which == 0 ? 0 : scale.of(0, {sum}, touching, {16, 64, bound}, which);
    folds.push_back(folds.back() + by * sum);
    if (2 * r > rounds) worst = std::max(worst, std::abs(folds.back() - 1));
  }
  return worst;
}

/// Rounds of 16 accumulators, each of which moves its copy by `uses` steps of `rate` towards noisy targets
/// around 1. Returns the distance from 1 after the rounds, or infinity.
double distance_after(int rounds, int uses, double rate, double noise) {
  adaptive_scale scale(1);
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  double x = 0;
  for (int r = 0; r < rounds; ++r) {
    double sum = 0;
    for (int a = 0; a < 16; ++a) {
      double own = x;
      for (int k = 0; k < uses; ++k) own += rate * (1 + noise * normal(random) - own);
      sum += own - x;
    }
    x += scale.of(0, {sum}, 16, {16, static_cast<double>(uses)}) * sum;
    if (!(std::abs(x) < 1e6)) return std::numeric_limits<double>::infinity();
  }
  return std::abs(x - 1);
}

}  // namespace

TEST_CASE("steps of any size converge", "[loop]") {
  CHECK(distance_after(60, 64, 0.5, 0.1) < 0.1);
  CHECK(distance_after(60, 64, 0.02, 0.1) < 0.1);
  CHECK(distance_after(60, 64, 0.0005, 0) < 0.01);
  CHECK(distance_after(60, 4, 0.9, 0.1) < 0.1);
}

TEST_CASE("accumulators that miss rounds do not diverge", "[loop]") {
  for (const unsigned bound : {1u, 2u}) {
    for (const double share : {1.0, 0.5, 0.2}) {
      CHECK(distance_with_bound(bound, share, 8, 0.2) < 2);
      CHECK(distance_with_bound(bound, share, 64, 0.5) < 2);
    }
  }
}

TEST_CASE("an element that goes one way comes to the sum of its changes", "[loop]") {
  adaptive_scale scale(1);
  const double first = scale.of(0, {1, 2}, 16, of_16);
  CHECK(first > 1.0 / 16);
  CHECK(first < 0.1);
  for (int r = 0; r < 40; ++r) (void)scale.of(0, {1, 2}, 16, of_16);
  CHECK(scale.of(0, {1, 2}, 16, of_16) > 0.9);
}

TEST_CASE("an element that goes back and forth comes to the mean of its changes", "[loop]") {
  adaptive_scale scale(1);
  for (int r = 0; r < 40; ++r) (void)scale.of(0, {r % 2 == 0 ? 1.0 : -1.0}, 16, of_16);
  CHECK(std::abs(scale.of(0, {1}, 16, of_16) - 1.0 / 16) < 1e-6);
}

TEST_CASE("rare elements take the sum nearly, and one change as it is", "[loop]") {
  adaptive_scale scale(2);
  CHECK(scale.of(0, {1}, 2, of_16) > 0.9);
  CHECK(scale.of(1, {1}, 1, of_16) == 1);
}

TEST_CASE("a known number of uses takes the place of feedback", "[loop]") {
  adaptive_scale scale(1);
  for (const double uses : {4.0, 64.0, 4096.0}) {
    const round_shape known{16, 64, 0, uses};
    const double expected = std::expm1(-16 * 64 / uses) / (16 * std::expm1(-64 / uses));
    for (int r = 0; r < 5; ++r)
      CHECK(std::abs(scale.of(0, {r % 2 == 0 ? 1.0 : -1.0}, 16, known) - expected) < 1e-6);
  }
}

TEST_CASE("elements have histories of their own, and a new one if their size changes", "[loop]") {
  adaptive_scale scale(2);
  const double first = scale.of(0, {1, 2}, 16, of_16);
  for (int r = 0; r < 20; ++r) (void)scale.of(0, {1, 2}, 16, of_16);
  CHECK(scale.of(1, {1, 2}, 16, of_16) == first);
  const double before = scale.of(0, {1, 2}, 16, of_16);
  CHECK(scale.of(0, {1, 2, 3}, 16, of_16) == before);
}

TEST_CASE("changes that are not finite have no scale", "[loop]") {
  adaptive_scale scale(1);
  CHECK(std::isnan(scale.of(0, {1, std::numeric_limits<double>::infinity()}, 16, of_16)));
  CHECK(std::isnan(scale.of(0, {std::numeric_limits<double>::quiet_NaN()}, 1, of_16)));
}

TEST_CASE("a row of fractions has the scales of its listed changes", "[loop]") {
  using row = std::array<float, 11>;
  stradsap::abi::element_ops ops{};
  ops.num_fractions = stradsap::abi::num_fractions<row>();
  ops.own.take_change = [](const void* now, const void* start, float* kept, double& norm2, double& along) {
    stradsap::abi::take_change_of_run(static_cast<const row*>(now)->data(),
                                      static_cast<const row*>(start)->data(), 11, kept, norm2, along);
  };
  adaptive_scale one(2);
  adaptive_scale other(2);
  stradsap::rt::known_scales known;
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  for (int r = 0; r < 200; ++r) {
    row start{};
    row now{};
    std::vector<double> change;
    for (std::size_t k = 0; k < 11; ++k) {
      start[k] = normal(random);
      now[k] = start[k] + 1 + 2 * normal(random);
      change.push_back(static_cast<double>(now[k] - start[k]));
    }
    const auto touching = 1 + static_cast<unsigned>(random() % 16);
    const double by_row = one.of(r % 2, ops, &now, &start, touching, of_16, known);
    CHECK(std::abs(by_row - other.of(r % 2, change, touching, of_16)) < 1e-6);
  }
}
