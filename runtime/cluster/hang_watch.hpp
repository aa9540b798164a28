// Watches for a run without progress. Each worker sends its pulse to the driver. The driver decides, asks all
// ranks for their states, and prints the report. Without progress for a hang time-out that the user gave, the
// run then ends with status 124; without progress for the default one, it goes on.
// Thread rule: begin_loop() and end_loop() on the main thread; received() on the thread with the receiving
// role; it owns the thread `watch`.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/mutex.hpp"
#include "runtime/base/options.hpp"
#include "runtime/net/transport.hpp"
#include "runtime/observe/stall_detector.hpp"

namespace stradsap::rt {

/// A rank as its watch sees it. Thread-safe.
class watched_rank {
 public:
  /// Grows with each block of iterations, message and launch.
  [[nodiscard]] virtual std::uint64_t progress() const = 0;
  [[nodiscard]] virtual bool is_planning() const = 0;
  /// The ranks that this one waits for; none while a thread of it runs a body. Takes a tenth of a second at
  /// most.
  [[nodiscard]] virtual std::vector<awaited_rank> awaits() = 0;

 protected:
  ~watched_rank() = default;
};

class hang_watch {
 public:
  /// `of` outlives it, and `net`, which is null for a single rank.
  hang_watch(const options& o, watched_rank& of, transport* net);
  ~hang_watch();
  hang_watch(const hang_watch&) = delete;
  hang_watch& operator=(const hang_watch&) = delete;

  /// A loop runs on this rank until end_loop(). `site` stays for as long. Loops may be within each other.
  void begin_loop(const char* site);
  void end_loop();
  /// Whether received() is to get the message.
  [[nodiscard]] static bool takes(const message& m);
  void received(rank_id from, const message& m);
  /// The driver has reported, and ends the run.
  [[nodiscard]] bool is_ending() const { return is_ending_; }

 private:
  using steady = std::chrono::steady_clock;

  void start();
  void watch();
  void beat();
  [[nodiscard]] pulse own_pulse();
  [[nodiscard]] rank_state own_state();
  void report();
  [[nodiscard]] std::vector<std::optional<rank_state>> collect_states(bool ends_run);
  [[nodiscard]] bool lacks_states() const REQUIRES(mutex_);

  const options& options_;
  watched_rank& of_;
  transport* const net_;
  const bool is_wanted_;
  stall_detector detector_;
  stall_detector::duration now_{0};  // time that this process has watched: a stopped one does not
  std::atomic<std::uint64_t> loops_{0};
  std::atomic<bool> is_ending_{false};
  std::atomic<const char*> site_{nullptr};  // read under mutex_, at which its loop ends
  int depth_ = 0;                           // of loops
  mutex mutex_;
  condition changed_;
  bool stop_ GUARDED_BY(mutex_) = false;
  bool is_asked_ GUARDED_BY(mutex_) = false;
  std::vector<pulse> pulses_ GUARDED_BY(mutex_);  // by rank
  std::vector<bool> has_pulse_ GUARDED_BY(mutex_);
  std::vector<std::optional<rank_state>> states_ GUARDED_BY(mutex_);
  std::thread thread_;
};

/// While it lives, a loop runs on this rank.
class watched_loop {
 public:
  watched_loop(hang_watch* watch, const char* site) : watch_(watch) {
    if (watch_ != nullptr) watch_->begin_loop(site);
  }
  ~watched_loop() {
    if (watch_ != nullptr) watch_->end_loop();
  }
  watched_loop(const watched_loop&) = delete;
  watched_loop& operator=(const watched_loop&) = delete;

 private:
  hang_watch* watch_;
};

}  // namespace stradsap::rt
