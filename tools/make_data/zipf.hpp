// Ids drawn with the frequencies that users and items of real ratings have. Immutable once made.
#pragma once

#include "random.hpp"

#include <cstdint>
#include <numeric>
#include <vector>

namespace stradsap::data {

/// Draws ids of which the one at place r of the popularity order has weight 1 / (r + n/50): Zipf's law with
/// the flat top that real ratings have. Which id has which place is random. O(1) a draw (Walker's alias
/// method).
class zipf_ids {
 public:
  zipf_ids(std::uint32_t n, random_stream scatter) : ids_(n), own_share_(n), alias_(n) {
    std::iota(ids_.begin(), ids_.end(), 0U);
    shuffle(ids_, scatter);
    std::vector<double> scaled(n);
    for (std::uint32_t r = 0; r < n; ++r) scaled[r] = 1.0 / (r + 1.0 + n / 50.0);
    const double total = std::accumulate(scaled.begin(), scaled.end(), 0.0);
    for (double& share : scaled) share = share * n / total;
    pair_small_with_large(scaled);
  }

  std::uint32_t draw(random_stream& random) const {
    const std::uint64_t place = random.below(ids_.size());
    const double u = static_cast<double>(random.next() >> 11) * 0x1p-53;
    return ids_[u < own_share_[place] ? place : alias_[place]];
  }

  std::uint32_t id_at(std::uint64_t place) const { return ids_[place % ids_.size()]; }

 private:
  void pair_small_with_large(std::vector<double>& scaled) {
    std::vector<std::uint32_t> small;
    std::vector<std::uint32_t> large;
    for (std::uint32_t r = 0; r < scaled.size(); ++r) (scaled[r] < 1.0 ? small : large).push_back(r);
    while (!small.empty() && !large.empty()) {
      const std::uint32_t s = small.back();
      const std::uint32_t l = large.back();
      small.pop_back();
      own_share_[s] = scaled[s];
      alias_[s] = l;
      scaled[l] -= 1.0 - scaled[s];
      if (scaled[l] < 1.0) {
        large.pop_back();
        small.push_back(l);
      }
    }
    for (const auto* rest : {&small, &large})
      for (const std::uint32_t r : *rest) own_share_[r] = 1.0;
  }

  std::vector<std::uint32_t> ids_;
  std::vector<double> own_share_;
  std::vector<std::uint32_t> alias_;
};

}  // namespace stradsap::data
