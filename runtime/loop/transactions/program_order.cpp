#include "runtime/loop/transactions/program_order.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "runtime/loop/run/known_values.hpp"

namespace stradsap::rt {

/// The loop; windows that are made from now on tell the values of its subscripts.
static const loop_frame& with_values(const loop_frame& f) {
  show_values(f);
  return f;
}

program_order::program_order(const loop_frame& f, const std::vector<std::byte*>& partials,
                             sums_grouped grouped, body_copy copy)
    : frame_(f), copy_(copy), windows_(with_values(f)) {
  block_.windows = windows_.data();
  block_.partials = partials.data();
  block_.continues = grouped == sums_grouped::by_addition;
  block_.is_whole = true;
  block_.by_iteration = grouped == sums_grouped::by_iteration;
}

std::optional<failure> program_order::run(std::int64_t begin, std::int64_t end) {
  next_ = begin;
  end_ = end;
  block_.count = 0;
  const abi::launch_scope now(frame_.launch);
  const poison::running_bodies bodies(windows_.check() != nullptr);
  run_copy(frame_, copy_, *this);
  return std::exchange(failure_, std::nullopt);
}

const abi::block* program_order::next() {
  if (failure_) return nullptr;
  frame_.count(0, std::exchange(block_.count, 0));
  if (next_ == end_) return nullptr;
  windows_.open();
  open_block();
  return &block_;
}

/// Blocks are short enough to count the progress of a long loop, also if its iterations are few and long.
/// Their length depends on the loop and n only, since it may change the last bits of a sum under -ffast-math.
static std::int64_t length_of_blocks(const loop_frame& f) {
  constexpr std::int64_t most_of_short = 4096;  // iterations
  constexpr std::int64_t blocks_of_short_loops = 8;
  constexpr std::int64_t blocks = 256;
  const bool is_straight = (f.entry->flags & abi::straight) != 0;
  const std::int64_t of_short =
      is_straight ? most_of_short : std::clamp<std::int64_t>(f.n / blocks_of_short_loops, 1, most_of_short);
  return std::max(of_short, f.n / blocks);
}

void program_order::open_block() {
  block_.begin = next_;
  block_.count = static_cast<std::uint64_t>(std::min(end_ - next_, length_of_blocks(frame_)));
  next_ += static_cast<std::int64_t>(block_.count);
}

void program_order::failed(std::int64_t iteration, errc code, const char* what) {
  if (windows_.check() != nullptr) windows_.check()->abandon();
  failure_ = failure{static_cast<std::uint8_t>(code), what, driver_rank, iteration, 0};
}

}  // namespace stradsap::rt
