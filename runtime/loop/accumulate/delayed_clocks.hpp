// The clocks of a loop under consistency::stale. Each call of the loop is a clock: a round of the
// containers that it writes at computed places, which goes on from call to call. In clock c an accumulator
// sees the folds of the clocks up to c - bound - 1, no later ones, and its own changes. A rank sends its
// changes when it has ended a clock, and folds a clock when it needs the fold and the changes of all ranks
// are here. So a rank waits only for ranks that are more than `bound` clocks behind. In a free-running loop a
// rank folds all clocks that it can when it begins one, and its accumulators see them. With a budget of
// bytes, changes may be sent with a later clock than their own. A rank tells with each clock how many have
// been sent completely, and a clock waits for so many as its bound promises. See docs/decisions/relaxed.md.
// Thread rule: the main thread of the rank; accumulators as `accumulators` says; received() on the thread
// with the receiving role.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/base/notification.hpp"
#include "runtime/loop/accumulate/accumulators.hpp"
#include "runtime/loop/accumulate/batch_memory.hpp"
#include "runtime/loop/accumulate/delayed_copies.hpp"
#include "runtime/net/transport.hpp"

namespace stradsap::rt {

class delayed_clocks {
 public:
  /// All elements of relaxed containers are valid on this rank. `in`, `p` and `kept` outlive the object.
  /// `net`: null if there is one rank only. `loop`: the launch of clock 0.
  delayed_clocks(const planning& in, const plan& p, batch_memory& kept, transport* net, wait_policy waiting,
                 launch_id loop);
  ~delayed_clocks();

  /// The accumulators of a relaxed container. They borrow the copies.
  [[nodiscard]] std::unique_ptr<accumulators> accumulators_of(std::size_t capture);

  /// Begins the next clock: waits for the changes that it sees, and folds them. Returns false if bodies need
  /// not run, since an earlier clock has failed.
  [[nodiscard]] bool begin(std::uint64_t clock);
  /// Ends it on this rank, and sends its changes. `has_failed`: a body threw, or did not run.
  void end(std::uint64_t clock, bool has_failed);
  /// Folds all clocks before `clocks`, in which nothing has failed, and brings the results to the
  /// containers. No clock begins afterwards.
  void finish(std::uint64_t clocks);
  /// The first error of a merge, or null. It is the same on all ranks, in the same clock.
  [[nodiscard]] std::exception_ptr fold_error() const { return error_; }
  /// Accumulators of this rank that began the last clock before all changes of the clock before had come.
  [[nodiscard]] std::uint64_t rounds_ahead() const { return rounds_ahead_; }
  /// The earlier clocks that accumulators do not see in the last one, but for their own changes.
  [[nodiscard]] std::uint64_t staleness() const { return staleness_; }
  /// Bytes of changes that this rank sent to each other one in the last clock because they could wait no
  /// longer, and the part of these beyond the budget.
  [[nodiscard]] std::uint64_t bytes_due() const { return bytes_due_; }
  [[nodiscard]] std::uint64_t bytes_beyond() const { return bytes_due_ - std::min(bytes_due_, budget_); }

  /// The changes of another rank. Throws error(errc::decode).
  void received(rank_id from, bytes changes);
  /// The ranks whose changes this one waits for now. By any thread.
  [[nodiscard]] std::vector<awaited_rank> awaits();

 private:
  /// A clock that is not folded yet.
  struct clock_state {
    int arrived = 0;             // ranks with changes here
    bool has_failed = false;     // on a rank
    std::uint64_t complete = 0;  // once all have arrived: the first clocks with all their changes
    std::vector<bytes> changes;  // by rank
    std::vector<bool> is_here;   // by rank
  };

  [[nodiscard]] std::unique_ptr<delayed_copies> make_copies(std::size_t capture);
  void for_each_accumulator(const std::function<void(std::uint32_t)>& work);
  template <class Work> bool keep_error(const Work& work);
  [[nodiscard]] clock_state& state_of(std::uint64_t clock) REQUIRES(mutex_);
  void arrived(std::uint64_t clock, rank_id from, bool has_failed, std::uint64_t complete, bytes changes);
  [[nodiscard]] bool must_fold_before(std::uint64_t clock);
  [[nodiscard]] clock_state await_next();
  void fold_next(const clock_state& state);
  [[nodiscard]] std::uint64_t hold_back(std::uint64_t clock);
  void send_and_arrive(std::uint64_t clock, bool has_failed, std::uint64_t complete);
  void close_copies();
  void begin_copies(std::uint64_t clock);
  void fold_held_back(std::uint64_t clock);

  const planning& in_;
  const plan& plan_;
  batch_memory& kept_;
  transport* const net_;
  const wait_policy waiting_;
  const launch_id loop_;
  std::size_t bound_ = 0;
  std::uint64_t budget_ = 0;                             // bytes; 0: none
  std::vector<std::uint32_t> own_;                       // accumulators of this rank
  std::vector<std::unique_ptr<delayed_copies>> copies_;  // per capture, or null
  bool is_stopped_ = false;                              // a clock has failed
  std::exception_ptr error_;
  bool is_free_ = false;
  std::uint64_t ended_ = 0;     // clocks, on this rank
  std::uint64_t complete_ = 0;  // clocks of which all changes are folded
  std::uint64_t rounds_ahead_ = 0;
  std::uint64_t staleness_ = 0;
  std::uint64_t bytes_due_ = 0;
  mutex mutex_;
  notification notification_;
  std::uint64_t folded_ GUARDED_BY(mutex_) = 0;  // clocks
  bool is_waiting_ GUARDED_BY(mutex_) = false;
  std::deque<clock_state> states_ GUARDED_BY(mutex_);
};

}  // namespace stradsap::rt
