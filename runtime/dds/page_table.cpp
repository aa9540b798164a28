#include "runtime/dds/page_table.hpp"

#include <algorithm>
#include <iterator>

#include "runtime/dds/missing_pages.hpp"
#include "runtime/dds/replica.hpp"

namespace stradsap::rt {

static std::vector<bool> groups_held(const replica& local) {
  std::vector<bool> held(local.groups().num_groups());
  for (partition::group_id g = 0; g < held.size(); ++g) held[g] = local.held(g);
  return held;
}

page_table::page_table(const replica& local)
    : owners_(local.groups().owners()), bounds_(local.groups().bounds()), held_(groups_held(local)) {
  const partition& groups = local.groups();
  const std::size_t size = local.ops().size;
  for (partition::group_id g = 0; g < held_.size(); ++g) {
    if (held_[g] || groups.count(g) == 0) continue;
    const partition::group_id first = g;
    while (g + 1 < held_.size() && !held_[g + 1]) ++g;
    add_run_of_elements({groups.begin(first), groups.end(g)}, size);
  }
  is_here_.assign(local.size() * size / run_bytes + 1, true);
  for (const byte_extent& one : extents_) {
    for (std::size_t run = one.begin / run_bytes; run <= (one.end - 1) / run_bytes; ++run)
      is_here_[run] = false;
  }
  num_missing_ = static_cast<std::size_t>(std::count(is_here_.begin(), is_here_.end(), false));
}

/// Elements that reach into a page at one end, and into another page at the other end, belong to edges and to
/// an extent.
void page_table::add_run_of_elements(element_range missing, std::size_t size) {
  const std::size_t begin = missing.begin * size;
  const std::size_t end = missing.end * size;
  const byte_extent whole{(begin + system_page_bytes - 1) / system_page_bytes * system_page_bytes,
                          end / system_page_bytes * system_page_bytes};
  const element_range head{missing.begin, (whole.begin + size - 1) / size};
  const element_range tail{whole.end / size, missing.end};
  if (whole.begin >= whole.end || tail.begin < head.end) return edges_.push_back(missing);
  if (begin < whole.begin) edges_.push_back(head);
  if (whole.end < end) edges_.push_back(tail);
  extents_.push_back(whole);
}

bool page_table::fits(const replica& local) const {
  return owners_ == local.groups().owners() && bounds_ == local.groups().bounds() &&
         held_ == groups_held(local);
}

bool page_table::is_worthwhile() const {
  constexpr std::size_t most_extents = 4096;
  return !extents_.empty() && extents_.size() <= most_extents;
}

/// Appends the parts of the extents in these runs.
void page_table::add_parts(std::size_t first_run, std::size_t last_run,
                           std::vector<byte_extent>& parts) const {
  const std::size_t begin = first_run * run_bytes;
  const std::size_t end = last_run * run_bytes;
  auto at = std::partition_point(extents_.begin(), extents_.end(),
                                 [&](const byte_extent& one) { return one.end <= begin; });
  for (; at != extents_.end() && at->begin < end; ++at)
    parts.push_back({std::max(at->begin, begin), std::min(at->end, end)});
}

std::vector<byte_extent> page_table::missing() const {
  std::vector<byte_extent> parts;
  for (std::size_t run = 0; run < is_here_.size();) {
    std::size_t end = run;
    while (end < is_here_.size() && !is_here_[end]) ++end;
    if (end > run) add_parts(run, end, parts);
    run = std::max(end, run + 1);
  }
  return parts;
}

/// The length of the fetch that begins at this run: twice as long as the last one of the same thread.
std::size_t page_table::length_at(std::size_t run) {
  constexpr std::size_t most = 16;
  auto* known = std::find_if(std::begin(streams_), std::end(streams_),
                             [&](const stream& one) { return one.next == run; });
  if (known != std::end(streams_)) {
    known->length = std::min(most, 2 * known->length);
  } else {
    known = &streams_[oldest_++ % std::size(streams_)];
    known->length = 1;
  }
  known->next = run + known->length;
  return known->length;
}

void page_table::ask(std::size_t offset, std::vector<byte_extent>& parts) {
  const std::size_t run = offset / run_bytes;
  if (is_here_[run]) return;
  const std::size_t most = length_at(run);
  std::size_t end = run;
  for (; end < is_here_.size() && end < run + most && !is_here_[end]; ++end) is_here_[end] = true;
  num_missing_ -= end - run;
  add_parts(run, end, parts);
}

}  // namespace stradsap::rt
