// Runs iterations in program order on one thread, on the elements themselves. All elements must be here.
// Thread rule: the driver's thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/loop/launch/frame.hpp"
#include "runtime/loop/run/body_copy.hpp"
#include "runtime/loop/run/iteration_sums.hpp"
#include "runtime/loop/run/whole_windows.hpp"

namespace stradsap::rt {

/// The grouping of additions into sums.
enum class sums_grouped : std::uint8_t {
  by_addition,   // each addition alone, as in the sequential program
  by_iteration,  // the additions of an iteration first, then their sum
};

class program_order final : public abi::block_source {
 public:
  /// `partials`: one per capture; they hold the reductions before and after run().
  program_order(const loop_frame& f, const std::vector<std::byte*>& partials, sums_grouped grouped,
                body_copy copy);

  /// Runs iterations [begin, end), one after the other. An exception ends the run and is returned.
  [[nodiscard]] std::optional<failure> run(std::int64_t begin, std::int64_t end);

  // ---- the body's side (abi::block_source) ----
  const abi::block* next() override;
  void begin(std::int64_t j) override { windows_.check()->begin(j, nullptr); }
  void end() override { windows_.check()->end(); }
  void failed(std::int64_t iteration, errc code, const char* what) override;

 private:
  void open_block();

  const loop_frame& frame_;
  const body_copy copy_;
  whole_windows windows_;
  abi::block block_;
  std::int64_t next_ = 0;
  std::int64_t end_ = 0;
  std::optional<failure> failure_;
};

}  // namespace stradsap::rt
