#include "runtime/loop/plan/row_classes.hpp"

#include <algorithm>
#include <span>

#include "runtime/loop/access/touch_index.hpp"

namespace stradsap::rt {

/// Splits classes by a value of each touch. Takes time in proportion to the touches: a row of a grid has
/// thousands.
template <class Value>
static std::vector<std::uint32_t> refined(const std::vector<std::uint32_t>& first, const Value& value_of) {
  std::vector<std::uint32_t> parts;
  parts.reserve(first.size());
  touch_index known;
  for (std::uint32_t t = 0; t < first.size(); ++t)
    parts.push_back(known.add(std::uint64_t{first[t]} << 32 | std::uint32_t{value_of(t)}, t));
  return parts;
}

void row_classes::join(const row_classes& other) {
  if (!other.is_known) return;
  if (!is_known) {
    *this = other;
    return;
  }
  if (first.size() != other.first.size()) return first.clear();
  first = refined(first, [&](std::uint32_t t) { return other.first[t]; });
}

std::size_t row_classes::count() const {
  std::size_t classes = 0;
  for (std::uint32_t t = 0; t < first.size(); ++t) classes += first[t] == t;
  return classes;
}

row_counts count_rows(const loop_frame& f, const std::vector<std::uint64_t>& units) {
  row_counts counts{units, std::vector<std::uint64_t>(f.num_captures())};
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.uses[c] == usage::owned && f.replicas[c]->uncut())
      counts.rows[c] = f.replicas[c]->size() / std::max<std::uint64_t>(1, units[c]);
  }
  return counts;
}

namespace {

/// Two touches of a class. Elements are multiples of their units, so they name the same row if
/// first * unit == other * first_unit.
struct row_pair {
  std::uint32_t first;
  std::uint32_t other;
  std::uint64_t first_unit;
  std::uint64_t unit;
};

}  // namespace

static std::vector<row_pair> pairs_of(const row_classes& classes, const access_sets& sets,
                                      const row_counts& counts) {
  std::vector<row_pair> pairs;
  for (std::uint32_t t = 0; t < classes.first.size(); ++t) {
    const std::uint32_t first = classes.first[t];
    const auto unit_of = [&](std::uint32_t touch) { return counts.units[sets.pattern()[touch]]; };
    if (first != t) pairs.push_back({first, t, unit_of(first), unit_of(t)});
  }
  return pairs;
}

row_classes classes_of(const access_sets& sets, const row_counts& counts) {
  row_classes found;
  found.is_known = sets.size() != 0;
  if (!found.is_known || !sets.is_uniform()) return found;
  const std::span<const std::uint32_t> pattern = sets.pattern();
  // the first touch of a container with as many rows, and then with the same row in each iteration
  for (std::uint32_t t = 0; t < pattern.size(); ++t) {
    const std::uint64_t rows = counts.rows[pattern[t]];
    std::uint32_t same = rows == 0 ? t : 0;
    while (counts.rows[pattern[same]] != rows) ++same;
    found.first.push_back(same);
  }
  std::vector<row_pair> pairs = pairs_of(found, sets, counts);
  for (std::size_t at = 0; !pairs.empty() && at < sets.rows().size(); at += pattern.size()) {
    const std::uint32_t* row = sets.rows().data() + at;
    std::uint64_t differences = 0;
    for (const row_pair& p : pairs) differences |= row[p.first] * p.unit ^ row[p.other] * p.first_unit;
    if (differences == 0) continue;
    found.first = refined(found.first, [&](std::uint32_t t) {
      return static_cast<std::uint32_t>(row[t] / counts.units[pattern[t]]);
    });
    pairs = pairs_of(found, sets, counts);
  }
  return found;
}

}  // namespace stradsap::rt
