// The messages between ranks: structs, and their bytes. Format: docs/formats.md. Thread rule: values.
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

/// First message on a connection, from the higher rank; the lower one answers with its own.
struct hello {
  std::uint32_t protocol = 0;
  std::string build;  // processes of different builds refuse to meet
  std::int32_t world_size = 0;
  std::string machine;  // machine_kind(): bits are promised for one kind
  std::uint64_t seed = 0;
  std::string refusal;  // the reason why this rank cannot run
  template <class Archive> void serialize(Archive& archive) {
    archive(protocol, build, world_size, machine, seed, refusal);
  }
};

/// A sign of life. If a ping has no route, the peer is lost.
struct ping {
  template <class Archive> void serialize(Archive&) {}
};

/// Sent after the other's hello: the place of this rank's inbox, for a rank that can open it.
struct inbox_place {
  std::int32_t process = 0;
  std::int32_t descriptor = -1;  // of its memory, in that process
  std::uint64_t nonce = 0;       // first word of the memory
  template <class Archive> void serialize(Archive& archive) { archive(process, descriptor, nonce); }
};

/// The sender has opened the receiver's inbox: all its later messages use the inbox, except pings.
struct inbox_in_use {
  template <class Archive> void serialize(Archive&) {}
};

/// The driver's changes to a container since the last launch that used it.
struct container_update {
  container_id id = container_id::none;
  std::uint64_t size = 0;
  std::vector<std::uint64_t> bounds;  // ends of its groups
  std::vector<std::int32_t> owners;   // of its groups
  std::uint64_t first_key = 0;        // slot of the first key in `keys`
  bytes keys;
  bool is_blank = false;  // all elements are zero bytes, on all ranks
  template <class Archive> void serialize(Archive& archive) {
    archive(id, size, bounds, owners, first_key, keys, is_blank);
  }
};

/// The content of a captured value or global that ranks keep; for other captures nothing.
struct captured_content {
  std::uint64_t hash = 0;  // of its encoding
  bool is_known = false;   // the ranks have it, and it is not sent
  template <class Archive> void serialize(Archive& archive) { archive(hash, is_known); }
};

/// Captured values that are too large for a frame, in a file of the driver's memory.
struct large_values {
  std::int32_t process = 0;
  std::int32_t descriptor = -1;  // in that process; open until all ranks are done
  std::uint64_t size = 0;        // bytes; 0: there is no file
  template <class Archive> void serialize(Archive& archive) { archive(process, descriptor, size); }
};

/// The address of code or static data, which processes load at different places.
struct image_address {
  std::string image;  // the path of a shared library; empty: the executable
  std::uint64_t offset = 0;
  template <class Archive> void serialize(Archive& archive) { archive(image, offset); }
};

/// A merge::rule. The addresses are those of a program's own function.
struct sent_merge {
  std::uint8_t kind = 0;
  image_address signature;
  image_address code;
  double uses = 0;  // of merge::by_uses
  template <class Archive> void serialize(Archive& archive) { archive(kind, signature, code, uses); }
};

/// A captured container that the loop need not see current: consistency::stale.
struct relaxed_capture {
  std::uint32_t capture = 0;
  std::int64_t round = 0;  // iterations of one round, at least 1
  sent_merge merge = {};
  std::int64_t hottest = -1;  // elements that are relaxed; 0: by counts; negative: all
  std::int64_t bound = 0;     // rounds that a read may miss
  std::uint32_t accumulators = 16;
  bool is_free = false;      // calls see all folds that can be made when they begin
  std::uint64_t budget = 0;  // bytes of changes that a rank sends in a call; 0: all
  template <class Archive> void serialize(Archive& archive) {
    archive(capture, round, merge, hottest, bound, accumulators, is_free, budget);
  }
};

/// The sets of a dynamic loop.
struct sets_shape {
  std::uint64_t size = 0;                    // updates of a set, at most; 0: the loop is not dynamic
  std::uint64_t shards = 0;                  // of a set, at most
  std::uint64_t depth = 0;                   // sets in flight beside the one that begins
  std::vector<std::uint64_t> followed = {};  // captures of which the changes count; empty: of all
  bool in_place = false;                     // shards touch different elements, and need no copies of them
  template <class Archive> void serialize(Archive& archive) {
    archive(size, shards, depth, followed, in_place);
  }
};

/// One call of a loop operator, with all that a rank needs to take part.
struct launch {
  launch_id id{};
  std::uint64_t entry = 0;  // the loop, together with `type`
  std::string type;
  std::string site;
  std::int64_t n = 0;
  std::int64_t first = 0;            // iterations before it have run already, on the driver
  bool as_waves = false;             // conflicting iterations keep program order
  bool as_stretches = false;         // a new plan tries stretches first
  std::uint64_t iteration_work = 0;  // nanoseconds of an iteration, for waves; 0: not known
  std::uint8_t model = 0;
  std::int64_t batch = 0;
  std::int64_t shards = 0;
  sent_merge merge;
  bytes values;                            // captured values, then globals, that the ranks lack
  large_values large;                      // the same, instead of `values`
  std::vector<captured_content> contents;  // one for each capture, then one for each global
  std::vector<container_id> containers;    // one for each capture
  std::vector<container_update> updates;
  std::vector<container_id> destroyed;
  std::vector<plan_id> forgotten;        // plans that will not be used again
  std::vector<std::uint32_t> broadcast;  // captures with containers to broadcast
  plan_id plan{};
  bool replan = false;
  bool only_shares_changed = false;  // with `replan`: only shares have changed, so waves stay waves
  bool use_plan_layout = false;      // a new plan takes its aligned elements out of the canonical layout
  bool refresh = false;              // the plan holds, but its aligned elements have changed
  std::uint64_t pass = 0;            // earlier launches by this plan; varies the order of its blocks
  /// The ends of shares, in iterations or shards by rank, for waves by wave thread; empty: all shares are
  /// equal.
  std::vector<std::uint64_t> share_ends;
  bool times_parts = false;  // wave threads clock every iteration
  /// Accumulators for a dmap if their number changes no bit; 0: a dmap is cut into groups, as if it were
  /// read.
  std::uint32_t map_accumulators = 0;
  std::uint32_t float_mode = 0;
  std::uint32_t large_accumulators = 0;  // for dvectors that are too large to be accumulated always; 0: none
  process_changes process;               // changes by main, if the loop may query its process
  sets_shape sets;
  std::vector<relaxed_capture> relaxed;
  launch_id clocks{};       // of a loop under consistency::stale: the launch of its clock 0; else 0
  std::uint64_t clock = 0;  // calls since then
  template <class Archive> void serialize(Archive& archive) {
    archive(id, entry, type, site, n, first, as_waves, as_stretches, iteration_work, model, batch, shards,
            merge, values, large, contents, containers, updates, destroyed, forgotten, broadcast, plan,
            replan, only_shares_changed, use_plan_layout, refresh, pass, share_ends, times_parts,
            map_accumulators, float_mode, large_accumulators, process, sets, relaxed, clocks, clock);
  }
};

/// A piece of one rank's data in a collective step; pieces arrive in order.
struct part {
  launch_id launch{};
  std::uint32_t step = 0;
  bool failed = false;      // the payload is the reason
  std::uint64_t total = 0;  // bytes of all pieces
  bytes payload;
  template <class Archive> void serialize(Archive& archive) { archive(launch, step, failed, total, payload); }
};

/// The sender has taken so many bytes of the receiver's data in a collective step: more of them may come.
struct part_taken {
  launch_id launch{};
  std::uint32_t step = 0;
  std::uint64_t size = 0;
  template <class Archive> void serialize(Archive& archive) { archive(launch, step, size); }
};

/// A group, sent to the next block that uses it.
struct token {
  launch_id launch{};
  std::uint32_t block = 0;
  std::uint32_t capture = 0;
  std::uint32_t group = 0;
  bytes elements;                       // none if the receiver has them
  std::vector<std::uint64_t> versions;  // of the elements, if accesses are logged
  template <class Archive> void serialize(Archive& archive) {
    archive(launch, block, capture, group, elements, versions);
  }
};

/// The progress of a rank. Every rank reaches the same moments in the same order.
struct moment {
  launch_id launch{};
  std::uint32_t step = 0;  // of the launch
  auto operator<=>(const moment&) const = default;
  template <class Archive> void serialize(Archive& archive) { archive(launch, step); }
};

/// A request to the owner of elements for copies, and its reply.
struct fetch_request {
  container_id container = container_id::none;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  moment as_of;  // the owner answers after it has reached this moment too
  /// Of each page of these elements, as the sender has them from before; none: it wants all.
  std::vector<std::uint64_t> hashes = {};
  template <class Archive> void serialize(Archive& archive) { archive(container, begin, end, as_of, hashes); }
};
struct fetch_reply {
  container_id container = container_id::none;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t unchanged = 0;  // bit p: page p is as the hashes say, and its elements are not sent
  bytes elements;
  template <class Archive> void serialize(Archive& archive) {
    archive(container, begin, end, unchanged, elements);
  }
};

/// A body threw in the block at `position` of the serial order: later blocks need not run.
struct cancel {
  launch_id launch{};
  std::uint32_t position = 0;
  template <class Archive> void serialize(Archive& archive) { archive(launch, position); }
};

/// A failure, reported to the driver.
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

/// The counters of a rank for a launch.
struct counters {
  std::uint64_t iterations = 0;
  double seconds_plan = 0;
  double seconds_compute = 0;
  double seconds_wait = 0;
  std::uint64_t bytes_sent = 0;  // since the start of the run
  std::uint64_t bytes_received = 0;
  bool planned = false;                // the launch made a plan
  std::uint64_t sets_hash = 0;         // of the recorded sets of its iterations; the sum over ranks counts
  std::uint64_t iterations_moved = 0;  // from other ranks, to balance the load
  std::uint64_t rounds_ahead = 0;      // of accumulators, begun before the fold of the round before
  std::uint64_t clocks = 0;            // of a loop under consistency::stale: 1
  std::uint64_t staleness = 0;         // the earlier clocks that its iterations do not see
  std::uint64_t bytes_due = 0;         // of changes that could wait no longer, whatever the budget
  std::uint64_t bytes_beyond = 0;      // the part of these beyond the budget
  std::uint64_t bytes_unchanged = 0;   // since the start: of pages that this rank asked for and had already
  std::uint64_t refused = 0;           // since the start: connections of strangers
  std::uint64_t plan_bytes = 0;        // memory of the launch's plan
  template <class Archive> void serialize(Archive& archive) {
    archive(iterations, seconds_plan, seconds_compute, seconds_wait, bytes_sent, bytes_received, planned,
            sets_hash, iterations_moved, rounds_ahead, clocks, staleness, bytes_due, bytes_beyond,
            bytes_unchanged, refused, plan_bytes);
  }
};

/// Elements that the receiver's next iterations need. Both ranks know from the plan which elements these are.
/// Or the changes that the accumulators of a rank made in a round, or in a clock of a loop under
/// consistency::stale: `launch` is then that of its clock 0.
struct moved_elements {
  launch_id launch{};
  bytes elements;
  template <class Archive> void serialize(Archive& archive) { archive(launch, elements); }
};

/// A rank's end of a launch, with its parts of the reductions, by block.
struct done {
  launch_id launch{};
  std::vector<std::uint32_t> blocks;  // a block that ran in pieces: as often
  std::vector<float> seconds;  // of each block that may run elsewhere the next time; empty for listed blocks
  bytes partials;              // of each block: its part of each reduction, in capture order
  std::vector<std::uint32_t> summed;  // if not empty: the iterations that have parts instead of blocks
  std::vector<failure> failures;      // at most one
  counters work;
  std::vector<double> waits;  // by capture, if any: seconds that executors waited for its groups
  template <class Archive> void serialize(Archive& archive) {
    archive(launch, blocks, seconds, partials, summed, failures, work, waits);
  }
};

/// Between launches: the driver needs elements in the layout of a plan. They return to the canonical layout.
struct recall {
  container_id container = container_id::none;
  launch_id after{};       // the last launch
  std::uint32_t step = 0;  // first step of the exchange
  template <class Archive> void serialize(Archive& archive) { archive(container, after, step); }
};

/// Between launches: the driver needs what a loop under consistency::stale has written. All ranks fold its
/// first clocks, bring the results to its containers, and forget its other clocks.
struct fold_clocks {
  launch_id loop{};          // the launch of its clock 0
  std::uint64_t clocks = 0;  // all, or those before the first in which a body threw
  launch_id after{};         // the last launch
  std::uint32_t step = 0;    // first step of the exchange
  template <class Archive> void serialize(Archive& archive) { archive(loop, clocks, after, step); }
};

/// Between launches: a resumed run. The histories of merge::adaptive from the checkpoint.
struct resumed_scales {
  bytes histories;
  template <class Archive> void serialize(Archive& archive) { archive(histories); }
};

/// A worker's progress, for the driver to notice that no rank makes any.
struct pulse {
  std::uint64_t progress = 0;  // grows with each block, message and launch
  bool is_in_loop = false;
  bool is_planning = false;
  template <class Archive> void serialize(Archive& archive) { archive(progress, is_in_loop, is_planning); }
};

/// No rank makes progress: the driver asks for the receiver's state.
struct state_request {
  bool ends_run = false;  // after the report
  template <class Archive> void serialize(Archive& archive) { archive(ends_run); }
};

/// A rank that another one waits for.
struct awaited_rank {
  rank_id rank = 0;
  std::string reason;
  template <class Archive> void serialize(Archive& archive) { archive(rank, reason); }
};

/// The state of a rank, for a report on a run without progress.
struct rank_state {
  std::string process;               // its number and host
  std::string site;                  // of the loop that it runs, or empty
  std::vector<awaited_rank> awaits;  // none: it runs bodies, or the program
  std::vector<std::string> stacks;   // of its threads, as lines
  template <class Archive> void serialize(Archive& archive) { archive(process, site, awaits, stacks); }
};

/// A worker has lost another worker: the run ends.
struct lost_peer {
  std::int32_t rank = 0;
  std::string why;
  template <class Archive> void serialize(Archive& archive) { archive(rank, why); }
};

/// The end of the program.
struct shutdown {
  template <class Archive> void serialize(Archive&) {}
};

using message = std::variant<hello, ping, launch, part, token, fetch_request, fetch_reply, cancel, done,
                             shutdown, moved_elements, recall, inbox_place, inbox_in_use, fold_clocks,
                             resumed_scales, pulse, state_request, rank_state, lost_peer, part_taken>;

/// The bytes of the message, with `room` free bytes before them for the frame.
[[nodiscard]] bytes encode(const message& m, std::size_t room = 0);
/// Throws error(errc::decode) for bytes that are not exactly one message.
[[nodiscard]] message decode(std::span<const std::byte> frame);

}  // namespace stradsap::rt
