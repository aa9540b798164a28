// What ranks say to each other: structs, and their bytes. Format: docs/formats.md.
// Thread rule: values.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "runtime/base/ids.hpp"
#include "runtime/base/process_state.hpp"

namespace stradsap::rt {

using bytes = std::vector<std::byte>;

/// First word on a connection, from the higher rank; the lower one answers with its own.
struct hello {
  std::uint32_t protocol = 0;
  std::string build;  // processes of different builds do not talk
  std::int32_t world_size = 0;
  template <class Archive> void serialize(Archive& archive) { archive(protocol, build, world_size); }
};

/// "I am alive." Where it cannot be delivered, the peer is not.
struct ping {
  template <class Archive> void serialize(Archive&) {}
};

/// After the other's hello: where this rank's inbox is, for who can open it.
struct inbox_place {
  std::int32_t process = 0;
  std::int32_t descriptor = -1;  // of its memory, in that process
  std::uint64_t nonce = 0;       // what it begins with
  template <class Archive> void serialize(Archive& archive) { archive(process, descriptor, nonce); }
};

/// "What I say after this, pings apart, lies in your inbox."
struct inbox_in_use {
  template <class Archive> void serialize(Archive&) {}
};

/// What the driver changed on a container since the last launch that used it.
struct container_update {
  container_id id = container_id::none;
  std::uint64_t size = 0;
  std::vector<std::uint64_t> bounds;  // ends of its groups
  std::vector<std::int32_t> owners;   // of its groups
  std::uint64_t partition_version = 0;
  bool contents = false;        // elements in groups of the driver changed: copies are void
  std::uint64_t first_key = 0;  // keys from this slot on follow
  bytes keys;
  template <class Archive> void serialize(Archive& archive) {
    archive(id, size, bounds, owners, partition_version, contents, first_key, keys);
  }
};

/// One call of a loop operator: what every rank needs to take part.
struct launch {
  launch_id id{};
  std::uint64_t entry = 0;  // the loop, with `type`
  std::string type;
  std::string site;
  std::int64_t n = 0;
  std::uint8_t model = 0;
  std::int64_t batch = 0;
  std::int64_t shards = 0;
  bytes values;
  std::vector<container_id> containers;  // one per capture
  std::vector<container_update> updates;
  std::vector<container_id> destroyed;
  std::vector<plan_id> forgotten;         // plans that will not be used again
  std::vector<std::uint32_t> handed_out;  // captures whose containers owners send to all ranks unasked
  plan_id plan{};
  bool replan = false;
  bool deal_anew = false;   // of `replan`: only shares have changed, and waves stay waves
  bool leave_home = false;  // a plan that is made now will have aligned elements alone
  bool refresh = false;     // the plan holds, but aligned elements that it has in its order have changed
  std::uint64_t pass = 0;   // calls of this plan so far: varies the order of its blocks
  /// Where shares end, empty: all are equal. Of iterations or of shards, each rank's; of waves, each lane's.
  std::vector<std::uint64_t> share_ends;
  bool times_parts = false;  // lanes of waves clock every iteration
  /// How many lanes add into dmaps where who adds changes no bit; 0: dmaps are cut like what is read too.
  std::uint32_t map_lanes = 0;
  std::uint32_t float_mode = 0;
  process_changes process;  // where the loop may ask its process for what main has changed
  template <class Archive> void serialize(Archive& archive) {
    archive(id, entry, type, site, n, model, batch, shards, values, containers, updates, destroyed, forgotten,
            handed_out, plan, replan, deal_anew, leave_home, refresh, pass, share_ends, times_parts,
            map_lanes, float_mode, process);
  }
};

/// A piece of one rank's part of a collective step; pieces come in order.
struct part {
  launch_id launch{};
  std::uint32_t step = 0;
  bool failed = false;      // the payload says why
  std::uint64_t total = 0;  // bytes of all pieces
  bytes payload;
  template <class Archive> void serialize(Archive& archive) { archive(launch, step, failed, total, payload); }
};

/// A group on its way to the block that uses it next.
struct token {
  launch_id launch{};
  std::uint32_t block = 0;
  std::uint32_t capture = 0;
  std::uint32_t group = 0;
  bytes elements;
  std::vector<std::uint64_t> versions;  // of the elements, where accesses are logged
  template <class Archive> void serialize(Archive& archive) {
    archive(launch, block, capture, group, elements, versions);
  }
};

/// How far a rank has come: each reaches the same moments in the same order.
struct moment {
  launch_id launch{};
  std::uint32_t step = 0;  // of the launch
  auto operator<=>(const moment&) const = default;
  template <class Archive> void serialize(Archive& archive) { archive(launch, step); }
};

/// Asks the owner of elements for copies, and the copies.
struct fetch_request {
  container_id container = container_id::none;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  moment as_of;  // the owner answers once it has come so far too
  template <class Archive> void serialize(Archive& archive) { archive(container, begin, end, as_of); }
};
struct fetch_reply {
  container_id container = container_id::none;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bytes elements;
  template <class Archive> void serialize(Archive& archive) { archive(container, begin, end, elements); }
};

/// A body threw in the block at `position` of the serial order: later blocks need not run.
struct cancel {
  launch_id launch{};
  std::uint32_t position = 0;
  template <class Archive> void serialize(Archive& archive) { archive(launch, position); }
};

/// A failure as it travels to the driver.
struct failure {
  std::uint8_t code = 0;
  std::string what;
  std::int32_t rank = 0;
  std::int64_t iteration = -1;  // -1: not in a body
  std::uint64_t position = 0;   // in the serial order
  template <class Archive> void serialize(Archive& archive) {
    archive(code, what, rank, iteration, position);
  }
};

/// What a rank did in a launch.
struct counters {
  std::uint64_t iterations = 0;
  double seconds_plan = 0;
  double seconds_compute = 0;
  double seconds_wait = 0;
  std::uint64_t bytes_sent = 0;  // since the run began
  std::uint64_t bytes_received = 0;
  bool planned = false;                // the launch made a plan
  std::uint64_t sets_hash = 0;         // of what its iterations of the plan touch; the ranks' add up
  std::uint64_t iterations_moved = 0;  // that came from other ranks to balance the load
  template <class Archive> void serialize(Archive& archive) {
    archive(iterations, seconds_plan, seconds_compute, seconds_wait, bytes_sent, bytes_received, planned,
            sets_hash, iterations_moved);
  }
};

/// Elements that their next users wait for; which those are stands in the plan.
struct moved_elements {
  launch_id launch{};
  bytes elements;
  template <class Archive> void serialize(Archive& archive) { archive(launch, elements); }
};

/// A rank's end of a launch: its parts of the reductions, by block.
struct done {
  launch_id launch{};
  std::vector<std::uint32_t> blocks;  // a block that ran in pieces: as often
  std::vector<float> seconds;  // for each, where it may run elsewhere the next time; of listed blocks: none
  bytes partials;              // for each, its part of each reduction in capture order
  std::vector<failure> failures;  // none or one
  counters work;
  template <class Archive> void serialize(Archive& archive) {
    archive(launch, blocks, seconds, partials, failures, work);
  }
};

/// The driver needs elements that a plan has in its order: between launches they go to their owners.
struct recall {
  container_id container = container_id::none;
  launch_id after{};       // the last launch
  std::uint32_t step = 0;  // where the steps of the exchange begin
  template <class Archive> void serialize(Archive& archive) { archive(container, after, step); }
};

/// The program is over.
struct shutdown {
  template <class Archive> void serialize(Archive&) {}
};

using message = std::variant<hello, ping, launch, part, token, fetch_request, fetch_reply, cancel, done,
                             shutdown, moved_elements, recall, inbox_place, inbox_in_use>;

/// The message's bytes, behind `room` bytes for whoever frames it.
[[nodiscard]] bytes encode(const message& m, std::size_t room = 0);
/// Throws error(errc::decode) for bytes that are no message, or have a tail.
[[nodiscard]] message decode(std::span<const std::byte> frame);

}  // namespace stradsap::rt
