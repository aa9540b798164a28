// Random numbers for loop bodies: a stream for each seed, launch and iteration. Streams are the same on any
// ranks and threads, in program order and without stradsap-cc.
// They are counter-based: Philox2x64 with seven rounds (Salmon, Moraes, Dror, Shaw 2011). So a stream begins
// anywhere, and its position is its only state. Reasons: docs/decisions/random.md.
// Thread rule: values; random() depends on the loop that its thread runs.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

#include <stradsap/abi/abi.hpp>

namespace stradsap {
namespace abi::philox {

/// Two words: a counter, or the random bits made from it. No array: g++ 12 would keep it in memory.
struct block {
  std::uint64_t word_0, word_1;
};

__extension__ using wide = unsigned __int128;

/// Philox2x64-7: for each key a bijection of counters, with values that look random.
constexpr block encrypt(block c_, std::uint64_t key) {
#pragma GCC unroll 7
  for (int round = 0; round < 7; ++round) {
    const wide product = wide{0xd2b74407b1ce6e93} * c_.word_0;
    c_ = {static_cast<std::uint64_t>(product >> 64) ^ key ^ c_.word_1, static_cast<std::uint64_t>(product)};
    key += 0x9e3779b97f4a7c15;
  }
  return c_;
}

}  // namespace abi::philox

namespace abi {
struct internals;
}

/// The random numbers of one iteration, in sequence; a generator for the distributions of <random>. random()
/// makes it. A copy continues from the position of its original. The sequence repeats after 2^33 draws.
/// Draws send no message, and throw nothing.
/// @code
/// async_for(n, [&X](int64_t j) {
///   auto draw = stradsap::random(j);
///   X[j] = std::exponential_distribution<float>(1.5f)(draw);
/// });
/// @endcode
class random_stream {
 public:
  using result_type = std::uint64_t;

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  /// 64 random bits: a number from min() to max(), each with the same probability.
  /// @code
  /// auto draw = stradsap::random(0);
  /// const bool heads = draw() > draw.max() / 2 + draw.min();
  /// if (heads) std::puts("heads");
  /// @endcode
  constexpr result_type operator()() {
    if (has_second_) {
      has_second_ = false;
      return second_;
    }
    const abi::philox::block made = abi::philox::encrypt({block_++ | launch_ << 32, index_}, seed_);
    second_ = made.word_1;
    has_second_ = true;
    return made.word_0;
  }

  /// Uniform in [0, 1): a multiple of 2^-53. With bounds: from `low` to `high`; rounding may give `high`
  /// itself.
  /// @code
  /// async_for(n, [&X](int64_t j) { X[j] = stradsap::random(j).uniform(-0.5, 0.5); });
  /// @endcode
  constexpr double uniform() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
  constexpr double uniform(double low, double high) { return low + (high - low) * uniform(); }

  /// A whole number in [0, n), each with the same probability; n must not be 0.
  /// @code
  /// async_for(n, [&id](int64_t j) { id[j] = 1 + stradsap::random(j).below(6); });
  /// @endcode
  constexpr std::uint64_t below(std::uint64_t n_) {
    // Lemire 2019: the high half of bits * n. It draws again if the low half would favour some numbers.
    using abi::philox::wide;
    wide product = wide{(*this)()} * n_;
    if (static_cast<std::uint64_t>(product) < n_) [[unlikely]] {
      const std::uint64_t least = (0 - n_) % n_;
      while (static_cast<std::uint64_t>(product) < least) product = wide{(*this)()} * n_;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  /// From the normal distribution with mean 0 and variance 1 (Marsaglia's polar method). Costs 1.3 draws on
  /// average. The last bits depend on the platform's log.
  /// @code
  /// async_for(n, [&X](int64_t j) { X[j] += 0.1f * stradsap::random(j).normal(); });
  /// @endcode
  double normal() {
    // a point within the unit circle, except its middle; of 26 bits, so that sums of squares are exact
    double x_ = 0, square = 0;
    do {
      const std::uint64_t bits = (*this)();
      x_ = static_cast<double>(static_cast<std::int64_t>(bits) >> 38) * 0x1p-25;
      const double y_ = static_cast<double>(static_cast<std::int64_t>(bits << 26) >> 38) * 0x1p-25;
      square = x_ * x_ + y_ * y_;
    } while (square >= 1 || square == 0);
    // not <cmath>: its special functions take a sixth of the compile time of a small program
    return x_ * __builtin_sqrt(-2.0 * __builtin_log(square) / square);
  }

 private:
  friend struct abi::internals;
  template <std::integral Index_> friend random_stream random(Index_ index);
  constexpr random_stream(const abi::launch_key& launch, std::uint64_t index)
      : seed_(launch.seed), launch_(launch.number), index_(index) {}

  std::uint64_t seed_;
  std::uint64_t launch_;  // a 32-bit number
  std::uint32_t block_ = 0;
  std::uint64_t index_;
  std::uint64_t second_ = 0;
  bool has_second_ = false;
};

/// The stream of iteration `index` in the current launch of the loop that runs on this thread; outside loops,
/// stream `index` of the seed. An iteration that needs several streams gives each an index of its own, such
/// as random(2 * j) and random(2 * j + 1). Costs no message.
/// @code
/// async_for(n, [&X, &Y](int64_t j) {
///   auto noise = stradsap::random(2 * j), dropout = stradsap::random(2 * j + 1);
///   X[j] += noise.normal();
///   if (dropout.uniform() < 0.1) Y[j] = 0;
/// });
/// @endcode
template <std::integral Index_> [[nodiscard]] random_stream random(Index_ index) {
  const abi::launch_key launch = abi::current_launch;
  return {launch.number == 0 ? abi::launch_key{abi::seed_of_this_run, 0} : launch,
          static_cast<std::uint64_t>(index)};
}

}  // namespace stradsap
