// One executor's part of a round of transactions: attempts iterations on copies of what they touch, and keeps
// what they touched until the round is settled. Why that is right: transactions.hpp. Thread rule: attempts by
// one thread, with other lanes'; the rest on one thread, while all lanes are at rest.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/dds/address_range.hpp"
#include "runtime/dds/resident_elements.hpp"
#include "runtime/dds/scratch_pool.hpp"
#include "runtime/loop/iteration_check.hpp"
#include "runtime/loop/touch.hpp"
#include "runtime/loop/touch_index.hpp"
#include "runtime/loop/transaction_round.hpp"

namespace stradsap::rt {

/// How a loop uses a capture, as far as transactions go.
enum class transaction_role : std::uint8_t {
  none,
  read,    // by all, in place
  own,     // by the iteration of its index alone
  shared,  // copied, and a reason to run again
  added,   // what is added is kept apart and folded
};
[[nodiscard]] transaction_role role_of(const loop_frame& f, std::size_t c);

/// Elements that the members of a round have changed so far, and the maps that have new keys.
struct round_changes {
  touch_index elements;
  std::vector<bool> has_new_keys;  // by capture
};

class transaction_lane final : public abi::block_source {
 public:
  transaction_lane(const loop_frame& f, transaction_round& round, std::uint32_t number);
  ~transaction_lane();
  transaction_lane(const transaction_lane&) = delete;
  transaction_lane& operator=(const transaction_lane&) = delete;

  /// Forgets what was attempted in the round before.
  void begin_round();
  /// Attempts members until all have been taken.
  void run();
  /// Bytes of the copies that this made.
  [[nodiscard]] std::size_t copied() const { return copied_; }

  /// Whether what the attempt, which ran here, found is what stands after all lower members.
  [[nodiscard]] bool stands(const attempt& of, const round_changes& lower) const;
  /// Puts in place what it has changed, and adds that to `changes`.
  void put_in_place(const attempt& of, std::uint32_t member, round_changes& changes);

  [[nodiscard]] access_log take_log();

  // ---- the body's side (abi::block_source) ----
  const abi::block* next() override;
  void reached(std::uint64_t k) override;
  void failed(std::int64_t iteration, errc code, const char* what) override;
  void begin(std::int64_t j) override { check_->begin(j, nullptr); }
  void end() override { check_->end(); }

 private:
  static constexpr std::uint32_t most_at_once = 64;
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  struct reach;
  /// What a view asks.
  struct source final : abi::element_source {
    void* element(std::uint64_t i, abi::access how) override { return owner->lend(*from, i, how); }
    void* range(std::uint64_t first, std::uint64_t n, abi::access how) override {
      return owner->lend_range(*from, first, n, how);
    }
    void* add_entry() override { throw error(errc::access, "new keys of a transaction are pending"); }
    transaction_lane* owner = nullptr;
    reach* from = nullptr;
  };
  struct reach {
    transaction_role as = transaction_role::none;
    std::uint32_t capture = 0;
    bool is_destroyed = false;  // copies are; others are forgotten
    container_store* store = nullptr;
    const abi::element_ops* ops = nullptr;
    const abi::accumulation* added = nullptr;
    source views;
    std::unique_ptr<resident_elements> in_place;  // of what is only read
    std::unique_ptr<abi::key_index> pending;      // keys that the running iteration meets first
    std::unique_ptr<scratch_pool> scratch;
    address_range beside;  // where the body asks for ranges: copies as their originals lie
    poison::region poisoned;
  };
  struct touched {
    touch what;
    std::byte* at;  // the copy; null once it is gone
    bool written;   // or taken by who may
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
  std::vector<std::byte*> partials_;  // of the block's first member, by capture
  bytes nothing_;                     // partials of a member that adds nothing
  std::array<std::uint8_t, most_at_once> parts_{};
  abi::block block_;
  bool knows_nothing_ = false;              // nothing_ is there
  std::unique_ptr<iteration_check> check_;  // in check builds
  std::unique_ptr<transaction_log> log_;    // where accesses are logged
  std::vector<touched> touched_;            // of all attempts of the round
  touch_index known_;                       // of the running attempt: which touch
  std::uint32_t running_ = nobody;
  std::uint32_t first_ = 0;     // touch of the running attempt
  std::uint32_t block_at_ = 0;  // first member of the block
  std::uint32_t next_ = 0;      // member
  std::uint32_t end_ = 0;       // of those taken
  std::size_t copied_ = 0;
};

}  // namespace stradsap::rt
