// The rounds of a loop by blocks with containers that are consistency::stale with bounds above 0. No round
// waits for the fold of the one before it, unless a bound is 0: an accumulator begins round r when the folds
// up to r - bound - 1 are made, for the least bound. A rank sends the changes of a round when its
// accumulators have ended it, and folds a round when those of all ranks are here. See
// docs/decisions/relaxed.md. Thread rule: thread-safe, but one executor at a time for an accumulator, and one
// thread for a fold.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/base/mutex.hpp"
#include "runtime/loop/accumulate/accumulators.hpp"
#include "runtime/loop/accumulate/batch_memory.hpp"
#include "runtime/loop/accumulate/delayed_copies.hpp"
#include "runtime/net/transport.hpp"

namespace stradsap::rt {

class delayed_rounds {
 public:
  /// A round that can be folded now, if any. The caller lets a thread call fold() soon.
  using foldable = std::optional<std::size_t>;

  /// `rounds`: the blocks of each. All elements of relaxed containers are valid on this rank. `net`: null if
  /// there is one rank only.
  delayed_rounds(const planning& in, const plan& p, const std::vector<std::vector<std::uint32_t>>& rounds,
                 batch_memory& kept, transport* net, launch_id launch);
  ~delayed_rounds();

  [[nodiscard]] std::size_t num_rounds() const { return num_rounds_; }
  [[nodiscard]] std::size_t round_of(std::uint32_t block) const { return round_of_[block]; }
  /// The least bound: accumulators begin round r after the fold of round r - bound - 1.
  [[nodiscard]] std::size_t bound() const { return bound_; }
  /// The accumulators of a relaxed container. They borrow the copies.
  [[nodiscard]] std::unique_ptr<accumulators> accumulators_of(std::size_t capture);
  /// The accumulator's copy of a hot element.
  [[nodiscard]] std::byte* hot_at(std::size_t capture, std::uint32_t accumulator, std::uint64_t i) const {
    return copies_[capture]->at(accumulator, i);
  }

  /// Ends the rounds in which this rank has no accumulators.
  [[nodiscard]] foldable start();
  /// The accumulator runs the first block of the round next. It may have begun it already.
  void begin(std::uint32_t accumulator, std::size_t round);
  /// Its last block of the round has ended.
  [[nodiscard]] foldable close(std::uint32_t accumulator, std::size_t round);
  /// A body threw in the round, so it and later ones are not folded.
  void fail(std::size_t round);
  /// The changes of another rank. Throws error(errc::decode).
  [[nodiscard]] foldable received(rank_id from, const bytes& changes);
  [[nodiscard]] foldable fold(std::size_t round);
  /// Whether a merge failed: bodies need not run.
  [[nodiscard]] bool has_error() const { return has_error_.load(std::memory_order_relaxed); }
  /// Rounds that accumulators of this rank began before the fold of the round before.
  [[nodiscard]] std::uint64_t rounds_ahead() const { return rounds_ahead_; }
  /// After the last fold: brings the results to the containers. Throws the error of a merge.
  void finish();

 private:
  struct round_state {
    std::size_t open = 0;        // accumulators of this rank that have not ended it
    int arrived = 0;             // ranks with changes here
    bool has_failed = false;     // on a rank
    std::vector<bytes> changes;  // by rank
  };

  void add_copies(std::size_t capture, std::size_t rounds);
  void count_open(const std::vector<std::vector<std::uint32_t>>& rounds);
  void send(std::size_t round);
  [[nodiscard]] foldable arrived(std::size_t round, rank_id from, bool has_failed, bytes changes);
  [[nodiscard]] foldable next_fold() REQUIRES(mutex_);
  void fold_changes(std::size_t round, const std::vector<bytes>& changes);
  template <class Work> void keep_errors(std::size_t round, const Work& work);
  void keep_error(std::exception_ptr failure);

  const planning& in_;
  const plan& plan_;
  batch_memory& kept_;
  transport* const net_;
  const launch_id launch_;
  const std::size_t num_rounds_;
  std::size_t bound_ = 0;
  std::vector<std::size_t> round_of_;                    // by block
  std::vector<std::unique_ptr<delayed_copies>> copies_;  // per capture, or null
  std::vector<std::size_t> current_;                     // by accumulator: the round that it has begun
  std::atomic<std::size_t> failed_;                      // the first round in which a body threw here
  std::atomic<bool> has_error_{false};
  std::atomic<std::size_t> num_folded_{0};
  std::atomic<std::uint64_t> rounds_ahead_{0};
  mutex mutex_;
  std::vector<round_state> states_ GUARDED_BY(mutex_);
  std::size_t folded_ GUARDED_BY(mutex_) = 0;  // rounds
  bool is_folding_ GUARDED_BY(mutex_) = false;
  bool stopped_ GUARDED_BY(mutex_) = false;  // a body threw in a round that was to be folded
  std::exception_ptr error_ GUARDED_BY(mutex_);
};

}  // namespace stradsap::rt
