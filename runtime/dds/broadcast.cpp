#include "runtime/dds/broadcast.hpp"

#include <utility>

#include <fmt/format.h>

namespace stradsap::rt {

bool should_broadcast(const replica& local) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20;
  return local.size() * local.ops().size <= most_bytes;
}

void broadcast(const std::vector<replica*>& replicas, exchange& ranks) {
  bytes mine;
  abi::writer out(mine);
  for (const replica* local : replicas) local->write_owned(out);
  const std::vector<bytes> came = ranks.all_gather(mine);
  for (rank_id from = 0; from < ranks.world_size(); ++from) {
    if (from == ranks.self()) continue;
    abi::reader in(came[static_cast<std::size_t>(from)]);
    for (replica* local : replicas) local->read_copies(from, in);
    if (in.remaining() != 0)
      throw error(errc::decode, fmt::format("rank {} sent {} bytes too many", from, in.remaining()));
  }
}

}  // namespace stradsap::rt
