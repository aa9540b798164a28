// A loop whose iterations touch what nobody knows beforehand, on the threads of one rank: deterministic
// reservations (G. Blelloch, J. Fineman, P. Gibbons, J. Shun, "Internally deterministic parallel algorithms
// can be fast", PPoPP 2012, speculative_for).
//
// A round takes the lowest unfinished iterations, its members. Each runs on scratch copies: what it finds is
// what stood when the round began, and its own changes. Then each reserves the elements that it has changed;
// an element is the lowest member's. A member stands unless a lower one has reserved an element that it
// touched. What stands is put in place, the rest is dropped and runs again in the next round.
//
// The serial order is that of (round, iteration). Let i < j both stand in a round. Then i has changed nothing
// that j touched, so j found what it would have found after i. And j's changes, which i did not see, come
// after i: that j changes what i only read does no harm. No two change one element, since the higher one
// would have touched what the lower one changed: so they are put in place at the same time. A member that
// does not stand has changed nothing. Induction over rounds: each finds what the serial order left.
//
// It ends: below the lowest member there is none, so one iteration stands in each round. And a body that
// would end in every serial order ends here: all that an attempt finds is one state, that which some first
// part of the serial order left; it never sees half of another iteration.
//
// Which iterations a round takes depends on how many stood before, which depends on the data: nothing depends
// on threads. Sums are folded in the serial order, a member's part at a time. Thread rule: run() on one
// thread, which `lanes` belongs to.
#pragma once

#include <optional>
#include <vector>

#include "runtime/loop/executors.hpp"
#include "runtime/loop/transaction_lane.hpp"

namespace stradsap::rt {

struct transactions_end {
  std::optional<failure> failed;  // first in the serial order; what comes after it has left nothing
  std::uint64_t rounds = 0;
  std::uint64_t retries = 0;  // attempts that did not stand
  std::vector<access_log> logs;
};

/// How many iterations the next round takes, of whom `stood` of `members` have stood in this one.
[[nodiscard]] std::size_t next_round_size(std::size_t members, std::size_t stood, std::size_t size);

/// Runs all iterations over containers that are all here. `partials`, one a capture, hold reductions before
/// and after.
[[nodiscard]] transactions_end run_as_transactions(const loop_frame& f, executors& lanes,
                                                   const std::vector<std::byte*>& partials);

}  // namespace stradsap::rt
