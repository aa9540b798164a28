// In place or in rounds? Transactions leave the same bits either way, so what is quicker decides: a thread
// that goes through the iterations in place, as the sequential program does, or all threads, with copies.
// Both are timed as the loop runs; what was slower is tried again ever more rarely. Thread rule: one thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stradsap::rt {

class transaction_pace {
 public:
  /// `rounds_only`: whatever it costs.
  transaction_pace(int lanes, bool rounds_only);

  struct stretch {
    bool in_place;
    std::int64_t count;  // of iterations, at most
  };
  [[nodiscard]] stretch next() const;
  void ran_in_place(std::int64_t count, double seconds);
  /// A round of `count` members, of which `repeated` ran again, with copies of so many bytes.
  void ran_round(std::int64_t count, std::int64_t repeated, std::size_t copied_bytes, double seconds);

 private:
  [[nodiscard]] std::int64_t affordable(double seconds) const;
  void try_rounds();
  void give_up(double seconds);
  void resize_rounds(std::int64_t count, std::int64_t repeated, std::size_t copied_bytes, double seconds);

  const int lanes_;
  const bool rounds_only_;
  bool in_place_ = true;
  double place_each_ = 0;  // seconds of an iteration in place; 0: not known
  std::int64_t last_ = 0;  // iterations of the last stretch in place
  double spent_ = 0;       // seconds since the change between the two
  double patience_;        // seconds until the other one is tried
  double wasted_ = 0;      // seconds of the trial that is on
  int rounds_ = 0;         // since they were last tried
  std::int64_t round_size_;
};

}  // namespace stradsap::rt
