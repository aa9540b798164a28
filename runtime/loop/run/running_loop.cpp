#include "runtime/loop/run/running_loop.hpp"

#include <algorithm>
#include <utility>

namespace stradsap::rt {

running_loop::running_loop(const loop_frame& frame, const loop_place& at)
    : at_(at),
      versions_(frame.logs_accesses && at.versions == nullptr ? std::make_shared<element_versions>(frame)
                                                              : at.versions),
      deltas_(make_deltas(frame, at.store, at.ranks == 1 && at.executors == 1, at.relaxed, at.delayed,
                          at.clocks)) {}

running_loop::~running_loop() = default;

void running_loop::stop_after(std::uint32_t position) {
  std::uint32_t now = stop_position_.load();
  while (position < now && !stop_position_.compare_exchange_weak(now, position)) {
  }
}

void running_loop::fail(failure f) {
  const auto position = static_cast<std::uint32_t>(f.position);
  stop_after(position);
  for (rank_id r = 0; r < at_.ranks; ++r) {
    if (r != at_.self) at_.net->send(r, cancel{at_.launch, position});
  }
  // A block may fail in several pieces.
  const auto place_of = [](const failure& one) { return std::pair(one.position, one.iteration); };
  const lock_guard hold(mutex_);
  if (failures_.empty() || place_of(f) < place_of(failures_[0])) failures_ = {std::move(f)};
}

void running_loop::keep(access_log log) {
  const lock_guard hold(mutex_);
  logs_.push_back(std::move(log));
}

void running_loop::report(std::span<const executor_clock> executors, loop_result& result) {
  for (const executor_clock& executor : executors) {
    result.work.iterations += executor.iterations;
    result.work.seconds_compute += executor.seconds_compute;
    result.work.seconds_wait += executor.seconds_wait;
    result.waits.resize(std::max(result.waits.size(), executor.waits.size()));
    for (std::size_t c = 0; c < executor.waits.size(); ++c) result.waits[c] += executor.waits[c];
    result.seconds_slowest =
        std::max(result.seconds_slowest, executor.seconds_compute + executor.seconds_wait);
  }
  const lock_guard hold(mutex_);
  result.failures = failures_;
  result.logs = std::move(logs_);
}

}  // namespace stradsap::rt
