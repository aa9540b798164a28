#include "runtime/dds/element_exchange.hpp"

#include <utility>

#include <fmt/format.h>

namespace stradsap::rt {

element_exchange::element_exchange(exchange& ranks)
    : ranks_(ranks),
      data_(static_cast<std::size_t>(ranks.world_size())),
      writers_(data_.begin(), data_.end()) {}

void element_exchange::trade(const pairs_of_ranks& pairs) {
  data_ = ranks_.all_to_all(std::move(data_), pairs);
  readers_ = std::vector<abi::reader>(data_.begin(), data_.end());
}

void element_exchange::finish() const {
  for (std::size_t from = 0; from < readers_.size(); ++from) {
    if (readers_[from].remaining() == 0) continue;
    throw error(errc::decode,
                fmt::format("rank {} sent {} bytes too many", from, readers_[from].remaining()));
  }
}

}  // namespace stradsap::rt
