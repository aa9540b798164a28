// Who writes which element in a round of transactions: of each element the lowest member of the round that
// has changed it. Marks are not cleared between rounds: those of an earlier one count for nothing. Most
// elements that are asked for nobody has changed, which a filter says that fits into a cache. Thread rule:
// reserve() by as many threads as like; the rest on one, while nobody reserves, but that is_reserved_below()
// may be asked by all.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace stradsap::rt {

class reservations {
 public:
  explicit reservations(std::size_t num_captures) : marks_(num_captures) {}

  /// Capture `capture` has `size` elements now; no fewer than before.
  void cover(std::size_t capture, std::uint64_t size) { marks_[capture].resize(size); }
  void begin_round() {
    if (++round_ != 0) return;
    std::fill(last_.begin(), last_.end(), 0);
    for (auto& marks : marks_) std::fill(marks.begin(), marks.end(), 0);
    round_ = 1;
  }

  /// The round's member number `member` has changed the element.
  void reserve(std::size_t capture, std::uint64_t element, std::uint32_t member) {
    std::atomic_ref<std::uint32_t>(last_[slot_of(capture, element)]).store(round_, std::memory_order_relaxed);
    const std::uint64_t mine = mark_of(member);
    std::atomic_ref<std::uint64_t> mark(marks_[capture][element]);
    std::uint64_t now = mark.load(std::memory_order_relaxed);
    while (now < mine && !mark.compare_exchange_weak(now, mine, std::memory_order_relaxed)) {
    }
  }
  /// Whether a lower member of this round has changed the element.
  [[nodiscard]] bool is_reserved_below(std::size_t capture, std::uint64_t element,
                                       std::uint32_t member) const {
    if (last_[slot_of(capture, element)] != round_) return false;
    return marks_[capture][element] > mark_of(member);
  }

 private:
  /// Greater for lower members, and greater than all marks of rounds before.
  [[nodiscard]] std::uint64_t mark_of(std::uint32_t member) const {
    return std::uint64_t{round_} << 32 | ~member;
  }

  static std::uint64_t slot_of(std::size_t capture, std::uint64_t element) {
    return (element + capture) * 0x9e3779b97f4a7c15u >> (64 - slot_bits);
  }

  static constexpr int slot_bits = 16;
  std::vector<std::uint32_t> last_ =
      std::vector<std::uint32_t>(1u << slot_bits);  // round, of several elements
  std::vector<std::vector<std::uint64_t>> marks_;   // by capture and element
  std::uint32_t round_ = 0;
};

}  // namespace stradsap::rt
