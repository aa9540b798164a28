// One exchange of elements, or of other encoded data, between all ranks. Each rank encodes its data for every
// rank, all trade, and each decodes the data from every rank.
// Thread rule: a collective, on one thread of each rank.
#pragma once

#include <vector>

#include <stradsap/serialize.hpp>

#include "runtime/net/exchange.hpp"

namespace stradsap::rt {

class element_exchange {
 public:
  explicit element_exchange(exchange& ranks);
  element_exchange(const element_exchange&) = delete;  // writers and readers refer to data_
  element_exchange& operator=(const element_exchange&) = delete;

  /// Encodes the data for rank `to`. Data for this rank itself come back as they are.
  [[nodiscard]] abi::writer& writer(rank_id to) { return writers_[static_cast<std::size_t>(to)]; }
  /// Sends the data of all writers; they must not be used after. Throws as exchange::trade() does.
  void trade() { trade(pairs_of_ranks::all(ranks_.world_size())); }
  /// The same between `pairs` only.
  void trade(const pairs_of_ranks& pairs);
  /// Decodes the data from rank `from`, after trade().
  [[nodiscard]] abi::reader& reader(rank_id from) { return readers_[static_cast<std::size_t>(from)]; }
  /// Throws error(errc::decode) if a rank sent more than was read.
  void finish() const;

 private:
  exchange& ranks_;
  std::vector<bytes> data_;  // by rank: to it, after trade() from it
  std::vector<abi::writer> writers_;
  std::vector<abi::reader> readers_;
};

}  // namespace stradsap::rt
