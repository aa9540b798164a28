#include "runtime/loop/blocks/disjoint_planner.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "runtime/loop/access/met_elements.hpp"
#include "runtime/loop/access/recorder.hpp"
#include "runtime/loop/plan/inspection.hpp"

namespace stradsap::rt {
namespace {

/// One planning. The steps stand in the order in which they run.
class disjoint_planner {
 public:
  explicit disjoint_planner(const planning& in)
      : in_(in),
        f_(in.frame),
        work_(static_cast<std::size_t>(std::min(f_.n, most_runs))),
        sizes_(f_.num_captures()) {
    std::uint64_t size_bytes = 0;
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (f_.uses[c] != usage::owned) continue;
      sizes_[c] = f_.replicas[c]->size();
      size_bytes += sizes_[c] * f_.replicas[c]->ops().size;
    }
    const std::uint64_t of_one = std::accumulate(sizes_.begin(), sizes_.end(), std::uint64_t{8}) / 8;
    const std::uint64_t fit = std::max(marked_bytes, size_bytes / 8) / of_one;
    const std::uint64_t most =
        std::min<std::uint64_t>(static_cast<std::uint64_t>(in_.pool.size()), work_.size());
    met_.resize(std::clamp<std::uint64_t>(fit, 1, most));  // each has a run, so no two write to one
  }

  std::optional<plan> make() {
    if (!reaches_all()) return std::nullopt;
    hold_inputs(in_, 0, f_.n);
    if (!search() || !join()) return std::nullopt;
    add_blocks();
    plan_.is_disjoint = true;
    plan_.num_accumulators = f_.num_accumulators;
    place(plan_, {}, in_.ranks.world_size(), in_.pool.size());
    return std::move(plan_);
  }

 private:
  static constexpr std::int64_t most_runs = 4096;    // blocks are cut between runs of iterations
  static constexpr std::uint64_t least_blocks = 64;  // as many as there may be accumulators
  static constexpr std::uint64_t blocks_each = 16;   // of an executor, so that few wait for the last ones
  static constexpr std::uint64_t marked_bytes = 64u << 20;  // of all executors, unless elements take more

  /// Whether aligned containers have an element for each iteration; else program order says which has none.
  /// Sums number their iterations with 32 bits.
  [[nodiscard]] bool reaches_all() const {
    if (f_.n > std::int64_t{1} << 32) return false;
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (f_.is_aligned(c) && static_cast<std::uint64_t>(f_.n) > f_.replicas[c]->size()) return false;
    }
    return true;
  }

  /// Each executor compares the iterations of its share with each other.
  bool search() {
    std::atomic<bool> found = false;
    in_.pool.run([&](int executor) {
      const auto e = static_cast<std::size_t>(executor);
      if (e >= met_.size()) return;
      const auto begin = begin_of_run(work_.size() * e / met_.size());
      const auto end = begin_of_run(work_.size() * (e + 1) / met_.size());
      met_[e] = std::make_unique<met_elements>(sizes_, begin, f_.n, work_, found);
      if (begin < end && !recorder(f_, in_.copies).keep_apart(begin, end, *met_[e])) found = true;
    });
    return !found;
  }
  [[nodiscard]] std::int64_t begin_of_run(std::size_t k) const {
    return met_elements::begin_of_run(static_cast<std::int64_t>(k), work_.size(), f_.n);
  }

  /// Compares the shares with each other.
  bool join() {
    std::atomic<bool> found = false;
    const std::size_t words = met_.front()->marks().num_words();
    in_.pool.run([&](int executor) {
      const auto e = static_cast<std::size_t>(executor);
      const auto executors = static_cast<std::size_t>(in_.pool.size());
      for (std::size_t other = 1; other < met_.size() && !found; ++other) {
        if (met_[0]->marks().join(met_[other]->marks(), words * e / executors, words * (e + 1) / executors))
          found = true;
      }
    });
    met_.clear();
    return !found;
  }

  /// Blocks have about equal work: an iteration has as much as an element.
  void add_blocks() {
    const auto executors = static_cast<std::uint64_t>(in_.pool.size());
    const std::uint64_t blocks = std::max(least_blocks, blocks_each * executors);
    const std::uint64_t total = std::accumulate(work_.begin(), work_.end(), std::uint64_t{0});
    std::uint64_t before = 0;
    std::uint64_t last = 0;  // the block of the run before, by the middle of its work
    for (std::size_t k = 0; k < work_.size(); ++k) {
      const auto middle = static_cast<unsigned __int128>(2 * before + work_[k]);
      const auto number = static_cast<std::uint64_t>(middle * blocks / (2 * total));
      if (k == 0 || number != last) {
        plan_.order.push_back(static_cast<std::uint32_t>(plan_.blocks.size()));
        plan_.blocks.push_back({.begin = static_cast<std::uint64_t>(begin_of_run(k))});
        plan_.work.push_back(0);
      }
      plan_.blocks.back().count += static_cast<std::uint64_t>(begin_of_run(k + 1) - begin_of_run(k));
      plan_.work.back() += work_[k];
      before += work_[k];
      last = number;
    }
  }

  const planning& in_;
  const loop_frame& f_;
  std::vector<std::uint64_t> work_;                 // by run
  std::vector<std::uint64_t> sizes_;                // by capture, if its places are computed
  std::vector<std::unique_ptr<met_elements>> met_;  // by executor
  plan plan_;
};

}  // namespace

std::optional<plan> make_disjoint_plan(const planning& in) { return disjoint_planner(in).make(); }

}  // namespace stradsap::rt
