// Chooses between blocks and the order of the index, by the times of a loop's calls. Both leave the same
// bits. The first call runs by blocks and the second one by index; later ones run the faster way. The other
// way is tried again after 4 calls, then after 8, 16 ... while it stays slower. Thread rule: one thread.
#pragma once

#include <algorithm>
#include <cstdint>

namespace stradsap::rt {

class index_pace {
 public:
  /// A call begins. Whether it runs by index.
  [[nodiscard]] bool begin() {
    if (!by_blocks_.is_known()) return by_index_ = false;
    if (!in_turn_.is_known()) return by_index_ = true;
    const bool is_faster = in_turn_.seconds() < by_blocks_.seconds();
    if (is_faster != prefers_index_) {
      prefers_index_ = is_faster;
      lease_ = first_lease;
      calls_ = 0;
    }
    is_trial_ = calls_++ == lease_;
    if (is_trial_) {
      lease_ = std::min(2 * lease_, longest_lease);
      calls_ = 0;
    }
    return by_index_ = is_faster != is_trial_;
  }

  /// The call took `seconds`.
  void ran(double seconds) { (by_index_ ? in_turn_ : by_blocks_).add(seconds, is_trial_); }

 private:
  static constexpr std::uint32_t first_lease = 4;
  static constexpr std::uint32_t longest_lease = 1 << 10;

  /// The last two times: other work of the machine may disturb one.
  class way {
   public:
    [[nodiscard]] bool is_known() const { return last_ >= 0; }
    [[nodiscard]] double seconds() const { return before_ < 0 ? last_ : std::min(last_, before_); }
    void add(double seconds, bool alone) {
      before_ = alone ? -1 : last_;
      last_ = seconds;
    }

   private:
    double last_ = -1;
    double before_ = -1;
  };

  way by_blocks_;
  way in_turn_;
  bool by_index_ = false;
  bool prefers_index_ = false;
  bool is_trial_ = false;
  std::uint32_t calls_ = 0;
  std::uint32_t lease_ = first_lease;
};

}  // namespace stradsap::rt
