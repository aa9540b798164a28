// The updates of a dynamic loop that run free: executors take chunks of the pass or sweep, and run them on
// the elements themselves, without sets. Chunks that touch the same elements do not run at a time, so the
// result is that of some order of all updates; time decides which. A round ends when all chunks have run; the
// order of updates then has their changes, and gets those iterations back that have met others. Thread rule:
// the driver's thread, which lends chunks to executors.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/loop/dynamic/chunk_claims.hpp"
#include "runtime/loop/dynamic/kept_elements.hpp"
#include "runtime/loop/dynamic/shared_pieces.hpp"
#include "runtime/loop/dynamic/update_shard.hpp"
#include "runtime/loop/launch/executor_pool.hpp"
#include "runtime/loop/run/whole_windows.hpp"

namespace stradsap::rt {

/// The end of a loop. `not_finite`: an iteration that moved its element by no finite distance.
struct updates_end {
  std::optional<failure> failed;
  std::optional<std::int64_t> not_finite;
};

/// Some iterations that run free, one chunk after the other on each executor.
struct free_round {
  std::vector<candidate> members;
  std::vector<double> squared;       // by member: the distance by which it has moved its elements
  std::vector<std::uint8_t> ran;     // by member
  std::atomic<std::size_t> next{0};  // chunk
  std::atomic<bool> has_failed{false};
};

/// One executor's part in a round.
class free_executor final : public abi::block_source {
 public:
  free_executor(const loop_frame& f, const written_captures& written, const shared_pieces& shared,
                chunk_claims& claims, free_round& round, int number);

  /// Runs chunks until the round has none.
  void run();
  [[nodiscard]] const std::optional<failure>& failed() const { return failure_; }
  /// Adds the reductions of its updates, and turns its copy of shared pieces into differences from the
  /// elements.
  void add_reductions(const std::vector<std::byte*>& partials) const;
  void find_differences(std::vector<std::size_t>& changed);
  [[nodiscard]] const private_copy& copy() const { return copy_; }

  // ---- the body's side (abi::block_source) ----
  const abi::block* next() override;
  void begin(std::int64_t) override {}
  void end() override {}
  void failed(std::int64_t iteration, errc code, const char* what) override;

 private:
  [[nodiscard]] bool take_chunk();
  void note_changes();

  const loop_frame& frame_;
  const shared_pieces& shared_;
  chunk_claims& claims_;
  free_round& round_;
  const int number_;
  whole_windows whole_;
  private_copy copy_;
  std::vector<abi::window> windows_;
  std::vector<std::unique_ptr<kept_elements>> kept_;  // of own containers that count
  std::vector<std::vector<std::byte>> reductions_;    // by capture
  std::vector<std::byte*> partials_;
  const std::vector<std::uint32_t>* places_ = nullptr;  // of the running block's members in the round
  std::vector<std::uint32_t> listed_;                   // its iterations
  std::vector<double> squared_;                         // their distances
  abi::block block_;
  std::optional<failure> failure_;
};

class free_updates {
 public:
  /// `touched`: the elements of `written.in_place`.
  free_updates(const loop_frame& f, const written_captures& written, const touched_elements& touched,
               const claim_shape& shape, executor_pool& pool);

  /// Runs the loop to its end. `partials` as for dynamic_execution.
  [[nodiscard]] updates_end run(update_order& order, const std::vector<std::byte*>& partials);
  /// Updates that met others, and ran in a later round.
  [[nodiscard]] std::uint64_t rejected() const { return rejected_; }

 private:
  [[nodiscard]] bool runs_alone() const;
  void run_round();
  [[nodiscard]] std::optional<failure> first_failure() const;
  [[nodiscard]] std::optional<std::int64_t> note(update_order& order);
  void fold(const std::vector<std::byte*>& partials);

  const loop_frame& frame_;
  executor_pool& pool_;
  shared_pieces shared_;
  chunk_claims claims_;
  free_round round_;
  std::vector<std::unique_ptr<free_executor>> executors_;
  std::size_t running_ = 0;       // executors, in the last round
  bool many_left_ = false;        // of its members
  double seconds_of_update_ = 0;  // of one thread
  std::uint64_t rejected_ = 0;
};

}  // namespace stradsap::rt
