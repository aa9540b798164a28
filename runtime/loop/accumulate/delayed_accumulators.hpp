// The accumulators of one container, of which a delayed_copies has the elements.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/loop/accumulate/accumulators.hpp"
#include "runtime/loop/accumulate/delayed_copies.hpp"

namespace stradsap::rt {

/// Thread rule: that of delayed_copies.
class delayed_accumulators final : public stale_accumulators {
 public:
  delayed_accumulators(replica& local, delayed_copies& of) : stale_accumulators(local), of_(of) {}

  void open(std::uint32_t accumulator, abi::window& to) override { of_.open(accumulator, to); }
  std::byte* at(std::uint32_t accumulator, std::uint64_t i) override { return of_.at(accumulator, i); }
  std::byte* range(std::uint32_t accumulator, std::uint64_t first, std::uint64_t n) override {
    return of_.range(accumulator, first, n);
  }

 private:
  delayed_copies& of_;
};

}  // namespace stradsap::rt
