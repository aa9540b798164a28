// One shard of a set: iterations that run one after the other, on private copies of the containers that all
// iterations share. Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "runtime/loop/dynamic/kept_elements.hpp"
#include "runtime/loop/dynamic/update_order.hpp"
#include "runtime/loop/run/whole_windows.hpp"

namespace stradsap::rt {

/// The containers of a loop, by how its iterations write them.
struct written_captures {
  std::vector<std::size_t> own;     // at the loop index only
  std::vector<std::size_t> shared;  // at other places
};

class update_shard final : public abi::block_source {
 public:
  /// Room for `most` iterations. The elements of `written.shared` are plain bytes.
  update_shard(const loop_frame& f, const written_captures& written, std::size_t most);

  /// Gives the shard copies of the shared containers. Their elements are copied by the caller.
  void make_copies();
  /// The shard's copy of a byte of shared container number `i`.
  [[nodiscard]] std::byte* copy_of(std::size_t i, std::size_t byte) { return copies_[i].get() + byte; }
  /// Lets bodies ask this source for each element of capture c that they access.
  void route(std::size_t c, abi::element_source& source);

  void assign(std::vector<candidate> members);
  [[nodiscard]] const std::vector<candidate>& members() const { return members_; }
  /// Runs its members.
  void run();
  /// The squared distance by which member k has moved its elements.
  [[nodiscard]] double squared(std::size_t k) const { return squared_[k]; }
  [[nodiscard]] const std::optional<failure>& failed() const { return failure_; }
  /// Restores the elements of its members.
  void undo();
  /// Adds the reductions of its members to `partials`, which has one for each capture.
  void fold_reductions(const std::vector<std::byte*>& partials) const;

  // ---- the body's side (abi::block_source) ----
  const abi::block* next() override;
  void begin(std::int64_t) override {}
  void end() override {}
  void failed(std::int64_t iteration, errc code, const char* what) override;

 private:
  struct free_memory {
    std::align_val_t align;
    void operator()(std::byte* memory) const { ::operator delete(memory, align); }
  };

  const loop_frame& frame_;
  const written_captures& written_;
  whole_windows whole_;
  std::vector<abi::window> windows_;
  std::vector<std::unique_ptr<std::byte, free_memory>> copies_;  // of shared containers
  std::vector<std::unique_ptr<kept_elements>> kept_;             // of own ones
  std::vector<std::vector<std::byte>> reductions_;               // by capture
  std::vector<std::byte*> partials_;
  std::vector<candidate> members_;
  std::vector<double> squared_;
  std::size_t begun_ = 0;  // members
  abi::block block_;
  std::optional<failure> failure_;
};

}  // namespace stradsap::rt
