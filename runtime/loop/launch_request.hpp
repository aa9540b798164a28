// A call of a loop operator as the driver works on it: what the captures are, and what a plan may depend on.
// Thread rule: the driver's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stradsap/abi.hpp>

namespace stradsap::rt {

struct launch_request {
  const abi::loop_entry* entry;
  const char* site;   // FILE:LINE
  const char* label;  // or null
  std::int64_t n;
  ConsistencyModel model;
  std::vector<std::byte> values = {};        // captured values, then globals, encoded
  std::vector<std::uint64_t> steering = {};  // per capture and global: a hash if subscripts depend on it
  std::vector<abi::handle_target*> containers = {};  // per capture, else null
  std::vector<void*> reductions = {};                // per capture, else null
};

/// Encodes what `call` captured.
[[nodiscard]] launch_request make_request(const abi::loop_call& call);

}  // namespace stradsap::rt
