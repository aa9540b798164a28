// The work that this process has done in the running operation: executors count their iterations, and the
// progress line adds up. Thread rule: thread-safe; each executor number has one writer at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace stradsap::rt {

enum class work_stage : std::uint8_t { starting, planning, running };

/// Is told of stages and counts by the thread that counts, in a process with one executor.
class count_listener {
 public:
  virtual void counted() = 0;
  virtual void began(work_stage stage) = 0;

 protected:
  ~count_listener() = default;
};

class work_counter {
 public:
  explicit work_counter(int executors) : done_(static_cast<std::size_t>(executors)) {}

  /// For one executor only.
  void tell(count_listener* told) { told_ = told; }

  /// Begins a stage, while no executor works. `total`: the work of this process; 0 if unknown.
  void begin(work_stage stage, std::uint64_t total) {
    before_.store(sum(), std::memory_order_relaxed);
    total_.store(total, std::memory_order_relaxed);
    stage_.store(stage, std::memory_order_relaxed);
    if (told_ != nullptr) told_->began(stage);
  }
  void add(int executor, std::uint64_t count) {
    std::atomic<std::uint64_t>& mine = done_[static_cast<std::size_t>(executor)].count;
    mine.store(mine.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
    if (told_ != nullptr) told_->counted();
  }

  /// All work so far.
  [[nodiscard]] std::uint64_t sum() const {
    std::uint64_t all = 0;
    for (const slot& one : done_) all += one.count.load(std::memory_order_relaxed);
    return all;
  }

  struct state {
    work_stage stage;
    std::uint64_t done;
    std::uint64_t total;
  };
  /// For people: while a stage begins, the parts may be those of two stages.
  [[nodiscard]] state now() const {
    return {stage_.load(std::memory_order_relaxed), sum() - before_.load(std::memory_order_relaxed),
            total_.load(std::memory_order_relaxed)};
  }

 private:
  struct alignas(64) slot {  // a cache line for each writer
    std::atomic<std::uint64_t> count{0};
  };

  std::vector<slot> done_;
  count_listener* told_ = nullptr;
  std::atomic<std::uint64_t> before_{0};
  std::atomic<std::uint64_t> total_{0};
  std::atomic<work_stage> stage_{work_stage::starting};
};

}  // namespace stradsap::rt
