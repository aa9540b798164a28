#include "runtime/loop/dynamic/chunk_claims.hpp"

#include <algorithm>
#include <bit>

namespace stradsap::rt {

// A chunk costs its executor two cache lines of others. More iterations meet others more often.
static constexpr std::size_t most_in_chunk = 16;
// Elements of a chunk.
static constexpr double most_in_filter = 8192;
// Iterations of a chunk that are left out, as parts of it: as many as chunks are cut for, and the most that
// pay.
static constexpr double few_left = 1.0 / 32, most_left = 1.0 / 8;
// Bytes of a chunk that stay in the first cache until it runs.
static constexpr double most_chunk_bytes = 24 << 10;
static constexpr std::size_t least_bits = std::size_t{1} << 12, most_bits = std::size_t{1} << 20;

claim_shape claim_shape_of(const touched_elements& touched, std::int64_t n, int executors) {
  const auto all = static_cast<double>(n);
  const double others = executors - 1;
  const double units = static_cast<double>(touched.num_touches()) / all;
  const double meetings = others * 2 * touched.num_meetings() / (all * all);  // of two iterations
  claim_shape shape{most_in_chunk, least_bits};
  while (shape.chunk > 1 && (static_cast<double>(shape.chunk) * meetings > few_left ||
                             static_cast<double>(shape.chunk) * units > most_in_filter))
    shape.chunk /= 2;
  const double in_one_bit = static_cast<double>(shape.chunk) * others * units * units;
  while (shape.filter_bits < most_bits && in_one_bit > few_left * static_cast<double>(shape.filter_bits))
    shape.filter_bits *= 2;
  const double left =
      static_cast<double>(shape.chunk) * meetings + in_one_bit / static_cast<double>(shape.filter_bits);
  shape.prefetches = static_cast<double>(shape.chunk) * static_cast<double>(touched.touched_bytes()) / all <=
                     most_chunk_bytes;
  return left > most_left ? claim_shape{} : shape;
}

chunk_claims::chunk_claims(const touched_elements& all, const claim_shape& shape, int executors)
    : all_(all), shape_(shape), claimants_(static_cast<std::size_t>(executors)) {
  for (claimant& one : claimants_) {
    one.written.resize(shape.filter_bits / 64);
    if (all.has_reads()) one.read.resize(shape.filter_bits / 64);
  }
}

void chunk_claims::begin(const std::vector<candidate>& members) { members_ = &members; }

std::size_t chunk_claims::end_of(std::size_t chunk) const {
  return std::min(members_->size(), first_of(chunk) + shape_.chunk);
}

void chunk_claims::mark(claimant& by, std::size_t chunk) const {
  const auto set = [this](std::vector<std::uint64_t>& filter, std::span<const std::uint32_t> units) {
    for (const std::uint32_t unit : units) filter[word_of(unit)] |= std::uint64_t{1} << unit % 64;
  };
  for (std::size_t k = first_of(chunk), end = end_of(chunk); k < end; ++k) {
    const std::int64_t j = (*members_)[k].iteration;
    set(by.written, all_.written_by(j));
    set(by.read, all_.read_by(j));
  }
}

void chunk_claims::clear(claimant& by, std::size_t chunk) const {
  for (std::size_t k = first_of(chunk), end = end_of(chunk); k < end; ++k) {
    const std::int64_t j = (*members_)[k].iteration;
    for (const std::uint32_t unit : all_.written_by(j)) by.written[word_of(unit)] = 0;
    for (const std::uint32_t unit : all_.read_by(j)) by.read[word_of(unit)] = 0;
  }
}

bool chunk_claims::has_some(const std::vector<std::uint64_t>& filter,
                            std::span<const std::uint32_t> units) const {
  std::uint64_t found = 0;
  for (const std::uint32_t unit : units) found |= filter[word_of(unit)] >> unit % 64;
  return (found & 1) != 0;
}

bool chunk_claims::meets(const claimant& by, std::int64_t j) const {
  return has_some(by.written, all_.of(j)) || (all_.has_reads() && has_some(by.read, all_.written_by(j)));
}

/// The lists of its iterations, which are not in the cache, come while those of others are read.
void chunk_claims::expect(std::size_t chunk) const {
  for (const bool is_near : {false, true}) {
    for (std::size_t k = first_of(chunk), end = end_of(chunk); k < end; ++k)
      all_.expect((*members_)[k].iteration, is_near);
  }
}

const std::vector<std::uint32_t>& chunk_claims::claim(int executor, std::size_t chunk) {
  claimant& own = claimants_[static_cast<std::size_t>(executor)];
  own.chunk.store(chunk + 1);  // before the look at others, in the one order of all such accesses
  own.others.clear();
  own.apart.clear();
  for (claimant& other : claimants_) {
    const std::uint64_t claimed = &other == &own ? 0 : other.chunk.load();
    if (claimed != 0) own.others.push_back(claimed - 1);
  }
  expect(chunk);
  for (const std::uint64_t other : own.others) mark(own, other);
  for (std::size_t k = first_of(chunk), end = end_of(chunk); k < end; ++k)
    if (!meets(own, (*members_)[k].iteration)) own.apart.push_back(static_cast<std::uint32_t>(k));
  for (const std::uint64_t other : own.others) clear(own, other);
  if (shape_.prefetches)
    for (const std::uint32_t k : own.apart) all_.prefetch((*members_)[k].iteration);
  return own.apart;
}

}  // namespace stradsap::rt
