// The driver's side of the updates of a dynamic loop in sets: chooses sets, sends them to the ranks, and
// takes their changes for the order of updates. The shards of a set run side by side, each on a private copy
// of the containers that all iterations share; then their changes are added to the elements. If iterations of
// two shards turn out to be dependent, and both have changed their elements, the later shard is undone and
// its iterations run again. If the program asks for dependences by accesses, no two shards of the sets in
// flight touch an element, so they run in place. With a depth d, up to d sets are in flight while the next
// one is chosen: set k sees the changes of sets before k - d, and no others. Which sets form depends on
// counts, changes and the seed, never on executors, ranks or time; updates that run free have no sets. Thread
// rule: the driver's thread, which lends shards to executors.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/loop/dynamic/free_updates.hpp"
#include "runtime/loop/dynamic/set_choice.hpp"
#include "runtime/loop/dynamic/set_execution.hpp"
#include "runtime/loop/dynamic/set_sizes.hpp"
#include "runtime/loop/dynamic/set_steps.hpp"
#include "runtime/loop/dynamic/update_shard.hpp"
#include "runtime/loop/launch/executor_pool.hpp"

namespace stradsap::rt {

struct set_counts {
  std::uint64_t sets = 0;
  std::uint64_t undone = 0;     // updates
  std::uint64_t questions = 0;  // calls of the program's measure
  std::size_t shards = 0;       // of a set, at most
  std::uint64_t depth = 0;      // sets in flight beside the one that begins, at most
  std::uint64_t in_flight = 0;  // sets, summed over all sets when they begin; each counts itself
  std::uint64_t rejected = 0;   // candidates that depended on others of a set or in flight
  std::uint64_t refilled = 0;   // others that took their places
  int free_executors = 0;       // that ran updates without sets; 0: none did
  std::uint64_t bytes = 0;      // of changes, that ranks have sent
  double choice_seconds = 0;    // of the driver, for choosing sets
  double run_seconds = 0;       // until the shards of the driver's rank have ended
};

/// The ranks of a run, for the driver of a dynamic loop.
struct set_ranks {
  exchange* all = nullptr;  // null: the driver's rank alone
  /// The other ranks begin to take part. Called once, before the first set.
  std::function<void(const sets_shape&)> start;
};

/// A set that is in flight, for the driver.
struct set_in_flight {
  std::uint64_t number = 0;
  std::uint64_t sees = 0;     // see set_order
  bool is_tentative = false;  // not all of its dependences are known
  bool is_ordered = false;    // other ranks have their orders
  std::size_t num_updates = 0;
  std::vector<std::vector<candidate>> shards;
  std::vector<bytes> messages;  // of other ranks
  std::vector<shard_outcome> outcomes;
  std::vector<std::uint64_t> refused;  // shards
  std::vector<candidate> again;        // their iterations
  bool is_judged = false;              // these are known
  bool is_noted = false;               // the order of updates has its changes
};
class update_sets {
 public:
  using end = updates_end;

  /// `partials` as for dynamic_execution. `early`: the next set may be chosen while one runs.
  update_sets(const loop_frame& f, const std::vector<std::byte*>& partials, const written_captures& written,
              const set_options& options, update_order& order, executor_pool& pool, const set_ranks& ranks,
              bool early);

  /// Runs the loop to its end, unless why_not() gives a reason against sets.
  [[nodiscard]] end run();
  /// Why updates run one after the other; empty if they run in sets.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  [[nodiscard]] set_counts counts() const;
  /// Updates that ran on the driver's rank.
  [[nodiscard]] std::uint64_t updates_here() const { return num_tried_ + (here_ ? here_->updates() : 0); }

 private:
  /// The iterations of a set that have changed their elements.
  struct changed_members {
    std::uint64_t number;
    std::vector<std::int64_t> iterations;
  };

  [[nodiscard]] std::string reason_against_copies() const;
  void try_updates();
  void find_touched();
  void run_free();
  [[nodiscard]] bool many_will_change() const;
  [[nodiscard]] set_shape shape_for(std::size_t candidates) const;
  [[nodiscard]] bool may_go_on() const { return !end_.failed && !end_.not_finite; }
  void start();
  void choose(std::uint64_t first_in_flight);
  void send_orders_of_chosen();
  [[nodiscard]] chosen_set choose_from(const std::vector<candidate>& from, bool asks,
                                       std::uint64_t first_in_flight);
  void send_end();
  void run_chosen();
  void look_ahead();
  void settle_oldest();
  void judge(set_in_flight& of);
  void collect(set_in_flight& of);
  void refuse_dependent_shards(set_in_flight& of);
  [[nodiscard]] bool depends_on_earlier(const set_in_flight& of, std::size_t l);
  void keep_changed_members(const set_in_flight& of);
  void note(set_in_flight& of);
  void note_shard(const std::vector<candidate>& members, const shard_outcome& outcome);
  [[nodiscard]] std::size_t num_in_flight() const;
  [[nodiscard]] std::vector<std::int64_t> members_in_flight(std::uint64_t first) const;
  [[nodiscard]] bool follows_from_order() const;
  [[nodiscard]] rank_shards shards_of(const set_in_flight& of, rank_id rank) const;

  const loop_frame& frame_;
  const std::vector<std::byte*>& partials_;
  const written_captures& written_;
  const set_options options_;
  set_shape shape_;
  update_order& order_;
  executor_pool& pool_;
  const set_ranks ranks_;
  const bool early_;
  dependences dependences_;
  std::optional<touched_elements> touched_;  // by accesses
  std::optional<element_claims> claims_;
  claim_shape free_shape_;
  std::string why_not_;
  end end_;
  std::unique_ptr<set_execution> here_;
  std::optional<set_steps> steps_;       // if other ranks take part
  std::deque<set_in_flight> flights_;    // oldest first
  std::optional<set_in_flight> chosen_;  // the next set
  std::uint64_t num_tried_ = 0;          // updates, before the first set
  std::uint64_t num_chosen_ = 0;
  std::uint64_t num_noted_ = 0;
  std::vector<std::vector<std::uint64_t>> refused_;  // of the sets that no order has told of
  std::deque<changed_members> changed_;
  std::size_t last_updates_ = 0;  // of the last set that is noted
  std::size_t last_changed_ = 0;  // that changed elements
  set_counts counts_;
};

}  // namespace stradsap::rt
