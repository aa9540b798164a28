// Consistency models as values: what a loop's iterations may see of each other.
// Thread rule: constexpr values.
#pragma once

#include <cstdint>

namespace stradsap::consistency {

/// The promise a loop is run under. Made by the names below, never by hand.
class ConsistencyModel {
 public:
  enum class kind : std::uint8_t { async, ordered, sync };

  constexpr explicit ConsistencyModel(kind k_, std::int64_t batch = 0, std::int64_t shards = 16)
      : kind_(k_), batch_(batch), shards_(shards) {}
  [[nodiscard]] constexpr kind which() const noexcept { return kind_; }
  /// Iterations between two folds of a synchronous loop; 0: the whole loop is one batch.
  [[nodiscard]] constexpr std::int64_t batch() const noexcept { return batch_; }
  /// Parts of a batch that run on private copies; part of the result, so never a function of workers.
  [[nodiscard]] constexpr std::int64_t shards() const noexcept { return shards_; }

 private:
  kind kind_;
  std::int64_t batch_;
  std::int64_t shards_;
};

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

/// Serializable (the paper's AsyncFor): the result is that of one serial order of all iterations. The
/// order depends on data and seed only, so the bits are the same at any number of ranks and threads.
inline constexpr ConsistencyModel async{ConsistencyModel::kind::async};
/// The result is that of the program order, bit for bit.
inline constexpr ConsistencyModel ordered{ConsistencyModel::kind::ordered};
/// Synchronous (SyncFor): a batch is cut into shards; each starts from the batch's start state and sees its
/// own writes; the differences they leave are added up in shard order.
inline constexpr sync_model sync{};

}  // namespace stradsap::consistency

namespace stradsap {
using consistency::ConsistencyModel;
}
