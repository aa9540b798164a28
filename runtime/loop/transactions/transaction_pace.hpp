// Chooses between transactions in place and in rounds, by time. Both give the same bits. In place, one thread
// runs the iterations as the sequential program does; in rounds, all threads run them on copies. The faster
// way is used for a lease. Then the other one is sampled. If that is not clearly faster, the next lease is at
// least twice as long, up to a second. Calls of one loop share the pace, so that a short call need not begin
// anew. Thread rule: one thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stradsap::rt {

class transaction_pace {
 public:
  /// `rounds_only`: never in place, even if that is faster.
  transaction_pace(int executors, bool rounds_only);

  struct stretch {
    bool in_place;
    std::int64_t count;  // iterations, at most
  };
  [[nodiscard]] stretch next() const;
  void ran_in_place(std::int64_t count, double seconds);
  /// Notes a round of `count` members. `repeated` of them ran again; their copies took `copied_bytes`.
  void ran_round(std::int64_t count, std::int64_t repeated, std::size_t copied_bytes, double seconds);

 private:
  /// The measured speed of one of the two ways.
  struct way {
    double each = 0;  // seconds an iteration; 0: not known
    void note(std::int64_t count, double seconds);
  };
  [[nodiscard]] bool is_in_place() const { return prefers_place_ != sampling_; }
  [[nodiscard]] std::int64_t in_place_for(double seconds) const;
  void spend(double seconds, bool is_sample_enough);
  void end_sample();
  void begin_sample();
  void resize_rounds(std::int64_t count, std::int64_t repeated, std::size_t copied_bytes, double seconds);

  const int executors_;
  const bool rounds_only_;
  way place_;
  way rounds_;
  bool prefers_place_;
  bool sampling_ = false;  // the other way runs
  double spent_ = 0;       // seconds of the lease or the sample
  double lease_;
  std::int64_t last_in_place_ = 0;  // iterations
  int sampled_rounds_ = 0;
  std::int64_t round_size_;
};

}  // namespace stradsap::rt
