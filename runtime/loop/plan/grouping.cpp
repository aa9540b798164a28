#include "runtime/loop/plan/grouping.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "runtime/base/check.hpp"
#include "runtime/loop/plan/group_sizes.hpp"
#include "runtime/loop/plan/hot_elements.hpp"
#include "runtime/loop/plan/row_classes.hpp"

namespace stradsap::rt {
namespace {

constexpr std::uint64_t most_bins = 65536;
constexpr std::uint64_t bins_of_iteration = 8;  // in short loops

/// How often the elements of one container are used, in bins of 2^shift neighbours.
struct use_histogram {
  std::uint32_t capture;
  unsigned shift;
  std::vector<std::uint64_t> uses;
};

/// The counts that all ranks must add up.
struct use_counts {
  std::uint64_t touches = 0;
  std::uint64_t active = 0;  // iterations that touch something
  row_classes classes;
  std::vector<use_histogram> histograms;
};

}  // namespace

/// The containers that the loop may cut.
static std::vector<std::uint32_t> uncut(const loop_frame& f) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t c = 0; c < f.num_captures(); ++c) {
    if (f.uses[c] == usage::owned && f.replicas[c]->uncut() && f.replicas[c]->size() != 0) found.push_back(c);
  }
  return found;
}

/// A short loop cuts few groups, so it needs few bins.
static use_counts no_uses(const loop_frame& f, const std::vector<std::uint32_t>& captures) {
  use_counts none;
  const std::uint64_t bins = std::min(most_bins, bins_of_iteration * static_cast<std::uint64_t>(f.n));
  for (const std::uint32_t c : captures) {
    const std::uint64_t last = f.replicas[c]->size() - 1;
    const auto shift = static_cast<unsigned>(std::bit_width(last / bins));
    none.histograms.push_back({c, shift, std::vector<std::uint64_t>((last >> shift) + 1)});
  }
  return none;
}

static void count_uses_of_rows(const access_sets& sets, std::vector<use_histogram>& histograms) {
  const std::size_t width = sets.pattern().size();
  const std::span<const std::uint32_t> rows = sets.rows();
  const std::size_t stretch = 2048 * width;  // stays in the cache from touch to touch
  for (std::size_t begin = 0; begin < rows.size(); begin += stretch) {
    const std::size_t end = std::min(rows.size(), begin + stretch);
    for (std::size_t t = 0; t < width; ++t) {
      for (use_histogram& h : histograms) {
        if (sets.pattern()[t] != h.capture) continue;
        for (std::size_t at = begin + t; at < end; at += width) ++h.uses[rows[at] >> h.shift];
      }
    }
  }
}

static void count_uses(const access_sets& sets, const row_counts& rows, use_counts& counts) {
  counts.touches = sets.num_touches();
  counts.active = sets.num_active();
  counts.classes = classes_of(sets, rows);
  if (sets.is_uniform()) return count_uses_of_rows(sets, counts.histograms);
  for (use_histogram& h : counts.histograms) {
    for (std::uint64_t i = 0; i < sets.size(); ++i) {
      sets.visit(i, [&h](std::uint32_t capture, std::uint64_t element) {
        if (capture == h.capture) ++h.uses[element >> h.shift];
      });
    }
  }
}

/// Sums the executors' counts, then the ranks'.
static use_counts sum(std::vector<use_counts> parts, exchange& ranks) {
  const auto add = [](use_counts& to, std::size_t h, const std::vector<std::uint64_t>& uses) {
    std::vector<std::uint64_t>& sums = to.histograms[h].uses;
    STRADSAP_ASSERT(uses.size() == sums.size(), "{} counts, {} expected", uses.size(), sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += uses[i];
  };
  use_counts total = std::move(parts[0]);
  for (std::size_t p = 1; p < parts.size(); ++p) {
    for (std::size_t h = 0; h < total.histograms.size(); ++h) add(total, h, parts[p].histograms[h].uses);
    total.touches += parts[p].touches;
    total.active += parts[p].active;
    total.classes.join(parts[p].classes);
  }
  if (ranks.world_size() == 1) return total;
  bytes own;
  abi::writer out(own);
  out(total.touches, total.active, total.classes.first, total.classes.is_known);
  for (const use_histogram& h : total.histograms) out(h.uses);
  const std::vector<bytes> all = ranks.all_gather(own);
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (static_cast<rank_id>(r) == ranks.self()) continue;
    abi::reader in(all[r]);
    use_counts theirs;
    in(theirs.touches, theirs.active, theirs.classes.first, theirs.classes.is_known);
    total.touches += theirs.touches;
    total.active += theirs.active;
    total.classes.join(theirs.classes);
    for (std::size_t h = 0; h < total.histograms.size(); ++h) {
      std::vector<std::uint64_t> uses;
      in(uses);
      add(total, h, uses);
    }
  }
  return total;
}

static void cut(replica& local, const use_histogram& h, std::uint32_t groups, std::uint64_t unit) {
  std::uint64_t total = 0;
  for (const std::uint64_t u : h.uses) total += u;
  if (total == 0) return;  // stays whole until a loop uses it
  std::vector<std::uint64_t> bounds;
  std::uint64_t before = 0;
  for (std::uint64_t bin = 0; bin + 1 < h.uses.size(); ++bin) {
    before += h.uses[bin];
    if (before * groups < (bounds.size() + 1) * total) continue;
    const std::uint64_t bound = (((bin + 1) << h.shift) + unit - 1) / unit * unit;
    if (bound < local.size() && (bounds.empty() || bounds.back() < bound)) bounds.push_back(bound);
  }
  bounds.push_back(local.size());
  std::vector<rank_id> owners(bounds.size(), local.groups().owner(0));
  local.cut(partition(std::move(bounds), std::move(owners)));
}

/// The bins that are used most, one of a container, where that is often.
static std::vector<hot_range> find_hot_bins(const planning& in, const use_counts& total) {
  std::vector<hot_range> found;
  for (const use_histogram& h : total.histograms) {
    const auto hottest = std::max_element(h.uses.begin(), h.uses.end());
    const auto bin = static_cast<std::uint64_t>(hottest - h.uses.begin());
    const std::uint64_t end = std::min((bin + 1) << h.shift, in.frame.replicas[h.capture]->size());
    if (may_be_hot(in, *hottest)) found.push_back({h.capture, bin << h.shift, end});
  }
  return found;
}

void cut_by_use(const planning& in, const inspection& found) {
  const loop_frame& f = in.frame;
  const std::vector<inspected_part>& parts = found.parts;
  const std::vector<std::uint32_t> captures = uncut(f);
  const bool is_too_short =
      static_cast<std::uint64_t>(f.n) < 2 * least_iterations(static_cast<std::uint64_t>(f.n));
  if (captures.empty() || is_too_short) return;
  std::vector<use_counts> counts(parts.size());
  const row_counts rows = count_rows(f, found.units);
  in.pool.run([&](int executor) {
    const auto p = static_cast<std::size_t>(executor);
    counts[p] = no_uses(f, captures);
    count_uses(parts[p].sets, rows, counts[p]);
  });
  const use_counts total = sum(std::move(counts), in.ranks);
  warn_of_hot_elements(in, parts, find_hot_bins(in, total));
  const std::size_t classes = total.classes.count();
  // cuts outlast this call, and in later ones more iterations may touch something
  const std::uint64_t active = std::max<std::uint64_t>(1, total.active);
  const double touches = classes != 0 ? static_cast<double>(classes)
                                      : static_cast<double>(total.touches) / static_cast<double>(active);
  for (const use_histogram& h : total.histograms) {
    replica& local = *f.replicas[h.capture];
    const std::uint64_t unit = found.units[h.capture];
    const std::uint32_t groups =
        number_of_groups(static_cast<std::uint64_t>(f.n), touches, local.size() / unit);
    if (groups > 1) cut(local, h, groups, unit);
  }
}

}  // namespace stradsap::rt
