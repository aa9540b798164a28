#include "runtime/loop/plan/find_hot_units.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stradsap::rt {

/// The touches of each unit of a container.
using unit_counts = std::vector<std::uint64_t>;

static void count(const access_sets& sets, std::uint32_t wanted, std::uint64_t unit, unit_counts& counts) {
  for (std::uint64_t i = 0; i < sets.size(); ++i) {
    sets.visit(i, [&](std::uint32_t capture, std::uint64_t element) {
      if (capture == wanted) ++counts[element / unit];
    });
  }
}

static unit_counts count_everywhere(const planning& in, const inspection& found, std::uint32_t capture) {
  const std::uint64_t unit = found.units[capture];
  unit_counts mine(in.frame.replicas[capture]->size() / unit + 1);
  for (const inspected_part& part : found.parts) count(part.sets, capture, unit, mine);
  return sum_of_ranks(in.ranks, std::move(mine));
}

/// By default, a unit is hot if more than one iteration in 64 touches it: then 16 accumulators would wait for
/// it a quarter of their time.
static hot_units hottest(const planning& in, const inspection& found, std::uint32_t capture) {
  constexpr std::uint64_t hot_share = 64;
  const unit_counts counts = count_everywhere(in, found, capture);
  const std::int64_t wanted = in.frame.relaxed[capture]->hottest;
  const auto least = wanted > 0 ? std::uint64_t{1} : static_cast<std::uint64_t>(in.frame.n) / hot_share + 1;
  std::vector<std::uint64_t> order(counts.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](std::uint64_t u) { return counts[u] < least; });
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return counts[a] > counts[b]; });
  if (wanted > 0 && order.size() > static_cast<std::size_t>(wanted))
    order.resize(static_cast<std::size_t>(wanted));
  std::sort(order.begin(), order.end());
  const std::uint64_t unit = found.units[capture];
  for (std::uint64_t& first : order) first *= unit;
  return hot_units(std::move(order), unit, in.frame.replicas[capture]->size());
}

/// Takes hot units out of the sets of consecutive iterations.
class hot_filter {
 public:
  hot_filter(const planning& in, const std::vector<hot_units>& hot)
      : frame_(in.frame), hot_(hot), has_cold_(hot.size()) {}

  access_sets run(const access_sets& all, std::int64_t begin) {
    access_sets left;
    left.expect(all.size());
    for (std::uint64_t i = 0; i < all.size(); ++i) left.add(filtered(all, i, begin));
    return left;
  }

 private:
  const std::vector<touch>& filtered(const access_sets& all, std::uint64_t i, std::int64_t begin) {
    touches_.clear();
    has_cold_.assign(hot_.size(), false);
    all.visit(i, [&](std::uint32_t capture, std::uint64_t element) {
      if (!hot_[capture].has(element)) has_cold_[capture] = true;
    });
    const auto j = static_cast<std::uint64_t>(begin) + i;
    all.visit(i, [&](std::uint32_t capture, std::uint64_t element) {
      if (!hot_[capture].has(element)) return touches_.push_back({element, capture, 0});
      if (has_cold_[capture]) return;
      has_cold_[capture] = true;
      touches_.push_back({substitute(capture, j), capture, 0});
    });
    return touches_;
  }

  /// An iteration without a cold element of the container takes a group of it all the same, as its number
  /// says. So such iterations are spread over blocks and accumulators.
  [[nodiscard]] std::uint64_t substitute(std::uint32_t capture, std::uint64_t j) const {
    const std::uint64_t unit = hot_[capture].unit();
    const std::uint64_t units = frame_.replicas[capture]->size() / unit;
    const auto n = static_cast<unsigned __int128>(frame_.n);
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(j) * units / n) * unit;
  }

  const loop_frame& frame_;
  const std::vector<hot_units>& hot_;
  std::vector<bool> has_cold_;  // by capture
  std::vector<touch> touches_;
};

std::vector<hot_units> take_hot_units(const planning& in, inspection& found) {
  if (!in.frame.has_hottest()) return {};
  std::vector<hot_units> hot(in.frame.num_captures());
  for (std::uint32_t c = 0; c < hot.size(); ++c) {
    if (in.frame.is_hottest_relaxed(c)) hot[c] = hottest(in, found, c);
  }
  in.pool.run([&](int executor) {
    inspected_part& part = found.parts[static_cast<std::size_t>(executor)];
    part.sets = hot_filter(in, hot).run(part.sets, part.begin);
  });
  return hot;
}

}  // namespace stradsap::rt
