#include "runtime/loop/dynamic/touched_elements.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "runtime/loop/access/recorder.hpp"

namespace stradsap::rt {

std::string writes_map(std::string_view name) {
  return fmt::format("the body writes the map `{}`: `[]` counts as a write, and `at` and `find` do not",
                     name);
}

/// The written containers that decide which elements a body touches, as far as stradsap-cc can tell them
/// apart.
static std::vector<std::string> deciding_names(const loop_frame& f) {
  constexpr unsigned decides = abi::steers | abi::writes;
  std::vector<std::string> names;
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    const unsigned mode = f.entry->captures[c].mode;
    if (f.replicas[c] != nullptr && (mode & decides) == decides && (mode & abi::steady) == 0)
      names.push_back(fmt::format("`{}`", f.name_of(c)));
  }
  return names;
}

std::string reason_against_touches(const loop_frame& f, const std::vector<std::size_t>& captures) {
  std::uint64_t elements = 0;
  if (const std::vector<std::string> names = deciding_names(f); !names.empty()) {
    return fmt::format("{}, which the body writes, decide{} the elements that it touches",
                       fmt::join(names, " and "), names.size() == 1 ? "s" : "");
  }
  for (const std::size_t c : captures) {
    if (f.replicas[c]->keys() != nullptr) return writes_map(f.name_of(c));
    elements += f.replicas[c]->size();
  }
  if ((f.entry->flags & abi::unknown_dependences) != 0)
    return "stradsap-cc cannot follow the data that decide the elements which the body touches";
  if (!captures.empty() && f.entry->record == nullptr)
    return "data that the body writes decide the elements that it touches";
  if (elements > std::numeric_limits<std::uint32_t>::max())
    return fmt::format("iterations share {} elements, and 2^32 are too many", elements);
  return {};
}

namespace {

/// Consecutive iterations, which one executor inspects.
struct inspected {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::unique_ptr<recorder> by;
};

}  // namespace

/// The same launch, of which recorders note the elements of these containers. Other loops may accumulate
/// them.
static loop_frame frame_to_inspect(const loop_frame& f, const std::vector<std::size_t>& captures) {
  loop_frame same;
  same.entry = f.entry;
  same.site = f.site;
  same.n = f.n;
  same.values = f.values.borrowed();
  same.launch = f.launch;
  same.replicas = f.replicas;
  same.uses = f.uses;
  for (const std::size_t c : captures) same.uses[c] = usage::owned;
  return same;
}

static std::vector<inspected> inspect_all(const loop_frame& f, copy_service& copies, executor_pool& pool) {
  std::vector<inspected> parts(static_cast<std::size_t>(pool.size()));
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const auto bound = [&](std::size_t k) {
      return f.n * static_cast<std::int64_t>(k) / static_cast<std::int64_t>(parts.size());
    };
    parts[p] = {bound(p), bound(p + 1), std::make_unique<recorder>(f, copies)};
  }
  pool.run([&](int executor) {
    inspected& part = parts[static_cast<std::size_t>(executor)];
    part.by->run(part.begin, part.end);
  });
  return parts;
}

touched_elements::touched_elements(const loop_frame& f, const std::vector<std::size_t>& captures,
                                   copy_service& copies, executor_pool& pool)
    : ends_(static_cast<std::size_t>(f.n)) {
  if (captures.empty()) return;
  const loop_frame inspected_frame = frame_to_inspect(f, captures);
  const std::vector<inspected> parts = inspect_all(inspected_frame, copies, pool);
  std::vector<std::size_t> place(f.num_captures(), captures.size());  // in containers_
  for (const std::size_t c : captures) {
    std::uint64_t unit = 0;
    for (const inspected& part : parts) unit = std::gcd(unit, part.by->unit(c));
    place[c] = containers_.size();
    unit = std::max<std::uint64_t>(1, unit);
    const replica& of = *f.replicas[c];
    containers_.push_back(
        {c, of.size(), unit, unit * of.ops().size, num_units_, of.at(0), unit == 1 && f.writes_own(c)});
    if (containers_.back().is_own) write_counts_.resize(static_cast<std::size_t>(f.n));
    num_units_ += (containers_.back().size + containers_.back().unit - 1) / containers_.back().unit;
  }
  for (const inspected& part : parts) {
    const access_sets& sets = part.by->result();
    for (std::uint64_t i = 0; i < sets.size(); ++i) {
      const std::uint64_t begin = units_.size();
      sets.visit(i, [&](std::uint32_t capture, std::uint64_t element) {
        if (place[capture] == captures.size()) return;
        add(containers_[place[capture]], element, std::max<std::uint64_t>(1, part.by->unit(capture)), begin);
      });
      ends_[static_cast<std::size_t>(part.begin) + i] = units_.size();
      if (has_reads()) put_writes_first(part.begin + static_cast<std::int64_t>(i));
    }
  }
  count_meetings();
}

touched_elements::touched_elements(const std::vector<std::vector<std::uint32_t>>& written,
                                   std::span<const std::vector<std::uint32_t>> read) {
  for (std::size_t j = 0; j < written.size(); ++j) {
    units_.insert(units_.end(), written[j].begin(), written[j].end());
    if (!read.empty()) units_.insert(units_.end(), read[j].begin(), read[j].end());
    if (!read.empty()) write_counts_.push_back(static_cast<std::uint32_t>(written[j].size()));
    ends_.push_back(units_.size());
  }
  num_units_ = units_.empty() ? 0 : *std::max_element(units_.begin(), units_.end()) + std::uint64_t{1};
  containers_.push_back({0, num_units_, 1, 1, 0, nullptr, false});
  touched_bytes_ = units_.size();
  count_meetings();
}

/// Adds `count` elements to the iteration with units from number `begin` on. A recorder keeps repetitions in
/// short sets only.
void touched_elements::add(const container& in, std::uint64_t first, std::uint64_t count,
                           std::uint64_t begin) {
  constexpr std::uint64_t few = 8;
  for (std::uint64_t element = first; element < first + count; element += in.unit) {
    const auto unit = static_cast<std::uint32_t>(in.first_unit + element / in.unit);
    const auto own = units_.begin() + static_cast<std::ptrdiff_t>(begin);
    if (units_.size() - begin <= few && std::find(own, units_.end(), unit) != units_.end()) continue;
    units_.push_back(unit);
    touched_bytes_ += in.unit_bytes;
  }
}

const touched_elements::container& touched_elements::container_of(std::uint32_t unit) const {
  const container* in = &containers_.back();
  while (unit < in->first_unit) --in;
  return *in;
}

bool touched_elements::is_only_read(std::uint32_t unit, std::int64_t j) const {
  const container& in = container_of(unit);
  return in.is_own && unit - in.first_unit != static_cast<std::uint64_t>(j);
}

/// Of the last iteration that has units.
void touched_elements::put_writes_first(std::int64_t j) {
  const std::size_t n = of(j).size();
  const auto begin = units_.end() - static_cast<std::ptrdiff_t>(n);
  const auto reads =
      std::stable_partition(begin, units_.end(), [&](std::uint32_t unit) { return !is_only_read(unit, j); });
  write_counts_[static_cast<std::size_t>(j)] = static_cast<std::uint32_t>(reads - begin);
}

void touched_elements::count_meetings() {
  std::vector<std::uint32_t> writers(num_units_), readers(has_reads() ? num_units_ : 0);
  for (std::int64_t j = 0; j < static_cast<std::int64_t>(ends_.size()); ++j) {
    for (const std::uint32_t unit : written_by(j)) ++writers[unit];
    for (const std::uint32_t unit : read_by(j)) ++readers[unit];
  }
  for (std::size_t unit = 0; unit < writers.size(); ++unit) {
    const double w = writers[unit], r = has_reads() ? readers[unit] : 0;
    num_meetings_ += w * (w - 1) / 2 + w * r;
  }
  const auto busiest = std::max_element(writers.begin(), writers.end());
  if (busiest == writers.end()) return;
  most_iterations_ = *busiest;
  busiest_unit_ = static_cast<std::uint32_t>(busiest - writers.begin());
}

void touched_elements::prefetch(std::int64_t j) const {
  constexpr std::size_t line = 64;
  const auto bring = [this](std::uint32_t unit, const auto& one_line) {
    const container& in = container_of(unit);
    const std::byte* const first = in.elements + (unit - in.first_unit) * in.unit_bytes;
    for (std::size_t at = 0; at < in.unit_bytes; at += line) one_line(first + at);
  };
  for (const std::uint32_t unit : written_by(j))
    bring(unit, [](const std::byte* at) { __builtin_prefetch(at, 1); });
  for (const std::uint32_t unit : read_by(j))
    bring(unit, [](const std::byte* at) { __builtin_prefetch(at); });
}

touched_unit touched_elements::operator[](std::uint32_t unit) const {
  const container& in = container_of(unit);
  const std::uint64_t first = (unit - in.first_unit) * in.unit;
  return {in.capture, first, std::min(in.unit, in.size - first)};
}

}  // namespace stradsap::rt
