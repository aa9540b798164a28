// The changes of one shard of a `sync` loop in a dmap: private copies of the entries that it touched. The
// first touch copies an entry from the batch's start state. Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <tsl/robin_map.h>

#include "runtime/dds/copies.hpp"
#include "runtime/dds/scratch_pool.hpp"
#include "runtime/loop/accumulate/chunk_fold.hpp"

namespace stradsap::rt {

/// A shard's copies of one container.
class shard_overlay final : public abi::element_source {
 public:
  /// Messages call the container `name`.
  shard_overlay(replica& local, copy_service& copies, const char* name, shard_rule rule);
  ~shard_overlay();
  shard_overlay(const shard_overlay&) = delete;
  shard_overlay& operator=(const shard_overlay&) = delete;

  void* element(std::uint64_t i, abi::access how) override;
  void* range(std::uint64_t first, std::uint64_t n, abi::access how) override;
  void* add_entry() override;
  /// The window of a view on the copies.
  [[nodiscard]] abi::window window();

  [[nodiscard]] abi::key_index* new_keys() const { return new_keys_.get(); }
  struct changed_element {
    std::uint64_t element;  // with the top bit: position among the new keys
    std::byte* at;
  };
  /// In the order of first touches.
  [[nodiscard]] const std::vector<changed_element>& touched() const { return touched_; }
  static constexpr std::uint64_t new_key_bit = std::uint64_t{1} << 63;

 private:
  replica& replica_;
  copy_service& copies_;
  const char* name_;
  shard_rule rule_;
  std::unique_ptr<abi::key_index> new_keys_;
  scratch_pool memory_;
  tsl::robin_map<std::uint64_t, std::byte*> copy_of_;
  std::vector<changed_element> touched_;
};

/// Folds the copies of shards into the entries that this rank owns, in the order of add().
class shard_fold {
 public:
  shard_fold(replica& local, shard_rule rule) : replica_(local), rule_(rule), memory_(local.ops()) {}
  ~shard_fold();
  shard_fold(const shard_fold&) = delete;
  shard_fold& operator=(const shard_fold&) = delete;

  /// Adds the next copy of `element`, which it reads from `in`. Throws error(errc::decode).
  void add(std::uint64_t element, abi::reader& in);
  /// Ends the fold.
  void finish();

 private:
  struct copies {
    std::byte* start;                    // before the batch
    std::vector<const std::byte*> ends;  // if the rule needs all at once
  };

  std::byte* kept(const std::byte* from);
  void merge(std::uint64_t element, const std::byte* end);

  replica& replica_;
  shard_rule rule_;
  scratch_pool memory_;
  std::vector<std::byte*> kept_;
  tsl::robin_map<std::uint64_t, copies> copies_of_;
};

}  // namespace stradsap::rt
