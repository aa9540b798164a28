#include "runtime/loop/transactions/program_order.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "runtime/loop/run/known_values.hpp"

namespace stradsap::rt {

/// The loop; windows that are made from now on tell the values of its subscripts.
static const loop_frame& with_values(const loop_frame& f, body_copy copy) {
  show_values(f, copy);
  return f;
}

program_order::program_order(const loop_frame& f, const std::vector<std::byte*>& partials,
                             sums_grouped grouped, body_copy copy)
    : frame_(f), totals_(partials), copy_(copy), windows_(with_values(f, copy)) {
  block_.windows = windows_.data();
  block_.partials = totals_.data();
  block_.continues = true;
  block_.is_whole = may_be_whole(f, copy);
  if (grouped == sums_grouped::by_addition) return;
  sums_.emplace(f);
  windows_.open();
  sums_->prepare(windows_.data());
  sums_->attach(block_);
  if (sums_->size() == 0) sums_.reset();
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
  const std::uint64_t ran = std::exchange(block_.count, 0);
  frame_.count(0, ran);
  if (sums_) sums_->ended(ran, [&](std::uint64_t, const std::byte* part) { fold(part); });
  if (next_ == end_) return nullptr;
  windows_.open();
  open_block();
  return &block_;
}

/// Blocks are short enough to count the progress of a long loop. Their length depends on n only, since it may
/// change the last bits of a sum under -ffast-math.
void program_order::open_block() {
  constexpr std::int64_t least_in_block = 4096;
  constexpr std::int64_t blocks = 256;
  block_.begin = next_;
  block_.count =
      static_cast<std::uint64_t>(std::min(end_ - next_, std::max(least_in_block, frame_.n / blocks)));
  if (sums_) block_.count = std::min(block_.count, iteration_sums::most_at_once);
  next_ += static_cast<std::int64_t>(block_.count);
}

void program_order::reached(std::uint64_t k) {
  sums_->reached(k, [&](std::uint64_t, const std::byte* part) { fold(part); });
}

void program_order::fold(const std::byte* part) {
  for (std::size_t c = 0; c < totals_.size(); ++c) {
    const abi::capture_info& capture = frame_.entry->captures[c];
    if (capture.combine != nullptr) capture.combine(totals_[c], part + sums_->offset(c));
  }
}

void program_order::failed(std::int64_t iteration, errc code, const char* what) {
  if (windows_.check() != nullptr) windows_.check()->abandon();
  failure_ = failure{static_cast<std::uint8_t>(code), what, driver_rank, iteration, 0};
}

}  // namespace stradsap::rt
