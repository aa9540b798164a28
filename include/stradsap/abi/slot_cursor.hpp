// The elements of the running iteration, as the plan knows them, for the views of a block. Thread rule: the
// executor that owns the view.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <stradsap/abi/abi.hpp>

namespace stradsap::abi {

/// The slots of one container that the running iteration will touch. This is a hint: the iteration may touch
/// more slots, or fewer. Empty before the first block.
class slot_cursor {
 public:
  /// Begins a block.
  void enter(const element_column& touched) {
    columns_ = {touched.first, touched.second};
    size_ = touched.first == nullptr ? 0 : touched.second == nullptr ? 1 : 2;
  }
  /// Begins the block's iteration number k_.
  void move_to(std::uint64_t k_) { now_ = k_; }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::uint32_t operator[](std::size_t i_) const { return columns_[i_][now_]; }

 private:
  std::array<const std::uint32_t*, 2> columns_{};
  std::size_t size_ = 0;
  std::uint64_t now_ = 0;
};

}  // namespace stradsap::abi
