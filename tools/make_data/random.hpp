// Random numbers of make-data: pure functions of (seed, stream, counter), the same on every machine. They use
// neither libm nor the distributions of std, because the standard leaves their results open.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace stradsap::data {

inline std::uint64_t mix(std::uint64_t x) {  // the finaliser of SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

enum class stream_id : std::uint64_t {
  user_ids = 1,
  item_ids,
  draws,
  train_order,
  rest_order,
  model,
  noise,
  places,
  common,
  own,
  coefficients
};

/// One sequence of random words; copies continue independently from the same place. One thread at a time.
class random_stream {
 public:
  random_stream(std::uint64_t seed, stream_id id)
      : key_(mix(seed) ^ mix(static_cast<std::uint64_t>(id) << 32)) {}

  std::uint64_t at(std::uint64_t counter) const { return mix(key_ + (counter + 1) * 0x9e3779b97f4a7c15U); }
  std::uint64_t next() { return at(counter_++); }

  /// A number below n. The bias of n / 2^64 is too small to matter here.
  std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * n) >> 64);
  }

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

/// A nearly normal value with mean 0 and variance 1: the sum of four 16-bit uniforms, which needs no libm.
inline double bell_shaped(std::uint64_t word) {
  const std::uint64_t sum =
      (word & 0xffff) + ((word >> 16) & 0xffff) + ((word >> 32) & 0xffff) + (word >> 48);
  constexpr double sqrt_3 = 1.7320508075688772;
  return (static_cast<double>(sum) / 65535.0 - 2.0) * sqrt_3;
}

template <class T> void shuffle(std::vector<T>& values, random_stream random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

}  // namespace stradsap::data
