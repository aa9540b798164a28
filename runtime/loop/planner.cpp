#include "runtime/loop/planner.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runtime/loop/blocks/listed_planner.hpp"
#include "runtime/loop/blocks/range_planner.hpp"
#include "runtime/loop/blocks/stretch_planner.hpp"
#include "runtime/loop/plan/find_hot_units.hpp"
#include "runtime/loop/plan/grouping.hpp"
#include "runtime/loop/plan/inspection.hpp"
#include "runtime/loop/waves/wave_planner.hpp"

namespace stradsap::rt {

static void check_length(const loop_frame& f) {
  if (f.n <= std::int64_t{1} << 32) return;
  throw error(errc::unsupported, fmt::format("{}: the loop has {} iterations; one that writes at computed "
                                             "subscripts may have 2^32",
                                             f.site, f.n));
}

void cut_for_order(const loop_frame& f) {
  if (!f.has(usage::owned)) cut_at_index(f);
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.uses[c] == usage::owned) cut_for_waves(*f.replicas[c]);
  }
}

plan make_plan(const planning& in) {
  const loop_frame& f = in.frame;
  check_reach(f);
  if (in.program_order) cut_for_order(f);
  if (!f.has(usage::owned)) return make_range_plan(in);
  check_length(f);
  if (in.as_stretches) {
    if (std::optional<plan> made = make_stretch_plan(in)) return std::move(*made);
  }
  inspection found = inspect(in);
  const std::uint64_t sets_hash = in.hash_sets ? hash_of(found.parts) : 0;
  std::vector<hot_units> hot = take_hot_units(in, found);
  cut_by_use(in, found);
  std::shared_ptr<const wave_plan> waves = hot.empty() ? make_wave_plan(in, found) : nullptr;
  plan p = waves != nullptr ? plan_of_waves(in, std::move(found), std::move(waves))
                            : make_listed_plan(in, std::move(found));
  p.sets_hash = sets_hash;
  p.hot = std::move(hot);
  return p;
}

}  // namespace stradsap::rt
