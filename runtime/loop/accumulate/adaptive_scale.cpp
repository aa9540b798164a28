#include "runtime/loop/accumulate/adaptive_scale.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

namespace stradsap::rt {

// After so many uses an element has settled, as far as nothing is known.
static constexpr float first_uses = 30;
static constexpr float most_uses = 1e6f;
static constexpr double smoothing = 0.75;

/// If accumulators miss `bound` rounds, changes that lie bound + 1 rounds apart correlate by -g / 2 on
/// average for an element that overshoots by the factor g. From g = 2 sin(pi / (4 bound + 2)) on it diverges;
/// half of that is safe. Noise alone does not correlate.
static double least_correlation(unsigned bound) {
  return bound == 0 ? -0.5 : -0.5 * std::sin(std::numbers::pi / (4 * bound + 2));
}

/// The sum of products in eight parts: a single sum would wait for each addition.
template <class A, class B> static double product(const A* a, const B* b, std::size_t n) {
  constexpr std::size_t parts = 8;
  std::array<double, parts> sums{};
  std::size_t i = 0;
  for (; i + parts <= n; i += parts) {
    for (std::size_t k = 0; k < parts; ++k) sums[k] += double{a[i + k]} * b[i + k];
  }
  for (; i < n; ++i) sums[i % parts] += double{a[i]} * b[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

/// Uses are not counted. If some accumulators did not meet the element, its uses follow from their share;
/// if all did, every iteration may have used it.
void adaptive_scale::count_uses(history& of, unsigned touching, const round_shape& round) {
  const double share = static_cast<double>(touching) / round.accumulators;
  const double uses = touching >= round.accumulators ? round.iterations : -std::log1p(-share) / share;
  of.uses = static_cast<float>(std::max(uses, 0.5 * of.uses));
}

void adaptive_scale::learn(history& of, double along, double norm, double norm_before) {
  if (norm_before == 0) return;
  of.along = static_cast<float>(smoothing * of.along + along);
  of.norms = static_cast<float>(smoothing * of.norms + norm * norm_before);
  const double correlation = of.norms > 0 ? of.along / of.norms : 0;
  const double is_opposed = least_correlation(of.kept - 1u);
  if (correlation < is_opposed) {
    of.uses_to_settle = std::max(1.0f, 0.5f * of.uses_to_settle);
  } else if (correlation > is_opposed / 2) {
    of.uses_to_settle = std::min(most_uses, 1.25f * of.uses_to_settle);
  }
}

/// The accumulators that changed the element in this round, or in one that some of these have not seen.
unsigned adaptive_scale::count_unseen(const history& of, unsigned touching, std::uint32_t which) {
  if (of.touching == nullptr) return touching;
  for (unsigned back = 1; back < of.kept && back <= of.rounds; ++back)
    which |= of.touching[(of.rounds + of.kept - back) % of.kept];
  return static_cast<unsigned>(std::popcount(which));
}

void adaptive_scale::open(history& of, std::size_t size, const round_shape& round) {
  if (of.uses_to_settle == 0) of.uses_to_settle = first_uses;
  if (of.size == size && of.kept == round.bound + 1) return;
  of.size = static_cast<std::uint32_t>(size);
  of.kept = static_cast<std::uint8_t>(round.bound + 1);
  of.rounds = 0;
  of.before = std::make_unique<float[]>(of.kept * (size + 1));
  of.touching = of.kept == 1 ? nullptr : std::make_unique<std::uint32_t[]>(of.kept);
}

/// `take` replaces the numbers of the oldest round by those of the change.
template <class Take>
double adaptive_scale::scale_of(std::uint64_t element, std::size_t size, unsigned touching,
                                const round_shape& round, std::uint32_t which, known_scales* known,
                                const Take& take) {
  history& of = elements_[element];
  open(of, size, round);
  const std::size_t place = of.rounds % of.kept;
  float* const kept = of.before_at(place);
  const products found = take(kept);
  if (!(found.norm2 <= std::numeric_limits<double>::max())) {
    std::fill_n(kept, size + 1, 0.0f);
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double norm = std::sqrt(found.norm2);
  const unsigned unseen = count_unseen(of, touching, which);
  if (round.uses_to_settle != 0) {
    of.uses_to_settle = static_cast<float>(round.uses_to_settle);
  } else if (unseen > 1 && of.rounds >= of.kept) {
    learn(of, found.along, norm, kept[size]);
  }
  kept[size] = static_cast<float>(norm);
  if (of.touching != nullptr) of.touching[place] = which;
  if (++of.rounds == 2 * of.kept) of.rounds = of.kept;  // the places go on as before
  count_uses(of, touching, round);
  if (unseen < 2) return 1;
  return known == nullptr ? known_scales::computed(of.uses, of.uses_to_settle, unseen)
                          : known->of(of.uses, of.uses_to_settle, unseen);
}

double adaptive_scale::of(std::uint64_t element, const std::vector<double>& change, unsigned touching,
                          const round_shape& round, std::uint32_t which) {
  return scale_of(element, change.size(), touching, round, which, nullptr, [&](float* kept) {
    const products sums{product(change.data(), change.data(), change.size()),
                        product(change.data(), kept, change.size())};
    for (std::size_t i = 0; i < change.size(); ++i) kept[i] = static_cast<float>(change[i]);
    return sums;
  });
}

double adaptive_scale::of(std::uint64_t element, const abi::element_ops& ops, const void* now,
                          const void* start, unsigned touching, const round_shape& round,
                          known_scales& known) {
  return scale_of(element, ops.num_fractions, touching, round, 0, &known, [&](float* kept) {
    products sums{};
    ops.take_change(now, start, kept, sums.norm2, sums.along);
    return sums;
  });
}

double known_scales::of(float uses, float uses_to_settle, unsigned unseen) {
  const std::uint32_t mixed =
      (std::bit_cast<std::uint32_t>(uses_to_settle) ^ (std::bit_cast<std::uint32_t>(uses) >> 7) ^ unseen) *
      2654435761u;
  known& one = all_[mixed >> 26];
  if (one.uses == uses && one.uses_to_settle == uses_to_settle && one.unseen == unseen) return one.scale;
  one = {uses, uses_to_settle, unseen, computed(uses, uses_to_settle, unseen)};
  return one.scale;
}

/// By the part of its way that an element goes in so many uses.
double known_scales::computed(float uses, float uses_to_settle, unsigned unseen) {
  const double settled = -std::expm1(-uses / uses_to_settle);
  const double all = -std::expm1(-(unseen * uses) / uses_to_settle);
  return std::min(1.0, all / (unseen * settled));
}

void adaptive_scale::save(abi::writer& out) const {
  out(std::uint64_t{elements_.size()});
  for (const history& of : elements_) {
    out(of.uses_to_settle, of.along, of.norms, of.uses, of.size, of.kept, of.rounds);
    out.bytes(of.before.get(),
              of.before == nullptr ? 0 : of.kept * (std::size_t{of.size} + 1) * sizeof(float));
    out.bytes(of.touching.get(), of.touching == nullptr ? 0 : of.kept * sizeof(std::uint32_t));
  }
}

void adaptive_scale::resume(abi::reader& in) {
  elements_.clear();
  elements_.resize(in.count(sizeof(float)));
  for (history& of : elements_) {
    in(of.uses_to_settle, of.along, of.norms, of.uses, of.size, of.kept, of.rounds);
    if (of.kept == 0) continue;
    const std::size_t floats = of.kept * (std::size_t{of.size} + 1);
    const std::byte* const before = in.take(floats * sizeof(float));
    of.before = std::make_unique<float[]>(floats);
    std::memcpy(of.before.get(), before, floats * sizeof(float));
    if (of.kept == 1) continue;
    of.touching = std::make_unique<std::uint32_t[]>(of.kept);
    in.bytes(of.touching.get(), of.kept * sizeof(std::uint32_t));
  }
}

}  // namespace stradsap::rt
