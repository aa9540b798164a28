// Checks each access of a body in check builds (STRADSAP_CHECKED). An iteration may touch its recorded set,
// the element of its own index in an aligned container, and containers that the loop only reads, without
// changing them. Any other access ends the program at once and names its place.
// Under AddressSanitizer, so does a stray access through a pointer (poisoned_iteration.hpp). Thread rule: one
// executor.
#pragma once

#include <memory>
#include <vector>

#include "runtime/loop/access/access_log.hpp"
#include "runtime/loop/access/assignment_log.hpp"
#include "runtime/loop/access/hot_units.hpp"
#include "runtime/loop/access/poisoned_iteration.hpp"
#include "runtime/loop/access/touch.hpp"
#include "runtime/loop/launch/frame.hpp"

namespace stradsap::rt {

/// Whether the loop was compiled for a check build.
[[nodiscard]] bool is_checked(const loop_frame& f);

class iteration_check {
 public:
  explicit iteration_check(const loop_frame& frame);
  ~iteration_check();
  iteration_check(const iteration_check&) = delete;
  iteration_check& operator=(const iteration_check&) = delete;

  /// Checks all accesses through this view from now on, before its own source answers them.
  void watch(std::size_t capture, abi::window& view);
  /// Also logs the accesses that pass the check.
  void log_into(access_recorder* log) { log_ = log; }
  void log_into(assignment_log* log) { assignments_ = log; }

  /// Hot elements, per capture or empty, are in no set, and not logged. They outlive the check.
  void exempt(const std::vector<hot_units>& hot) { hot_ = &hot; }

  /// `set`: the touches of iteration j in containers that the loop writes at computed places; null if they
  /// were not recorded.
  void begin(std::int64_t j, const std::vector<touch>* set);
  void end();
  /// Replaces end() if the body threw.
  void abandon() { poisoned_.end(); }

 private:
  struct watcher;
  /// Elements [first, first + n) of a container that the loop only reads, with their bytes at the iteration's
  /// first access.
  struct seen_elements {
    std::uint32_t capture;
    std::uint64_t first;
    std::uint64_t n;
    const std::byte* at;
    bytes before;
    abi::access_place where;
  };

  [[nodiscard]] bool may_touch(std::uint32_t capture, std::uint64_t element);
  [[nodiscard]] bool is_in_set(const touch& wanted);
  [[nodiscard]] bool is_hot(std::uint32_t capture, std::uint64_t element) const {
    return hot_ != nullptr && !hot_->empty() && (*hot_)[capture].has(element);
  }
  void remember(std::uint32_t capture, std::uint64_t first, std::uint64_t n, const std::byte* at);
  [[nodiscard]] std::uint64_t first_change(const seen_elements& of) const;
  [[nodiscard]] bytes bytes_of(std::uint32_t capture, const std::byte* at, std::uint64_t n) const;
  [[noreturn]] void stop(const abi::access_place& where, const std::string& what) const;

  const loop_frame& frame_;
  std::vector<std::unique_ptr<watcher>> watchers_;  // per capture
  std::int64_t iteration_ = 0;
  const std::vector<touch>* set_ = nullptr;
  std::size_t last_asked_ = 0;  // place in set_
  access_recorder* log_ = nullptr;
  assignment_log* assignments_ = nullptr;
  std::vector<seen_elements> seen_;
  poisoned_iteration poisoned_;
  const std::vector<hot_units>* hot_ = nullptr;
};

}  // namespace stradsap::rt
