// Which user and item pairs are rated: Zipf's law on both sides, no pair twice, every id at least once.
#pragma once

#include "request.hpp"

#include <vector>

namespace stradsap::data {

struct pair_seen {
  std::uint32_t user;
  std::uint32_t item;
};

struct split_pairs {
  std::vector<pair_seen> train;
  std::vector<pair_seen> test;
};

/// The pairs of the two files, each in the order of its lines. Every user and every item occurs in `train`.
/// Requires a checked request.
split_pairs draw_pairs(const ratings_request& request);

}  // namespace stradsap::data
