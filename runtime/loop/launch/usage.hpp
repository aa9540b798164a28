// The use of each captured container by a loop. The runtime chooses its treatment by it. It depends on the
// loop, its number of iterations and the containers' sizes, so it is the same on all ranks. Thread rule:
// values.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <stradsap/abi/abi.hpp>

#include "runtime/dds/replica.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

enum class usage : std::uint8_t {
  none,          // no container
  read,          // copies on every rank that reads it
  aligned_read,  // iteration j alone accesses element j
  aligned_write,
  owned,  // written at computed places: its groups are tokens
  // accumulators, folded after the loop: only added into; late sums and relaxed containers are also read
  // there
  accumulated,
};

inline constexpr std::uint32_t relaxed_accumulators = 16;       // by default, and of loops that are stale
inline constexpr std::uint32_t most_relaxed_accumulators = 32;  // a bit for each in the history of a merge

/// The treatment of a container that the loop need not see current: consistency::stale.
struct relaxation {
  std::int64_t round = 1;  // iterations of one round
  merge::rule merge = merge::sum;
  /// Only so many of the hottest elements; 0: those that many iterations touch. Negative: all.
  std::int64_t hottest = -1;

  std::int64_t bound = 0;  // rounds that a read may miss, beside the running one

  /// Parts of a round that run side by side: a power of two. They decide the result, so their number never
  /// depends on workers.
  std::uint32_t accumulators = relaxed_accumulators;

  bool is_free = false;      // of a loop: calls see all folds that can be made when they begin
  std::uint64_t budget = 0;  // of a loop: bytes of changes that a rank sends in a call; 0: all

  [[nodiscard]] bool is_whole() const { return hottest < 0; }
  friend bool operator==(const relaxation&, const relaxation&) = default;
};
/// Per capture; empty if no container is relaxed.
using relaxations = std::vector<std::optional<relaxation>>;

[[nodiscard]] std::vector<relaxed_capture> as_sent(const relaxations& of);
/// Throws error(errc::decode) if the captures are not among `num_captures`.
[[nodiscard]] relaxations as_relaxations(const std::vector<relaxed_capture>& sent, std::size_t num_captures);

/// Whether the body writes the container at computed places.
[[nodiscard]] bool is_scattered(const abi::capture_info& capture);
/// Whether the loop is transactional for the container of capture c: it is neither relaxed, nor small enough
/// beside the loop for private copies that the body only adds into.
[[nodiscard]] bool hinders_plan(const abi::loop_entry& entry, std::size_t c, std::int64_t n,
                                const std::vector<replica*>& replicas, const relaxations& relaxed);
/// Whether the loop is transactional, but only for containers that are relaxed, or small ones that it only
/// adds into. Then it is planned, or, if it writes only relaxed ones at computed places, needs no plan.
[[nodiscard]] bool is_planned_by_others(const abi::loop_entry& entry, std::int64_t n,
                                        const std::vector<replica*>& replicas, const relaxations& relaxed);

struct loop_uses {
  std::vector<usage> by_capture;
  std::uint32_t num_accumulators = 0;  // accumulators: a power of two, or 0
  bool is_exact = true;                // regrouping the additions changes no bit
  std::vector<std::size_t> too_large;  // to send: captures that `large_accumulators` alone gives accumulators

  /// Accumulates into `capture`, with at most `accumulators` accumulators.
  void accumulate(std::size_t capture, std::uint32_t accumulators, bool exactly);
  void limit_accumulators(std::uint32_t accumulators, bool exactly);
  void accumulate_large(std::size_t capture, std::uint32_t accumulators, bool exactly);
};

/// Whether the body adds into the container and reads it as of the start of the loop: access(adds_late).
[[nodiscard]] bool is_late_sum(const abi::capture_info& capture);

/// Whether the body only adds into the container at computed places, and reads no element.
[[nodiscard]] bool is_only_added(const abi::capture_info& capture);
/// The same, and the container is small enough beside the loop for private copies.
/// Then no plan needs its elements.
[[nodiscard]] bool adds_apart(const abi::capture_info& capture, const replica& local, std::int64_t n);

/// Whether the grouping of additions into the loop's reductions may change a bit.
[[nodiscard]] bool has_inexact_sums(const abi::loop_entry& entry);

/// `replicas`: per capture, null if it is no container. The numbers of accumulators: see `launch`. Only
/// asynchronous loops may have relaxed containers.
[[nodiscard]] loop_uses uses_of(const abi::loop_entry& entry, std::int64_t n, ConsistencyModel::kind model,
                                const std::vector<replica*>& replicas, std::uint32_t map_accumulators,
                                std::uint32_t large_accumulators, const relaxations& relaxed = {});

}  // namespace stradsap::rt
