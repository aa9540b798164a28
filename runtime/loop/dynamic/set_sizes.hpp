// The sets that a program asks for, and their sizes, which follow from counts alone. Thread rule: pure
// functions.
#pragma once

#include <cstdint>
#include <string>

#include <stradsap/schedule.hpp>

#include "runtime/loop/dynamic/set_choice.hpp"
#include "runtime/loop/dynamic/touched_elements.hpp"

namespace stradsap::rt {

/// The sets that the program asks for.
struct set_options {
  const abi::dependence* depends = nullptr;
  copy_service* inspects_by = nullptr;  // iterations that touch the same elements are dependent
  double rho = 0;
  std::int64_t size = 0;        // 0: automatic, and one after the other if updates are short
  std::int64_t shards = 0;      // 0: automatic
  std::int64_t candidates = 0;  // looked at for a set; 0: automatic
  std::int64_t depth = 0;       // sets in flight beside the one that begins
  bool is_free = false;         // --free-running: without sets if iterations seldom meet; by accesses only

  [[nodiscard]] bool by_accesses() const { return inspects_by != nullptr; }
  [[nodiscard]] bool asks_for_sets() const {
    return size > 1 || (size == 0 && (depends != nullptr || by_accesses()));
  }
};

/// The shards of a set with so many updates, if the program states none.
[[nodiscard]] std::size_t automatic_shards(std::size_t size);
/// For a loop of n iterations.
[[nodiscard]] set_shape shape_of(const set_options& options, std::int64_t n);

// ---- sets by accesses ----

/// Why sets of any size gain nothing; empty if they may.
[[nodiscard]] std::string reason_against_sets(const loop_frame& f, const touched_elements& touched);
/// The updates of a set, if the program does not state them.
[[nodiscard]] std::int64_t size_by(const touched_elements& touched, std::int64_t n);
/// Why sets of this size gain nothing; empty if they may.
[[nodiscard]] std::string reason_against_size(const touched_elements& touched, std::int64_t n,
                                              std::size_t size);

}  // namespace stradsap::rt
