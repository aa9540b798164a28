// A call of a loop operator as the driver works on it: what the captures are, and what a plan may depend on.
// Thread rule: the driver's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stradsap/abi.hpp>

#include "runtime/loop/usage.hpp"

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
  std::uint32_t map_lanes = 0;                       // as of launch
};

/// Encodes what `call` captured.
[[nodiscard]] launch_request make_request(const abi::loop_call& call);
/// Throws error(errc::unsupported) where a reduction shares memory with another one, or with a container that
/// the loop captures: each would get the whole of what is folded into the other.
void refuse_second_names(const launch_request& r);

/// The container of capture c, which is one.
[[nodiscard]] container_store& store_of(const launch_request& r, std::size_t c);
[[nodiscard]] loop_uses uses_in(const launch_request& r);
/// Some dmap is accumulated.
[[nodiscard]] bool adds_into_maps(const launch_request& r);
/// A container that the loop writes.
[[nodiscard]] bool is_written(const abi::capture_info& capture);
/// A loop that owns what it writes at computed places has plans that list iterations, or runs in batches;
/// plans of others depend on sizes and cuts alone.
[[nodiscard]] bool lists_iterations(const launch_request& r);
/// Where a loop goes depends on what it writes.
[[nodiscard]] bool steers_itself(const abi::capture_info& capture);
/// An asynchronous loop that only transactions can run.
[[nodiscard]] bool is_transactional(const launch_request& r);

}  // namespace stradsap::rt
