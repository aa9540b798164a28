#include "runtime/loop/run/body_runner.hpp"

#include <chrono>

#include <fmt/format.h>

#include "runtime/base/elapsed.hpp"

namespace stradsap::rt {

body_runner::body_runner(const loop_frame& frame, element_versions* versions)
    : frame_(frame),
      check_(rt::is_checked(frame) ? std::make_unique<iteration_check>(frame) : nullptr),
      log_(versions == nullptr ? nullptr : std::make_unique<access_recorder>(frame, *versions)) {
  if (check_ != nullptr) check_->log_into(log_.get());
}

void body_runner::run(body_copy copy, abi::block_source& blocks, executor_clock& clock) const {
  const auto start = std::chrono::steady_clock::now();
  const abi::launch_scope now(frame_.launch);
  const poison::running_bodies bodies(is_checked());
  run_copy(frame_, copy, blocks);
  clock.seconds_compute = seconds_since(start) - clock.seconds_wait;
}

void body_runner::begin(std::int64_t j, const std::vector<touch>* set, std::uint32_t block) {
  check_->begin(j, set);
  if (log_ != nullptr) log_->begin(j, block);
}

void body_runner::end() {
  if (log_ != nullptr) log_->end();
  check_->end();
}

void body_runner::abandon() {
  if (log_ != nullptr) log_->end();
  if (check_ != nullptr) check_->abandon();
}

access_log body_runner::take_log() { return log_ == nullptr ? access_log{} : log_->take(); }

void throw_unplanned_element(std::uint64_t i, std::string_view container) {
  throw error(
      errc::access,
      fmt::format("element {} of `{}` was not touched in reconnaissance: which elements the body touches "
                  "depends on what the loop writes",
                  i, container));
}

void throw_unplanned_key(std::string_view container) {
  throw error(
      errc::access,
      fmt::format("a key of `{}` was not touched in reconnaissance: which keys the body touches depends on "
                  "what the loop writes",
                  container));
}

}  // namespace stradsap::rt
