// The sets, and the shards of the next one, that have elements: by them the scheduler finds iterations that
// touch the same elements, at the cost of a look at each of these. Iterations that only read an element may
// share it. Thread rule: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "runtime/loop/dynamic/touched_elements.hpp"

namespace stradsap::rt {

class element_claims {
 public:
  static constexpr std::size_t none = ~std::size_t{0};
  static constexpr std::size_t several = none - 1;

  explicit element_claims(const touched_elements& all)
      : all_(all),
        last_(static_cast<std::size_t>(all.num_units())),
        readers_(all.has_reads() ? last_.size() : 0) {}

  /// The next claims are those of so many shards of this set. Sets from `first_in_flight` on have not ended.
  void begin(std::uint64_t set, std::uint64_t first_in_flight, std::size_t shards) {
    while (!begun_.empty() && begun_.front().set < first_in_flight) begun_.pop_front();
    if (next_ > most_claims - shards - 1) forget();
    begun_.push_back({set, next_});
    next_ += static_cast<std::uint32_t>(shards);
    several_readers_ = next_++;
  }
  /// shard_bound_to(j) will be called soon: see touched_elements.
  void expect(std::int64_t j, bool is_near) const { all_.expect(j, is_near); }
  /// The only shard that has elements of iteration j; `several` if there are more, or a set in flight has
  /// some. Sets in flight run before the next one on each rank, so it may write elements that they only read.
  [[nodiscard]] std::size_t shard_bound_to(std::int64_t j) const {
    std::size_t bound = none;
    for (const std::uint32_t unit : all_.of(j)) bound = both(bound, writer_of(unit));
    if (!all_.has_reads()) return bound;
    for (const std::uint32_t unit : all_.written_by(j)) bound = both(bound, reader_of(unit));
    return bound;
  }
  /// The work of iteration j, in elements or rows.
  [[nodiscard]] std::size_t weight(std::int64_t j) const { return 1 + all_.of(j).size(); }
  /// The shard gets the elements of iteration j; those that it only reads, beside other shards.
  void add(std::int64_t j, std::size_t shard) {
    const std::uint32_t claim = begun_.back().first_claim + static_cast<std::uint32_t>(shard);
    for (const std::uint32_t unit : all_.written_by(j)) last_[unit] = claim;
    for (const std::uint32_t unit : all_.read_by(j)) {
      const bool is_shared = readers_[unit] >= begun_.back().first_claim && readers_[unit] != claim;
      readers_[unit] = is_shared ? several_readers_ : claim;
    }
  }

 private:
  static constexpr std::uint32_t most_claims = std::numeric_limits<std::uint32_t>::max();
  /// A set, and the claim of its first shard. Those of the others follow.
  struct begun_set {
    std::uint64_t set;
    std::uint32_t first_claim;
  };

  [[nodiscard]] static std::size_t both(std::size_t one, std::size_t other) {
    if (one == none || one == other) return other;
    return other == none ? one : several;
  }
  [[nodiscard]] std::size_t writer_of(std::uint32_t unit) const {
    const std::uint32_t last = last_[unit];
    if (last < begun_.front().first_claim) return none;  // a set that has ended
    return last < begun_.back().first_claim ? several : last - begun_.back().first_claim;
  }
  [[nodiscard]] std::size_t reader_of(std::uint32_t unit) const {
    const std::uint32_t last = readers_[unit];
    if (last < begun_.back().first_claim) return none;
    return last == several_readers_ ? several : last - begun_.back().first_claim;
  }
  /// Claims begin at 1 again, but those of sets in flight.
  void forget() {
    const std::uint32_t first = begun_.empty() ? next_ : begun_.front().first_claim;
    for (std::vector<std::uint32_t>* claims : {&last_, &readers_})
      for (std::uint32_t& last : *claims) last = last < first ? 0 : last - first + 1;
    for (begun_set& one : begun_) one.first_claim -= first - 1;
    next_ -= first - 1;
  }

  const touched_elements& all_;
  std::vector<std::uint32_t> last_;     // by unit, of shards that write it; 0: none
  std::vector<std::uint32_t> readers_;  // of those that only read it
  std::uint32_t several_readers_ = 0;   // in place of a claim: several shards of the last set
  std::uint32_t next_ = 1;
  std::deque<begun_set> begun_;  // those that have not ended, and the one that is being made
};

}  // namespace stradsap::rt
