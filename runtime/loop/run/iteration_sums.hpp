// The reductions of a loop by waves, or of disjoint iterations, iteration by iteration: the additions of one
// iteration first, then their sum. The driver folds the sums in program order, for the bits of program_order.
// Thread rule: one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/loop/launch/frame.hpp"

namespace stradsap::rt {

/// Gives each iteration of a block its own part of the reductions. Two parts take turns: one is read while
/// the body fills the other. `Keep`: keep(k, part) receives the part of iteration number k of the block.
class iteration_sums {
 public:
  static constexpr std::uint64_t most_at_once = 4096;

  /// `most`: iterations of a block.
  explicit iteration_sums(const loop_frame& f, std::uint64_t most = most_at_once);

  /// Bytes of an iteration's part; 0 if the loop has no reductions.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The place of capture c in a part.
  [[nodiscard]] std::size_t offset(std::size_t c) const { return offsets_[c]; }
  /// Lets the block, of at most so many iterations, fill the parts.
  void attach(abi::block& b);
  /// Learns the neutral values. `windows`: of the loop's containers.
  void prepare(const abi::window* windows);
  /// Iteration number k of the block begins.
  template <class Keep> void reached(std::uint64_t k, const Keep& keep) {
    if (k == 0) return;
    if (k >= 2) keep(k - 2, part(k));
    std::copy(nothing_.begin(), nothing_.end(), part(k));
  }
  /// The block of `count` iterations has ended.
  template <class Keep> void ended(std::uint64_t count, const Keep& keep) {
    if (count >= 2) keep(count - 2, part(count));
    if (count >= 1) keep(count - 1, part(count - 1));
  }

 private:
  [[nodiscard]] std::byte* part(std::uint64_t k) { return parts_.data() + k % 2 * size_; }

  const loop_frame& frame_;
  std::size_t size_ = 0;
  std::vector<std::size_t> offsets_;   // by capture
  std::vector<std::byte> nothing_;     // the part of an iteration without additions
  std::vector<std::byte> parts_;       // two of them
  std::vector<std::byte*> part_at_;    // by capture, in the first part
  std::vector<std::uint8_t> by_turn_;  // 0, 1, 0, 1, ...
};

}  // namespace stradsap::rt
