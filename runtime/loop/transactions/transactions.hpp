// Runs a loop whose accesses are not known in advance on the threads of one rank. The result has the bits of
// program order, for any threads and timing.
//
// Two ways of running alternate. In place, one thread runs the iterations as the sequential program does. In
// rounds, all executors work. The members of a round are the next iterations. First, executors attempt each
// member on copies of its elements; the elements themselves do not change. Then one thread settles the round
// in program order:
//
// - An attempt stands unless a lower member has changed an element that it touched. Its changes are put in
//   place.
// - An attempt that does not stand is dropped. Its iteration runs again in its turn, in place.
//
// The changes of a member are known when it is settled, and only those of lower members count. So each
// attempt is checked once, and no iteration runs more than twice.
//
// Proof of program order. Claim: after members up to i are settled, all elements have the values of the
// sequential program after iteration i. Assume it for all members below i.
//
// - If i runs in place, it finds the state of the sequential program, so the claim holds for i.
// - If its attempt stands, it found the state at the beginning of the round. No lower member has changed an
//   element that it touched, so it found the values that the sequential program has now. A body that finds
//   the same values computes the same, so its copies have the values of the sequential program. It changed
//   nothing that it did not touch.
//
// A failed lookup of a key counts as a touch: then no lower member may have inserted a key. Attempts that
// throw or insert keys never stand; exceptions are thrown, and slots given, in place. The proof uses neither
// timing nor the length of rounds.
//
// A body must be correct from an earlier state than its own. `async` requires this: some serial order would
// have shown it that state. `ordered` does not, so its loops run in place.
//
// Sums are folded in program order, one iteration's part at a time. Exact additions into containers never
// make an iteration run again. Thread rule: run_as_transactions() on one thread, the owner of `pool`.
#pragma once

#include <optional>
#include <vector>

#include "runtime/loop/access/access_log.hpp"
#include "runtime/loop/launch/executor_pool.hpp"
#include "runtime/loop/launch/frame.hpp"
#include "runtime/loop/transactions/transaction_pace.hpp"

namespace stradsap::rt {

struct transactions_end {
  std::optional<failure> failed;  // first in program order; later iterations have changed nothing
  std::uint64_t rounds = 0;
  std::uint64_t repeated = 0;  // iterations of rounds that ran again
  std::uint64_t in_place = 0;  // iterations outside rounds
  std::vector<access_log> logs;

  /// The number of rounds, and of iterations that ran alone.
  [[nodiscard]] std::uint64_t one_after_the_other() const { return rounds + repeated + in_place; }
};

/// Runs all iterations. All elements must be here. `partials`: one per capture; they hold the reductions
/// before and after. `pace` was made for the pool; it may come from an earlier call of the loop.
[[nodiscard]] transactions_end run_as_transactions(const loop_frame& f, executor_pool& pool,
                                                   const std::vector<std::byte*>& partials,
                                                   transaction_pace& pace);

}  // namespace stradsap::rt
