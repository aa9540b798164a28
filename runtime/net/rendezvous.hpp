// The exchange of endpoints and public keys at a meeting point, between ranks that stradsap-run did not
// start. Rank 0 collects a row of each rank and sends all of them the table. Both ends prove by CURVE that
// they have the key of the meeting point. Thread rule: one thread at a time.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/options.hpp"
#include "runtime/net/rank_table.hpp"

namespace stradsap::rt {

/// Registers this rank with `endpoint` and `public_key` (empty without encryption), and blocks until the
/// table of all ranks is here. Throws error(errc::cluster) at the start time-out, with the missing ranks on
/// rank 0; and if a rank is of a run of another size or if another process registered as this rank.
[[nodiscard]] std::vector<rank_entry> meet_at_rendezvous(const options& o, const std::string& endpoint,
                                                         const std::string& public_key);

}  // namespace stradsap::rt
