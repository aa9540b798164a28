#include "runtime/loop/waves/wave_pace.hpp"

#include <algorithm>

namespace stradsap::rt {
namespace {

// Rough costs, in seconds. They only decide when waves are tried.
constexpr double of_iteration = 1e-6;
constexpr double of_plan = 1e-6;
constexpr double of_planned_touch = 3e-7;
constexpr double of_recorded_touch = 1e-8;
constexpr double of_threads = 2e-5;  // to wake them and to wait for the last one

constexpr double least_look = 5e-4;  // seconds in program order, before waves may begin
constexpr std::int64_t first_iterations = 1;
constexpr int calls_before_short_looks = 4;  // since a call may begin with its longest iterations
constexpr int most_patience = 64;            // calls by waves between two looks
constexpr int calls_between_looks = 4;       // at most, if each of them makes a plan
constexpr double least_at_once = 1.3;
constexpr double calls_to_come = 10;  // by one plan

}  // namespace

wave_pace::wave_pace(int executors, double parallelism, double touches, double seconds_recorded)
    : at_once_(std::min(static_cast<double>(executors), parallelism)),
      each_(of_iteration),
      plan_(std::max(of_plan + of_planned_touch * touches, seconds_recorded / executors)) {}

wave_pace wave_pace::side_by_side(int executors, std::int64_t n, double touches, double seconds_recorded) {
  wave_pace made(executors, executors, touches);
  const double recorded = seconds_recorded != 0 ? seconds_recorded : of_recorded_touch * touches;
  made.each_ = of_threads / static_cast<double>(n);
  made.plan_ = recorded / executors + 2 * made.each_;
  return made;
}

void wave_pace::limit(double parallelism) { at_once_ = std::min(at_once_, parallelism); }

void wave_pace::begin() {
  if (count_ != 0) {
    const double now = place();  // a call that was disturbed says little
    place_ = last_place_ == 0 ? now : std::min(now, last_place_);
    last_place_ = now;
    calls_by_waves_ = 0;
  }
  spent_ = 0;
  count_ = 0;
}

bool wave_pace::prefers_waves() const {
  if (waves_ != 0) return place() - waves_ > plans_again_ * plan_;
  const double saved = place() - (place() / at_once_ + each_);
  return count_ != 0 ? saved > plan_ : calls_to_come * saved > plan_;
}

std::int64_t wave_pace::next(std::int64_t left) const {
  if (at_once_ < least_at_once) return left;
  const int patience = plans_again_ > 0.5 ? std::min(patience_, calls_between_looks) : patience_;
  const bool is_due = calls_by_waves_ >= patience;
  const std::int64_t more = std::min(left, std::max(first_iterations, count_));
  if (count_ == 0 && place_ != 0 && !is_due) return prefers_waves() ? 0 : left;
  if (waves_ != 0 && patience_ <= calls_before_short_looks) {
    const double seconds_waves = (waves_ + plans_again_ * plan_) * static_cast<double>(left + count_);
    return spent_ < seconds_waves ? more : 0;
  }
  if (spent_ < least_look) return more;
  return prefers_waves() ? 0 : left;
}

void wave_pace::ran_in_place(std::int64_t count, double seconds) {
  spent_ += seconds;
  count_ += count;
}

void wave_pace::ran_waves(std::int64_t count, double seconds, double seconds_plan) {
  const double each = (seconds - seconds_plan) / static_cast<double>(count);
  ++calls_by_waves_;
  if (count_ != 0) patience_ = std::min(2 * patience_, most_patience);  // the look agreed
  waves_ = waves_ == 0 ? each : std::min(waves_, each);
  if (has_plan_) plans_again_ += ((seconds_plan > 0 ? 1 : 0) - plans_again_) / 4;
  has_plan_ = true;
  if (seconds_plan > 0) plan_ = seconds_plan / static_cast<double>(count);
}

}  // namespace stradsap::rt
