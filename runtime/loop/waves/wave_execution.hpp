// Runs a plan of waves. A wave thread begins a step when the wave threads and messages that it needs have
// come far enough. After a level, a rank sends the elements that other ranks use next, in one message for
// each rank. There is no barrier between levels.
//
// Deadlock freedom: wave threads run their steps, and ranks send, in level order. A step needs only lower
// levels, so the least unfinished level can always run.
//
// Thread rule: run() on one thread a rank; received() on the thread with the receiving role, one at a time.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "runtime/base/mutex.hpp"
#include "runtime/loop/plan/wave_plan.hpp"
#include "runtime/loop/run/running_loop.hpp"
#include "runtime/net/exchange.hpp"

namespace stradsap::rt {

class wave_execution final : public running_loop {
 public:
  wave_execution(const loop_frame& frame, const wave_plan& p, exchange& ranks, const loop_place& at);
  ~wave_execution();
  wave_execution(const wave_execution&) = delete;
  wave_execution& operator=(const wave_execution&) = delete;

  /// Runs this rank's iterations, then sets the owner of each group. A collective.
  [[nodiscard]] loop_result run(executor_pool& pool);

  void received(rank_id from, token t) override;
  void received(rank_id from, moved_elements m) override;
  [[nodiscard]] std::vector<awaited_rank> awaits() const override;

 private:
  class thread;
  friend class thread;

  /// The progress of a wave thread or of another rank; one in a cache line.
  struct alignas(64) counter {
    std::atomic<std::uint32_t> value{0};
  };

  void collect_first();
  void return_last();
  void exchange_elements(const std::vector<rank_id>& from, const std::vector<rank_id>& to);
  [[nodiscard]] std::vector<rank_id> owners_now() const;
  void write_elements(const std::vector<std::uint32_t>& elements, abi::writer& out) const;
  void read_elements(const std::vector<std::uint32_t>& elements, abi::reader& in) const;
  [[nodiscard]] std::uint32_t capture_of(std::uint32_t element) const {
    for (std::uint32_t p = 1; p < places_.size(); ++p) {
      if (element < places_[p].first) return places_[p - 1].capture;
    }
    return places_.back().capture;
  }
  void prefetch(std::uint32_t element) const;
  void reached(std::uint32_t source, std::uint32_t count);
  void wait_for(std::size_t number, const wave_need& need);
  void depart(std::uint32_t departure);
  void take_sums(loop_result& result);
  [[nodiscard]] std::vector<float> part_seconds(std::span<const executor_clock> clocks) const;

  /// The elements of one container among all element numbers.
  struct place {
    std::uint32_t first;
    std::uint32_t capture;
    std::byte* base;
    std::size_t size;  // of an element
  };

  const loop_frame& frame_;
  const wave_plan& plan_;
  exchange& ranks_;
  std::vector<place> places_;                                   // in order of element numbers
  std::unique_ptr<counter[]> counters_;                         // by source
  std::unique_ptr<std::atomic<const wave_need*>[]> asleep_;     // by wave thread: its need, or null
  std::unique_ptr<std::atomic<std::uint32_t>[]> threads_left_;  // by departure
  std::size_t sums_size_ = 0;                                   // of the reductions of an iteration
  bytes sums_;                                                  // by iteration, if this rank runs it
  mutex sending_;
  std::uint32_t next_departure_ GUARDED_BY(sending_) = 0;
};

}  // namespace stradsap::rt
