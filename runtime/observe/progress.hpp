// The progress of an operation that takes longer than a second, for people: on a terminal one line that
// changes, elsewhere a row every ten seconds at most. A thread looks at counters, so an operation costs a few
// tens of nanoseconds. With one executor in all, the driver's thread itself looks while it counts: from a
// second thread on, malloc takes locks, and bodies that allocate would take a fifth longer.
// Thread rule: the driver's thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <thread>

#include "runtime/base/mutex.hpp"
#include "runtime/base/options.hpp"
#include "runtime/base/work_counter.hpp"

namespace stradsap::rt {

class progress final : count_listener {
 public:
  /// `loops` counts the iterations of launches. --quiet shows nothing.
  progress(work_counter& loops, const options& o);
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  /// A launch of n iterations begins. `site` and `label`, or null, stay until end(); calls of one `loop` are
  /// numbered. `now`: not in the future.
  void begin_launch(const void* loop, std::int64_t n, const char* site, const char* label,
                    std::chrono::steady_clock::time_point now);
  /// The launch is over. With one executor, a thread looks at later ones if this one did not count often.
  void took();
  /// Another operation begins, as `reading ratings.txt`; advance() counts in `unit`s. It hides the
  /// launches until its end. `total`: 0 if unknown.
  void begin(std::string_view name, std::string_view unit, std::uint64_t total);
  void advance(std::uint64_t count);
  /// Each iteration of launches within the operation counts so many units, until advance().
  void weigh_iterations(std::uint64_t units);
  void end();
  /// Shown with loops from now on.
  void reported(std::string_view name, double value);

 private:
  using steady = std::chrono::steady_clock;
  /// A stage of an operation, as the watching thread first saw it.
  struct seen_stage {
    std::uint64_t operation = 0;
    work_stage stage = work_stage::starting;
    steady::time_point since;
    std::uint64_t done = 0;
  };

  void begin_counting(steady::time_point now);
  void counted() override;
  void began(work_stage stage) override;
  void start();
  void watch();
  [[nodiscard]] work_counter::state work_now() const REQUIRES(mutex_);
  [[nodiscard]] std::string text(const work_counter::state& work, steady::time_point now) const
      REQUIRES(mutex_);
  void look(steady::time_point now) REQUIRES(mutex_);
  void show(const std::string& line) const;

  work_counter& loops_;
  const bool quiet_;
  const int columns_;  // of the launcher's terminal, or 0
  const bool on_terminal_;
  const bool looks_itself_;         // one executor in all
  bool may_start_;                  // a thread; on the driver's thread, as all up to `iterations_`
  steady::time_point looked_;       // by the driver's thread
  steady::time_point checked_;      // the clock, at the operation's begin or a count
  steady::duration longest_gap_{};  // of two counts, in the operation
  std::uint32_t to_pass_ = 0;       // counts, before the clock is checked again
  std::uint32_t passed_ = 0;
  std::int64_t iterations_ = 0;  // of the launch
  mutex mutex_;
  condition stopping_;
  bool stop_ GUARDED_BY(mutex_) = false;
  int depth_ GUARDED_BY(mutex_) = 0;                 // operations within each other; the outermost is shown
  std::uint64_t operations_ GUARDED_BY(mutex_) = 0;  // so far
  const char* site_ GUARDED_BY(mutex_) = nullptr;    // of a launch; null: another operation
  const char* label_ GUARDED_BY(mutex_) = nullptr;
  std::uint64_t call_ GUARDED_BY(mutex_) = 0;  // of this loop
  std::string name_ GUARDED_BY(mutex_);
  std::string unit_ GUARDED_BY(mutex_);
  std::uint64_t done_ GUARDED_BY(mutex_) = 0;
  std::uint64_t total_ GUARDED_BY(mutex_) = 0;
  std::uint64_t units_ GUARDED_BY(mutex_) = 0;  // of an iteration
  std::map<const void*, std::uint64_t> calls_ GUARDED_BY(mutex_);
  std::string last_value_ GUARDED_BY(mutex_);
  bool is_shown_ GUARDED_BY(mutex_) = false;  // the terminal has a line of ours
  seen_stage seen_ GUARDED_BY(mutex_);
  steady::time_point begun_ GUARDED_BY(mutex_);     // first look at this operation
  steady::time_point last_row_ GUARDED_BY(mutex_);  // the epoch: none yet
  std::thread thread_;
};

}  // namespace stradsap::rt
