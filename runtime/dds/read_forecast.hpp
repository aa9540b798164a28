// Foresees whether the program reads a whole container after a loop that leaves elements on other ranks. The
// driver then fetches them before the program asks, so loops of main begin with an open handle. The
// program's reads after the previous calls of the same loop decide. An open handle hides accesses: if a fetch
// takes much of a loop, some calls go without, ever fewer while the program does read.
// Thread rule: one thread, the driver's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

namespace stradsap::rt {

class read_forecast {
 public:
  /// The program asked for an element elsewhere, and now the driver has all of them.
  void note_read() { was_read_ = true; }

  /// The loop has written the container. Returns whether to fetch all elements now.
  [[nodiscard]] bool fetches_after(std::uint64_t loop) {
    if (last_ != nullptr && !fetched_) last_->learn(was_read_);
    last_ = &habits_[loop];
    was_read_ = false;
    return fetched_ = last_->fetches();
  }

  /// The seconds of that fetch, and of the loop before it.
  void note_cost(double fetch, double loop) { last_->is_cheap = fetch * cheap_part < loop; }

 private:
  static constexpr double cheap_part = 16;
  static constexpr unsigned shortest_interval = 4;
  static constexpr unsigned longest_interval = 64;

  /// Of the program, after one loop.
  struct habit {
    bool reads = false;
    bool is_cheap = false;
    unsigned interval = shortest_interval;  // from one call without a fetch to the next
    unsigned calls = 0;                     // since then

    void learn(bool was_read) {
      interval = was_read && reads ? std::min(2 * interval, longest_interval) : shortest_interval;
      reads = was_read;
    }
    bool fetches() {
      if (!reads || is_cheap) return reads;
      if (++calls < interval) return true;
      calls = 0;
      return false;
    }
  };

  std::map<std::uint64_t, habit> habits_;
  habit* last_ = nullptr;  // of the loop that wrote last
  bool fetched_ = false;   // after that loop
  bool was_read_ = false;
};

}  // namespace stradsap::rt
