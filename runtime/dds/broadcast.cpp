#include "runtime/dds/broadcast.hpp"

#include <utility>

#include <fmt/format.h>

namespace stradsap::rt {

bool should_broadcast(const container_store& store) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20;
  return store.size() * store.ops().size <= most_bytes;
}

void broadcast(const std::vector<container_store*>& stores, exchange& ranks) {
  bytes mine;
  abi::writer out(mine);
  for (const container_store* store : stores) store->write_owned(out);
  const std::vector<bytes> came = ranks.all_gather(mine);
  for (rank_id from = 0; from < ranks.world_size(); ++from) {
    if (from == ranks.self()) continue;
    abi::reader in(came[static_cast<std::size_t>(from)]);
    for (container_store* store : stores) store->read_copies(from, in);
    if (in.remaining() != 0)
      throw error(errc::decode, fmt::format("rank {} handed out {} bytes too many", from, in.remaining()));
  }
}

}  // namespace stradsap::rt
