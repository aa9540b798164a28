// Runs the body of a loop on one executor or wave thread. In check builds it also checks the accesses of each
// iteration and logs them.
// Thread rule: one thread.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "runtime/loop/access/iteration_check.hpp"
#include "runtime/loop/run/body_copy.hpp"
#include "runtime/loop/run/running_loop.hpp"

namespace stradsap::rt {

class body_runner {
 public:
  /// `versions` is null unless accesses are logged.
  body_runner(const loop_frame& frame, element_versions* versions);

  /// Runs all blocks of `blocks` and sets the seconds of computation. The seconds of waiting are known by
  /// then.
  void run(body_copy copy, abi::block_source& blocks, executor_clock& clock) const;

  [[nodiscard]] bool is_checked() const { return check_ != nullptr; }
  /// Checks accesses to capture c through this window. For check builds, as are all that follow but
  /// abandon().
  void watch(std::size_t c, abi::window& window) { check_->watch(c, window); }
  /// Elements that are in no set: accumulators have copies of them.
  void exempt(const std::vector<hot_units>& hot) {
    if (check_ != nullptr) check_->exempt(hot);
  }
  void begin(std::int64_t j, const std::vector<touch>* set, std::uint32_t block);
  void end();
  /// The running iteration has thrown.
  void abandon();
  /// The log of accesses, empty if there is none.
  [[nodiscard]] access_log take_log();

 private:
  const loop_frame& frame_;
  const std::unique_ptr<iteration_check> check_;  // in check builds
  const std::unique_ptr<access_recorder> log_;    // if accesses are logged
};

/// Throws error(errc::access): reconnaissance did not meet this element, or a key of the container.
[[noreturn]] void throw_unplanned_element(std::uint64_t i, std::string_view container);
[[noreturn]] void throw_unplanned_key(std::string_view container);

}  // namespace stradsap::rt
