#include "runtime/loop/blocks/index_order.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "runtime/base/check.hpp"
#include "runtime/base/elapsed.hpp"
#include "runtime/loop/access/iteration_check.hpp"
#include "runtime/loop/blocks/window_rules.hpp"
#include "runtime/loop/run/iteration_sums.hpp"

namespace stradsap::rt {
namespace {

constexpr std::size_t least_blocks_each = 4;  // of an executor; else they are long
constexpr int nobody = -1;

bool are_apart(const plan& p) {
  std::vector<bool> used(p.tokens.size());
  for (const std::uint32_t t : p.block_tokens) {
    if (used[t]) return false;
    used[t] = true;
  }
  return true;
}

/// By token: the executor of its block. Groups that no block uses go to a neighbour of their container, so
/// that an executor's groups leave no gap.
std::vector<int> executors_of_tokens(const plan& p) {
  std::vector<int> executor_of(p.tokens.size(), nobody);
  for (const plan_block& b : p.blocks) {
    for (const std::uint32_t t : p.tokens_of(b)) executor_of[t] = b.executor;
  }
  const auto follow = [&](std::size_t t, std::size_t other) {
    if (executor_of[t] == nobody && p.tokens[t].capture == p.tokens[other].capture)
      executor_of[t] = executor_of[other];
  };
  for (std::size_t t = 1; t < executor_of.size(); ++t) follow(t, t - 1);
  for (std::size_t t = executor_of.size(); t-- > 1;) follow(t - 1, t);
  return executor_of;
}

/// A block for each executor, with its groups. `begin` and `count` are of its iterations.
void add_blocks(const plan& p, int executors, plan& to) {
  const std::vector<int> executor_of = executors_of_tokens(p);
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(executors));
  for (const plan_block& b : p.blocks) counts[static_cast<std::size_t>(b.executor)] += b.count;
  std::uint64_t begin = 0;
  for (int e = 0; e < executors; ++e) {
    const std::uint64_t count = counts[static_cast<std::size_t>(e)];
    if (count == 0) continue;
    plan_block b{static_cast<std::uint32_t>(to.block_tokens.size()), 0, count, 0, e, begin};
    for (std::uint32_t t = 0; t < executor_of.size(); ++t) {
      if (executor_of[t] != e) continue;
      to.block_tokens.push_back(t);
      ++b.num_tokens;
    }
    begin += count;
    to.order.push_back(static_cast<std::uint32_t>(to.blocks.size()));
    to.blocks.push_back(b);
  }
}

plain_array<std::uint32_t> readable_beyond(std::uint64_t n) {
  return plain_array<std::uint32_t>(n + abi::prefetch_reach);
}

/// The lists of `p` in the order of the index, executor by executor.
void sort_lists(const plan& p, int executors, plan& to) {
  const std::uint64_t n = p.share.numbers.size();
  std::vector<std::uint32_t> next(static_cast<std::size_t>(executors));
  for (const plan_block& b : to.blocks)
    next[static_cast<std::size_t>(b.executor)] = static_cast<std::uint32_t>(b.begin);
  std::vector<std::uint32_t> block_of(n);  // by iteration
  plain_array<std::uint32_t> place_of(n);  // by iteration: in the lists of p
  for (std::uint32_t b = 0; b < p.blocks.size(); ++b) {
    for (std::uint64_t at = p.blocks[b].begin; at < p.blocks[b].begin + p.blocks[b].count; ++at) {
      block_of[p.share.numbers[at]] = b;
      place_of[p.share.numbers[at]] = static_cast<std::uint32_t>(at);
    }
  }
  to.share.numbers = plain_array<std::uint32_t>(n);
  for (const touch_column& one : p.share.columns)
    to.share.columns.push_back({one.capture, one.touch, readable_beyond(n)});
  to.share.streams.resize(p.share.streams.size());
  for (std::uint64_t j = 0; j < n; ++j) {
    const std::uint32_t at = next[static_cast<std::size_t>(p.blocks[block_of[j]].executor)]++;
    to.share.numbers[at] = static_cast<std::uint32_t>(j);
    for (std::size_t k = 0; k < p.share.columns.size(); ++k)
      to.share.columns[k].elements[at] = p.share.columns[k].elements[place_of[j]];
  }
}

/// Whether all blocks of both plans run one copy of the body, or all copies round alike.
bool run_alike(const loop_frame& f, const plan& p, const plan& merged) {
  const bool round_alike = f.entry->run == f.entry->run_unfused && (f.entry->flags & abi::rounds_apart) == 0;
  if (round_alike) return true;
  const bool is_whole = has_whole_windows(f, merged, merged.blocks[0]);
  const auto is_alike = [&](const plan& one) {
    return std::all_of(one.blocks.begin(), one.blocks.end(),
                       [&](const plan_block& b) { return has_whole_windows(f, one, b) == is_whole; });
  };
  return is_alike(p) && is_alike(merged);
}

}  // namespace

bool may_run_by_index(const loop_frame& f, const plan& p) {
  if (!p.listed || p.num_accumulators != 0 || !p.hot.empty() || !f.is_async) return false;
  if (f.has_relaxed() || f.is_timed || is_checked(f) || has_inexact_sums(*f.entry)) return false;
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.replicas[c] == nullptr) continue;
    const bool is_at_index = f.is_aligned(c) || (f.entry->captures[c].mode & abi::aligned) != 0;
    if (is_at_index || (f.writes(c) && f.replicas[c]->keys() != nullptr)) return false;
  }
  return p.share.numbers.size() == static_cast<std::uint64_t>(f.n) && are_apart(p);
}

std::optional<plan> make_index_plan(const loop_frame& f, const plan& p, int executors) {
  if (p.blocks.size() < least_blocks_each * static_cast<std::size_t>(executors)) return std::nullopt;
  plan merged;
  merged.listed = true;
  merged.is_by_index = true;
  merged.tokens = p.tokens;
  merged.units = p.units;
  merged.weights = p.weights;
  add_blocks(p, executors, merged);
  if (!run_alike(f, p, merged)) return std::nullopt;
  sort_lists(p, executors, merged);
  return merged;
}

namespace {

plain_array<std::uint32_t> copy_of(const plain_array<std::uint32_t>& from) {
  plain_array<std::uint32_t> made(from.size());
  std::copy(from.all().begin(), from.all().end(), made.data());
  return made;
}

/// Its iterations, which ascend.
std::span<const std::uint32_t> iterations_of(const plan& p, const plan_block& b) {
  return p.share.numbers.part(b.begin, b.count);
}

std::uint32_t block_with(const plan& p, std::int64_t iteration) {
  const auto j = static_cast<std::uint32_t>(iteration);
  const auto found = std::find_if(p.blocks.begin(), p.blocks.end(), [&](const plan_block& b) {
    const auto all = iterations_of(p, b);
    return std::binary_search(all.begin(), all.end(), j);
  });
  STRADSAP_ASSERT(found != p.blocks.end(), "no block has iteration {}", iteration);
  return static_cast<std::uint32_t>(found - p.blocks.begin());
}

}  // namespace

rest_of_blocks rest_after(const plan& p, std::span<const std::uint32_t> order,
                          std::span<const failure> failed) {
  rest_of_blocks rest;
  static_cast<block_plan&>(rest.left) = p;
  rest.left.units = p.units;
  rest.left.weights = p.weights;
  rest.left.share.numbers = copy_of(p.share.numbers);
  for (const touch_column& one : p.share.columns)
    rest.left.share.columns.push_back({one.capture, one.touch, copy_of(one.elements)});
  rest.left.share.streams.resize(p.share.streams.size());
  std::vector<std::uint64_t> position_of(p.blocks.size());
  for (std::size_t at = 0; at < order.size(); ++at) position_of[order[at]] = at;
  std::vector<std::int64_t> ran_upto;  // by executor with a failure
  for (const failure& one : failed) {
    const std::uint32_t b = block_with(p, one.iteration);
    const auto e = static_cast<std::size_t>(p.blocks[b].executor);
    ran_upto.resize(std::max(ran_upto.size(), e + 1), nobody);
    ran_upto[e] = one.iteration;
    if (&one != &failed[0] && position_of[b] >= rest.first.position) continue;
    rest.first = one;
    rest.first.position = position_of[b];
  }
  for (std::size_t b = 0; b < p.blocks.size(); ++b) {
    plan_block& now = rest.left.blocks[b];
    const auto e = static_cast<std::size_t>(now.executor);
    const auto all = iterations_of(p, now);
    const bool has_rest =
        e < ran_upto.size() && ran_upto[e] != nobody && position_of[b] < rest.first.position;
    const auto from = has_rest ? std::upper_bound(all.begin(), all.end(), ran_upto[e]) : all.end();
    now.begin += static_cast<std::uint64_t>(from - all.begin());
    now.count = static_cast<std::uint64_t>(all.end() - from);
  }
  return rest;
}

/// Whether this call runs by index. The second call with the plan decides whether it is possible, and makes
/// the lists.
static bool begin_by_index(const loop_frame& f, plan& p, const loop_place& at) {
  if (at.ranks > 1 || !f.is_whole() || !may_run_by_index(f, p)) return false;
  if (p.by_index == nullptr) {
    p.by_index = std::make_shared<index_order>();
    return p.by_index->pace.begin();
  }
  index_order& how = *p.by_index;
  if (how.is_refused || !how.pace.begin()) return false;
  if (!how.merged) how.merged = make_index_plan(f, p, at.executors);
  how.is_refused = !how.merged;
  return !how.is_refused;
}

/// If bodies throw, the blocks before the first failure still run to their ends: the failure that is
/// reported is the first one in the order of the blocks.
static loop_result run_by_index(const loop_frame& f, const plan& p, const std::vector<std::uint32_t>& order,
                                const loop_place& at, const execution_runner& run) {
  const plan& merged = *p.by_index->merged;
  execution by_index(f, merged, merged.order, at);
  loop_result result = run(by_index);
  const std::vector<failure> failed = by_index.failures_alone();
  if (failed.empty()) return result;
  rest_of_blocks rest = rest_after(p, order, failed);
  execution before(f, rest.left, order, at);
  result.failures = run(before).failures;
  if (result.failures.empty()) result.failures.push_back(std::move(rest.first));
  return result;
}

loop_result run_blocks(const loop_frame& f, plan& p, const std::vector<std::uint32_t>& order,
                       const loop_place& at, bool may_choose, const execution_runner& run) {
  const bool is_by_index = may_choose && begin_by_index(f, p, at);
  const auto start = std::chrono::steady_clock::now();
  if (is_by_index) {
    loop_result result = run_by_index(f, p, order, at, run);
    p.by_index->pace.ran(seconds_since(start));
    return result;
  }
  execution by_blocks(f, p, order, at);
  loop_result result = run(by_blocks);
  if (p.by_index != nullptr) p.by_index->pace.ran(seconds_since(start));
  return result;
}

}  // namespace stradsap::rt
