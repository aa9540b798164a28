// Draws iterations in proportion to their weights, which change after each draw. Iterations with weights of
// the same power of two share a bucket (Matias, Vitter, Ni: Dynamic generation of discrete random variates,
// 1993). A draw takes a bucket in proportion to its number of members times the least power of two above
// their weights, and one member of it. It keeps the member with the probability of weight / power, at least
// 1/2, and else draws again. No sum of weights is kept, so rounding errors do not add up.
// Draws are the same for the same seed and calls. Thread rule: one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stradsap/random.hpp>

#include "runtime/dds/plain_array.hpp"

namespace stradsap::rt {

class priority_sampler {
 public:
  /// Iterations [0, n), 0 < n < 2^48, all of weight 0.
  priority_sampler(std::int64_t n, std::uint64_t seed);

  /// Gives iteration j this weight, finite and not negative. Expected constant time.
  void set(std::int64_t j, double weight);
  [[nodiscard]] double weight(std::int64_t j) const;
  /// The iterations with a weight above zero.
  [[nodiscard]] std::size_t num_positive() const { return num_positive_; }
  /// An iteration, with the probability of its weight / all weights, to within 2^-64. Some weight must be
  /// positive. Expected constant time.
  [[nodiscard]] std::int64_t draw();

 private:
  // The exponents of positive numbers as std::frexp gives them, from the greatest on: bucket 0 has 1024.
  static constexpr int greatest_exponent = 1024;
  static constexpr std::size_t num_buckets = 1024 + 1074;
  using wide = abi::philox::wide;

  struct member {
    std::uint64_t mantissa;  // of the weight: 53 bits, the first of which is one
    std::int64_t iteration;
  };
  /// On huge pages if it is large: draws read it at random places.
  struct member_list {
    plain_array<member> room;
    std::size_t size = 0;
    void push(const member& one);
  };
  struct place {
    std::uint64_t bucket : 16;
    std::uint64_t position_after : 48;  // 1 is the bucket's first member; 0: in no bucket
  };

  void add(std::int64_t j, std::size_t bucket, std::uint64_t mantissa);
  void remove(place from);
  void open(std::size_t bucket);
  void close(std::size_t bucket);
  [[nodiscard]] int shift_of(std::size_t bucket) const {
    return base_shift_ - static_cast<int>(bucket - base_);
  }
  [[nodiscard]] std::size_t next_open(std::size_t from) const;
  void move_base(std::size_t bucket);
  void add_share(std::size_t bucket, wide share);

  const std::uint64_t seed_;
  const int base_shift_;
  std::uint64_t num_tries_ = 0;
  plain_array<place> places_;  // by iteration
  std::vector<member_list> buckets_;
  std::array<std::uint64_t, num_buckets / 64 + 1> open_{};  // bits of buckets with members
  std::size_t base_ = num_buckets;                          // first bucket with members
  std::array<wide, num_buckets / 8 + 1> shares_of_eight_{};
  wide shares_ = 0;  // members times powers of two, of all buckets; that of bucket `base_` is 2^base_shift_
  std::size_t num_positive_ = 0;
  std::int64_t drawn_ = -1;  // last, if no weight has changed since; at 10^7 iterations, its place is not in
  place drawn_at_{};         // the cache
};

}  // namespace stradsap::rt
