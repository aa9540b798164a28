// Runs a plan. A block may start when each of its groups has been let go by the block before it in the serial
// order, and the copies that it adds into by the block that added before; there is no barrier inside a loop.
// Every order that these allow leaves the same bits, so executors take of the blocks that may start the one
// whose groups are needed elsewhere soonest.
//
// Deadlock freedom: no executor waits for one block. The least unfinished block of the whole order may start,
// since every block before it at its groups is finished, and some executor of its rank takes it.
//
// Thread rule: run() on one thread a rank; received() by who receives, one thread at a time.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "runtime/dds/absent_pages.hpp"
#include "runtime/loop/executors.hpp"
#include "runtime/loop/frame.hpp"
#include "runtime/loop/plan.hpp"
#include "runtime/loop/ready_blocks.hpp"
#include "runtime/loop/running_loop.hpp"

namespace stradsap::rt {

class execution final : public running_loop {
 public:
  /// `order` is a serial order of p's blocks.
  execution(const loop_frame& frame, const plan& p, std::vector<std::uint32_t> order, const loop_place& at);
  ~execution();
  execution(const execution&) = delete;
  execution& operator=(const execution&) = delete;

  /// Runs this rank's blocks and says who owns which group afterwards.
  [[nodiscard]] loop_result run(executors& lanes);

  void received(rank_id from, token t) override;
  void received(rank_id from, moved_elements m) override;

 private:
  class lane;
  friend class lane;

  void close_absent_pages();
  void link_blocks();
  void count_pieces();
  [[nodiscard]] std::vector<std::uint64_t> turns_of_homes() const;
  void set_urgencies();
  void send_first_tokens();
  void pass_on(std::uint32_t block);
  void send_token(std::uint32_t token_number, std::uint32_t to_block);
  void satisfied(std::uint32_t block);
  void ready(std::uint32_t block);
  void finished(std::uint32_t piece);
  void settle_owners();
  [[nodiscard]] loop_result take_result();

  const loop_frame& frame_;
  const plan& plan_;
  const std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> position_;    // block -> place in the serial order
  std::vector<std::uint32_t> next_;        // by place in plan_.block_tokens: block that follows
  std::vector<std::uint32_t> next_adder_;  // by block: the next that adds into the same copies
  std::vector<std::uint32_t> first_;       // by token: its first block
  std::vector<std::uint32_t> last_;        // by token: its last block
  std::vector<std::uint64_t> urgency_;     // by block: the least runs first
  std::unique_ptr<std::atomic<std::uint32_t>[]> missing_;     // by block: groups that have not come yet
  const std::vector<block_piece> pieces_;                     // of this rank's blocks, in their order
  std::vector<std::uint32_t> first_piece_;                    // by block, of this rank's
  std::unique_ptr<std::atomic<std::uint32_t>[]> unfinished_;  // by first piece: those of its block
  std::unique_ptr<ready_blocks> ready_;                       // pieces
  std::unique_ptr<absent_pages> absent_;                      // null where nobody asks for them
  std::vector<std::size_t> partial_offsets_;                  // by capture, into a piece's partials
  std::size_t partials_size_ = 0;
  bytes partials_;                    // by piece
  std::vector<float> piece_seconds_;  // by piece, where somebody wants to know
};

}  // namespace stradsap::rt
