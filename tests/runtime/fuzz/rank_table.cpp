// A target of libFuzzer for the table of ranks that an agent or rank 0 sends. See tools/fuzz-files.
#include <cstdlib>
#include <string>

#include <stradsap/error.hpp>

#include "runtime/net/rank_table.hpp"
#include "runtime/net/rendezvous.hpp"

namespace sap = stradsap;

/// Not fuzzed: it needs sockets.
std::vector<sap::rt::rank_entry> sap::rt::meet_at_rendezvous(const options&, const std::string&,
                                                             const std::string&) {
  std::abort();
}

/// The input: a byte, and the table. The byte: bit 0 whether ranks have keys; bits 1 to 3 the number of
/// ranks.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const bool has_keys = (data[0] & 1) != 0;
  const int ranks = data[0] >> 1 & 7;
  try {
    const auto table =
        sap::rt::parse_rank_table({reinterpret_cast<const char*>(data) + 1, size - 1}, ranks, has_keys);
    if (table.size() != static_cast<std::size_t>(ranks)) std::abort();
    for (const auto& one : table)
      if (one.public_key.empty() == has_keys || !one.endpoint.starts_with("tcp://")) std::abort();
  } catch (const sap::error&) {
  }
  return 0;
}
