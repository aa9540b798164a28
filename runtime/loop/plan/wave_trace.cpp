#include "runtime/loop/plan/wave_trace.hpp"

#include <algorithm>
#include <tuple>

#include "runtime/loop/plan/wave_plan.hpp"

namespace stradsap::rt {

void wave_tracer::add(std::uint32_t level, std::uint32_t part, std::span<const std::uint32_t> set) {
  if (level != level_) end_level();
  level_ = level;
  std::uint32_t& cell = cell_of_[part];
  if (cell == none) {
    cell = static_cast<std::uint32_t>(trace_.cells.size());
    trace_.cells.push_back({part, 0});
  }
  trace_.cells[cell].touches += static_cast<std::uint32_t>(set.size());
  trace_.touches += set.size();
  for (const std::uint32_t element : set) {
    use& u = uses_[element];
    if (u.last_cell == none) {
      u.first_part = part;
    } else if (trace_.cells[u.last_cell].part != part) {
      links_of_level_.push_back({u.last_cell, cell, sizes_[element]});
    }
    u.last_cell = cell;
  }
}

/// Elements that go from one cell to the same other one are one link.
void wave_tracer::end_level() {
  cell_of_.assign(num_wave_parts, none);
  const auto before = [](const wave_link& a, const wave_link& b) {
    return std::tie(a.to, a.from) < std::tie(b.to, b.from);
  };
  std::sort(links_of_level_.begin(), links_of_level_.end(), before);
  for (const wave_link& l : links_of_level_) {
    wave_link* last = trace_.links.empty() ? nullptr : &trace_.links.back();
    if (last != nullptr && last->from == l.from && last->to == l.to) {
      last->size_bytes += l.size_bytes;
    } else {
      trace_.links.push_back(l);
    }
  }
  links_of_level_.clear();
}

wave_trace wave_tracer::finish(std::uint64_t work_of_level) {
  end_level();
  for (std::size_t e = 0; e < uses_.size(); ++e) {
    if (uses_[e].last_cell == none) continue;
    trace_.ends[{uses_[e].first_part, trace_.cells[uses_[e].last_cell].part}] += sizes_[e];
  }
  trace_.work_of_level = work_of_level;
  return std::move(trace_);
}

}  // namespace stradsap::rt
