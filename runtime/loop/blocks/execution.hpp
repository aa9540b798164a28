// Runs a plan of blocks. A block may start when the preceding block in the queue of each of its groups has
// released the group, and the preceding block of its accumulator has finished. A loop has no internal
// barrier. Every order that these rules allow gives the same bits. Of the blocks that may start, an executor
// takes the one with groups that another executor needs soonest.
//
// In delayed rounds, the first block of an accumulator in a round also waits for a fold. Folds run on
// executors, as pieces do, before blocks.
//
// Deadlock freedom: no executor waits for a particular block. All blocks that precede the least unfinished
// block at its groups are finished, and so are those of earlier rounds on all ranks, so that their folds can
// be made. So that block may start, and an executor of its rank takes it.
//
// Thread rule: run() on one thread a rank; received() on the thread with the receiving role, one at a time.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/dds/absent_pages.hpp"
#include "runtime/loop/blocks/ready_blocks.hpp"
#include "runtime/loop/launch/executor_pool.hpp"
#include "runtime/loop/launch/frame.hpp"
#include "runtime/loop/plan/plan.hpp"
#include "runtime/loop/run/running_loop.hpp"

namespace stradsap::rt {

class execution final : public running_loop {
 public:
  /// `order`: a serial order of p's blocks, or a round of it; of all rounds if `at.delayed` folds them. Only
  /// iterations between the frame's `first` and `end` run.
  execution(const loop_frame& frame, const plan& p, std::vector<std::uint32_t> order, const loop_place& at);
  ~execution();
  execution(const execution&) = delete;
  execution& operator=(const execution&) = delete;

  /// Runs this rank's blocks, then sets the owner of each group: the rank of its last block.
  [[nodiscard]] loop_result run(executor_pool& pool);
  /// By index, after run(): the failures of blocks, which stop no other block. They are not in the result.
  [[nodiscard]] std::vector<failure> failures_alone() const;

  void received(rank_id from, token t) override;
  void received(rank_id from, moved_elements m) override;
  [[nodiscard]] std::vector<awaited_rank> awaits() const override;

 private:
  class executor;
  friend class executor;

  [[nodiscard]] std::uint32_t take_piece(int by, double& seconds_wait);
  /// The place in the serial order.
  [[nodiscard]] std::uint32_t position_of(std::uint32_t block) const {
    return is_in_program_order_ ? block : position_[block];
  }
  void fail_alone(std::uint32_t block, failure f) { alone_[block] = std::move(f); }
  void close_absent_pages();
  void schedule();
  void link_blocks();
  void count_pieces();
  [[nodiscard]] std::vector<std::uint64_t> turns_of_anchors() const;
  void set_urgencies();
  void send_first_tokens();
  void note_token(const token& t);
  [[nodiscard]] std::uint32_t first_waiting_block() const;
  [[nodiscard]] std::vector<std::uint32_t> blocks_before(std::uint32_t block) const;
  void pass_on(std::uint32_t block);
  void send_token(std::uint32_t token_number, std::uint32_t to_block, bool with_elements);
  void await_fold(std::uint32_t block, std::uint32_t before);
  void fold(std::size_t round);
  void fold_soon(std::optional<std::size_t> round);
  void satisfied(std::uint32_t block, std::uint32_t capture);
  void ready(std::uint32_t block);
  void finished(std::uint32_t piece);
  void settle_owners();
  [[nodiscard]] loop_result take_result();
  void take_sums(loop_result& result) const;

  const loop_frame& frame_;
  const plan& plan_;
  const int executors_;             // that run it, of those of this rank
  const bool is_in_program_order_;  // one executor runs ranges: no block waits for another
  const std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> position_;    // block -> place in the serial order
  std::vector<std::uint32_t> next_;        // by place in plan_.block_tokens: the group's next block
  std::vector<std::uint32_t> next_adder_;  // by block: the next block of its accumulator
  std::vector<std::uint32_t> first_;       // by token: its first block
  std::vector<std::uint32_t> last_;        // by token: its last block
  std::vector<bool> ends_round_;           // by block: the last of its accumulator in its round
  std::vector<std::vector<std::uint32_t>> awaiting_folds_;  // by round: blocks that wait for its fold
  std::vector<std::uint64_t> urgency_;                      // by block: the least runs first
  std::vector<std::uint32_t> awaited_;  // by block: the capture of the group that it got last, or none
  std::unique_ptr<std::atomic<bool>[]> has_come_;          // by place in plan_.block_tokens: by a message
  std::unique_ptr<std::atomic<std::uint32_t>[]> missing_;  // by block: groups and accumulator still to come
  const std::vector<block_piece> pieces_;                  // of this rank's blocks, in their order
  std::vector<std::uint32_t> first_piece_;                 // by block, of this rank's
  std::unique_ptr<std::atomic<std::uint32_t>[]> unfinished_;  // by first piece: those of its block
  std::unique_ptr<ready_blocks> ready_;                       // pieces
  std::unique_ptr<absent_pages> absent_;                      // null unless in check builds
  std::vector<std::size_t> partial_offsets_;                  // by capture, into a piece's partials
  std::size_t partials_size_ = 0;
  std::uint32_t next_piece_ = 0;      // in program order
  bytes partials_;                    // by piece
  bytes sums_;                        // by iteration, of disjoint ones with fractions to add up; else empty
  std::vector<float> piece_seconds_;  // by piece, if they are timed
  std::vector<std::optional<failure>> alone_;  // by block, in the order of the index
};

}  // namespace stradsap::rt
