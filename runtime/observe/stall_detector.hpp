// Notices that a run makes no progress: no rank has finished a block of iterations, received a message or
// begun a launch for the hang time-out, while a loop runs. It learns of the ranks' progress and of the time
// by arguments; it neither sends nor waits. Silent ranks are no business of it: the failure detector has
// them. Thread rule: one thread at a time.
#pragma once

#include <chrono>
#include <vector>

#include "runtime/base/ids.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

class stall_detector {
 public:
  using duration = std::chrono::milliseconds;

  stall_detector(int ranks, duration hang_timeout);

  /// The time between two pulses of a rank.
  [[nodiscard]] duration interval() const;
  /// The rank's progress at `now`, a time since any beginning.
  void heard(rank_id from, const pulse& of, duration now);
  /// Whether to report. Requires a recent pulse of each rank.
  [[nodiscard]] bool is_stalled(duration now) const;
  /// For how long no rank has made progress.
  [[nodiscard]] duration stalled_for(duration now) const { return now - changed_; }
  /// Some rank makes a plan.
  [[nodiscard]] bool is_planning() const;
  /// A report was made, and the run goes on. The next one takes twice as long a time without progress.
  void reported(duration now);

 private:
  struct rank_pulse {
    pulse last;
    duration at{0};
    bool has_come = false;
  };

  const duration timeout_;
  duration limit_;
  duration changed_{0};
  std::vector<rank_pulse> ranks_;
};

}  // namespace stradsap::rt
