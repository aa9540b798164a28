// A shard's private copies of a container as one range of addresses, with every element at its offset. The
// view of a body gets the whole range, or asks for each element; the first access to a chunk copies it. One
// window serves many shards, one after another.
// Thread rule: one thread at a time. Windows of several executors read one replica, which does not change
// while shards run.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/dds/copies.hpp"
#include "runtime/loop/accumulate/chunks.hpp"

namespace stradsap::rt {

/// Accesses that asked the source, and chunks that they copied.
struct access_counts {
  std::uint64_t accesses = 0;
  std::uint64_t chunks = 0;
};

class shard_window final : public abi::element_source {
 public:
  explicit shard_window(replica& local);
  ~shard_window();
  shard_window(const shard_window&) = delete;
  shard_window& operator=(const shard_window&) = delete;

  /// The container has its number of elements from when the window was made.
  [[nodiscard]] bool fits() const { return chunks_.num_elements() == replica_.size(); }
  /// Begins a launch. Messages call the container `name`. `folded`: copies begin neutral; or null. `copies`:
  /// where missing elements come from; null if all are here. `has_one_shard`: of each batch, so that changes
  /// can stay in the window until the next one.
  void begin_launch(copy_service* copies, const char* name, const abi::accumulation* folded,
                    bool has_one_shard);
  /// A batch begins, the `batch`-th of its launch; the last fold changed these chunks.
  void begin_batch(std::uint64_t batch, const std::vector<std::uint64_t>& changed);

  /// Begin a shard: elements are copied as the body asks for them; all elements are copied; or the elements
  /// [first, end), the only ones that the body may access.
  [[nodiscard]] abi::window open_on_demand();
  [[nodiscard]] abi::window open_whole();
  [[nodiscard]] abi::window open_range(std::uint64_t first, std::uint64_t end);
  /// Ends the shard: lists the chunks that it changed.
  void close(shard_changes& changes);
  /// Of shards that opened on demand since the launch began.
  [[nodiscard]] const access_counts& counts() const { return counts_; }

  void* element(std::uint64_t i, abi::access how) override;
  void* range(std::uint64_t first, std::uint64_t n, abi::access how) override;
  void* add_entry() override;

 private:
  enum class mode : std::uint8_t { on_demand, whole, range };
  enum state : std::uint8_t { absent = 0, constructed, copied };
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  [[nodiscard]] std::byte* at(std::uint64_t chunk) const { return memory_.base() + chunks_.offset(chunk); }
  [[nodiscard]] std::uint8_t& state_of(std::uint64_t chunk) const {
    return reinterpret_cast<std::uint8_t*>(states_.base())[chunk];
  }
  [[nodiscard]] const std::byte* start_of(std::uint64_t chunk) const;
  [[nodiscard]] bool is_changed(std::uint64_t chunk);
  void encode(const std::byte* element, bytes& to) const;
  void hold(std::uint64_t chunk);
  void copy_start(std::uint64_t chunk);
  void touch(std::uint64_t chunk);
  void copy_chunks(std::uint64_t first, std::uint64_t end);
  [[nodiscard]] abi::window view(std::uint64_t first, std::uint64_t end);
  void list_changed(std::uint64_t chunk, shard_changes& changes);

  replica& replica_;
  const chunking chunks_;
  const bool is_bytes_;
  const abi::element_ops& ops_;
  address_range memory_;
  address_range states_;  // of chunks
  poison::region poisoned_;
  std::vector<std::uint64_t> constructed_;  // chunks
  std::vector<std::uint64_t> touched_;      // chunks that this shard copied on demand
  std::uint64_t first_ = 0;                 // else the chunks [first, end)
  std::uint64_t end_ = 0;

  copy_service* copies_ = nullptr;
  const char* name_ = "";
  bool keeps_changes_ = false;  // until the next batch
  bytes neutral_;               // a chunk, if copies begin neutral
  std::vector<bool> held_;      // groups that are here, as far as this window knows
  mode mode_ = mode::on_demand;
  std::uint64_t batch_ = 0;
  std::uint64_t equal_at_ = never;  // the batch of which all copies have the start values
  access_counts counts_;
  bytes encoded_start_;
  bytes encoded_end_;
};

}  // namespace stradsap::rt
