// What a plan knows of the places that an iteration touches, as the views of the running block see it.
// Thread rule: the executor's whose view holds it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <stradsap/abi.hpp>

namespace stradsap::abi {

/// The slots of one container that the running iteration will touch. A hint: it may hold fewer slots than are
/// touched, and slots that are not touched. Holds none before it is told of a block.
class slot_cursor {
 public:
  /// A block begins.
  void enter(const element_column& touched) {
    columns_ = {touched.first, touched.second};
    size_ = touched.first == nullptr ? 0 : touched.second == nullptr ? 1 : 2;
  }
  /// Its iteration number k_ begins.
  void move_to(std::uint64_t k_) { now_ = k_; }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::uint32_t operator[](std::size_t i_) const { return columns_[i_][now_]; }

 private:
  std::array<const std::uint32_t*, 2> columns_{};
  std::size_t size_ = 0;
  std::uint64_t now_ = 0;
};

}  // namespace stradsap::abi
