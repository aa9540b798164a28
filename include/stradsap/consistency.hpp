// Consistency models as values: how much the iterations of a loop see of each other's writes. Thread rule:
// constexpr values.
#pragma once

#include <cstdint>

namespace stradsap::consistency {

/// The consistency model of a launch. Programs name one of `async`, `ordered` and `sync` below.
class ConsistencyModel {
 public:
  enum class kind : std::uint8_t { async, ordered, sync };

  constexpr explicit ConsistencyModel(kind k_, std::int64_t batch = 0, std::int64_t shards = 16)
      : kind_(k_), batch_(batch), shards_(shards) {}
  [[nodiscard]] constexpr kind which() const noexcept { return kind_; }
  /// Iterations of one batch of a `sync` loop; 0: the whole loop is one batch.
  [[nodiscard]] constexpr std::int64_t batch() const noexcept { return batch_; }
  /// Parts of a batch that run on private copies. They decide the result, so their number never depends on
  /// workers.
  [[nodiscard]] constexpr std::int64_t shards() const noexcept { return shards_; }

 private:
  kind kind_;
  std::int64_t batch_;
  std::int64_t shards_;
};

/// Parameters of a `sync` loop: iterations of a batch (0: all of the loop), and shards of a batch.
struct sync_options {
  std::int64_t batch = 0;
  std::int64_t shards = 16;
};

/// `sync`, `sync(256)` and `sync({.batch = 256, .shards = 8})` are all models.
class sync_model : public ConsistencyModel {
 public:
  constexpr sync_model() : ConsistencyModel(kind::sync) {}
  constexpr ConsistencyModel operator()(std::int64_t batch) const {
    return ConsistencyModel(kind::sync, batch);
  }
  constexpr ConsistencyModel operator()(sync_options o_) const {
    return ConsistencyModel(kind::sync, o_.batch, o_.shards);
  }
};

/// Serializable (AsyncFor in the paper): the result is that of one serial order of all iterations. The order
/// depends on data, seed and earlier launches only, so the bits are the same for any number of ranks and
/// threads.
inline constexpr ConsistencyModel async{ConsistencyModel::kind::async};
/// The result of program order, bit for bit. Some loops run on one thread under it: see docs/consistency.md.
inline constexpr ConsistencyModel ordered{ConsistencyModel::kind::ordered};
/// Synchronous (SyncFor in the paper). A batch is cut into shards. Each shard starts from the state at the
/// batch's start and sees its own writes only. At the end of the batch the changes of all shards are folded,
/// in shard order: numbers add up their differences.
inline constexpr sync_model sync{};

}  // namespace stradsap::consistency

namespace stradsap {
using consistency::ConsistencyModel;
}
