// Copies that go to all ranks unasked: a loop has written a container, so nobody but the owners has its
// elements, and every rank is about to read all of them. The driver sees that and says so in the launch; each
// rank then sends what it owns in one message to every other, which saves the way of the requests.
// What is handed out is what a fetch would bring; a rank that lacks more than that fetches it.
// Thread rule: a collective, on one thread a rank.
#pragma once

#include <vector>

#include "runtime/dds/container_store.hpp"
#include "runtime/net/exchange.hpp"

namespace stradsap::rt {

/// Whether a container is small enough that the way of a request counts. Larger ones are fetched in pieces.
[[nodiscard]] bool is_handed_out(const container_store& store);

/// All ranks hold all of these containers, which are the same ones in the same order on every rank. Throws
/// error, also where another rank has given up.
void hand_out(const std::vector<container_store*>& stores, exchange& ranks);

}  // namespace stradsap::rt
