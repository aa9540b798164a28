#include "runtime/loop/dynamic/parallel_trial.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "runtime/loop/dynamic/kept_elements.hpp"
#include "runtime/loop/dynamic/touched_elements.hpp"

namespace stradsap::rt {

// More updates than so many times those of one worker are no gain with any number of workers in use.
static constexpr std::uint64_t most_times_updates = 10;

namespace {

/// The elements that a loop writes, as they were when this was made.
class start_state {
 public:
  explicit start_state(const loop_frame& f) : frame_(f) {
    for (std::size_t c = 0; c < f.num_captures(); ++c) {
      if (f.replicas[c] == nullptr || !f.writes(c)) continue;
      const auto n = static_cast<std::size_t>(f.replicas[c]->size());
      kept_.push_back({c, n, std::make_unique<kept_elements>(*f.replicas[c], n)});
      kept_.back().elements->keep(0, n);
    }
  }
  void restore() const {
    for (const auto& [capture, n, elements] : kept_) {
      const poison::opened all(frame_.replicas[capture]->at(0), n * frame_.replicas[capture]->ops().size);
      for (std::size_t i = 0; i < n; ++i) elements->restore(i, i);
    }
  }

 private:
  struct kept_container {
    std::size_t capture;
    std::size_t n;
    std::unique_ptr<kept_elements> elements;
  };

  const loop_frame& frame_;
  std::vector<kept_container> kept_;
};

/// Reductions of one trial.
class trial_partials {
 public:
  explicit trial_partials(const dynamic_loop& loop) {
    for (std::size_t c = 0; c < loop.frame.num_captures(); ++c) {
      const abi::capture_info& capture = loop.frame.entry->captures[c];
      const std::byte* const from = loop.partials[c];
      copies_.emplace_back();
      if (capture.kind == abi::capture_kind::reduction) copies_.back().assign(from, from + capture.size);
    }
    for (std::vector<std::byte>& one : copies_) all_.push_back(one.data());
  }
  [[nodiscard]] const std::vector<std::byte*>& all() const { return all_; }

 private:
  std::vector<std::vector<std::byte>> copies_;
  std::vector<std::byte*> all_;
};

}  // namespace

static std::string reason_against_sets(const dynamic_loop& loop) {
  for (std::size_t c = 0; c < loop.frame.num_captures(); ++c) {
    if (loop.frame.replicas[c] != nullptr && loop.frame.writes(c) &&
        loop.frame.replicas[c]->keys() != nullptr)
      return writes_map(loop.frame.name_of(c));
  }
  return {};
}

static parallel_trial try_workers(const dynamic_loop& loop, std::int64_t workers, const update_limits& limits,
                                  executor_pool& pool) {
  const trial_partials partials(loop);
  set_options sets = loop.sets;
  sets.size = sets.shards = workers;
  sets.is_free = false;
  dynamic_execution solve(loop.frame, partials.all(), limits, loop.how, sets, &pool);
  const std::optional<failure> failed = solve.run();
  parallel_trial trial;
  trial.workers = workers;
  trial.updates = trial.rounds = solve.order().updates();
  trial.last_change = solve.order().last_change();
  trial.how = solve.order().has_converged() ? parallel_trial::end::converged : parallel_trial::end::limit;
  if (failed) {
    trial.how = parallel_trial::end::failed;
    trial.why = failed->what;
  }
  if (solve.sets() == nullptr) return trial;
  trial.updates += solve.sets()->counts().undone;
  trial.rounds = solve.sets()->counts().sets;
  if (!failed) trial.why = solve.sets()->why_not();
  return trial;
}

std::vector<parallel_trial> try_side_by_side(const dynamic_loop& loop, std::int64_t most,
                                             executor_pool& pool) {
  std::string against = reason_against_sets(loop);
  if (!against.empty()) return {parallel_trial{.why = std::move(against)}};
  const start_state start(loop.frame);
  std::vector<parallel_trial> trials;
  update_limits limits = loop.limits;
  for (std::int64_t workers = 1;; workers = std::min(2 * workers, most)) {
    trials.push_back(try_workers(loop, workers, limits, pool));
    start.restore();
    if (workers == 1)
      limits.most_updates = std::min(limits.most_updates, most_times_updates * trials[0].updates);
    if (trials.back().how != parallel_trial::end::failed && !trials.back().why.empty()) {
      trials[0].why = trials.back().why;
      trials.resize(1);
      return trials;
    }
    if (workers == most) return trials;
  }
}

}  // namespace stradsap::rt
