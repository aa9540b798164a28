// A loop under consistency::stale on one rank, from its clock 0 until the driver needs its containers. Thread
// rule: as delayed_clocks.
#pragma once

#include <optional>
#include <utility>

#include "runtime/loop/accumulate/delayed_clocks.hpp"
#include "runtime/loop/plan/planning.hpp"

namespace stradsap::rt {

struct clocked_loop {
  /// `f`: without captured values, which change from call to call. `of_launch`: of clock 0.
  clocked_loop(loop_frame f, const planning& of_launch)
      : frame(std::move(f)), in{frame, of_launch.copies, of_launch.pool, of_launch.ranks} {}
  clocked_loop(const clocked_loop&) = delete;
  clocked_loop& operator=(const clocked_loop&) = delete;

  const loop_frame frame;
  const planning in;
  plan made;
  std::optional<delayed_clocks> clocks;
};

}  // namespace stradsap::rt
