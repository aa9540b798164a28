// One shard of a set: iterations that run one after the other, on a private copy of the containers that all
// iterations share. Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/loop/dynamic/kept_elements.hpp"
#include "runtime/loop/dynamic/shared_pieces.hpp"
#include "runtime/loop/dynamic/update_order.hpp"
#include "runtime/loop/run/whole_windows.hpp"

namespace stradsap::rt {

/// The containers of a loop, by how its iterations write them.
struct written_captures {
  std::vector<std::size_t> own;     // at the loop index only
  std::vector<bool> is_followed;    // per own one: whether it counts for the changes of iterations
  std::vector<bool> is_read;        // per own one: at other places too; it is among `in_place` then
  std::vector<std::size_t> shared;  // at other places, on a copy for each shard
  // at other places, or read there: if a shard of a set writes an element, no other one touches it
  std::vector<std::size_t> in_place;
};

/// `followed`: captures of which the changes count; empty: of all. `in_place`: shards touch different
/// elements, but those of containers that bodies only add into.
[[nodiscard]] written_captures written_by(const loop_frame& f, const std::vector<std::uint64_t>& followed,
                                          bool in_place = false);

class update_shard final : public abi::block_source {
 public:
  /// Room for `most` iterations. The elements of `written.shared` are plain bytes.
  update_shard(const loop_frame& f, const written_captures& written, std::size_t most);

  /// Lets bodies reach this copy of the shared containers, instead of the elements.
  void use(const private_copy& copy);
  /// Lets bodies ask this source for each element of capture c that they access.
  void route(std::size_t c, abi::element_source& source);

  void assign(std::vector<candidate> members);
  [[nodiscard]] const std::vector<candidate>& members() const { return members_; }
  /// Runs its members, up to the first one that throws.
  void run();
  /// Members that its last run has begun.
  [[nodiscard]] std::size_t num_begun() const { return begun_; }
  /// The squared distance by which member k has moved its elements.
  [[nodiscard]] double squared(std::size_t k) const { return squared_[k]; }
  [[nodiscard]] const std::optional<failure>& failed() const { return failure_; }
  /// Whether its last run may have changed some bit of member k's element in own container number `i`.
  [[nodiscard]] bool may_have_changed(std::size_t i, std::size_t k) const {
    return kept_[i]->may_differ(static_cast<std::uint64_t>(members_[k].iteration), k);
  }
  /// Restores the elements of its members.
  void undo();
  /// The reductions of its members, one for each capture; empty for other captures.
  [[nodiscard]] const std::vector<std::vector<std::byte>>& reductions() const { return reductions_; }

  // ---- the body's side (abi::block_source) ----
  const abi::block* next() override;
  void begin(std::int64_t) override {}
  void end() override {}
  void failed(std::int64_t iteration, errc code, const char* what) override;

 private:
  const loop_frame& frame_;
  const written_captures& written_;
  whole_windows whole_;
  std::vector<abi::window> windows_;
  std::vector<std::unique_ptr<kept_elements>> kept_;  // of own containers
  std::vector<std::vector<std::byte>> reductions_;    // by capture
  std::vector<std::byte*> partials_;
  std::vector<candidate> members_;
  std::vector<double> squared_;
  std::size_t begun_ = 0;  // members
  abi::block block_;
  std::optional<failure> failure_;
};

}  // namespace stradsap::rt
