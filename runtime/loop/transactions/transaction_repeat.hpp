// Runs iterations again if their attempts do not stand, each in its turn: on the elements themselves, as in
// the sequential program. It records their changes, because later attempts may have found other values.
// Thread rule: one thread, while no executor runs attempts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/dds/scratch_pool.hpp"
#include "runtime/loop/transactions/transaction_executor.hpp"

namespace stradsap::rt {

class transaction_repeat final : public abi::block_source {
 public:
  transaction_repeat(const loop_frame& f, transaction_round& round, round_changes& changes);
  ~transaction_repeat();
  transaction_repeat(const transaction_repeat&) = delete;
  transaction_repeat& operator=(const transaction_repeat&) = delete;

  /// Runs the iteration and leaves its sums in `partials`, one per capture. Returns an exception of the body.
  [[nodiscard]] std::optional<failure> run(std::int64_t iteration, const std::vector<std::byte*>& partials);

  [[nodiscard]] access_log take_log();

  // ---- calls from the body (abi::block_source) ----
  const abi::block* next() override;
  void failed(std::int64_t iteration, errc code, const char* what) override;
  void begin(std::int64_t j) override { check_->begin(j, nullptr); }
  void end() override { check_->end(); }

 private:
  /// The source of a view.
  struct source final : abi::element_source {
    void* element(std::uint64_t i, abi::access how) override { return owner->note(capture, i, how); }
    void* range(std::uint64_t first, std::uint64_t n, abi::access how) override {
      return owner->note_range(capture, first, n, how);
    }
    void* add_entry() override { return owner->add_entry(capture); }
    transaction_repeat* owner = nullptr;
    std::uint32_t capture = 0;
  };
  struct noted {
    touch what;
    std::byte* before;  // a copy; null until the iteration may write the element
    bool is_new;
  };

  void open_windows();
  void* note(std::uint32_t capture, std::uint64_t i, abi::access how);
  void* note_range(std::uint32_t capture, std::uint64_t first, std::uint64_t n, abi::access how);
  void* add_entry(std::uint32_t capture);
  void end_iteration();
  [[nodiscard]] bool end_note(noted& one);

  const loop_frame& frame_;
  transaction_round& round_;
  round_changes& changes_;
  std::unique_ptr<iteration_check> check_;  // in check builds
  std::unique_ptr<transaction_log> log_;    // if accesses are logged
  std::vector<source> sources_;             // by capture
  std::vector<abi::window> windows_;
  std::vector<bool> is_noted_;                          // by capture; else its elements are in the window
  std::vector<std::unique_ptr<scratch_pool>> scratch_;  // by capture
  std::vector<noted> noted_;
  touch_index known_;  // place of a touch in noted_
  std::vector<logged_state> new_states_;
  abi::block block_;
  bool is_given_ = false;
  std::optional<failure> failure_;
};

}  // namespace stradsap::rt
