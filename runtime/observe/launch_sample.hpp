// One launch as the simulation keeps it: the costs of its blocks, cells or shards on this machine, and the
// sizes of its containers. Thread rule: values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/loop/launch/frame.hpp"
#include "runtime/loop/plan/plan.hpp"
#include "runtime/loop/plan/wave_trace.hpp"
#include "runtime/loop/run/running_loop.hpp"

namespace stradsap::rt {

struct sampled_container {
  container_id id = container_id::none;
  std::string name;
  usage use = usage::none;
  std::vector<std::uint64_t> group_ends;
  double element_bytes = 0;     // in a message, on average
  double seconds_per_byte = 0;  // of packing
  bool is_changed = false;      // by main, since the last loop that used it

  [[nodiscard]] std::uint64_t count(std::size_t group) const {
    return group_ends[group] - (group == 0 ? 0 : group_ends[group - 1]);
  }
  [[nodiscard]] double bytes_of(std::size_t group) const {
    return static_cast<double>(count(group)) * element_bytes;
  }
  [[nodiscard]] double bytes() const { return static_cast<double>(group_ends.back()) * element_bytes; }
};

/// A plan and its costs: the median of its last launches.
struct sampled_plan {
  block_plan blocks;
  std::vector<std::uint64_t> weights;       // of tokens
  std::shared_ptr<const wave_trace> waves;  // instead of blocks
  double iteration_bytes = 0;               // list memory of a rank, for each of its iterations
  std::vector<float> block_seconds;
  double compute_seconds = 0;  // of waves: all iterations
  double seconds_around = 0;   // of a launch, outside its blocks
};

struct launch_sample {
  std::uint64_t number = 0;
  std::string site;
  std::string label;
  std::uint64_t iterations = 0;
  std::uint64_t pass = 0;
  std::uint64_t seed = 0;
  std::shared_ptr<sampled_plan> plan;  // null: `sync` with copies, or on one thread
  std::vector<batch_cost> batches;     // of `sync`
  double seconds_alone = 0;            // on one thread: the whole launch
  std::string why_alone;
  std::vector<sampled_container> containers;  // one for each capture
  std::uint64_t value_bytes = 0;              // captured values, sent to each rank
  std::uint64_t partial_bytes = 0;            // of a block's sums
};

}  // namespace stradsap::rt
