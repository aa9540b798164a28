// One rank's part in the sets of a dynamic loop: it runs its shards of each set on private copies, packs the
// changes for other ranks, and later adds the changes of all ranks to the elements. Each rank has all
// elements, and adds the same numbers in the same order, so elements stay the same on all ranks.
// Thread rule: the main thread of the rank, which lends shards and pieces to executors.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/loop/dynamic/set_choice.hpp"
#include "runtime/loop/dynamic/shared_pieces.hpp"
#include "runtime/loop/dynamic/touched_copies.hpp"
#include "runtime/loop/dynamic/update_shard.hpp"
#include "runtime/loop/launch/executor_pool.hpp"

namespace stradsap::rt {

/// The shards of one set that one rank runs.
struct rank_shards {
  std::uint64_t first = 0;  // number of the first one
  std::vector<std::vector<std::int64_t>> members;
  /// Some of the set's shards may be refused later, so each keeps its changes apart.
  bool is_tentative = false;
  template <class Archive> void serialize(Archive& archive) { archive(first, members, is_tentative); }
};

/// Whether a shard is among these.
[[nodiscard]] bool is_among(const std::vector<std::uint64_t>& shards, std::uint64_t one);

/// The driver's order of a set to another rank.
struct set_order {
  bool is_end = false;  // there are no more sets
  /// The sets, in their order, of which this one sees the changes, and earlier ones did not: the shards to
  /// leave out.
  std::vector<std::vector<std::uint64_t>> refused;
  rank_shards shards;
  template <class Archive> void serialize(Archive& archive) { archive(is_end, refused, shards); }
};

/// The end of one shard.
struct shard_outcome {
  std::vector<double> squared;  // distances by which members have moved their elements
  bool has_failed = false;
  failure failed;
  std::vector<bytes> reductions;  // by capture
  template <class Archive> void serialize(Archive& archive) {
    archive(squared, has_failed, failed, reductions);
  }
};

/// Of the last run of a shard, on this rank.
[[nodiscard]] shard_outcome outcome_of(const update_shard& shard, rank_id self);

class set_execution {
 public:
  /// `sets.depth` sets may be in flight beside the one that begins. `self`, `ranks`: this rank, and all that
  /// take part. `touched`: the elements of `written.in_place` that iterations touch; null if there are none.
  set_execution(const loop_frame& f, const written_captures& written, const sets_shape& sets, rank_id self,
                int ranks, executor_pool& pool, const touched_elements* touched = nullptr);

  /// Runs shards of the next set. `first`, if any, runs on the calling thread before it takes shards.
  void run(const rank_shards& mine, const std::function<void()>& first = {});
  /// Of the last set that ran: the outcomes of its shards here, and the message for other ranks.
  [[nodiscard]] std::vector<shard_outcome> outcomes() const;
  [[nodiscard]] const bytes& message() const { return sets_in_flight_.back().message; }
  /// The outcomes in another rank's message.
  [[nodiscard]] static std::vector<shard_outcome> outcomes_in(const bytes& from);
  /// Adds the changes of the oldest set to the elements, but those of refused shards. `messages`: by rank,
  /// empty for this one.
  void fold(const std::vector<std::uint64_t>& refused, std::vector<bytes> messages);

  /// Bytes of all messages that it has made.
  [[nodiscard]] std::uint64_t bytes_made() const { return bytes_made_; }
  /// Updates that ran here, and seconds of their threads.
  [[nodiscard]] std::uint64_t updates() const { return updates_; }
  [[nodiscard]] double seconds_compute() const { return seconds_compute_; }

 private:
  /// A set that ran here, until its changes are added.
  struct running_set {
    std::uint64_t first = 0;
    bool is_tentative = false;
    std::vector<std::unique_ptr<update_shard>> shards;
    std::vector<node_change> changes;     // in the order of pieces, then shards
    bytes message;                        // with the changes, if other ranks or a later set need them
    std::vector<touched_copies> touched;  // by shard, if other ranks need the elements that it changes
  };

  [[nodiscard]] std::unique_ptr<update_shard> free_shard();
  void find_changes(running_set& of);
  void compare(const running_set& of, std::size_t p,
               const std::vector<std::pair<std::size_t, std::size_t>>& nodes,
               std::vector<node_change>& found);
  void pack(running_set& of);
  void write_own_elements(const running_set& of, abi::writer& out) const;
  void read_own_elements(abi::reader& in, const std::vector<std::uint64_t>& refused) const;
  void read_changes(std::span<std::byte> changes, std::vector<node_change>& into) const;
  void add_changes(std::vector<node_change>& all);
  void add_to_piece(const node_change* begin, const node_change* end);
  void on_all(std::size_t tasks, const std::function<void(std::size_t task)>& run,
              const std::function<void()>& first = {});

  const loop_frame& frame_;
  const written_captures& written_;
  const sets_shape sets_;
  const rank_id self_;
  const int ranks_;
  executor_pool& pool_;
  const touched_elements* const touched_;
  shared_pieces shared_;
  std::vector<std::unique_ptr<private_copy>> copies_;  // of the shards that run here
  std::vector<std::unique_ptr<update_shard>> free_;
  std::deque<running_set> sets_in_flight_;  // oldest first
  double seconds_of_set_ = 0;               // of one thread
  double seconds_compute_ = 0;
  std::uint64_t bytes_made_ = 0;
  std::uint64_t updates_ = 0;
};

}  // namespace stradsap::rt
