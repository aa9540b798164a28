// The compiled copies of a body, and the one for a way of running it. Stateless.
#pragma once

#include <cstdint>

#include "runtime/loop/launch/frame.hpp"

namespace stradsap::rt {

enum class body_copy : std::uint8_t {
  fastest,
  /// For loops that time may move between program order, waves and rounds of transactions, at any iteration:
  /// all of these round alike. With `abi::rounds_apart`, such loops run in program order only.
  movable,
};

/// Runs the blocks of `blocks` in that copy.
inline void run_copy(const loop_frame& f, body_copy copy, abi::block_source& blocks) {
  const auto run = copy == body_copy::movable ? f.entry->run_unfused : f.entry->run;
  abi::run_all(run, f.values.data(), blocks);
}

}  // namespace stradsap::rt
