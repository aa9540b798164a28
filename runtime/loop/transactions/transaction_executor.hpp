// One executor's part of a round of transactions. It attempts iterations on copies of their elements, and
// keeps their touches until the round is settled. transactions.hpp has the proof. Thread rule: one thread
// runs attempts, beside those of other executors; the rest on one thread, while no executor runs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/dds/address_range.hpp"
#include "runtime/dds/resident_elements.hpp"
#include "runtime/dds/scratch_pool.hpp"
#include "runtime/loop/access/iteration_check.hpp"
#include "runtime/loop/access/touch.hpp"
#include "runtime/loop/access/touch_index.hpp"
#include "runtime/loop/transactions/transaction_round.hpp"

namespace stradsap::rt {

/// The use of a capture by a loop, for transactions.
enum class transaction_role : std::uint8_t {
  none,
  read,    // in place, by all attempts
  own,     // only by the iteration of its index
  shared,  // on copies; changes may make other iterations run again
  added,   // only added into: parts are kept apart and folded
};
[[nodiscard]] transaction_role role_of(const loop_frame& f, std::size_t c);

/// The elements that settled members of a round have changed, and the maps that have new keys.
struct round_changes {
  touch_index elements;
  std::vector<bool> has_new_keys;  // by capture
};

class transaction_executor final : public abi::block_source {
 public:
  transaction_executor(const loop_frame& f, transaction_round& round, std::uint32_t number);
  ~transaction_executor();
  transaction_executor(const transaction_executor&) = delete;
  transaction_executor& operator=(const transaction_executor&) = delete;

  /// Forgets the attempts of the round before.
  void begin_round();
  /// Attempts members of the round until none is left.
  void run();
  /// Bytes of the copies of this round.
  [[nodiscard]] std::size_t copied() const { return copied_; }

  /// Whether the attempt, which ran here, found the state that the lower members have left. `lower`: their
  /// changes.
  [[nodiscard]] bool stands(const attempt& of, const round_changes& lower) const;
  /// Puts the attempt's changes in place, and adds them to `changes`.
  void put_in_place(const attempt& of, std::uint32_t member, round_changes& changes);

  [[nodiscard]] access_log take_log();

  // ---- calls from the body (abi::block_source) ----
  const abi::block* next() override;
  void reached(std::uint64_t k) override;
  void failed(std::int64_t iteration, errc code, const char* what) override;
  void begin(std::int64_t j) override { check_->begin(j, nullptr); }
  void end() override { check_->end(); }

 private:
  static constexpr std::uint32_t most_at_once = 64;
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  struct reach;
  /// The source of a view.
  struct source final : abi::element_source {
    void* element(std::uint64_t i, abi::access how) override { return owner->lend(*from, i, how); }
    void* range(std::uint64_t first, std::uint64_t n, abi::access how) override {
      return owner->lend_range(*from, first, n, how);
    }
    void* add_entry() override { throw error(errc::access, "new keys of a transaction are pending"); }
    transaction_executor* owner = nullptr;
    reach* from = nullptr;
  };
  struct reach {
    transaction_role as = transaction_role::none;
    std::uint32_t capture = 0;
    bool is_destroyed = false;  // copies have a destructor to call
    replica* local = nullptr;
    const abi::element_ops* ops = nullptr;
    const abi::accumulation* added = nullptr;
    source views;
    std::unique_ptr<resident_elements> in_place;  // if the loop only reads the container
    std::unique_ptr<abi::key_index> pending;      // keys that the running block meets first
    std::unique_ptr<scratch_pool> scratch;
    address_range beside;  // for bodies that ask for ranges: copies at the distances of their originals
    poison::region poisoned;
  };
  struct touched {
    touch what;
    std::byte* at;  // the copy; null after drop()
    bool written;   // or accessed for writing
    bool changed;
  };

  void open_window(std::size_t c);
  const abi::block* learn_nothing();
  void open_block();
  void end_attempt();
  void end_touch(attempt& of, std::size_t k);
  void* lend(reach& from, std::uint64_t i, abi::access how);
  void* lend_range(reach& from, std::uint64_t first, std::uint64_t n, abi::access how);
  void* lend_first(reach& from, std::uint32_t place, abi::access how);
  std::byte* make_copy(reach& from, const touch& what);
  void move_out(touched& one);
  void drop(touched& one);

  const loop_frame& frame_;
  transaction_round& round_;
  const std::uint32_t number_;
  std::vector<std::unique_ptr<reach>> reach_;  // by capture
  std::vector<abi::window> windows_;
  std::vector<std::byte*> partials_;  // by capture, of the block's first member
  bytes nothing_;                     // partials of a member without additions
  std::array<std::uint8_t, most_at_once> parts_{};
  abi::block block_;
  bool knows_nothing_ = false;              // nothing_ has its values
  std::unique_ptr<iteration_check> check_;  // in check builds
  std::unique_ptr<transaction_log> log_;    // if accesses are logged
  std::vector<touched> touched_;            // by all attempts of the round
  touch_index known_;                       // place of a touch of the running attempt
  std::uint32_t running_ = nobody;
  std::uint32_t first_ = 0;     // first touch of the running attempt
  std::uint32_t block_at_ = 0;  // first member of the block
  std::uint32_t next_ = 0;      // next member
  std::uint32_t end_ = 0;       // end of the members taken
  std::size_t copied_ = 0;
};

}  // namespace stradsap::rt
