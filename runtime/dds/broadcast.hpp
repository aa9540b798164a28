// Broadcasts: owners send copies to all ranks without a request. The driver lists in the launch the
// containers that only their owners have, since a loop wrote them, and that every rank is about to read. Each
// rank then sends its groups of all of them in one message to every other rank, which saves the round trip of
// requests.
// A broadcast brings the same copies as a fetch; a rank that lacks more elements fetches them.
// Thread rule: a collective, on one thread of each rank.
#pragma once

#include <vector>

#include "runtime/dds/replica.hpp"
#include "runtime/net/exchange.hpp"

namespace stradsap::rt {

/// Whether a container is so small that the round trip of a request counts. Larger ones are fetched in
/// pieces.
[[nodiscard]] bool should_broadcast(const replica& local);

/// Makes all ranks hold all of these containers, which are the same in the same order on every rank. Throws
/// error, also if another rank has given up.
void broadcast(const std::vector<replica*>& replicas, exchange& ranks);

}  // namespace stradsap::rt
