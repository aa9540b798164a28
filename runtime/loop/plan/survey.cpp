#include "runtime/loop/plan/survey.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/loop/access/recorder.hpp"
#include "runtime/loop/plan/group_sizes.hpp"
#include "runtime/loop/plan/row_classes.hpp"
#include "runtime/loop/plan/wave_plan.hpp"

namespace stradsap::rt {
namespace {

constexpr std::int64_t most_sampled = 512;
constexpr std::int64_t least_sampled = 64;
constexpr std::int64_t least_share = 8;     // of a short loop, one iteration in so many
constexpr std::int64_t tried = 8;           // iterations that tell how wide they are
constexpr double surely_touched = 1024;     // bytes of a long element
constexpr double most_touches = 1 << 16;    // of a sample, if least_sampled iterations have fewer; also calls
constexpr std::int64_t few = 16;            // wide iterations that tell a chain
constexpr std::uint64_t least_active = 64;  // iterations that touch something, for averages over them
constexpr std::int64_t most_widened = 8;    // times as many iterations, where most touch nothing

}  // namespace

void conflict_counter::add(const access_sets& sets, std::uint64_t i) {
  touched_.clear();
  std::uint64_t chain = 0;
  sets.visit(i, [&](std::uint32_t capture, std::uint64_t element) {
    const auto next = static_cast<std::uint32_t>(uses_.size());
    const std::uint32_t place = places_.add(element << 16 | capture, next);
    if (place == next) uses_.emplace_back();
    chain = std::max(chain, uses_[place].chain);
    touched_.push_back({place, capture, element});
  });
  ++found_.iterations;
  if (touched_.empty()) ++found_.idle;
  found_.longest_chain = std::max(found_.longest_chain, chain + 1);
  for (const auto& [place, capture, element] : touched_) {
    element_uses& uses = uses_[place];
    if (uses.chain == chain + 1) continue;  // an element may stand twice in a set
    uses.chain = chain + 1;
    if (++uses.count <= found_.most_uses) continue;
    found_.most_uses = uses.count;
    found_.capture = capture;
    found_.element = element;
  }
}

std::int64_t sample_size(std::int64_t n, double touches) {
  const double fits = std::min(most_touches / std::max(1.0, touches), static_cast<double>(most_sampled));
  const std::int64_t most = std::max(least_sampled, static_cast<std::int64_t>(fits));
  return std::min(n, std::clamp(n / least_share, least_sampled, most));
}

std::int64_t sampled_iteration(std::int64_t k, std::int64_t sampled, std::int64_t n) {
  const auto begin_of = [&](std::int64_t at) {
    return static_cast<std::int64_t>(static_cast<__int128>(n) * at / sampled);
  };
  const std::int64_t begin = begin_of(k);
  const auto scattered = static_cast<std::uint64_t>(k) * 0x9e3779b97f4a7c15u >> 32;
  return begin + static_cast<std::int64_t>(scattered % static_cast<std::uint64_t>(begin_of(k + 1) - begin));
}

namespace {

/// Records `count` iterations, spread evenly over a loop of n.
void record_sample(std::int64_t count, std::int64_t n, recorder& from,
                   const std::function<void(std::int64_t)>& bring) {
  from.run_each(count, [&](std::int64_t k) {
    const std::int64_t j = sampled_iteration(k, count, n);
    bring(j);
    return j;
  });
}

iteration_width width_of_some(std::int64_t some, std::int64_t n, recorder& from,
                              const std::function<void(std::int64_t)>& bring) {
  some = std::min(n, some);
  record_sample(some, n, from, bring);
  const auto each = [&](std::uint64_t all) { return static_cast<double>(all) / static_cast<double>(some); };
  return {each(from.result().num_touches()), each(from.num_calls())};
}

/// The same sets, with new keys as elements.
access_sets without_keys(const access_sets& recorded) {
  access_sets sets;
  sets.expect(recorded.size());
  std::vector<touch> touches;
  for (std::uint64_t i = 0; i < recorded.size(); ++i) {
    touches.clear();
    recorded.visit(
        i, [&](std::uint32_t capture, std::uint64_t element) { touches.push_back({element, capture, 0}); });
    sets.add(touches);
  }
  return sets;
}

/// The blocks of a loop, judged by its sample.
class block_estimate {
 public:
  block_estimate(const loop_frame& f, const access_sets& sample, std::vector<std::uint64_t> units)
      : f_(f), sample_(sample), counts_(count_rows(f, units)) {}

  void add_to(survey& found) const {
    std::vector<std::uint64_t> touches(f_.num_captures());
    sample_.count_by_capture(touches);
    const auto all = static_cast<double>(sample_.size());
    const auto active = static_cast<double>(std::max<std::uint64_t>(1, found.active()));
    found.touches = static_cast<double>(sample_.num_touches()) / active;
    const std::size_t classes = classes_of(sample_, counts_).count();
    const double choices = classes != 0 ? static_cast<double>(classes) : found.touches;
    found.blocks_at_once = static_cast<double>(f_.n);
    std::uint64_t elements = 0;
    std::uint64_t each = 0;
    double touched = 0;
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (f_.uses[c] != usage::owned) continue;
      elements += f_.replicas[c]->size();
      each = std::max(each, work_of_touch(f_.replicas[c]->ops().size));
      const double size = size_of_element(c);
      const auto units = static_cast<double>(touches[c] * counts_.units[c]);
      found.written_bytes += static_cast<std::uint64_t>(size * static_cast<double>(f_.replicas[c]->size()));
      found.added_bytes += added_bytes(c, units / all, size);
      touched += units / active;
      if (touches[c] == 0) continue;
      const double groups = groups_of(c, choices);
      found.blocks_at_once =
          std::min(found.blocks_at_once, groups / (static_cast<double>(touches[c]) / active));
    }
    found.touch_work = touched * static_cast<double>(each);
    found.block_length = length(static_cast<double>(f_.n) * active / all);
    if (elements > most_wave_elements || static_cast<std::uint64_t>(f_.n) > most_wave_elements)
      found.blocks_at_once = found.block_length = std::numeric_limits<double>::infinity();
  }

 private:
  /// Of an iteration that touches so many elements. How many of those that a pointer may reach are added into
  /// is not known.
  [[nodiscard]] double added_bytes(std::size_t c, double units, double size) const {
    const bool reaches_any = (f_.entry->captures[c].mode & abi::reaches_any) != 0;
    const double each = units * std::min(size, surely_touched);
    return reaches_any ? std::min(each, surely_touched) : each;
  }

  /// In bytes, on average, with memory that it owns. The driver has all elements that own memory.
  [[nodiscard]] double size_of_element(std::size_t c) const {
    const replica& local = *f_.replicas[c];
    const abi::accumulation* how = f_.entry->captures[c].added;
    const auto own = static_cast<double>(local.ops().size);
    if (how == nullptr || how->size_bytes == nullptr || local.size() == 0) return own;
    return own + static_cast<double>(how->size_bytes(local.at(0), local.size())) /
                     static_cast<double>(local.size());
  }

  [[nodiscard]] double groups_of(std::size_t c, double choices) const {
    const replica& local = *f_.replicas[c];
    if (!local.uncut()) return local.groups().num_groups();
    return number_of_groups(static_cast<std::uint64_t>(f_.n), choices, counts_.rows[c]);
  }

  /// The chance that two iterations that touch something are of one block, times all such iterations. Cuts to
  /// come leave blocks long enough, so only present ones count.
  [[nodiscard]] double length(double iterations) const {
    std::vector<std::vector<std::uint64_t>> blocks;
    for (std::uint64_t i = 0; i < sample_.size(); ++i) {
      std::vector<std::uint64_t> groups;
      bool is_idle = true;
      sample_.visit(i, [&](std::uint32_t capture, std::uint64_t element) {
        is_idle = false;
        const replica& local = *f_.replicas[capture];
        if (local.uncut() || element >= local.size()) return;
        groups.push_back(std::uint64_t{local.groups().group_of(element)} << 16 | capture);
      });
      std::sort(groups.begin(), groups.end());
      groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
      if (!is_idle) blocks.push_back(std::move(groups));
    }
    if (blocks.size() < sample_.size() && blocks.size() < least_active) return iterations;  // nobody knows
    std::sort(blocks.begin(), blocks.end());
    double pairs = 0;
    for (std::size_t begin = 0, end = 0; begin < blocks.size(); begin = end) {
      while (end < blocks.size() && blocks[end] == blocks[begin]) ++end;
      pairs += static_cast<double>(end - begin) * static_cast<double>(end - begin - 1);
    }
    const auto n = static_cast<double>(blocks.size());
    return n < 2 ? 1 : pairs / (n * (n - 1)) * iterations;
  }

  const loop_frame& f_;
  const access_sets& sample_;
  const row_counts counts_;
};

}  // namespace

std::uint32_t large_accumulators(const survey& found, std::int64_t n) {
  constexpr std::uint32_t most = 64;
  constexpr std::uint32_t always = 8;  // may exceed a cache
  constexpr double cached_bytes = 8 << 20;
  constexpr double folds = 4;  // bytes fold at least four times as fast as bodies add them
  const auto each = static_cast<double>(found.written_bytes);
  const double added = found.added_bytes * static_cast<double>(n);
  if (each == 0 || each > added) return 0;
  std::uint32_t accumulators = 2;
  while (2 * accumulators <= most && (2 * accumulators - 1) * folds * each <= added &&
         (2 * accumulators <= always || 2 * accumulators * each <= cached_bytes))
    accumulators *= 2;
  return accumulators;
}

namespace {

constexpr double least_parallelism = 1.3;
constexpr double least_length = 4;  // of blocks
constexpr double least_blocks = 2;  // at a time

}  // namespace

bool are_worthwhile(const block_plan& made) {
  std::vector<std::uint64_t> of_token(made.tokens.size());
  std::uint64_t active = 0;
  std::uint64_t longest = 1;
  double squares = 0;
  for (const plan_block& b : made.blocks) {
    if (b.num_tokens == 0) continue;
    active += b.count;
    squares += static_cast<double>(b.count) * static_cast<double>(b.count);
    for (const std::uint32_t t : made.tokens_of(b)) longest = std::max(longest, of_token[t] += b.count);
  }
  const auto n = static_cast<double>(active);
  return active == 0 || (squares / n >= least_length && n / static_cast<double>(longest) >= least_blocks);
}

loop_route route_for(const survey& found) {
  if (found.parallelism() < least_parallelism) return loop_route::program_order;
  const double parallelism = found.active_parallelism();  // iterations that touch nothing may be long
  if (parallelism < least_parallelism) return loop_route::waves;
  if (found.block_length < least_length || found.blocks_at_once < least_blocks) return loop_route::waves;
  const bool has_thin_levels = parallelism * found.touch_work < static_cast<double>(least_level_work);
  const double by_waves = has_thin_levels ? 1 : parallelism;
  const bool gains =
      found.blocks_at_once < enough_blocks && by_waves >= least_wave_gain * found.blocks_at_once;
  return gains ? loop_route::waves : loop_route::blocks;
}

bool is_short(const survey& found) {
  constexpr double least_work = 500;
  return found.touch_work < least_work;
}

namespace {

survey survey_of(std::int64_t count, const loop_frame& f, recorder& from,
                 const std::function<void(std::int64_t)>& bring) {
  record_sample(count, f.n, from, bring);
  bool has_keys = false;
  for (std::size_t c = 0; c < f.num_captures(); ++c) has_keys = has_keys || from.new_keys(c) != nullptr;
  const access_sets sample = has_keys ? without_keys(from.result()) : std::move(from.result());
  conflict_counter counter;
  for (std::uint64_t i = 0; i < sample.size(); ++i) counter.add(sample, i);
  std::vector<std::uint64_t> units;
  for (std::size_t c = 0; c < f.num_captures(); ++c) units.push_back(from.unit(c));
  survey found = counter.result();
  block_estimate(f, sample, std::move(units)).add_to(found);
  return found;
}

}  // namespace

iteration_width width_of_iterations(std::int64_t some, const loop_frame& f, copy_service& copies,
                                    const std::function<void(std::int64_t)>& bring) {
  recorder from(f, copies);
  return width_of_some(some, f.n, from, bring);
}

std::vector<hottest_use> hottest_uses(const loop_frame& f, copy_service& copies,
                                      const std::function<void(std::int64_t)>& bring) {
  recorder from(f, copies);
  const std::int64_t count = sample_size(f.n, width_of_some(tried, f.n, from, bring).touches);
  record_sample(count, f.n, from, bring);
  struct uses_of_element {
    std::uint64_t count = 0;
    std::uint64_t last = 0;  // iteration, from 1: an element may stand twice in a set
  };
  touch_index places;
  std::vector<uses_of_element> uses;
  std::vector<hottest_use> found(f.num_captures());
  const access_sets& sample = from.result();
  for (std::uint64_t i = 0; i < sample.size(); ++i) {
    sample.visit(i, [&](std::uint32_t capture, std::uint64_t element) {
      const auto next = static_cast<std::uint32_t>(uses.size());
      const std::uint32_t place = places.add(element << 16 | capture, next);
      if (place == next) uses.emplace_back();
      if (std::exchange(uses[place].last, i + 1) == i + 1) return;
      if (++uses[place].count > found[capture].uses) found[capture] = {uses[place].count, 0, element};
    });
  }
  for (hottest_use& one : found) one.sampled = sample.size();
  return found;
}

std::optional<double> survey_stretches(const loop_frame& f, copy_service& copies,
                                       const std::function<void(std::int64_t)>& bring,
                                       std::vector<stretch_run>& runs) {
  constexpr std::int64_t all = 1024;
  if (!may_record_stretches(f)) return std::nullopt;
  recorder from(f, copies, recorded::stretches);
  stretch_run seen(f.num_captures());
  const std::int64_t pairs = f.n <= all ? f.n : most_sampled;
  std::int64_t next = 0;
  std::int64_t count = 0;
  for (std::int64_t k = 0; k < pairs; ++k) {
    const std::int64_t j = sampled_iteration(k, pairs, f.n);
    for (next = std::max(j, next); next < std::min(f.n, j + 2); ++next, ++count) {
      bring(next);
      stretch_run own(f.num_captures());
      if (!from.follow(next, next + 1, own) || !seen.append(own)) return std::nullopt;
      if (f.n <= all) runs.push_back(std::move(own));
    }
  }
  return static_cast<double>(seen.touches) / static_cast<double>(count);
}

bool passes_elements_on(const access_sets& window) {
  using elements = std::vector<std::pair<std::uint32_t, std::uint64_t>>;
  const auto elements_of = [&](std::uint64_t i) {
    elements found;
    window.visit(i,
                 [&](std::uint32_t capture, std::uint64_t element) { found.emplace_back(capture, element); });
    std::sort(found.begin(), found.end());
    return found;
  };
  const auto meet = [](const elements& some, const elements& others) {
    return std::any_of(some.begin(), some.end(), [&](const auto& one) {
      return std::binary_search(others.begin(), others.end(), one);
    });
  };
  if (window.size() == 0) return false;
  const elements first = elements_of(0);
  elements before = first;
  for (std::uint64_t i = 1; i < window.size(); ++i) {
    elements now = elements_of(i);
    if (!meet(before, now)) return false;
    before = std::move(now);
  }
  return !meet(first, before);
}

bool survey_chains(const loop_frame& f, copy_service& copies,
                   const std::function<void(std::int64_t)>& bring) {
  constexpr std::int64_t length = 8;
  if (f.n < 4 * length) return false;
  recorder from(f, copies);
  const auto is_chain = [&](std::int64_t first) {
    from.run_each(length, [&](std::int64_t k) {
      bring(first + k);
      return first + k;
    });
    return passes_elements_on(from.result());
  };
  return is_chain(f.n / 4) && is_chain(f.n / 2);
}

survey survey_iterations(const loop_frame& f, copy_service& copies,
                         const std::function<void(std::int64_t)>& bring) {
  recorder from(f, copies);
  const auto [touches, calls] = width_of_some(tried, f.n, from, bring);
  const std::int64_t count = sample_size(f.n, touches);
  const bool is_costly = count > few && static_cast<double>(count) * std::max(touches, calls) > most_touches;
  if (is_costly) {
    const survey found = survey_of(few, f, from, bring);
    if (found.longest_chain == found.iterations) return found;
  }
  const survey found = survey_of(count, f, from, bring);
  const std::int64_t more = std::min(most_widened * count, f.n / least_share);
  const bool is_enough = found.idle == 0 || found.active() >= least_active || more <= count || is_costly;
  return is_enough ? found : survey_of(more, f, from, bring);
}

}  // namespace stradsap::rt
