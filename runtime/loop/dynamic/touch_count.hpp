// Counts the elements of one container that bodies touch, in place. Thread rule: one thread.
#pragma once

#include <cstdint>

#include "runtime/dds/resident_elements.hpp"

namespace stradsap::rt {

class touch_count final : public abi::element_source {
 public:
  /// Messages call the container `name`.
  touch_count(const replica& local, const char* name) : elements_(local, name) {}

  [[nodiscard]] std::uint64_t elements() const { return count_; }

  void* element(std::uint64_t i, abi::access how) override {
    ++count_;
    return elements_.element(i, how);
  }
  void* range(std::uint64_t first, std::uint64_t n, abi::access how) override {
    count_ += n;
    return elements_.range(first, n, how);
  }
  void* add_entry() override { return elements_.add_entry(); }

 private:
  resident_elements elements_;
  std::uint64_t count_ = 0;
};

}  // namespace stradsap::rt
