// One wave thread in a loop by waves. It runs its steps, and checks that each iteration touches only the
// elements of its plan. Thread rule: one thread.
#pragma once

#include <vector>

#include "runtime/loop/access/touch_index.hpp"
#include "runtime/loop/run/body_runner.hpp"
#include "runtime/loop/run/iteration_sums.hpp"
#include "runtime/loop/waves/wave_execution.hpp"

namespace stradsap::rt {

class wave_execution::thread final : public abi::block_source {
 public:
  thread(wave_execution& loop, std::uint32_t number);

  void run(executor_clock& clock);

  const abi::block* next() override;
  void failed(std::int64_t iteration, errc code, const char* what) override;
  void reached(std::uint64_t k) override;
  void begin(std::int64_t j) override;
  void end() override { body_.end(); }

 private:
  /// Answers accesses to a written container. Elements that the plan of the running iteration lacks throw.
  struct guard final : abi::element_source {
    void* element(std::uint64_t i, abi::access how) override;
    void* range(std::uint64_t first, std::uint64_t n, abi::access how) override;
    void* add_entry() override;
    thread* owner = nullptr;
    std::uint32_t capture = 0;
    const replica* local = nullptr;
    std::uint32_t first = 0;  // number of the container's element 0
    bool written = false;
    bool is_aligned = false;
  };

  void keep_sums(std::uint64_t k, const std::byte* part);
  void count_ticks();
  [[nodiscard]] bool next_step();
  void complete_step();
  [[nodiscard]] const abi::block* open(std::uint64_t end);
  [[nodiscard]] std::uint64_t running() const { return begin_ + position_; }
  [[nodiscard]] void* added(std::uint32_t capture, std::uint64_t first, std::uint64_t n);
  [[nodiscard]] bool is_planned(std::uint32_t element);

  wave_execution& loop_;
  const std::uint32_t number_;
  const wave_thread_share& share_;
  std::vector<guard> guards_;
  std::vector<abi::window> windows_;
  std::vector<std::byte*> streams_;
  iteration_sums sums_;
  abi::block block_;
  std::size_t step_ = 0;        // the next one
  std::uint64_t place_ = 0;     // in the lists: the next iteration
  std::uint64_t begin_ = 0;     // of the block
  std::uint64_t position_ = 0;  // in the block: the running iteration
  bool in_step_ = false;
  touch_index large_set_;  // of the iteration at large_place_
  std::uint64_t large_place_ = ~std::uint64_t{0};
  body_runner body_;
  std::vector<touch> checked_set_;
  executor_clock* clock_ = nullptr;
  std::vector<std::uint64_t> ticks_;  // by part, if they are timed
  std::uint64_t begun_ = 0;           // start of the running iteration, in ticks; 0: none runs
};

}  // namespace stradsap::rt
