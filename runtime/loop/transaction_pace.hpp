// In place or in rounds? Transactions leave the same bits either way, so what is quicker decides: a thread
// that goes through the iterations in place, as the sequential program does, or all threads, with copies.
// Both are timed as the loop runs. What is quicker has a lease of some time; then a sample of the other one
// is taken. If that was no better, the next lease is twice as long. Thread rule: one thread.
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
  /// What is known of one of the two.
  struct way {
    double each = 0;  // seconds of an iteration; 0: not known
    void note(std::int64_t count, double seconds);
  };
  [[nodiscard]] bool is_in_place() const { return prefers_place_ != sampling_; }
  [[nodiscard]] std::int64_t in_place_for(double seconds) const;
  void spend(double seconds, bool is_sample_enough);
  void end_sample();
  void begin_sample();
  void resize_rounds(std::int64_t count, std::int64_t repeated, std::size_t copied_bytes, double seconds);

  const int lanes_;
  const bool rounds_only_;
  way place_;
  way rounds_;
  bool prefers_place_;
  bool sampling_ = false;  // of the other way
  double spent_ = 0;       // seconds of the lease, or of the sample
  double lease_;
  std::int64_t last_in_place_ = 0;  // iterations
  int sampled_rounds_ = 0;
  std::int64_t round_size_;
};

}  // namespace stradsap::rt
