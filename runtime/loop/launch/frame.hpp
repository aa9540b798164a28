// One launch of a loop on this rank: the body, its captured values, its containers and their use. Thread
// rule: immutable once made.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <stradsap/abi/abi.hpp>

#include "runtime/base/work_counter.hpp"
#include "runtime/dds/replica.hpp"
#include "runtime/loop/launch/captured_values.hpp"
#include "runtime/loop/launch/usage.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

struct loop_frame {
  const abi::loop_entry* entry = nullptr;
  std::string site;
  std::int64_t n = 0;
  captured_values values;
  abi::launch_key launch;
  std::vector<replica*> replicas;      // per capture, or null
  std::vector<usage> uses;             // per capture
  std::uint32_t num_accumulators = 0;  // accumulators: a power of two, or 0
  bool logs_accesses = false;          // for the proof of a serial order
  bool is_timed = false;               // block by block, for the simulation
  bool is_async = false;
  bool times_parts = false;  // each part of waves is timed, for new shares
  bool cuts_maps = false;    // dmaps that could be accumulated are cut into groups
  // per capture, or null: they add keys in a loop that the driver runs alone; else empty
  std::vector<abi::handle_target*> handles = {};
  bool adds_in_place = false;  // the first accumulator is the container itself
  relaxations relaxed = {};
  std::int64_t first = 0;                                       // iterations before it have run already
  std::int64_t end = std::numeric_limits<std::int64_t>::max();  // those from it on will run later
  work_counter* work = nullptr;  // counts iterations for the progress line, or null

  [[nodiscard]] std::size_t num_captures() const { return uses.size(); }
  /// Whether no iterations have run already or will run later.
  [[nodiscard]] bool is_whole() const { return first == 0 && end >= n; }
  /// An executor has run `count` iterations.
  void count(int executor, std::uint64_t count) const {
    if (work != nullptr) work->add(executor, count);
  }
  /// `total`: the iterations of this rank.
  void begin(work_stage stage, std::uint64_t total) const {
    if (work != nullptr) work->begin(stage, total);
  }
  [[nodiscard]] bool writes(std::size_t c) const {
    return uses[c] == usage::aligned_write || uses[c] == usage::owned || uses[c] == usage::accumulated;
  }
  /// Whether iteration j accesses element j of it, and no other.
  [[nodiscard]] bool is_aligned(std::size_t c) const {
    return uses[c] == usage::aligned_read || uses[c] == usage::aligned_write;
  }
  /// Whether iteration j writes element j of it, and no other; it may read others.
  [[nodiscard]] bool writes_own(std::size_t c) const {
    const bool reads_others = uses[c] == usage::owned && (entry->captures[c].mode & abi::writes_own) != 0;
    return uses[c] == usage::aligned_write || (reads_others && replicas[c]->keys() == nullptr);
  }
  /// Whether its accumulators start as copies of the elements, which the body also reads.
  [[nodiscard]] bool is_late_sum(std::size_t c) const {
    return uses[c] == usage::accumulated && num_accumulators != 0 && rt::is_late_sum(entry->captures[c]);
  }
  /// Whether its accumulators are private copies, which are folded after each round.
  [[nodiscard]] bool is_relaxed(std::size_t c) const {
    return uses[c] == usage::accumulated && !relaxed.empty() && relaxed[c].has_value();
  }
  /// The rounds of a call, if a container is relaxed; else 1.
  [[nodiscard]] std::uint64_t num_rounds() const {
    std::int64_t round = n;
    for (std::size_t c = 0; c < num_captures(); ++c) {
      if (is_relaxed(c) || is_hottest_relaxed(c)) round = std::min(round, relaxed[c]->round);
    }
    return static_cast<std::uint64_t>(std::max<std::int64_t>(1, n / std::max<std::int64_t>(1, round)));
  }
  /// Whether accumulators have private copies of its hottest elements, which are folded after each round.
  /// Copies of some elements do not lie in the order of the elements.
  [[nodiscard]] bool is_hottest_relaxed(std::size_t c) const {
    return uses[c] == usage::owned && is_async && !relaxed.empty() && relaxed[c] && !relaxed[c]->is_whole() &&
           (entry->captures[c].mode & abi::ordered) == 0;
  }
  [[nodiscard]] bool has_hottest() const {
    for (std::size_t c = 0; c < num_captures(); ++c) {
      if (is_hottest_relaxed(c)) return true;
    }
    return false;
  }
  [[nodiscard]] bool has_relaxed() const {
    for (std::size_t c = 0; c < num_captures(); ++c) {
      if (is_relaxed(c)) return true;
    }
    return has_hottest();
  }
  /// Whether rounds need not wait for the fold of the one before them.
  [[nodiscard]] bool has_bound() const {
    for (std::size_t c = 0; c < num_captures(); ++c) {
      if ((is_relaxed(c) || is_hottest_relaxed(c)) && relaxed[c]->bound > 0) return true;
    }
    return false;
  }
  /// Whether accumulators start as copies of the elements.
  [[nodiscard]] bool reads_accumulators(std::size_t c) const { return is_late_sum(c) || is_relaxed(c); }
  /// Whether the body interleaves iterations that touch different elements of it.
  [[nodiscard]] bool runs_side_by_side(std::size_t c) const {
    return c < 64 && (entry->read_interleaved >> c & 1) != 0;
  }
  /// The program's name for the container of capture c.
  [[nodiscard]] const char* name_of(std::size_t c) const { return entry->captures[c].name; }
  [[nodiscard]] bool has(usage u) const { return std::find(uses.begin(), uses.end(), u) != uses.end(); }
  /// The first capture of the same container. Tables by container use its number.
  [[nodiscard]] std::size_t first_of(std::size_t c) const {
    return static_cast<std::size_t>(std::find(replicas.begin(), replicas.end(), replicas[c]) -
                                    replicas.begin());
  }
};

/// The launch `l` of the loop `entry`. `replicas`: per capture, null if it is no container.
[[nodiscard]] loop_frame make_frame(const abi::loop_entry& entry, const launch& l, std::uint64_t seed,
                                    captured_values values, std::vector<replica*> replicas);

/// Throws error(errc::unsupported) if two captures name one container that the loop writes: bodies are
/// compiled for containers that do not overlap (abi::assume_noalias).
void refuse_second_names(const loop_frame& f);

/// Throws error(errc::out_of_range) if the loop is longer than a container that it accesses by its index.
void check_reach(const loop_frame& f);
/// The same for the container of capture c.
void check_reach(const loop_frame& f, std::size_t c);

}  // namespace stradsap::rt
