#include "runtime/loop/dynamic/priority_sampler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "runtime/base/check.hpp"

namespace stradsap::rt {

static constexpr int mantissa_bits = 53;
// The first buckets are often empty for a while; a new base takes a walk over all buckets.
static constexpr std::size_t most_below_base = 16;

namespace {

struct split_weight {
  int exponent;            // weight = mantissa / 2^53 * 2^exponent
  std::uint64_t mantissa;  // at least 2^52
};

}  // namespace

static split_weight split(double weight) {
  const auto bits = std::bit_cast<std::uint64_t>(weight);
  const std::uint64_t hidden = std::uint64_t{1} << (mantissa_bits - 1);
  const int biased = static_cast<int>(bits >> (mantissa_bits - 1));
  if (biased != 0) return {biased - 1022, (bits & (hidden - 1)) | hidden};
  const int zeros = std::countl_zero(bits) - (64 - mantissa_bits);  // of a subnormal number
  return {-1021 - zeros, bits << zeros};
}

// The shares of n members, all in the first bucket, have 127 bits at most.
priority_sampler::priority_sampler(std::int64_t n, std::uint64_t seed)
    : seed_(seed),
      base_shift_(127 - std::bit_width(static_cast<std::uint64_t>(n))),
      places_(static_cast<std::size_t>(n)),
      buckets_(num_buckets) {}

double priority_sampler::weight(std::int64_t j) const {
  const place at = places_[static_cast<std::size_t>(j)];
  if (at.position_after == 0) return 0;
  const std::uint64_t mantissa = buckets_[at.bucket].room[at.position_after - 1].mantissa;
  return std::ldexp(static_cast<double>(mantissa),
                    greatest_exponent - static_cast<int>(at.bucket) - mantissa_bits);
}

void priority_sampler::set(std::int64_t j, double weight) {
  STRADSAP_ASSERT(weight >= 0 && std::isfinite(weight), "a weight of {}", weight);
  const place at = j == drawn_ ? drawn_at_ : places_[static_cast<std::size_t>(j)];
  drawn_ = -1;
  if (weight == 0) {
    if (at.position_after != 0) remove(at);
    places_[static_cast<std::size_t>(j)] = {};
    return;
  }
  const split_weight parts = split(weight);
  const auto bucket = static_cast<std::size_t>(greatest_exponent - parts.exponent);
  if (at.position_after != 0 && at.bucket == bucket) {
    buckets_[bucket].room[at.position_after - 1].mantissa = parts.mantissa;
    return;
  }
  if (at.position_after != 0) remove(at);
  add(j, bucket, parts.mantissa);
}

void priority_sampler::member_list::push(const member& one) {
  if (size == room.size()) {
    plain_array<member> larger(std::max<std::size_t>(16, 2 * size));
    std::copy_n(room.data(), size, larger.data());
    room = std::move(larger);
  }
  room[size++] = one;
}

void priority_sampler::add(std::int64_t j, std::size_t bucket, std::uint64_t mantissa) {
  member_list& members = buckets_[bucket];
  if (members.size == 0) open(bucket);
  members.push({mantissa, j});
  places_[static_cast<std::size_t>(j)] = {bucket, members.size};
  const int shift = shift_of(bucket);
  if (shift >= 0) add_share(bucket, wide{1} << shift);
  ++num_positive_;
}

/// Moves the last member of the bucket to this place.
void priority_sampler::remove(place from) {
  member_list& members = buckets_[from.bucket];
  const member last = members.room[--members.size];
  members.room[from.position_after - 1] = last;
  places_[static_cast<std::size_t>(last.iteration)] = from;
  const int shift = shift_of(from.bucket);
  if (shift >= 0) add_share(from.bucket, -(wide{1} << shift));
  --num_positive_;
  if (members.size == 0) close(from.bucket);
}

void priority_sampler::open(std::size_t bucket) {
  open_[bucket / 64] |= std::uint64_t{1} << bucket % 64;
  if (bucket < base_) move_base(bucket);
}

void priority_sampler::close(std::size_t bucket) {
  open_[bucket / 64] &= ~(std::uint64_t{1} << bucket % 64);
  const std::size_t first = next_open(base_);
  if (first > base_ + most_below_base) move_base(first);
}

/// The first bucket from here on that has members; num_buckets: none.
std::size_t priority_sampler::next_open(std::size_t from) const {
  std::size_t word = from / 64;
  std::uint64_t bits = open_[word] & ~std::uint64_t{0} << from % 64;
  while (bits == 0) {
    if (++word == open_.size()) return num_buckets;
    bits = open_[word];
  }
  return word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
}

/// Buckets so far below the base that they have no share are drawn when those above are empty.
void priority_sampler::move_base(std::size_t bucket) {
  base_ = bucket;
  shares_ = 0;
  shares_of_eight_.fill(0);
  for (std::size_t b = base_; b < num_buckets && shift_of(b) >= 0; b = next_open(b + 1))
    add_share(b, wide{buckets_[b].size} << shift_of(b));
}

void priority_sampler::add_share(std::size_t bucket, wide share) {
  shares_ += share;
  shares_of_eight_[bucket / 8] += share;
}

std::int64_t priority_sampler::draw() {
  STRADSAP_ASSERT(num_positive_ != 0, "a draw, and all weights are zero");
  while (true) {
    const abi::philox::block bits = abi::philox::encrypt({num_tries_++, 0}, seed_);
    const auto low = static_cast<std::uint64_t>(shares_);
    const auto high = static_cast<std::uint64_t>(shares_ >> 64);
    wide left = wide{high} * bits.word_0 + (wide{low} * bits.word_0 >> 64);  // below shares_
    std::size_t eight = base_ / 8;
    for (; left >= shares_of_eight_[eight]; ++eight) left -= shares_of_eight_[eight];
    std::size_t bucket = std::max(base_, 8 * eight);
    for (; left >= wide{buckets_[bucket].size} << shift_of(bucket); ++bucket)
      left -= wide{buckets_[bucket].size} << shift_of(bucket);
    const auto position = static_cast<std::size_t>(left >> shift_of(bucket));
    const member& one = buckets_[bucket].room[position];
    if (bits.word_1 >> (64 - mantissa_bits) >= one.mantissa) continue;
    drawn_ = one.iteration;
    drawn_at_ = {bucket, position + 1};
    return drawn_;
  }
}

}  // namespace stradsap::rt
