// One executor in a loop by blocks. It takes ready blocks, opens windows on their data, and keeps the parts
// of their reductions. Thread rule: one thread.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "runtime/loop/blocks/execution.hpp"
#include "runtime/loop/run/body_runner.hpp"
#include "runtime/loop/run/iteration_sums.hpp"

namespace stradsap::rt {

class execution::executor final : public abi::block_source {
 public:
  executor(execution& loop, int number);

  void run(executor_clock& clock);

  const abi::block* next() override;
  void failed(std::int64_t iteration, errc code, const char* what) override;
  void begin(std::int64_t j) override;
  void end() override { body_.end(); }
  void reached(std::uint64_t k) override;

 private:
  /// Answers accesses beyond a window: other groups of the running block. Any other access throws.
  struct guard final : abi::element_source {
    void* element(std::uint64_t i, abi::access how) override;
    void* range(std::uint64_t first, std::uint64_t n, abi::access how) override;
    void* add_entry() override;
    [[nodiscard]] bool has_near(std::uint64_t first, std::uint64_t n) const {
      return first - near_begin < near_count && n <= near_count - (first - near_begin);
    }
    const executor* owner = nullptr;
    std::uint32_t capture = 0;
    // the block's next groups that follow each other, behind those in the window; found without a search
    std::uint64_t near_begin = 0;
    std::uint64_t near_count = 0;
  };

  /// A capture that a block has to look at.
  struct noted_capture {
    std::uint32_t capture;
    bool is_written;
    bool is_at_index;  // the body accesses it at its index only
    bool has_parts;    // of reductions
    bool is_only_added;
  };

  void note_captures();
  void open_windows(const plan_block& b);
  void open_groups(const plan_block& b, std::uint32_t c);
  void leave_out_hot(std::size_t c);
  [[nodiscard]] bool is_hot(std::uint32_t capture, std::uint64_t i) const;
  [[nodiscard]] bool has_hot(std::uint32_t capture, std::uint64_t first, std::uint64_t n) const;
  [[nodiscard]] void* hot_at(std::uint32_t capture, std::uint64_t i) const;
  [[nodiscard]] bool begin_round();
  void open_piece(std::uint32_t piece);
  void note_wait(double seconds);
  void close_piece();
  void keep_sums(std::uint64_t k, const std::byte* part);
  [[nodiscard]] std::uint32_t block() const { return loop_.pieces_[current_].block; }
  [[nodiscard]] void* streamed(std::uint32_t capture) const;

  execution& loop_;
  const int number_;
  std::uint32_t current_ = none;  // piece
  std::vector<noted_capture> kinds_;
  bool is_whole_alone_ = false;  // a block without groups
  bool has_accumulators_ = false;
  std::vector<guard> guards_;
  std::vector<abi::window> windows_;
  std::vector<std::byte*> streams_;  // of lists of iterations
  std::vector<std::byte*> partials_;
  std::vector<abi::element_column> columns_;  // of lists of iterations
  abi::block block_;
  std::unique_ptr<iteration_sums> sums_;  // if iterations are summed one by one
  body_runner body_;
  std::uint64_t place_ = 0;  // in the lists: the iteration that begins next
  executor_clock* clock_ = nullptr;
  std::chrono::steady_clock::time_point begun_;  // start of the running piece, if pieces are timed
};

}  // namespace stradsap::rt
