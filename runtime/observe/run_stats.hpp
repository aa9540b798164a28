// The statistics of a run, by rank and by loop, and their JSON (docs/formats.md). Thread rule: one thread,
// the driver's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/ids.hpp"
#include "runtime/observe/prediction.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

/// The time of a launch on the driver's clock; times of executors and ranks are averages.
struct loop_seconds {
  double compute = 0;
  double wait = 0;
  double plan = 0;
  double move = 0;  // the rest: messages, moving and folding of elements
};

/// One launch, recorded by the driver when every rank is done.
struct launch_record {
  std::string site;
  std::string label;
  std::uint64_t iterations = 0;
  // or "blocks", "waves", "disjoint", "transactions", "program order", "dynamic", "clocks", "free clocks"
  std::string planner = "none";
  double parallelism = 1;  // iterations / those of the busiest group, or of the longest chain, or rounds
  std::uint64_t levels = 0;
  std::uint64_t rounds = 0;            // of transactions
  std::uint64_t retries = 0;           // attempts that did not stand
  std::uint64_t passes = 0;            // of a dynamic loop, over all iterations
  std::uint64_t sweeps = 0;            // over its active set
  std::uint64_t sets = 0;              // of its updates; 0: they ran one after the other
  std::uint64_t shards = 0;            // of a set
  std::uint64_t undone = 0;            // updates that ran again, since they depended on others of their set
  std::uint64_t dependence_calls = 0;  // of the program's measure.
  std::uint64_t depth = 0;             // sets in flight beside a new one, at most.
  double sets_in_flight = 0;           // on average, with the new one.
  std::uint64_t rejected = 0;          // candidates that depended on others.
  std::uint64_t refilled = 0;          // others that took their places.
  int free_executors = 0;              // that ran its updates free; 0: sets, or one after the other.
  std::uint64_t set_bytes = 0;         // that ranks have sent each other.
  double choice_seconds = 0;           // of the driver, which chose sets.
  double set_seconds = 0;              // of its rank, which ran shards.
  std::string why_no_sets;             // although the program asks for sets
  double last_change = 0;              // greatest of its last pass, as a part of the greatest element
  bool converged = false;              // its tolerance has ended it.
  std::uint64_t groups = 0;
  std::uint64_t blocks = 0;
  std::vector<std::string> accumulated;  // containers with accumulators
  std::vector<std::string> too_large;    // of these, those too large to send: other ranks have no part
  bool planned = false;                  // the launch made a plan.
  bool surveyed = false;                 // it looked at a sample of its iterations.
  std::uint64_t iterations_moved = 0;    // to other ranks, before the launch, to balance the load
  std::uint64_t rounds_ahead = 0;        // see counters
  std::uint64_t captured_bytes = 0;      // of captured values, sent to other ranks
  std::uint64_t sets_hash = 0;           // of the recorded sets of its plan
  std::vector<counters> work;            // by rank
  double seconds = 0;                    // on the driver.
  int executors = 1;                     // of all ranks
  std::map<std::string, double> waits;   // by container: seconds that executors waited for its groups
};

/// The staleness of a loop's calls, on each rank: the earlier calls that their iterations did not see, but
/// for the changes of their own accumulators.
struct seen_staleness {
  std::vector<std::uint64_t> calls;  // by staleness, from 0 to the greatest one

  void add(std::uint64_t staleness) {
    calls.resize(std::max<std::size_t>(calls.size(), staleness + 1));
    ++calls[staleness];
  }
  [[nodiscard]] std::uint64_t greatest() const { return calls.empty() ? 0 : calls.size() - 1; }
  [[nodiscard]] double mean() const;
};

/// A loop's launches, added up.
struct loop_total {
  launch_record last;
  std::uint64_t calls = 0;
  std::uint64_t plans = 0;
  std::uint64_t surveys = 0;
  std::uint64_t iterations = 0;
  std::uint64_t iterations_moved = 0;
  std::uint64_t rounds_ahead = 0;
  seen_staleness staleness;  // of a loop under consistency::stale
  std::uint64_t captured_bytes = 0;
  counters work;
  double seconds = 0;
  loop_seconds parts;                   // of `seconds`
  std::uint64_t bytes_sent = 0;         // by all ranks
  std::uint64_t bytes_unchanged = 0;    // see counters, of all ranks
  std::vector<double> compute_by_rank;  // seconds
  std::map<std::string, double> waits;  // see launch_record
  std::optional<loop_prediction> prediction;
};

/// An operation of the library, such as the passes of a reader over a file.
struct operation_total {
  std::string name;
  std::uint64_t calls = 0;
  double seconds = 0;  // on the driver
};

class run_stats {
 public:
  explicit run_stats(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}

  /// The sums over all ranks.
  [[nodiscard]] counters total() const;
  /// In the order of first calls.
  [[nodiscard]] std::vector<const loop_total*> loops() const;

  /// In the order of first calls.
  [[nodiscard]] const std::vector<operation_total>& operations() const { return operations_; }

  void add(const launch_record& record);
  /// The loop of the record, which has been added; valid as long as the statistics.
  [[nodiscard]] loop_total& loop_of(const launch_record& record);
  /// Adds a launch on the driver's thread alone that was like `record` but for its times and its bytes.
  void add_again(loop_total& loop, const launch_record& record, double seconds, const counters& work);
  /// The bytes of a launch that is in no statistics of loops.
  void add_bytes(const std::vector<counters>& by_rank);
  void add_operation(const std::string& name, double seconds);
  /// The elements that each rank owns, after a loop that wrote the container.
  void holdings(container_id id, std::uint64_t size, std::vector<std::uint64_t> by_rank);
  /// Adds the prediction for a loop.
  void predicted(const loop_prediction& p);
  /// Writes all of the file or none. False, with a warning, if it cannot be written.
  bool write(const std::string& path) const;

 private:
  struct holding {
    std::uint64_t size = 0;
    std::vector<std::uint64_t> by_rank;
  };

  std::vector<counters> ranks_;
  std::vector<std::string> sites_;  // in the order of first calls
  std::map<std::string, loop_total> loops_;
  std::map<container_id, holding> holdings_;
  std::vector<operation_total> operations_;
};

}  // namespace stradsap::rt
