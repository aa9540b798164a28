// A loop whose iterations touch what nobody knows beforehand, on the threads of one rank: it ends in the bits
// of program order, whoever runs what when.
//
// In place, one thread goes through the iterations as the sequential program does. In rounds, several do: the
// members of a round are the next iterations. First each is attempted on copies of what it touches, by any
// thread; elements keep still meanwhile. Then the round is settled, on one thread and in program order: an
// attempt stands unless a lower member has changed an element that it touched, and is put in place; one that
// does not stand is dropped, and its iteration runs again, in place, in its turn. Which elements a member
// changes is known when it has been settled, and only lower members count: so each attempt is judged once,
// and no iteration runs more than twice.
//
// Why that is program order. Claim: once members up to i are settled, elements hold what the sequential
// program has there after iteration i. Let it hold for all below i. If i runs in place it holds for i, since
// i finds the state of the sequential program. If its attempt stands, it found the state at the round's
// beginning; no lower member has changed what it touched, so it found of that what the sequential program has
// there now; a body that finds the same does the same, so it left in its copies what the sequential program
// leaves; and what it did not touch it did not change. "Touched" includes that a key was looked up which was
// not there: then no lower member may have added a key. Attempts that throw or insert keys never stand: the
// exception is thrown, and the slot is given, in place. What threads do when, and how long rounds are, does
// not enter.
//
// That a body must bear to be attempted from an earlier state than its own is what `async` asks of it: that
// state is what some serial order would have shown it. `ordered` does not ask it, so such loops run in place
// there.
//
// Sums are folded in program order, an iteration's part at a time. What is only added into, exactly, is no
// reason to run again. Thread rule: run() on one thread, which `lanes` belongs to.
#pragma once

#include <optional>
#include <vector>

#include "runtime/loop/access_log.hpp"
#include "runtime/loop/executors.hpp"
#include "runtime/loop/frame.hpp"

namespace stradsap::rt {

struct transactions_end {
  std::optional<failure> failed;  // first in program order; what comes after it has left nothing
  std::uint64_t rounds = 0;
  std::uint64_t repeated = 0;  // iterations of rounds whose attempts did not stand
  std::uint64_t in_place = 0;  // iterations that were of no round
  std::vector<access_log> logs;

  /// Rounds, and iterations that ran while no other did.
  [[nodiscard]] std::uint64_t one_after_the_other() const { return rounds + repeated + in_place; }
};

/// Runs all iterations over containers that are all here. `partials`, one a capture, hold reductions before
/// and after. `rounds_only`: where it would be quicker in place, too.
[[nodiscard]] transactions_end run_as_transactions(const loop_frame& f, executors& lanes,
                                                   const std::vector<std::byte*>& partials, bool rounds_only);

}  // namespace stradsap::rt
