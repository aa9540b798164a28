// A call of a loop operator, as the driver handles it: its captures, and the values that a plan may depend
// on; then the same call with the uses of its containers. Thread rule: values, of the driver's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <stradsap/abi/abi.hpp>

#include "runtime/dds/driver_handle.hpp"
#include "runtime/loop/launch/captured_values.hpp"
#include "runtime/loop/launch/usage.hpp"

namespace stradsap::rt {

struct launch_request {
  const abi::loop_entry* entry = nullptr;
  const char* site = nullptr;   // FILE:LINE
  const char* label = nullptr;  // or null
  std::int64_t n = 0;
  ConsistencyModel model = consistency::async;
  std::optional<schedule::dynamic_schedule> dynamic = {};
  std::vector<const void*> variables = {};      // per capture: the program's variable
  captured_values values = {};                  // for bodies on this rank
  std::vector<driver_handle*> containers = {};  // per capture, else null
  std::vector<void*> reductions = {};           // per capture, else null
  relaxations relaxed = {};                     // of an asynchronous loop, or of one in rounds
  /// Of a loop under consistency::stale, which relaxes all that it writes elsewhere.
  bool is_clock = false;
  /// Of a `sync` loop that runs as an asynchronous one.
  bool was_in_batches = false;

  [[nodiscard]] std::uint64_t hash_of_capture(std::size_t c) const;
  [[nodiscard]] std::uint64_t hash_of_global(std::size_t g) const;
  /// Per capture, then per global: a hash of the value if it steers, else 0.
  [[nodiscard]] std::vector<std::uint64_t> steering() const;

  mutable std::map<std::size_t, std::uint64_t> hashes = {};  // computed so far; of globals after captures
};

/// A call with the decisions that follow from it. Immutable; borrows the request.
struct resolved_request {
  const launch_request& call;
  std::uint32_t map_accumulators;    // see `launch`
  std::uint32_t large_accumulators;  // see `launch`
  loop_uses uses;
  /// Identifies the plan: the loop, its length and model, its containers and their uses. Of a plan that is
  /// kept beside others of the same calls, also the inputs; see plan_cache::find_beside().
  plan_id plan;
  /// The same without inputs.
  plan_id calls;
  /// Identifies calls that share a choice of their route: as the plan, but of a vector that decides no place
  /// only the size counts, so a new one in place of another needs no new survey.
  plan_id kind;
  /// Whether the loop writes a container at computed places. Its plans then list iterations; other plans
  /// depend on sizes and cuts only.
  bool lists_iterations;
};
[[nodiscard]] resolved_request resolve(const launch_request& call, std::uint32_t map_accumulators,
                                       std::uint32_t large_accumulators = 0);
/// The same call with a plan of its own, for waves. Time decides whether waves run, and what plans of blocks
/// know decides bits.
[[nodiscard]] resolved_request by_waves(const resolved_request& r);

/// Whether the plan depends on the elements of capture c, or holds them.
[[nodiscard]] bool plan_depends_on(const resolved_request& r, std::size_t c);
/// Whether a plan of the loop does, now or later: a map that is added into is cut once its places stay the
/// same.
[[nodiscard]] bool may_plan_by(const resolved_request& r, std::size_t c);

/// Borrows the captured variables of `call`, and copies values that the loop might change. An asynchronous
/// loop with relaxed containers that writes no others at computed places, except by additions, becomes a
/// `sync` loop: its batches are the rounds. A `sync` loop of which batches hide nothing becomes an
/// asynchronous one, and a loop under consistency::stale an asynchronous one with relaxed containers. `r` may
/// be an earlier request: its memory serves again. Throws error(errc::unsupported) if models do not fit the
/// loop.
void make_request(launch_request& r, const abi::loop_call& call);
/// Throws error(errc::unsupported) if a reduction shares memory with another one or with a captured
/// container: each would receive the other's partial sums.
void refuse_second_names(const launch_request& r);
/// For a check: compute the hashes of values in place, and later throw error(errc::unsupported) if one has
/// changed. Iterations would depend on the order in which they saw the change.
void note_values(const launch_request& r);
void refuse_changed_values(const launch_request& r);

/// Whether the loop accumulates into a dmap.
[[nodiscard]] bool adds_into_maps(const resolved_request& r);
/// Whether the capture is a container that the loop writes.
[[nodiscard]] bool is_written(const abi::capture_info& capture);
/// Whether elements of this capture are subscripts of others, in inner loops.
[[nodiscard]] bool gives_places(const abi::capture_info& capture);
/// Whether data of this capture that the loop writes decide which places the loop accesses.
[[nodiscard]] bool steers_itself(const abi::capture_info& capture);
/// Whether the loop is asynchronous and can run only by transactions.
[[nodiscard]] bool is_transactional(const launch_request& r);

}  // namespace stradsap::rt
