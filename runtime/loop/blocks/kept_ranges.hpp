// A loop in ranges that one thread runs again and again: blocks, windows, accumulators and their fold are
// made once and kept. A call makes no memory. It leaves the bits of `execution`, which runs other loops and
// the first calls of this one. See docs/decisions/accumulated.md.
// Thread rule: main thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/loop/accumulate/element_copies.hpp"
#include "runtime/loop/accumulate/fold_steps.hpp"
#include "runtime/loop/launch/frame.hpp"
#include "runtime/loop/plan/plan.hpp"

namespace stradsap::rt {

class kept_ranges final : abi::block_source {
 public:
  /// Whether calls such as `f` can be kept. All elements are on this rank.
  [[nodiscard]] static bool can_keep(const loop_frame& f, const plan& p);

  /// Keeps a copy of the plan. `frame` needs no values.
  kept_ranges(loop_frame frame, const plan& p, copies_store& store);
  kept_ranges(const kept_ranges&) = delete;
  kept_ranges& operator=(const kept_ranges&) = delete;

  /// Whether all containers have the sizes, cuts and places of when it was made.
  [[nodiscard]] bool holds() const;
  /// Runs the loop and folds its accumulators. The failure of a body, if there is one.
  [[nodiscard]] std::optional<failure> run(const void* const* values, const abi::launch_key& key);
  /// Folds the sums of the last call into `into`, by capture: the program's variables, or null.
  void fold_reductions(const std::vector<void*>& into) const;
  /// The memory of a repeat, with copies of containers.
  [[nodiscard]] std::size_t size_bytes() const;
  [[nodiscard]] double seconds_compute() const { return seconds_compute_; }
  /// A call that ran in another way took so long.
  void took(double seconds) { seconds_compute_ = seconds; }

 private:
  struct guard final : abi::element_source {
    void* element(std::uint64_t i, abi::access how) override;
    void* range(std::uint64_t first, std::uint64_t n, abi::access how) override;
    void* add_entry() override;
    const kept_ranges* owner = nullptr;
    std::uint32_t capture = 0;
  };
  /// The part of a written container that a block has.
  struct opened {
    std::byte* base;
    std::uint64_t lo;
    std::uint64_t count;
  };
  /// A container as it was when the plan was made.
  struct seen_container {
    const replica* local;
    const std::byte* base;
    std::uint64_t size;
    std::uint64_t cut;
  };
  struct added_container {
    std::uint32_t capture;
    std::unique_ptr<element_copies> copies;
    fold_steps fold;
    std::uint64_t slice;  // elements of which all copies fit a cache
  };
  struct reduction {
    std::uint32_t capture;
    std::size_t offset;  // into the sums of a block
  };

  const abi::block* next() override;
  void failed(std::int64_t iteration, errc code, const char* what) override;
  void begin(std::int64_t) override {}
  void end() override {}

  void take_copies(std::uint32_t capture, copies_store& store);
  void open_blocks();
  [[nodiscard]] opened open(const plan_block& b, std::uint32_t capture) const;
  [[nodiscard]] const added_container* added(std::uint32_t capture) const;
  void fold();

  const loop_frame frame_;
  plan plan_;
  std::vector<seen_container> seen_;
  std::vector<std::uint32_t> written_;  // captures
  std::vector<reduction> reductions_;
  std::vector<added_container> added_;
  std::vector<guard> guards_;            // by capture
  std::vector<abi::window> windows_;     // by capture
  std::vector<opened> opened_;           // by block and written container
  std::vector<bool> is_whole_;           // by block
  std::vector<std::byte*> partials_at_;  // by capture
  bytes partials_;                       // by block
  std::size_t partials_size_ = 0;        // of a block
  abi::block block_;
  std::size_t next_ = 0;  // block
  std::optional<failure> failure_;
  bool has_ended_ = true;  // the last call did not throw in between
  double seconds_compute_ = 0;
};

}  // namespace stradsap::rt
