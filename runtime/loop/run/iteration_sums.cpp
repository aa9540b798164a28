#include "runtime/loop/run/iteration_sums.hpp"

#include <utility>

namespace stradsap::rt {

iteration_sums::iteration_sums(const loop_frame& f, std::uint64_t most) : frame_(f) {
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    offsets_.push_back(size_);
    size_ += f.entry->captures[c].size;
  }
  if (size_ == 0) return;
  parts_.resize(2 * size_);
  for (const std::size_t at : offsets_) part_at_.push_back(parts_.data() + at);
  by_turn_.resize(most);
  for (std::size_t k = 0; k < by_turn_.size(); ++k) by_turn_[k] = k % 2;
}

void iteration_sums::attach(abi::block& b) {
  if (size_ == 0) return;
  b.partials = part_at_.data();
  b.continues = false;
  b.parts = by_turn_.data();
  b.part_stride = size_;
}

/// A block without iterations writes the neutral values.
void iteration_sums::prepare(const abi::window* windows) {
  if (size_ == 0) return;
  struct empty_block final : abi::block_source {
    explicit empty_block(const abi::block& b) : given(&b) {}
    const abi::block* next() override { return std::exchange(given, nullptr); }
    void begin(std::int64_t) override {}
    void end() override {}
    void failed(std::int64_t, errc, const char*) override {}
    const abi::block* given;
  };
  const std::vector<std::byte*> no_streams(frame_.num_captures());
  abi::block nothing;
  nothing.windows = windows;
  nothing.streams = no_streams.data();
  nothing.partials = part_at_.data();
  empty_block none(nothing);
  frame_.entry->run(frame_.values.data(), none);
  nothing_.assign(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(size_));
}

}  // namespace stradsap::rt
