#include "runtime/loop/plan/plan.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <stradsap/abi/abi.hpp>

#include "runtime/loop/plan/wave_plan.hpp"

namespace stradsap::rt {

template <class T> static std::size_t size_bytes_of(const std::vector<T>& of) {
  return of.size() * sizeof(T);
}

std::size_t size_bytes_of(const block_plan& p) {
  return size_bytes_of(p.tokens) + size_bytes_of(p.block_tokens) + size_bytes_of(p.blocks) +
         size_bytes_of(p.work) + size_bytes_of(p.order) + size_bytes_of(p.round_begins);
}

static std::size_t size_bytes_of(const std::vector<element_array>& streams) {
  std::size_t all = 0;
  for (const element_array& one : streams) all += one.size_bytes();
  return all;
}

static std::size_t size_bytes_of(const iteration_list& of) {
  std::size_t all = of.numbers.size() * sizeof(std::uint32_t) + size_bytes_of(of.streams);
  for (const touch_column& one : of.columns) all += one.elements.size() * sizeof(std::uint32_t);
  for (const std::vector<touch>& one : of.sets) all += sizeof one + size_bytes_of(one);
  return all;
}

static std::size_t size_bytes_of(const wave_plan& of) {
  std::size_t all = size_bytes_of(of.first_rank) + size_bytes_of(of.last_rank);
  for (const wave_thread_share& one : of.threads)
    all += size_bytes_of(one.iterations) + size_bytes_of(one.parts) + size_bytes_of(one.set_ends) +
           size_bytes_of(one.sets) + size_bytes_of(one.streams) + size_bytes_of(one.steps) +
           size_bytes_of(one.needs);
  for (const wave_departure& one : of.departures) {
    for (const wave_message& sent : one.messages) all += sizeof sent + size_bytes_of(sent.elements);
  }
  for (const auto& from : of.incoming) {
    for (const auto& got : from) all += sizeof got + size_bytes_of(got);
  }
  return all;
}

std::size_t size_bytes_of(const plan& p) {
  std::size_t all = sizeof p + size_bytes_of(static_cast<const block_plan&>(p)) + size_bytes_of(p.share) +
                    size_bytes_of(p.pieces) + size_bytes_of(p.weights);
  for (const hot_units& one : p.hot) all += one.size_bytes();
  if (p.waves != nullptr) all += size_bytes_of(*p.waves);
  return p.joined == nullptr ? all : all + size_bytes_of(*p.joined);
}

std::vector<std::uint32_t> serial_order(const block_plan& p, std::uint64_t pass, std::uint64_t seed) {
  std::vector<std::uint32_t> order = p.order;
  if (p.round_begins.size() < 2) return order;
  const std::uint64_t key[] = {seed, pass};
  const std::uint64_t draw = abi::hash_bytes(key, sizeof key);
  const std::uint32_t start = p.round_begins[draw % p.round_begins.size()];
  std::rotate(order.begin(), order.begin() + start, order.end());
  if ((draw >> 63) != 0) std::reverse(order.begin(), order.end());
  return order;
}

std::vector<std::vector<std::uint32_t>> rounds_of(const block_plan& p,
                                                  const std::vector<std::uint32_t>& order,
                                                  std::uint64_t rounds) {
  std::vector<std::uint64_t> whole(p.num_accumulators);
  std::vector<std::uint64_t> before(p.num_accumulators);
  for (const std::uint32_t b : order) whole[p.blocks[b].accumulator] += 2 * p.blocks[b].count;
  const auto unused = static_cast<std::size_t>(std::count(whole.begin(), whole.end(), 0));
  const std::size_t blocks_each = order.size() / std::max<std::size_t>(1, whole.size() - unused);
  rounds = std::clamp<std::uint64_t>(rounds, 1, std::max<std::size_t>(1, blocks_each));
  std::vector<std::vector<std::uint32_t>> cut(rounds);
  for (const std::uint32_t b : order) {
    const plan_block& block = p.blocks[b];
    const std::uint64_t middle = before[block.accumulator] + block.count;
    before[block.accumulator] += 2 * block.count;
    const std::uint64_t all = std::max<std::uint64_t>(1, whole[block.accumulator]);
    cut[std::min(rounds - 1, middle * rounds / all)].push_back(b);
  }
  std::erase_if(cut, [](const auto& round) { return round.empty(); });
  return cut;
}

std::uint64_t longest_queue(const plan& p) {
  std::uint64_t longest = 0;
  std::vector<std::uint64_t> of_token(p.tokens.size());
  std::vector<std::uint64_t> of_accumulator(p.accumulator_ranks.size());
  for (const plan_block& b : p.blocks) {
    longest = std::max(longest, b.count);
    for (const std::uint32_t t : p.tokens_of(b)) longest = std::max(longest, of_token[t] += b.count);
    if (!of_accumulator.empty()) longest = std::max(longest, of_accumulator[b.accumulator] += b.count);
  }
  return longest;
}

double parallelism_of(const plan& p, std::int64_t n) {
  if (p.waves != nullptr) return p.waves->parallelism;
  if (p.is_disjoint) return static_cast<double>(n);
  const std::uint64_t longest = p.longest != 0 ? p.longest : longest_queue(p);
  return static_cast<double>(n) / static_cast<double>(std::max<std::uint64_t>(1, longest));
}

/// The capture with the most memory in its container. 0 if there are no tokens.
static std::uint32_t heaviest(const block_plan& p, const std::vector<std::uint64_t>& weights) {
  std::uint32_t best = 0;
  for (std::uint32_t t = 0; t < p.tokens.size(); ++t) {
    if (weights[t] > weights[best]) best = t;
  }
  return p.tokens.empty() ? 0 : p.tokens[best].capture;
}

/// The executor, numbered over all ranks, for the work at `middle` of `whole`. Both are twice a number of
/// iterations.
static std::uint64_t executor_at(std::uint64_t middle, std::uint64_t whole, int ranks, int executors_per_rank,
                                 const std::vector<std::uint64_t>& shares) {
  const auto per_rank = static_cast<std::uint64_t>(executors_per_rank);
  const std::uint64_t executors = static_cast<std::uint64_t>(ranks) * per_rank;
  if (whole == 0) return 0;
  if (shares.empty()) return std::min(executors - 1, middle * executors / whole);
  std::uint64_t r = 0;
  while (r + 1 < shares.size() && middle >= 2 * shares[r]) ++r;
  const std::uint64_t begin = r == 0 ? 0 : 2 * shares[r - 1];
  const std::uint64_t size = std::max<std::uint64_t>(1, 2 * shares[r] - begin);
  return r * per_rank + std::min(per_rank - 1, (middle - begin) * per_rank / size);
}

std::vector<block_place> places_of_blocks(const block_plan& p, const std::vector<std::uint64_t>& weights,
                                          int ranks, int executors_per_rank,
                                          const std::vector<std::uint64_t>& given) {
  const std::uint32_t anchor = heaviest(p, weights);
  // The key of a block is its first group of the anchor. Without tokens it is its number.
  std::vector<std::uint64_t> keys(p.blocks.size());
  std::uint64_t num_keys = 1;
  std::uint64_t total = 0;
  for (std::size_t b = 0; b < p.blocks.size(); ++b) {
    keys[b] = p.tokens.empty() ? b : 0;
    for (const std::uint32_t t : p.tokens_of(p.blocks[b])) {
      if (p.tokens[t].capture != anchor) continue;
      keys[b] = p.tokens[t].group;
      break;
    }
    num_keys = std::max(num_keys, keys[b] + 1);
    total += p.blocks[b].count;
  }
  const bool fits = given.size() == static_cast<std::size_t>(ranks) && given.back() == total;
  const std::vector<std::uint64_t> shares = fits ? given : std::vector<std::uint64_t>();
  const bool by_work = !fits && !p.work.empty();
  if (by_work) total = std::accumulate(p.work.begin(), p.work.end(), std::uint64_t{0});
  std::vector<std::uint64_t> load(num_keys);
  for (std::size_t b = 0; b < p.blocks.size(); ++b) load[keys[b]] += by_work ? p.work[b] : p.blocks[b].count;
  std::vector<std::uint64_t> executor_of(num_keys);
  std::vector<std::uint32_t> accumulator_of(num_keys);
  std::uint64_t before = 0;
  for (std::uint64_t k = 0; k < num_keys; ++k) {
    // Cutting at the middle of a key's work makes the error least.
    std::uint64_t middle = 2 * before + load[k];
    before += load[k];
    if (p.num_accumulators != 0) {
      const std::uint64_t accumulators = p.num_accumulators;
      const std::uint64_t accumulator =
          total == 0 ? 0 : std::min(accumulators - 1, middle * accumulators / (2 * total));
      accumulator_of[k] = static_cast<std::uint32_t>(accumulator);
      middle = (2 * accumulator + 1) * total / accumulators;
    }
    executor_of[k] = executor_at(middle, 2 * total, ranks, executors_per_rank, shares);
  }
  std::vector<block_place> places;
  for (const std::uint64_t key : keys) {
    const auto executor = static_cast<int>(executor_of[key]);
    places.push_back({executor / executors_per_rank, executor % executors_per_rank, accumulator_of[key],
                      static_cast<std::uint32_t>(key)});
  }
  return places;
}

void place(plan& p, std::vector<std::uint64_t> weights, int ranks, int executors_per_rank,
           std::vector<std::uint64_t> shares) {
  const std::vector<block_place> places = places_of_blocks(p, weights, ranks, executors_per_rank, shares);
  p.weights = std::move(weights);
  p.shares = std::move(shares);
  p.pieces.clear();
  p.accumulator_ranks.assign(p.num_accumulators, plan::nobody);
  for (std::size_t b = 0; b < p.blocks.size(); ++b) {
    p.blocks[b].rank = places[b].rank;
    p.blocks[b].executor = places[b].executor;
    p.blocks[b].accumulator = places[b].accumulator;
    p.blocks[b].anchor_group = places[b].anchor_group;
    if (p.num_accumulators != 0) p.accumulator_ranks[places[b].accumulator] = places[b].rank;
  }
}

}  // namespace stradsap::rt
