// The driver's records of the plans that ranks keep. A plan holds while its inputs stay the same: versions
// and cuts of containers, values that steer. Thread rule: main thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/loop/launch/launch_request.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

/// The inputs of a plan: values and contents that steer subscripts, sizes, and cuts of written containers.
[[nodiscard]] std::vector<std::uint64_t> inputs_of(const resolved_request& resolved);
/// Whether the plan can hold for the next launch: not if the loop writes inputs of the plan, or if its
/// dependences are unknown.
[[nodiscard]] bool can_hold(const resolved_request& resolved);
/// Lets the containers that the plan depends on tell apart writes that change elements from those that do
/// not.
void watch_inputs(const resolved_request& resolved);

class plan_cache {
 public:
  /// `keeps`: false to make a plan for every launch.
  explicit plan_cache(bool keeps) : keeps_(keeps) {}

  /// Whether a plan for the request exists and holds.
  /// Whether there was a plan, and its inputs have changed. The same without a cache.
  [[nodiscard]] bool has_moved(const resolved_request& r) const;
  [[nodiscard]] bool holds(const resolved_request& r) const;
  /// Why an earlier plan of the request does not hold, and the remedy; empty if there was none.
  [[nodiscard]] std::string why_void(const resolved_request& r) const;
  /// Sets the fields of the launch that say whether its plan holds and may use a plan's layout.
  void prepare(const resolved_request& r, launch& l) const;
  /// Records a launch by the plan. `seconds_plan`: the time to make it, if it was made. A failed launch's
  /// plan does not hold.
  void completed(const resolved_request& r, const launch& l, bool failed, double seconds_plan);
  /// Forgets plans of destroyed containers. Returns these, and the plans dropped since the last call: the one
  /// with the oldest last use, when there were too many. Plans of waves and ranges, which time makes,
  /// and those of blocks are counted apart.
  [[nodiscard]] std::vector<plan_id> forget(const std::vector<container_id>& destroyed);
  /// The time in seconds that a plan took to make.
  [[nodiscard]] double seconds_to_make(plan_id id) const;

  /// For a checkpoint: all records. A resumed run makes each plan anew at its next use, with the same bits.
  void save(abi::writer& out) const;
  void resume(abi::reader& in);

 private:
  struct record {
    std::vector<std::uint64_t> seen;     // inputs of the last launch, even if the plan does not hold
    std::vector<std::uint64_t> inputs;   // empty: the plan does not hold
    std::vector<std::uint64_t> aligned;  // versions of the elements in plan layout
    std::uint64_t pass = 0;
    std::uint64_t uses = 0;  // calls since the plan was made
    std::vector<container_id> containers;
    launch_id last_use{};
    double seconds_plan = 0;
    bool is_timed = false;  // time decides whether the plan is made: of waves and ranges
    bool is_lost = false;   // a checkpoint has the record, and no rank the plan

    template <class Archive> void serialize(Archive& archive) {
      archive(seen, inputs, aligned, pass, uses, containers, last_use, seconds_plan, is_timed);
    }
  };

  void drop_oldest(bool is_timed);

  const bool keeps_;
  std::map<plan_id, record> records_;
  std::vector<plan_id> dropped_;
};

}  // namespace stradsap::rt
