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
/// The cuts of those that are only added into decide nothing in a plan that lists iterations.
[[nodiscard]] std::vector<std::uint64_t> inputs_of(const resolved_request& resolved);
/// Whether the plan can hold for the next launch: not if the loop writes inputs of the plan, or if its
/// dependences are unknown.
[[nodiscard]] bool can_hold(const resolved_request& resolved);
/// Lets the containers that the plan depends on tell apart writes that change elements from those that do
/// not.
void watch_inputs(const resolved_request& resolved);

/// The cost of a launch's plan, on the rank with the most.
struct plan_cost {
  double seconds = 0;     // to make it; 0 if it was there
  std::size_t bytes = 0;  // its memory; 0 if the launch has no plan
};
[[nodiscard]] plan_cost cost_of_plan(const std::vector<done>& parts);
/// The memory that the plans of a rank may take, in bytes: a sixteenth of the machine's for all ranks, which
/// may be on one machine.
[[nodiscard]] std::size_t memory_for_plans(int ranks);

/// If plans take more than a bound of memory, ranks drop some. Their records stay, so a plan that is made
/// anew gives the same bits: the bound may depend on the machine. The number of records does not.
///
/// Programs run their loops in turns. If the plans of a turn do not fit, and the plan with the oldest use
/// went, each plan would go before its next use. So plans that were used lately stay, and a plan for which
/// there is no room goes for the next one of this kind.
///
/// Captured values may decide places and take turns: the stages of a Fourier transform, the colours of a
/// grid. A plan whose inputs come back is kept beside those with other inputs. Inputs that never come back,
/// such as the step of an elimination, cost no memory: each plan takes the place of the one before. `pass`
/// counts all calls, so bits do not depend on the plans that are kept.
class plan_cache {
 public:
  static constexpr std::size_t least_plans = 128;    // are kept in any case
  static constexpr std::size_t most_records = 4096;  // of plans that time makes, and of the others
  /// Inputs of earlier calls that are known, by their hashes.
  static constexpr std::size_t most_earlier = 1024;

  /// `keeps`: false to make a plan for every launch. `room`: for plans on a rank, in bytes.
  plan_cache(bool keeps, std::size_t room) : keeps_(keeps), room_(room) {}

  /// Lets `r` name a plan of its own if the inputs have come back. Counts alone decide.
  void find_beside(resolved_request& r) const;
  /// Whether there was a plan, and its inputs have changed. The same without a cache.
  [[nodiscard]] bool has_moved(const resolved_request& r) const;
  /// Whether a plan for the request exists and holds.
  [[nodiscard]] bool holds(const resolved_request& r) const;
  /// Why an earlier plan of the request does not hold, and the remedy; empty if there was none.
  [[nodiscard]] std::string why_void(const resolved_request& r) const;
  /// Sets the fields of the launch that say whether its plan holds and may use a plan's layout.
  void prepare(const resolved_request& r, launch& l) const;
  /// Records a launch by the plan. A failed launch's plan does not hold.
  void completed(const resolved_request& r, const launch& l, bool failed, const plan_cost& cost);
  /// Forgets plans of destroyed containers. Returns these, and the plans dropped since the last call. If
  /// there are too many records, those with the oldest last uses go, with their plans. Plans of waves and
  /// ranges, which time makes, and those of blocks are counted apart.
  [[nodiscard]] std::vector<plan_id> forget(const std::vector<container_id>& destroyed);
  /// The time in seconds that a plan took to make.
  [[nodiscard]] double seconds_to_make(plan_id id) const;

  /// For a checkpoint: all records. A resumed run makes each plan anew at its next use, with the same bits.
  void save(abi::writer& out) const;
  void resume(abi::reader& in);

 private:
  struct record {
    std::vector<std::uint64_t> inputs;   // empty: the plan does not hold
    std::vector<std::uint64_t> aligned;  // versions of the elements in plan layout
    std::uint64_t uses = 0;              // calls since the plan was made
    std::vector<container_id> containers;
    launch_id last_use{};
    double seconds_plan = 0;
    bool is_timed = false;   // time decides whether the plan is made: of waves and ranges
    bool is_lost = false;    // no rank has the plan: a checkpoint has the record, or ranks dropped it
    bool is_guest = false;   // the plan was made when there was no room
    std::size_t bytes = 0;   // of the plan, while it is kept
    std::uint64_t turn = 0;  // of the last use, in launches by plans

    // of all calls of the loop; empty in the record of a plan beside another
    std::vector<std::uint64_t> seen;     // inputs of the last call, even if its plan does not hold
    std::vector<std::uint64_t> last;     // the same; empty if it does not hold
    std::vector<std::uint64_t> earlier;  // hashes of the inputs of plans that held, the oldest first
    std::uint64_t pass = 0;

    template <class Archive> void serialize(Archive& archive) {
      archive(inputs, aligned, uses, containers, last_use, seconds_plan, is_timed, seen, last, earlier, pass);
    }
  };

  static void note_inputs(record& of, const resolved_request& r, bool hold);
  void make_room(plan_id newest, bool is_beside);
  [[nodiscard]] std::map<plan_id, record>::iterator next_to_drop(plan_id newest);
  void drop_oldest_records(bool is_timed);
  void set_bytes(record& of, std::size_t now);

  const bool keeps_;
  const std::size_t room_;
  std::map<plan_id, record> records_;
  std::vector<plan_id> dropped_;
  std::size_t bytes_ = 0;      // of all plans
  std::size_t num_plans_ = 0;  // with bytes
  std::size_t num_timed_ = 0;  // records
  std::uint64_t turns_ = 0;
};

}  // namespace stradsap::rt
