// Chooses between program order on one thread and waves, by time. Both give the same bits. A loop starts in
// program order and is measured. Waves begin once they are expected to save more than their plan costs: in
// the midst of a call if it is long. Then the clock decides. Program order is looked at again after 1, 2, 4
// ... calls by waves: other work on the machine may have disturbed the first look, or a call may begin with
// its longest iterations. So the first of these looks last as long as a call by waves. The same choice
// decides between program order and iterations side by side on the elements themselves, if no two of them
// meet; then read "side by side" for "by waves". Thread rule: one thread.
#pragma once

#include <cstdint>

namespace stradsap::rt {

class wave_pace {
 public:
  /// `executors`: of all ranks. `parallelism`: iterations that could run at a time. `touches`: of an
  /// iteration. `seconds_recorded`: to find them, on one executor; 0: not known.
  wave_pace(int executors, double parallelism, double touches, double seconds_recorded = 0);
  /// For n iterations that never meet.
  [[nodiscard]] static wave_pace side_by_side(int executors, std::int64_t n, double touches,
                                              double seconds_recorded);

  /// Fewer iterations can run at a time than was assumed.
  void limit(double parallelism);
  /// A call of the loop begins.
  void begin();
  /// The number of iterations, of the `left` ones of this call, to run in program order before the next
  /// question; 0: the rest runs by waves.
  [[nodiscard]] std::int64_t next(std::int64_t left) const;
  void ran_in_place(std::int64_t count, double seconds);
  /// `seconds_plan` of the seconds made a plan.
  void ran_waves(std::int64_t count, double seconds, double seconds_plan);

  /// Seconds of an iteration in program order; 0: not known.
  [[nodiscard]] double place() const { return count_ != 0 ? spent_ / static_cast<double>(count_) : place_; }

 private:
  [[nodiscard]] bool prefers_waves() const;

  double at_once_;
  double each_;             // seconds that an iteration by waves takes longer, about
  double place_ = 0;        // of the faster of the last two calls in program order; 0: none
  double last_place_ = 0;   // of the last one
  int calls_by_waves_ = 0;  // since then
  int patience_ = 1;        // calls by waves until program order is looked at again
  double waves_ = 0;        // seconds an iteration by waves, without planning; 0: not known
  double plan_;             // seconds an iteration to plan
  double plans_again_ = 0;  // the fraction of calls by waves that made a new plan
  bool has_plan_ = false;
  double spent_ = 0;        // seconds of this call in program order
  std::int64_t count_ = 0;  // its iterations
};

}  // namespace stradsap::rt
