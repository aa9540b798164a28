#include "runtime/loop/waves/wave_planner.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "runtime/base/check.hpp"
#include "runtime/dds/element_exchange.hpp"
#include "runtime/loop/plan/aligned_elements.hpp"
#include "runtime/loop/plan/group_sizes.hpp"
#include "runtime/loop/waves/levels.hpp"
#include "runtime/loop/waves/wave_steps.hpp"

namespace stradsap::rt {
namespace {

constexpr std::uint64_t most_touches = 1 << 22;  // of a segment
constexpr std::uint64_t least_segment = 1024;    // of a segment
constexpr std::size_t most_asked = 16;           // elements of an iteration that choose its part
constexpr std::uint32_t least_groups = 64;       // of a container, so that many ranks can own some

/// One planning. The steps stand in the order in which they run.
class wave_planner {
 public:
  wave_planner(const planning& in, const inspection& found)
      : in_(in),
        f_(in.frame),
        parts_(found.parts),
        units_(found.units),
        first_(static_cast<std::uint64_t>(share_begin(in, in.ranks.self()))),
        plan_(std::make_shared<wave_plan>()) {}

  std::shared_ptr<const wave_plan> make() {
    count_touches();
    const bool asks = !in_.program_order && !in_.stays_waves;
    if (asks && blocks_do()) return nullptr;
    number_elements();
    const auto n = static_cast<std::uint64_t>(f_.n);
    const std::uint64_t length = window_length();
    for (std::uint64_t begin = 0; begin < n; begin += length) {
      gather(begin, std::min(n, begin + length));
      levels_->sort(window_);
      if (begin == 0 && asks && !pays()) return nullptr;
      if (begin == 0) prepare();
      deal(begin);
    }
    plan_->levels = levels_->base() + levels_->num_levels();
    plan_->parallelism = static_cast<double>(n) / static_cast<double>(longest_);
    steps_->finish();
    if (tracer_ != nullptr) plan_->trace = std::make_shared<wave_trace>(tracer_->finish(traced_work_));
    lay_out_streams();
    adopt_plan_layouts(in_);
    return plan_;
  }

 private:
  [[nodiscard]] std::uint64_t share(rank_id r) const {
    return static_cast<std::uint64_t>(share_begin(in_, r));
  }
  [[nodiscard]] bool is_owned(std::size_t c) const { return f_.uses[c] == usage::owned; }
  [[nodiscard]] bool is_aligned(std::size_t c) const { return f_.is_aligned(c); }

  /// Counts the units of each container that all iterations touch, and the iterations that touch some.
  void count_touches() {
    std::vector<std::uint64_t> mine(f_.num_captures());
    std::uint64_t active = 0;
    for (const inspected_part& part : parts_) {
      part.sets.count_by_capture(mine);
      active += part.sets.num_active();
    }
    mine.push_back(active);
    touches_ = sum_of_ranks(in_.ranks, std::move(mine));
    active_ = touches_.back();
    touches_.pop_back();
  }

  /// The number of blocks that can run at a time: groups divided by touches, for the scarcest container.
  [[nodiscard]] double parallelism_of_blocks() const {
    auto least = static_cast<double>(f_.n);
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (!is_owned(c) || touches_[c] == 0) continue;
      const double of_iteration = static_cast<double>(touches_[c]) / static_cast<double>(active_);
      least = std::min(least, f_.replicas[c]->groups().num_groups() / of_iteration);
    }
    return std::max(1.0, least);
  }

  bool blocks_do() {
    std::uint64_t elements = 0;
    for (std::size_t c = 0; c < f_.num_captures(); ++c) elements += is_owned(c) ? f_.replicas[c]->size() : 0;
    return elements > most_wave_elements || static_cast<std::uint64_t>(f_.n) > most_wave_elements ||
           parallelism_of_blocks() >= enough_blocks;
  }

  /// Numbers the elements of all containers that the loop writes at computed places.
  void number_elements() {
    std::uint64_t elements = 0;
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      plan_->first_element.push_back(static_cast<std::uint32_t>(elements));
      if (!is_owned(c)) continue;
      elements += f_.replicas[c]->size();
      work_of_touch_ = std::max(work_of_touch_, work_of_touch(f_.replicas[c]->ops().size));
    }
    STRADSAP_ASSERT(elements <= most_wave_elements, "{} elements to plan by waves", elements);
    num_elements_ = elements;
    levels_ = std::make_unique<level_sorter>(elements, all_touches());
  }

  /// The elements that all iterations touch.
  [[nodiscard]] std::uint64_t all_touches() const {
    return std::inner_product(touches_.begin(), touches_.end(), units_.begin(), std::uint64_t{0});
  }

  [[nodiscard]] std::uint64_t window_length() const {
    const double touches = std::max(1.0, static_cast<double>(all_touches()) / static_cast<double>(f_.n));
    return std::max(static_cast<std::uint64_t>(most_touches / touches), least_segment);
  }

  // ---- the sets of a segment's iterations, on every rank ----

  void gather(std::uint64_t begin, std::uint64_t end) {
    window_.elements.clear();
    window_.ends.clear();
    const std::uint64_t from = std::clamp(first_, begin, end);
    const std::uint64_t to = std::clamp(share(in_.ranks.self() + 1), begin, end);
    wave_sets mine;
    number_sets(from, to, in_.ranks.world_size() == 1 ? window_ : mine);
    if (in_.ranks.world_size() == 1) return;
    bytes own;
    abi::writer out(own);
    out(mine.elements, mine.ends);
    for (const bytes& one : in_.ranks.all_gather(own)) {
      wave_sets theirs;
      abi::reader in(one);
      in(theirs.elements, theirs.ends);
      const std::uint64_t offset = window_.elements.size();
      window_.elements.insert(window_.elements.end(), theirs.elements.begin(), theirs.elements.end());
      for (const std::uint64_t e : theirs.ends) window_.ends.push_back(offset + e);
    }
    check_gathered(end - begin);
  }

  void number_sets(std::uint64_t from, std::uint64_t to, wave_sets& out) const {
    const double touches = static_cast<double>(all_touches()) / static_cast<double>(f_.n);
    out.elements.reserve(static_cast<std::size_t>(touches * static_cast<double>(to - from)));
    out.ends.reserve(to - from);
    for (const inspected_part& part : parts_) {
      const auto begin = static_cast<std::uint64_t>(part.begin);
      const std::uint64_t end = begin + part.sets.size();
      const std::uint64_t first = std::clamp(from, begin, end), last = std::clamp(to, begin, end);
      if (has_single_rows(part.sets)) {
        number_rows(part.sets, first - begin, last - begin, out);
        continue;
      }
      for (std::uint64_t j = first; j < last; ++j) {
        part.sets.visit(j - begin, [&](std::uint32_t capture, std::uint64_t element) {
          const std::uint32_t number = plan_->first_element[capture] + static_cast<std::uint32_t>(element);
          for (std::uint32_t k = 0; k < units_[capture]; ++k) out.elements.push_back(number + k);
        });
        out.ends.push_back(out.elements.size());
      }
    }
  }

  /// Whether all iterations touch the same captures, each by single elements.
  [[nodiscard]] bool has_single_rows(const access_sets& sets) const {
    return sets.is_uniform() && std::all_of(sets.pattern().begin(), sets.pattern().end(),
                                            [&](std::uint32_t c) { return units_[c] == 1; });
  }

  /// The same for iterations [first, last) of such sets.
  void number_rows(const access_sets& sets, std::uint64_t first, std::uint64_t last, wave_sets& out) const {
    const std::size_t width = sets.pattern().size();
    const std::span<const std::uint32_t> rows = sets.rows().subspan(first * width, (last - first) * width);
    const std::size_t before = out.elements.size();
    out.elements.insert(out.elements.end(), rows.begin(), rows.end());
    for (std::size_t t = 0; t < width; ++t) {
      const std::uint32_t number = plan_->first_element[sets.pattern()[t]];
      if (number == 0) continue;
      for (std::size_t at = before + t; at < out.elements.size(); at += width) out.elements[at] += number;
    }
    for (std::uint64_t j = first; j < last; ++j) out.ends.push_back(before + (j - first + 1) * width);
  }

  void check_gathered(std::uint64_t iterations) const {
    const bool fits = window_.size() == iterations &&
                      std::is_sorted(window_.ends.begin(), window_.ends.end()) &&
                      (iterations == 0 || window_.ends.back() == window_.elements.size()) &&
                      std::all_of(window_.elements.begin(), window_.elements.end(),
                                  [&](std::uint32_t e) { return e < num_elements_; });
    if (!fits) throw error(errc::decode, "the ranks' read and write sets do not fit together");
  }

  // ---- levels, and the part of each iteration ----

  /// Approximate nanoseconds, by element sizes and counts if no iteration was timed. Stops counting at
  /// `least_level_work`.
  [[nodiscard]] std::uint64_t work_in(std::uint32_t level) const {
    std::uint64_t work = 0;
    for (const std::uint32_t i : levels_->of(level)) {
      work += in_.iteration_work != 0 ? in_.iteration_work : window_.of(i).size() * work_of_touch_;
      if (work >= least_level_work) break;
    }
    return work;
  }
  [[nodiscard]] bool is_thin(std::uint32_t level) const {
    return levels_->of(level).size() < 2 || work_in(level) < least_level_work;
  }

  /// Whether waves run enough more iterations at a time than blocks. The first segment decides.
  [[nodiscard]] bool pays() const {
    std::uint64_t longest = 0;
    for (std::uint32_t l = 0; l < levels_->num_levels(); ++l) {
      const std::size_t width = levels_->of(l).size();
      longest += is_thin(l) ? width : (width + num_wave_parts - 1) / num_wave_parts;
    }
    // iterations that touch nothing are dealt out in the first level
    std::uint64_t idle = 0;
    for (std::uint64_t i = 0; i < window_.size(); ++i)
      idle += window_.of(static_cast<std::uint32_t>(i)).empty();
    longest = std::max<std::uint64_t>(1, longest - std::min(longest, idle / num_wave_parts));
    const double parallelism = static_cast<double>(window_.size() - idle) / static_cast<double>(longest);
    return parallelism >= least_wave_gain * parallelism_of_blocks();
  }

  void prepare() {
    cut_containers();
    plan_->work_of_part.resize(num_wave_parts);
    steps_ = std::make_unique<wave_steps>(in_, *plan_, num_elements_, all_touches(),
                                          ranks_for_waves(work_of_level(), in_.ranks.world_size()));
    begin_trace();
    rank_of_.resize(share(in_.ranks.self() + 1) - first_);
  }

  /// Approximate nanoseconds of a level, on average in the first segment.
  [[nodiscard]] std::uint64_t work_of_level() const {
    const std::uint64_t work = in_.iteration_work != 0 ? window_.size() * in_.iteration_work
                                                       : window_.elements.size() * work_of_touch_;
    return work / levels_->num_levels();
  }

  void begin_trace() {
    if (!in_.simulated) return;
    std::vector<std::uint32_t> sizes;
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      const std::uint64_t count = is_owned(c) ? f_.replicas[c]->size() : 0;
      if (count > 0) sizes.insert(sizes.end(), count, static_cast<std::uint32_t>(f_.replicas[c]->ops().size));
    }
    tracer_ = std::make_unique<wave_tracer>(std::move(sizes));
    traced_work_ = work_of_level();
  }

  void cut_containers() {
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (is_owned(c)) cut_for_waves(*f_.replicas[c]);
    }
  }

  void deal(std::uint64_t first_iteration) {
    for (std::uint32_t l = 0; l < levels_->num_levels(); ++l) {
      const auto iterations = levels_->of(l);
      const std::uint32_t level = levels_->base() + l + 1;
      const bool thin = is_thin(l);
      dealer_.begin(iterations.size());
      for (const std::uint32_t i : iterations) {
        const auto set = window_.of(i);
        const std::uint32_t part = part_for(set, level, thin);
        steps_->add(first_iteration + i, part, level, set);
        count_work(part, set.size(), thin);
        if (tracer_ != nullptr) tracer_->add(level, part, set);
        note_rank(first_iteration + i, plan_->rank_of_part[part]);
        last_part_ = part;
        was_thin_ = thin;
      }
      longest_ += thin ? iterations.size() : dealer_.highest();
    }
  }

  void count_work(std::uint32_t part, std::uint64_t touches, bool alone) {
    part_work& work = plan_->work_of_part[part];
    (alone ? work.alone : work.dealt) += touches + 1;
    ++work.iterations;
  }

  void note_rank(std::uint64_t iteration, rank_id rank) {
    if (iteration >= first_ && iteration - first_ < rank_of_.size()) rank_of_[iteration - first_] = rank;
  }

  /// An iteration that continues a chain goes to the chain's part, where the chain's next iterations wait
  /// least.
  std::uint32_t part_for(std::span<const std::uint32_t> set, std::uint32_t level, bool thin) {
    if (thin && was_thin_) return last_part_;
    const std::size_t stride = (set.size() + most_asked - 1) / most_asked;
    bool continues = false;
    for (std::size_t t = 0; t < set.size(); t += stride) {
      const element_place at = steps_->place(set[t]);
      if (at.level + 1 == level) dealer_.favour(at.part);
      continues = continues || at.level + 1 == level;
    }
    for (std::size_t t = 0; t < set.size() && !continues; t += stride) {
      const element_place at = steps_->place(set[t]);
      dealer_.favour(at.level != 0 ? at.part : first_part(set[t]));
    }
    return dealer_.deal();
  }

  /// Each part has as many neighbouring elements of a container before their first use.
  [[nodiscard]] std::uint32_t first_part(std::uint32_t element) const {
    const auto& firsts = plan_->first_element;
    const auto c = std::upper_bound(firsts.begin(), firsts.end(), element) - firsts.begin() - 1;
    const std::uint64_t at = element - firsts[static_cast<std::size_t>(c)];
    return static_cast<std::uint32_t>(at * num_wave_parts / f_.replicas[static_cast<std::size_t>(c)]->size());
  }

  // ---- aligned elements ----

  void lay_out_streams() {
    for (wave_thread_share& thread : plan_->threads) {
      for (std::size_t c = 0; c < f_.num_captures(); ++c) {
        thread.streams.push_back(
            is_aligned(c) ? element_array(f_.replicas[c]->ops(), thread.iterations.size()) : element_array());
      }
    }
    if (in_.ranks.world_size() == 1) return copy_streams();
    element_exchange elements(in_.ranks);
    pack_streams(elements);
    elements.trade();
    place_streams(elements);
    elements.finish();
  }

  void copy_streams() {
    in_.pool.run([&](int number) {
      wave_thread_share& thread = plan_->threads[static_cast<std::size_t>(number)];
      for (std::size_t c = 0; c < f_.num_captures(); ++c) {
        for (std::size_t k = 0; is_aligned(c) && k < thread.iterations.size(); ++k) {
          const replica& local = *f_.replicas[c];
          local.ops().assign(thread.streams[c].at(k), local.at(thread.iterations[k]));
        }
      }
    });
  }

  void pack_streams(element_exchange& out) {
    for (std::uint64_t j = first_; j - first_ < rank_of_.size(); ++j) {
      abi::writer& writer = out.writer(rank_of_[j - first_]);
      for (std::size_t c = 0; c < f_.num_captures(); ++c) {
        if (is_aligned(c)) f_.replicas[c]->ops().write(f_.replicas[c]->at(j), 1, writer);
      }
    }
  }

  void place_streams(element_exchange& in) {
    struct place {
      std::uint32_t iteration;
      wave_thread_share* thread;
      std::size_t at;
    };
    std::vector<place> places;
    for (wave_thread_share& thread : plan_->threads) {
      for (std::size_t k = 0; k < thread.iterations.size(); ++k)
        places.push_back({thread.iterations[k], &thread, k});
    }
    std::sort(places.begin(), places.end(),
              [](const place& a, const place& b) { return a.iteration < b.iteration; });
    auto next = places.begin();
    for (rank_id r = 0; r < in_.ranks.world_size(); ++r) {
      abi::reader& reader = in.reader(r);
      for (; next != places.end() && next->iteration < share(r + 1); ++next) {
        for (std::size_t c = 0; c < f_.num_captures(); ++c) {
          if (is_aligned(c)) f_.replicas[c]->ops().read(next->thread->streams[c].at(next->at), 1, reader);
        }
      }
    }
  }

  const planning& in_;
  const loop_frame& f_;
  const std::vector<inspected_part>& parts_;
  const std::vector<std::uint64_t>& units_;
  const std::uint64_t first_;  // iteration of this rank's share
  std::shared_ptr<wave_plan> plan_;
  std::vector<std::uint64_t> touches_;  // of all iterations, per capture
  std::uint64_t active_ = 0;            // iterations that touch something
  std::uint64_t num_elements_ = 0;
  std::uint64_t work_of_touch_ = 1;  // approximate nanoseconds
  wave_sets window_;
  std::unique_ptr<level_sorter> levels_;
  part_dealer dealer_;
  std::vector<rank_id> rank_of_;  // by iteration of this rank's share: the rank that runs it
  std::unique_ptr<wave_steps> steps_;
  std::unique_ptr<wave_tracer> tracer_;  // for the simulation
  std::uint64_t traced_work_ = 0;
  std::uint64_t longest_ = 0;  // iterations of the longest chain of levels
  std::uint32_t last_part_ = 0;
  bool was_thin_ = false;
};

}  // namespace

std::shared_ptr<const wave_plan> make_wave_plan(const planning& in, const inspection& found) {
  return wave_planner(in, found).make();
}

void cut_for_waves(replica& local) {
  cut_evenly(local, number_of_groups(least_groups * 64, 1, local.size()));
}

plan plan_of_waves(const planning& in, inspection found, std::shared_ptr<const wave_plan> waves) {
  plan p;
  p.num_accumulators = in.frame.num_accumulators;
  p.units = std::move(found.units);
  p.shares = in.shares;
  p.accumulator_ranks = ranks_of_accumulators(*waves, in.frame.num_accumulators);
  p.waves = std::move(waves);
  return p;
}

}  // namespace stradsap::rt
