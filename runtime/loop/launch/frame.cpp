#include "runtime/loop/launch/frame.hpp"

#include <utility>

#include <fmt/format.h>

namespace stradsap::rt {

loop_frame make_frame(const abi::loop_entry& entry, const launch& l, std::uint64_t seed,
                      captured_values values, std::vector<replica*> replicas) {
  for (replica* one : replicas) {
    if (one != nullptr) one->hide_values();
  }
  const abi::launch_key key{seed, static_cast<std::uint32_t>(l.id)};
  const std::int64_t n = std::max<std::int64_t>(0, l.n);
  const auto model = static_cast<ConsistencyModel::kind>(l.model);
  relaxations relaxed = as_relaxations(l.relaxed, entry.num_captures);
  loop_uses found = uses_of(entry, n, model, replicas, l.map_accumulators, l.large_accumulators, relaxed);
  loop_frame made{&entry,
                  l.site,
                  n,
                  std::move(values),
                  key,
                  std::move(replicas),
                  std::move(found.by_capture),
                  found.num_accumulators,
                  /*logs_accesses=*/false,
                  /*is_timed=*/false,
                  model == ConsistencyModel::kind::async,
                  l.times_parts,
                  /*cuts_maps=*/l.map_accumulators == 0};
  made.relaxed = std::move(relaxed);
  return made;
}

void refuse_second_names(const loop_frame& f) {
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.replicas[c] == nullptr || f.first_of(c) == c) continue;
    if (f.writes(c) || f.writes(f.first_of(c))) {
      throw error(errc::unsupported,
                  fmt::format("{}: `{}` and `{}` are one container, which the loop writes: capture it once",
                              f.site, f.name_of(f.first_of(c)), f.name_of(c)));
    }
  }
}

void check_reach(const loop_frame& f) {
  for (std::size_t c = 0; c < f.num_captures(); ++c)
    if (f.is_aligned(c)) check_reach(f, c);
}

void check_reach(const loop_frame& f, std::size_t c) {
  if (static_cast<std::uint64_t>(f.n) <= f.replicas[c]->size()) return;
  throw error(errc::out_of_range,
              fmt::format("{}: the loop has {} iterations and indexes `{}`, which has {} elements, by them",
                          f.site, f.n, f.name_of(c), f.replicas[c]->size()));
}

}  // namespace stradsap::rt
