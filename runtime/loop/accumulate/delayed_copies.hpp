// The copies of one container that is consistency::stale with a bound above 0, or of its hottest elements. In
// round r an accumulator sees the folds of all rounds up to r - bound - 1, and its own changes. Every rank
// folds all elements. See docs/decisions/relaxed.md.
//
// Several versions live side by side. `newest_` has all folds. `versions_` has the folds up to round q at
// place q % (bound + 1). The fold of round q takes the place of that of round q - bound - 1, which only
// rounds up to q read, and these have ended by then. Of a free-running loop accumulators see `newest_`. With
// a budget, an accumulator may hold changes back: they are no part of its round, but of that in which they
// are sent. Until then it alone sees them.
//
// Thread rule: begin(), accesses and close() are one executor at a time for an accumulator; fold() is one
// thread at a time, beside accumulators in later rounds; the rest while no executor runs.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "runtime/dds/poison.hpp"
#include "runtime/loop/accumulate/change_choice.hpp"
#include "runtime/loop/accumulate/change_merge.hpp"
#include "runtime/loop/plan/planning.hpp"

namespace stradsap::rt {

/// The rounds of one container.
struct delayed_shape {
  std::size_t bound = 0;
  std::vector<rank_id> ranks;       // by accumulator
  round_shape round;                // for merge::adaptive
  adaptive_scale* scale = nullptr;  // null unless the merge is adaptive
  bool is_free = false;             // accumulators see all folds that are made when a round begins
};

class delayed_copies {
 public:
  /// `hot`: the elements that have copies; null: all, and these are valid on this rank.
  delayed_copies(const planning& in, std::size_t capture, const hot_units* hot, delayed_shape shape);
  ~delayed_copies();

  /// The accumulator begins a round, in which it has iterations.
  void begin(std::uint32_t accumulator, std::size_t round);
  /// Points a view at the copies of an accumulator that has begun a round.
  void open(std::uint32_t accumulator, abi::window& view);
  [[nodiscard]] std::byte* at(std::uint32_t accumulator, std::uint64_t element);
  [[nodiscard]] std::byte* range(std::uint32_t accumulator, std::uint64_t first, std::uint64_t n);
  /// The accumulator ends its round: lists its changes.
  void close(std::uint32_t accumulator);

  /// Lists the changes of this rank's accumulators in a round that they have all ended, in an order of its
  /// own.
  void list_ended(std::size_t round, std::vector<waiting_change>& to);
  /// Holds back those that wait, of a list that begins with these changes. Returns their number.
  std::size_t hold_back(std::size_t round, std::span<const waiting_change> chosen);
  /// Writes the changes of this rank's accumulators in a round that they have all ended, before its fold.
  void write_changes(std::size_t round, abi::writer& out) const;
  /// Reads those of another rank, right before the fold. Throws error(errc::decode).
  void read_changes(std::size_t round, rank_id from, abi::reader& in);
  /// Folds the changes of all accumulators. All earlier rounds are folded. Throws error with the element's
  /// number if a merge does, or if a sum is not finite.
  void fold(std::size_t round);
  /// Copies the newest elements into the container.
  void store() const;

 private:
  struct own_copies;
  static constexpr std::size_t never = ~std::size_t{0};

  [[nodiscard]] std::uint64_t place_of(std::uint64_t element) const {
    return hot_ == nullptr ? element : hot_->place_of(element);
  }
  [[nodiscard]] std::uint64_t element_at(std::uint64_t place) const {
    return hot_ == nullptr ? place : hot_->firsts()[place / hot_->unit()] + place % hot_->unit();
  }
  [[nodiscard]] std::size_t slot_of(std::size_t round) const { return round % (shape_.bound + 1); }
  /// The folds that an accumulator sees in a round: those of the first rounds, so many.
  [[nodiscard]] std::size_t seen_in(std::size_t round) const {
    return shape_.is_free ? num_folded_ : round - std::min(round, shape_.bound);
  }
  /// The elements with these folds.
  [[nodiscard]] const std::byte* seen(const own_copies& of, std::uint64_t place) const;
  [[nodiscard]] std::byte* version(std::size_t slot, std::uint64_t place) const {
    return versions_.at(slot * chunks_.num_elements() + place);
  }
  void assign(std::byte* to, const std::byte* from, std::uint64_t n) const;
  void load();
  void restart(own_copies& of) const;
  void rebuild(own_copies& of, std::uint64_t chunk) const;
  void touch(own_copies& of, std::uint64_t chunk) const;
  [[nodiscard]] std::vector<std::uint64_t> outdated(const own_copies& of, std::size_t before) const;
  void list_changed(own_copies& of, std::uint64_t chunk);
  void apply(own_copies& of, const shard_changes& changes, std::uint64_t chunk) const;
  void write_change(const chunk_change& one, std::size_t round, abi::writer& out) const;
  void read_change(std::uint64_t chunk, std::size_t round, abi::reader& in, shard_changes& to) const;
  [[noreturn]] void rethrow(const error& e, std::uint64_t place) const;
  void fold_chunk(std::uint64_t chunk, const std::vector<numbered_change>& all);
  /// By accumulator; null: none.
  [[nodiscard]] std::vector<const std::vector<chunk_change>*> changes_of(std::size_t round) const;
  void update_version(std::size_t round);

  const planning& in_;
  const std::size_t capture_;
  replica& local_;
  const abi::element_ops& ops_;
  const hot_units* const hot_;  // or null
  const delayed_shape shape_;
  const shard_rule rule_;
  const chunking chunks_;  // of places
  const bool is_whole_;    // copies have all elements from the start of a round on; else on demand
  raw_copies newest_;
  std::size_t num_folded_ = 0;
  raw_copies versions_;                              // by slot and place
  std::vector<std::vector<std::uint64_t>> changed_;  // by slot: chunks of the last fold there, in order
  std::vector<std::unique_ptr<own_copies>> own_;     // by accumulator; null: of another rank
  std::vector<shard_changes> received_;              // by accumulator
  change_merge merge_;                               // of folds
  std::vector<std::uint64_t> numbers_;               // of the elements of a chunk
};

}  // namespace stradsap::rt
