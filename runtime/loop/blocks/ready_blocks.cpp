#include "runtime/loop/blocks/ready_blocks.hpp"

#include <algorithm>
#include <chrono>

namespace stradsap::rt {

// A queue with one block is left to its executor, which comes to it soon and has its data in the cache.
static constexpr std::uint32_t least_to_share = 2;

ready_blocks::ready_blocks(int executors, std::size_t count, wait_policy waiting)
    : executors_(executors),
      waiting_(waiting),
      queues_(std::make_unique<queue[]>(static_cast<std::size_t>(executors) + 1)),
      left_(count) {}

void ready_blocks::add(std::uint32_t block, int executor, std::uint64_t urgency) {
  queue& q = queues_[executor];
  std::uint32_t size = 0;
  {
    const lock_guard hold(q.guard);
    q.heap.push_back({urgency, block});
    std::push_heap(q.heap.begin(), q.heap.end());
    size = static_cast<std::uint32_t>(q.heap.size());
    q.size = size;
  }
  if (sleepers_ == 0) return;
  if (q.asleep) return wake(q);
  if (size < least_to_share) return;
  for (int other = 0; other < executors_; ++other) {
    if (queues_[other].asleep) return wake(queues_[other]);
  }
}

void ready_blocks::add_urgent(std::uint32_t block) {
  queue& q = queues_[executors_];
  {
    const lock_guard hold(q.guard);
    q.heap.push_back({0, block});
    q.size = static_cast<std::uint32_t>(q.heap.size());
  }
  if (sleepers_ == 0) return;
  for (int executor = 0; executor < executors_; ++executor) {
    if (queues_[executor].asleep) return wake(queues_[executor]);
  }
}

std::uint32_t ready_blocks::take(int executor, double& seconds_wait) {
  std::uint32_t block = try_take(executor);
  if (block != none || left_ == 0) return block;
  const auto start = std::chrono::steady_clock::now();
  while (block == none && left_ > 0) {
    if (!waiting_.spin([&] { return may_take(executor); })) doze(executor);
    block = try_take(executor);
  }
  seconds_wait += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return block;
}

std::uint32_t ready_blocks::try_take(int executor) {
  std::uint32_t block = pop(queues_[executors_], /*most_urgent=*/false);
  if (block == none) block = pop(queues_[executor], /*most_urgent=*/true);
  for (int other = 0; other < executors_ && block == none; ++other) {
    if (other == executor || queues_[other].size < least_to_share) continue;
    block = pop(queues_[other], /*most_urgent=*/false);
  }
  if (block == none || left_.fetch_sub(1) != 1) return block;
  for (int other = 0; other < executors_ && sleepers_ > 0; ++other)
    wake(queues_[other]);  // no block will come
  return block;
}

/// The most urgent block, or any that its executor would take late.
std::uint32_t ready_blocks::pop(queue& from, bool most_urgent) {
  if (from.size == 0) return none;
  const lock_guard hold(from.guard);
  if (from.heap.empty()) return none;
  if (most_urgent) std::pop_heap(from.heap.begin(), from.heap.end());
  const std::uint32_t block = from.heap.back().block;  // without pop_heap: a leaf
  from.heap.pop_back();
  from.size = static_cast<std::uint32_t>(from.heap.size());
  return block;
}

bool ready_blocks::may_take(int executor) const {
  if (left_ == 0 || queues_[executor].size > 0 || queues_[executors_].size > 0) return true;
  for (int other = 0; other < executors_; ++other) {
    if (other != executor && queues_[other].size >= least_to_share) return true;
  }
  return false;
}

// This wait always ends: a lost peer ends the process, from the network thread.
void ready_blocks::doze(int executor) {
  queue& q = queues_[executor];
  const std::uint32_t calls = q.calls;
  q.asleep = true;
  ++sleepers_;
  if (!may_take(executor)) q.calls.wait(calls);  // a later add() sees `sleepers_`
  --sleepers_;
  q.asleep = false;
}

void ready_blocks::wake(queue& q) {
  ++q.calls;
  q.calls.notify_all();
}

}  // namespace stradsap::rt
