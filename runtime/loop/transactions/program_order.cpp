#include "runtime/loop/transactions/program_order.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace stradsap::rt {

static constexpr std::int64_t most_at_once = 4096;  // iterations of a block with parts

program_order::program_order(const loop_frame& f, const std::vector<std::byte*>& partials,
                             sums_grouped grouped)
    : frame_(f), totals_(partials), sources_(f.num_captures()), windows_(f.num_captures()) {
  if (is_checked(f)) check_ = std::make_unique<iteration_check>(f);
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.replicas[c] == nullptr) continue;
    sources_[c] = std::make_unique<resident_elements>(*f.replicas[c], f.name_of(c), f.handles[c]);
    windows_[c] = f.replicas[c]->window_through(*sources_[c]);
    windows_[c].may_insert = true;
  }
  block_.windows = windows_.data();
  block_.partials = totals_.data();
  block_.continues = true;
  if (grouped == sums_grouped::by_iteration) prepare_parts();
}

void program_order::prepare_parts() {
  for (std::size_t c = 0; c < frame_.num_captures(); ++c) part_size_ += frame_.entry->captures[c].size;
  if (part_size_ == 0) return;
  parts_.resize(2 * part_size_);
  std::byte* at = parts_.data();
  for (std::size_t c = 0; c < frame_.num_captures(); ++c) {
    part_at_.push_back(at);
    at += frame_.entry->captures[c].size;
  }
  block_.partials = part_at_.data();
  block_.continues = false;
  by_turn_.resize(most_at_once);
  for (std::size_t k = 0; k < by_turn_.size(); ++k) by_turn_[k] = k % 2;
  // A block without iterations writes the neutral values.
  next_ = end_ = 0;
  open_windows();
  struct empty_block final : abi::block_source {
    explicit empty_block(const abi::block& b) : given(&b) {}
    const abi::block* next() override { return std::exchange(given, nullptr); }
    void begin(std::int64_t) override {}
    void end() override {}
    void failed(std::int64_t, errc, const char*) override {}
    const abi::block* given;
  } none(block_);
  frame_.entry->run(frame_.values.data(), none);
  nothing_.assign(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(part_size_));
  block_.parts = by_turn_.data();
  block_.part_stride = part_size_;
}

std::optional<failure> program_order::run(std::int64_t begin, std::int64_t end) {
  next_ = begin;
  end_ = end;
  block_.count = 0;
  const abi::launch_scope now(frame_.launch);
  const poison::running_bodies bodies(check_ != nullptr);
  frame_.entry->run(frame_.values.data(), *this);
  return std::exchange(failure_, std::nullopt);
}

const abi::block* program_order::next() {
  if (failure_) return nullptr;
  if (part_size_ != 0) fold_last_parts();
  if (next_ == end_) return nullptr;
  open_windows();
  open_block();
  return &block_;
}

/// Opens the windows again, since maps may have grown.
void program_order::open_windows() {
  for (std::size_t c = 0; c < windows_.size(); ++c) {
    if (frame_.replicas[c] == nullptr) continue;
    windows_[c].size = windows_[c].count = windows_[c].readable = frame_.replicas[c]->size();
    if (check_ != nullptr) check_->watch(c, windows_[c]);
  }
}

void program_order::open_block() {
  const std::int64_t count = part_size_ == 0 ? end_ - next_ : std::min(end_ - next_, most_at_once);
  block_.begin = next_;
  block_.count = static_cast<std::uint64_t>(count);
  next_ += count;
}

/// Folds the part of iteration k - 2 and clears its place for iteration k.
void program_order::reached(std::uint64_t k) {
  if (k == 0) return;
  if (k >= 2) fold_part(k);
  std::memcpy(parts_.data() + k % 2 * part_size_, nothing_.data(), part_size_);
}

void program_order::fold_part(std::uint64_t k) {
  for (std::size_t c = 0; c < totals_.size(); ++c) {
    const abi::capture_info& capture = frame_.entry->captures[c];
    if (capture.combine != nullptr) capture.combine(totals_[c], part_at_[c] + k % 2 * part_size_);
  }
}

void program_order::fold_last_parts() {
  const std::uint64_t count = std::exchange(block_.count, 0);
  if (count >= 2) fold_part(count);
  if (count >= 1) fold_part(count - 1);
}

void program_order::failed(std::int64_t iteration, errc code, const char* what) {
  if (check_ != nullptr) check_->abandon();
  failure_ = failure{static_cast<std::uint8_t>(code), what, driver_rank, iteration, 0};
}

}  // namespace stradsap::rt
