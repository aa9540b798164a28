// Elements with so many iterations that threads must wait for each other. Iterations of one element run one
// after another, so at most n / (iterations of the hottest element) run at a time.
// Thread rule: one thread a rank; a collective.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/loop/plan/inspection.hpp"
#include "runtime/loop/plan/survey.hpp"

namespace stradsap::rt {

/// Neighbours in the container of a capture, counted together.
struct hot_range {
  std::uint32_t capture = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Whether so many touches by a loop's iterations may keep more than a quarter of the threads idle. Nobody
/// minds in short loops, nor where the program's order is asked for.
[[nodiscard]] bool may_be_hot(const planning& in, std::uint64_t touches);

/// Looks closer at ranges with touches that may be hot, the same on all ranks: where iterations of one
/// element keep threads idle, rank 0 warns of the hottest, once a loop.
void warn_of_hot_elements(const planning& in, const std::vector<inspected_part>& parts,
                          const std::vector<hot_range>& suspects);

/// For a warning: why nearly all sampled iterations conflict, and the remedy.
[[nodiscard]] std::string why_in_order(const loop_frame& f, const survey& found);

}  // namespace stradsap::rt
