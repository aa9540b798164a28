// Loops under consistency::stale on one rank: each launch is a clock, and ends when this rank has ended it.
// Thread rule: the main thread of the rank.
#include <chrono>
#include <exception>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "runtime/base/elapsed.hpp"
#include "runtime/cluster/clocked_loop.hpp"
#include "runtime/cluster/node.hpp"
#include "runtime/loop/blocks/clock_planner.hpp"
#include "runtime/loop/blocks/execution.hpp"

namespace stradsap::rt {

clocked_loop* node::clocks_of(launch_id loop) {
  const lock_guard hold(mutex_);
  const auto found = clocked_.find(loop);
  return found == clocked_.end() ? nullptr : found->second.get();
}

/// Plans the loop and makes its copies. Other ranks may have sent their changes already.
clocked_loop& node::begin_clocks(const planning& p, const launch& l) {
  auto made = std::make_unique<clocked_loop>(frame_of(*p.frame.entry, l, captured_values()), p);
  made->made = make_clock_plan(made->in);
  hold_inputs(made->frame, made->made);
  made->clocks.emplace(made->in, made->made, batch_memory_, net_.get(), waiting_, l.id);
  const lock_guard hold(mutex_);
  std::erase_if(early_, [&](auto& one) {
    auto* const moved = std::get_if<moved_elements>(&one.second);
    if (moved == nullptr || moved->launch != l.id) return false;
    made->clocks->received(one.first, std::move(moved->elements));
    return true;
  });
  return *(clocked_[l.id] = std::move(made));
}

loop_result node::run_clock(const planning& p, const launch& l) {
  restore_inputs(p.frame, l, /*in_batches=*/true);
  copies_.reach({l.id, 0});
  broadcast_inputs(p.frame, l);
  clocked_loop* const loop = l.clock == 0 ? &begin_clocks(p, l) : clocks_of(l.clocks);
  if (loop == nullptr) throw error(errc::decode, "a clock of a loop that is not here");
  if (l.clock != 0) {
    check_reach(p.frame);
    hold_read(p.frame, loop->made);
  }
  loop_result result = run_clock(p, l, *loop);
  for (std::size_t c = 0; c < p.frame.num_captures(); ++c) {
    if (p.frame.writes(c)) p.frame.replicas[c]->drop_copies();
  }
  return result;
}

static failure failure_of(const std::exception_ptr& thrown, rank_id self) {
  try {
    std::rethrow_exception(thrown);
  } catch (const error& e) {
    return {static_cast<std::uint8_t>(e.code()), e.what(), self, -1, 0};
  } catch (const std::exception& e) {
    return {static_cast<std::uint8_t>(errc::body), e.what(), self, -1, 0};
  }
}

/// From here on the clock ends in any case, since other ranks wait for it.
loop_result node::run_clock(const planning& p, const launch& l, clocked_loop& loop) {
  delayed_clocks& clocks = *loop.clocks;
  const auto start = std::chrono::steady_clock::now();
  const bool runs = clocks.begin(l.clock);
  const double seconds_begin = seconds_since(start);
  loop_result result;
  std::exception_ptr thrown;
  if (runs) {
    try {
      loop_place at{l.id, options_.rank, options_.world_size, net_.get(), options_.threads, waiting_, store_};
      at.clocks = &clocks;
      execution body(p.frame, loop.made, loop.made.order, at);
      result = run_known(body);
      loop.made.seconds_compute = result.work.seconds_compute;
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  clocks.end(l.clock, !runs || thrown != nullptr || !result.failures.empty());
  if (thrown == nullptr) thrown = clocks.fold_error();
  if (thrown != nullptr && result.failures.empty())
    result.failures.push_back(failure_of(thrown, options_.rank));
  result.work.seconds_wait += seconds_begin;
  result.work.rounds_ahead = runs ? clocks.rounds_ahead() : 0;
  result.work.clocks = 1;
  result.work.staleness = runs ? clocks.staleness() : 0;
  result.work.bytes_due = runs ? clocks.bytes_due() : 0;
  result.work.bytes_beyond = runs ? clocks.bytes_beyond() : 0;
  result.work.planned = l.clock == 0;
  return result;
}

std::exception_ptr node::perform(const fold_clocks& f) {
  ranks_->begin(f.after, f.step);
  clocked_loop* const loop = clocks_of(f.loop);  // null if it could not begin here
  std::exception_ptr failed;
  if (loop != nullptr) {
    loop->clocks->finish(f.clocks);
    failed = loop->clocks->fold_error();
    for (std::size_t c = 0; c < loop->frame.num_captures(); ++c) {
      if (!loop->frame.is_relaxed(c)) continue;
      loop->frame.replicas[c]->note_written();
      loop->frame.replicas[c]->note_all_held();
    }
  }
  (void)ranks_->all_gather({});  // so no changes are under way, and later fetches find all elements
  const lock_guard hold(mutex_);
  clocked_.erase(f.loop);
  return failed;
}

}  // namespace stradsap::rt
