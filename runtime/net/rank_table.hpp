// The table of the ranks of a run over several hosts. Each rank reports its endpoint and its public key to
// the agent of its host, over a socket in the folder of the run, and gets the table in return. The agents
// pass both through the launcher's own connections, which ssh has authenticated. Ranks without stradsap-run
// exchange both at a rendezvous. Thread rule: one thread at a time.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/ids.hpp"
#include "runtime/base/options.hpp"

namespace stradsap::rt {

/// One row of the table. Ranks of one host have the same host number.
struct rank_entry {
  int host = 0;
  std::string host_name;   // for messages to people
  std::string endpoint;    // for ranks of other hosts
  std::string public_key;  // Z85; empty without encryption
};

/// Reports this rank's endpoint and public key (empty without encryption), and blocks until the table is
/// complete. Throws error(errc::cluster) if there is no agent, or the table is not complete and whole at the
/// start time-out.
[[nodiscard]] std::vector<rank_entry> exchange_rank_table(const options& o, const std::string& endpoint,
                                                          const std::string& public_key);

/// The table as agents and rank 0 write it: a row `RANK HOST NAME ENDPOINT KEY` for each rank in order, `-`
/// for no key. Throws error(errc::cluster) for any other text.
[[nodiscard]] std::vector<rank_entry> parse_rank_table(const std::string& text, int ranks, bool has_keys);

}  // namespace stradsap::rt
