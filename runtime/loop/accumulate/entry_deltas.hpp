// The accumulators of a dmap: entries of their own, in the order in which their keys came up. An accumulator
// covers a range of iterations, in order. New keys of the map thus get their slots in the order in which the
// sequential program would have met them. Thread rule: see accumulators.
#pragma once

#include <memory>
#include <memory_resource>
#include <vector>

#include "runtime/dds/address_range.hpp"
#include "runtime/dds/poison.hpp"
#include "runtime/loop/accumulate/accumulators.hpp"

namespace stradsap::rt {

class entry_deltas final : public accumulators {
 public:
  entry_deltas(replica& local, const abi::accumulation& how, std::uint32_t count);
  ~entry_deltas() override;

  void open(std::uint32_t accumulator, abi::window& view) override;
  std::byte* at(std::uint32_t accumulator, std::uint64_t i) override { return entry(accumulator, i); }
  std::byte* add_entry(std::uint32_t accumulator) override;
  /// The fold makes exchanges of its own: keys must be known before parts.
  void pack(const planning&, const plan&, element_exchange&, pairs_of_ranks&) override {}
  void fold(const planning& in, const plan& p, element_exchange& parts) override;

 private:
  class folding;
  static constexpr std::uint64_t chunk_entries = 1024;
  struct copy {
    std::unique_ptr<abi::key_index> keys;  // null until the first open()
    std::uint64_t size = 0;
    std::pmr::monotonic_buffer_resource beyond;  // memory of entries beyond `room_`
    std::vector<std::byte*> chunks;
    poison::region poisoned;  // the entries within `room_`
  };

  [[nodiscard]] std::byte* entry(std::uint32_t accumulator, std::uint64_t i) const {
    const std::size_t size = replica_.ops().size;
    if (i < room_) return memory_.base() + accumulator * stride_ + i * size;
    return copies_[accumulator].chunks[(i - room_) / chunk_entries] + (i - room_) % chunk_entries * size;
  }

  const abi::accumulation& how_;
  const address_range memory_;
  const std::size_t stride_;  // of one accumulator
  const std::uint64_t room_;  // entries of an accumulator in a view's window
  std::vector<copy> copies_;  // by accumulator
};

}  // namespace stradsap::rt
