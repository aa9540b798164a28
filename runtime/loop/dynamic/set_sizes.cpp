#include "runtime/loop/dynamic/set_sizes.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace stradsap::rt {

static constexpr std::size_t automatic_size = 64;
static constexpr std::size_t most_shards = 8;
// Bytes that a set by accesses touches, if the loop has enough updates; and the least that pay for threads.
static constexpr double set_bytes = 256 << 10;
static constexpr double least_set_bytes = 64 << 10;
// An element or row of fewer bytes takes about as long to look up as to update.
static constexpr double least_unit_bytes = 48;
// Sets by accesses have so many times fewer updates than would meet each other in one element, on average.
static constexpr double few_rejected = 2;
// If fewer updates can run side by side, sets by accesses cost more than they gain.
static constexpr std::uint64_t least_side_by_side = 2;

/// A shard's copies cost about as much as two updates, so it has eight, if there are as many.
std::size_t automatic_shards(std::size_t size) {
  return std::min(size, std::clamp<std::size_t>(std::bit_floor(size / 8), 2, most_shards));
}

set_shape shape_of(const set_options& options, std::int64_t n) {
  const std::size_t size = options.size == 0 ? automatic_size : static_cast<std::size_t>(options.size);
  set_shape shape;
  shape.size = std::min(size, static_cast<std::size_t>(n));
  shape.shards = options.shards == 0 ? automatic_shards(shape.size)
                                     : std::min(static_cast<std::size_t>(options.shards), shape.size);
  return shape;
}

std::string reason_against_sets(const loop_frame& f, const touched_elements& touched) {
  const auto n = static_cast<std::uint64_t>(f.n);
  if (touched.most_iterations() < 2 || touched.most_iterations() * least_side_by_side <= n) return {};
  const touched_unit busiest = touched[touched.busiest_unit()];
  return fmt::format("{} of {} iterations touch element {} of `{}`", touched.most_iterations(), n,
                     busiest.first, f.name_of(busiest.capture));
}

namespace {

/// Averages of an update.
struct touches_of_update {
  double units;
  double bytes;
};

}  // namespace

static touches_of_update average_of(const touched_elements& touched, std::int64_t n) {
  return {static_cast<double>(touched.num_touches()) / static_cast<double>(n),
          static_cast<double>(touched.touched_bytes()) / static_cast<double>(n)};
}

std::int64_t size_by(const touched_elements& touched, std::int64_t n) {
  const double enough = set_bytes / std::max(average_of(touched, n).bytes, 1.0);
  const double meetings = 2 * touched.num_meetings() / static_cast<double>(n);  // of an iteration
  const double most = static_cast<double>(n) / (few_rejected * std::max(meetings, 1.0));
  return static_cast<std::int64_t>(
      std::clamp<double>(enough, automatic_size, std::max<double>(automatic_size, most)));
}

std::string reason_against_size(const touched_elements& touched, std::int64_t n, std::size_t size) {
  const auto [units, bytes_touched] = average_of(touched, n);
  if (bytes_touched < least_unit_bytes * units) {
    return fmt::format(
        "an update touches {:.1f} shared elements or rows of {:.0f} bytes on average, too "
        "short to pay for choosing sets",
        units, bytes_touched / units);
  }
  const double of_set = bytes_touched * static_cast<double>(size);
  if (of_set >= least_set_bytes) return {};
  return fmt::format("the updates of a set touch {:.0f} bytes of shared elements, too few to pay for threads",
                     of_set);
}

}  // namespace stradsap::rt
