#include "runtime/loop/blocks/stretch_planner.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>
#include <vector>

#include "runtime/loop/access/iteration_check.hpp"
#include "runtime/loop/access/recorder.hpp"
#include "runtime/loop/plan/group_sizes.hpp"
#include "runtime/loop/plan/inspection.hpp"

namespace stradsap::rt {
namespace {

constexpr std::int64_t most_runs = 4096;             // blocks are cut between runs
constexpr std::uint64_t blocks_of_short_loops = 64;  // their iterations may be long, and of any length

/// One planning. The steps stand in the order in which they run.
class stretch_planner {
 public:
  explicit stretch_planner(const planning& in)
      : in_(in),
        f_(in.frame),
        num_runs_(std::min(f_.n, most_runs)),
        runs_(static_cast<std::size_t>(num_runs_), stretch_run(f_.num_captures())) {}

  std::optional<plan> make() {
    const bool follow_here = record_own_runs();
    if (!exchange_runs(follow_here)) return std::nullopt;
    join_runs();
    for (const std::uint32_t c : written_) cut(c);
    add_tokens();
    order_blocks();
    plan_.num_accumulators = f_.num_accumulators;
    if (f_.num_accumulators != 0) plan_.work.clear();  // accumulators get equal numbers of iterations
    if (is_checked(f_)) record_sets();
    place(plan_, token_weights(f_, plan_), in_.ranks.world_size(), in_.pool.size(), in_.shares);
    return std::move(plan_);
  }

 private:
  [[nodiscard]] std::int64_t begin_of_run(std::int64_t k) const {
    return static_cast<std::int64_t>(static_cast<__int128>(f_.n) * k / num_runs_);
  }
  [[nodiscard]] std::int64_t first_run(rank_id r) const { return num_runs_ * r / in_.ranks.world_size(); }

  /// Each executor stops as soon as one of them finds iterations that do not follow each other.
  bool record_own_runs() {
    const std::int64_t first = first_run(in_.ranks.self());
    const std::int64_t count = first_run(in_.ranks.self() + 1) - first;
    hold_inputs(in_, begin_of_run(first), begin_of_run(first + count));
    if (in_.known_runs != nullptr && in_.known_runs->size() == runs_.size()) {
      runs_ = *in_.known_runs;
      return true;
    }
    std::atomic<bool> follow = true;
    in_.pool.run([&](int executor) {
      recorder from(f_, in_.copies, recorded::stretches);
      const std::int64_t end = first + count * (executor + 1) / in_.pool.size();
      for (std::int64_t k = first + count * executor / in_.pool.size(); k < end && follow; ++k) {
        stretch_run& run = runs_[static_cast<std::size_t>(k)];
        if (!from.follow(begin_of_run(k), begin_of_run(k + 1), run)) follow = false;
      }
    });
    return follow;
  }

  bool exchange_runs(bool follow_here) {
    bytes own;
    abi::writer out(own);
    out(follow_here);
    for (std::int64_t k = first_run(in_.ranks.self()); k < first_run(in_.ranks.self() + 1) && follow_here;
         ++k)
      each_number(runs_[static_cast<std::size_t>(k)], out);
    const std::vector<bytes> all = in_.ranks.all_gather(own);
    stretch_run total(f_.num_captures());
    for (std::size_t r = 0; r < all.size(); ++r) {
      abi::reader from(all[r]);
      bool follow = false;
      from(follow);
      if (!follow) return false;
      const auto rank = static_cast<rank_id>(r);
      for (std::int64_t k = first_run(rank); k < first_run(rank + 1); ++k) {
        stretch_run& run = runs_[static_cast<std::size_t>(k)];
        each_number(run, from);
        if (in_.hash_sets && rank == in_.ranks.self()) plan_.sets_hash += hash_of(k, run);
        if (!total.append(run)) return false;
      }
    }
    return true;
  }
  template <class Archive> static void each_number(stretch_run& run, Archive& archive) {
    archive(run.touches);
    for (stretch& s : run.by_capture) archive(s.begin, s.end);
  }
  [[nodiscard]] static std::uint64_t hash_of(std::int64_t k, const stretch_run& run) {
    return abi::hash_bytes(run.by_capture.data(), run.by_capture.size() * sizeof(stretch)) *
           (2 * static_cast<std::uint64_t>(k) + 1);
  }

  /// Makes blocks of about equal work: an iteration has as much as an element.
  void join_runs() {
    const auto n = static_cast<std::uint64_t>(f_.n);
    const std::uint64_t most = std::max<std::uint64_t>(number_of_groups(n, 1, ~std::uint64_t{0}),
                                                       std::min(n, blocks_of_short_loops));
    const auto work_of = [&](std::int64_t k) {
      return runs_[static_cast<std::size_t>(k)].touches +
             static_cast<std::uint64_t>(begin_of_run(k + 1) - begin_of_run(k));
    };
    std::uint64_t total = 0;
    for (std::int64_t k = 0; k < num_runs_; ++k) total += work_of(k);
    std::uint64_t before = 0;
    for (std::int64_t k = 0; k < num_runs_; ++k) {
      const bool opens = k == 0 || before * most / total != (before - work_of(k - 1)) * most / total;
      if (opens) {
        plan_.blocks.push_back({.begin = static_cast<std::uint64_t>(begin_of_run(k))});
        plan_.work.push_back(0);
        stretches_.emplace_back(f_.num_captures());
      }
      plan_.blocks.back().count += static_cast<std::uint64_t>(begin_of_run(k + 1) - begin_of_run(k));
      plan_.work.back() += work_of(k);
      (void)stretches_.back().append(runs_[static_cast<std::size_t>(k)]);
      before += work_of(k);
    }
    for (std::uint32_t c = 0; c < f_.num_captures(); ++c) {
      if (f_.uses[c] != usage::owned && f_.uses[c] != usage::aligned_write) continue;
      written_.push_back(c);
      for (std::size_t b = 0; b < stretches_.size() && f_.is_aligned(c); ++b)
        stretches_[b].by_capture[c] = {plan_.blocks[b].begin, plan_.blocks[b].begin + plan_.blocks[b].count};
    }
  }

  void cut(std::uint32_t c) {
    replica& local = *f_.replicas[c];
    if (!local.uncut()) return;
    std::vector<std::uint64_t> bounds;
    bool is_first = true;
    for (const stretch_run& block : stretches_) {
      const stretch& touched = block.by_capture[c];
      if (touched.is_empty()) continue;
      if (!std::exchange(is_first, false)) bounds.push_back(touched.begin);
    }
    if (bounds.empty()) return;
    bounds.push_back(local.size());
    std::vector<rank_id> owners(bounds.size(), local.groups().owner(0));
    local.cut(partition(std::move(bounds), std::move(owners)));
  }

  void add_tokens() {
    std::vector<std::uint32_t> first_token(f_.num_captures());
    for (const std::uint32_t c : written_) {
      first_token[c] = static_cast<std::uint32_t>(plan_.tokens.size());
      for (std::uint32_t g = 0; g < f_.replicas[c]->groups().num_groups(); ++g)
        plan_.tokens.push_back({c, g});
    }
    for (std::size_t b = 0; b < plan_.blocks.size(); ++b) {
      plan_.blocks[b].first_token = static_cast<std::uint32_t>(plan_.block_tokens.size());
      for (const std::uint32_t c : written_) {
        const stretch& touched = stretches_[b].by_capture[c];
        if (touched.is_empty()) continue;
        const partition& groups = f_.replicas[c]->groups();
        const std::uint32_t last = groups.group_of(touched.end - 1);
        for (std::uint32_t g = groups.group_of(touched.begin); g <= last; ++g)
          plan_.block_tokens.push_back(first_token[c] + g);
      }
      plan_.blocks[b].num_tokens =
          static_cast<std::uint32_t>(plan_.block_tokens.size()) - plan_.blocks[b].first_token;
    }
  }

  /// If an earlier plan has cut a container elsewhere, neighbouring blocks may share a group. Every other
  /// block then goes first, so that a group has about one block that waits.
  void order_blocks() {
    std::vector<std::uint32_t> sorted = plan_.block_tokens;
    std::sort(sorted.begin(), sorted.end());
    const bool share = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
    const auto num_blocks = static_cast<std::uint32_t>(plan_.blocks.size());
    const std::uint32_t step = share ? 2 : 1;
    for (std::uint32_t first = 0; first < step; ++first) {
      for (std::uint32_t b = first; b < num_blocks; b += step) plan_.order.push_back(b);
    }
  }

  /// For the check of each access: the touches of all iterations, since any of them may come to this rank.
  void record_sets() {
    hold_inputs(in_, 0, f_.n);
    recorder from(f_, in_.copies);
    from.run(0, f_.n);
    plan_.share.sets.resize(static_cast<std::size_t>(f_.n));
    for (std::uint64_t i = 0; i < plan_.share.sets.size(); ++i) {
      from.result().visit(i, [&](std::uint32_t capture, std::uint64_t element) {
        for (std::uint64_t k = 0; k < std::max<std::uint64_t>(1, from.unit(capture)); ++k)
          plan_.share.sets[i].push_back({element + k, capture, 0});
      });
    }
  }

  const planning& in_;
  const loop_frame& f_;
  const std::int64_t num_runs_;  // of consecutive iterations
  std::vector<stretch_run> runs_;
  std::vector<stretch_run> stretches_;  // by block
  std::vector<std::uint32_t> written_;  // captures, but for accumulated ones
  plan plan_;
};

}  // namespace

std::optional<plan> make_stretch_plan(const planning& in) {
  if (!may_record_stretches(in.frame)) return std::nullopt;
  return stretch_planner(in).make();
}

}  // namespace stradsap::rt
