// One executor's part of a round of transactions: runs iterations on scratch copies, notes what they touch,
// reserves what they change, and puts the changes of those that stand in place. Why that is right:
// transactions.hpp. Thread rule: one thread at a time; between two phases of a round all lanes are at rest.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/dds/address_range.hpp"
#include "runtime/dds/resident_elements.hpp"
#include "runtime/dds/scratch_pool.hpp"
#include "runtime/loop/frame.hpp"
#include "runtime/loop/iteration_check.hpp"
#include "runtime/loop/reservations.hpp"
#include "runtime/loop/touch.hpp"
#include "runtime/loop/touch_index.hpp"
#include "runtime/loop/transaction_log.hpp"

namespace stradsap::rt {

/// One run of one iteration, on scratch copies.
struct attempt {
  int lane = 0;             // that ran it, and has its touches
  std::uint32_t first = 0;  // of them, among the lane's
  std::uint32_t count = 0;
  bool stands = false;
  std::optional<failure> failed;                          // the body threw
  std::vector<std::unique_ptr<abi::key_index>> new_keys;  // by capture, where it asked for keys that are new
};

/// What all lanes share of the round that runs.
struct transaction_round {
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  explicit transaction_round(const loop_frame& f);
  /// Begins with these iterations, in rising order.
  void begin(std::vector<std::int64_t> iterations);
  [[nodiscard]] std::byte* partials_of(std::uint32_t member) {
    return partials.data() + member * partials_size;
  }

  std::vector<std::int64_t> members;
  std::vector<attempt> attempts;  // by member
  std::atomic<std::uint32_t> next{0};
  std::atomic<bool> has_failures{false};
  std::atomic<bool> has_new_keys{false};
  std::uint32_t stop = nobody;  // the member whose exception ends the loop
  std::uint32_t number = 0;     // from 0
  reservations reserved;
  std::vector<std::size_t> partial_offsets;  // by capture, into a member's partials
  std::size_t partials_size = 0;
  bytes partials;             // by member
  attempt_versions versions;  // where accesses are logged
};

class transaction_lane final : public abi::block_source {
 public:
  transaction_lane(const loop_frame& f, transaction_round& round, int number);
  ~transaction_lane();
  transaction_lane(const transaction_lane&) = delete;
  transaction_lane& operator=(const transaction_lane&) = delete;

  // ---- the phases of a round ----
  void begin_round();
  /// Runs members until all have been taken.
  void run();
  /// What that took here.
  [[nodiscard]] double seconds() const { return seconds_; }
  /// Bytes of the copies that it made.
  [[nodiscard]] std::size_t copied() const { return copied_; }
  /// New keys of a member have slots: by capture, in their order. Called in the order of members.
  void settle_keys(std::uint32_t member, std::size_t capture, const std::vector<std::uint64_t>& slots);
  /// Whether no lower member changes what this member, which ran here, touches.
  [[nodiscard]] bool is_first(std::uint32_t member) const;
  /// Puts in place what members that ran here, below the round's stop, changed; drops what the others did.
  void settle();
  /// Folds what `member` has added, into the elements that are this one of `shares`.
  void fold_added(std::uint32_t member, std::uint64_t share, std::uint64_t shares);

  [[nodiscard]] access_log take_log();

  // ---- the body's side (abi::block_source) ----
  const abi::block* next() override;
  void failed(std::int64_t iteration, errc code, const char* what) override;
  void begin(std::int64_t j) override { check_->begin(j, nullptr); }
  void end() override { check_->end(); }

 private:
  /// How the loop uses a capture, as far as transactions go.
  enum class role : std::uint8_t {
    none,
    read,    // in place, by all
    own,     // by the iteration of its index alone
    shared,  // copied and reserved
    added,   // what is added is kept apart and folded
  };
  /// What a view asks.
  struct source final : abi::element_source {
    void* element(std::uint64_t i, abi::access how) override { return owner->lend(capture, i, how); }
    void* range(std::uint64_t first, std::uint64_t n, abi::access how) override {
      return owner->lend_range(capture, first, n, how);
    }
    void* add_entry() override { throw error(errc::access, "new keys of a transaction are pending"); }
    transaction_lane* owner = nullptr;
    std::uint32_t capture = 0;
  };
  struct reach {
    role as = role::none;
    source views;
    std::unique_ptr<resident_elements> in_place;  // of what is only read
    std::unique_ptr<abi::key_index> pending;      // keys that the running iteration meets first
    std::unique_ptr<scratch_pool> scratch;
    address_range beside;  // where the body asks for ranges: copies as their originals lie
  };
  struct touched {
    touch what;
    std::byte* at;  // the copy; null once it is gone
    bool written;   // or taken by who may
    bool changed;
  };

  [[nodiscard]] role role_of(std::size_t c) const;
  void open_window(std::size_t c);
  [[nodiscard]] std::uint32_t take_member();
  void begin_attempt(std::uint32_t member);
  void end_attempt();
  void end_touch(std::size_t k);
  void hand_over_keys(attempt& over);
  void* lend(std::uint32_t capture, std::uint64_t i, abi::access how);
  void* lend_range(std::uint32_t capture, std::uint64_t first, std::uint64_t n, abi::access how);
  std::byte* make_copy(reach& from, const touch& what);
  void move_out(touched& one);
  [[nodiscard]] bool differs(const touched& one);
  [[nodiscard]] bool differs(const abi::element_ops& ops, const std::byte* a, const std::byte* b);
  void drop(touched& one);
  void put_in_place(attempt& won, std::uint32_t member);

  const loop_frame& frame_;
  transaction_round& round_;
  const int number_;
  std::vector<std::unique_ptr<reach>> reach_;  // by capture
  std::vector<abi::window> windows_;
  std::vector<std::byte*> partials_;  // of the running member, by capture
  abi::block block_;
  std::unique_ptr<iteration_check> check_;  // in check builds
  std::unique_ptr<transaction_log> log_;    // where accesses are logged
  std::vector<touched> touched_;            // of all attempts of the round
  std::vector<std::uint32_t> ran_;          // members
  touch_index known_;                       // of the running attempt: which touch
  std::uint32_t running_ = transaction_round::nobody;
  std::uint32_t first_ = 0;  // touch of the running attempt
  std::uint32_t next_ = 0;   // member
  std::uint32_t end_ = 0;    // of those taken
  double seconds_ = 0;
  std::size_t copied_ = 0;
};

}  // namespace stradsap::rt
