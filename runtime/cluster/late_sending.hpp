// Decides when a loop with large captured values, which the other ranks lack, sends them and runs on all
// ranks. Until then it runs on the driver's rank, so short loops need not pay for the sending. It ends once
// all ranks would have saved as much time as the sending takes, or in a call that is long enough by itself.
// So a call runs in parts, each with the time of its iterations. Time decides, but no bit. Thread rule: one
// thread.
#pragma once

#include <algorithm>
#include <cstdint>

namespace stradsap::rt {

class late_sending {
 public:
  /// Fewer bytes are sent at once.
  static constexpr std::uint64_t least_bytes = std::uint64_t{256} << 10;

  /// The other ranks lack more than `least_bytes`. `share`: the part of a call's time that all ranks save.
  explicit late_sending(double share) : share_(share) {}

  /// A call of `n` iterations begins.
  void begin(std::int64_t n) {
    n_ = n;
    ran_ = 0;
    in_call_ = previous_ = 0;
    is_short_ = calls_ > 0 && bytes_worth(spent_, many * longest_) <= static_cast<double>(more_than_);
    ++calls_;
  }

  /// The number of iterations in the next part. A call that will be short, by those before it, has two parts.
  [[nodiscard]] std::int64_t next() const {
    const std::int64_t left = n_ - ran_;
    if (ran_ == 0) return std::max<std::int64_t>(1, n_ / (is_short_ ? 16 : 64));
    if (is_short_) return left;
    return std::min(left, 3 * ran_);
  }

  /// A part of `iterations` took `seconds`. Whether the rest should run on all ranks. `count(most)` counts
  /// the bytes that the others lack, and may stop beyond `most`.
  template <class Count>
  [[nodiscard]] bool pays(std::int64_t iterations, double seconds, const Count& count) {
    ran_ += iterations;
    in_call_ += seconds;
    if (ran_ >= n_) {
      spent_ += in_call_;
      longest_ = std::max(longest_, in_call_);
      return false;
    }
    is_short_ = is_short_ && in_call_ < longest_;
    const double each = seconds / static_cast<double>(iterations);
    const double sure = seconds >= least_trusted ? each : std::min(each, previous_);
    previous_ = each;
    return pays_to_send(spent_ + in_call_, sure * static_cast<double>(n_ - ran_), count);
  }

 private:
  static constexpr double seconds_to_send = 2e-9;      // a byte: encoding, sending and decoding
  static constexpr double seconds_to_compare = 2e-10;  // a byte, at each call on all ranks
  static constexpr double least_trusted = 20e-3;       // seconds; other work may disturb shorter parts
  static constexpr double many = 4;
  static constexpr double most_counted = 1e18;

  /// The number of bytes that are worth sending by the calls so far, or for the rest of this call.
  [[nodiscard]] double bytes_worth(double spent, double rest) const {
    const double by_calls = spent / (seconds_to_send + static_cast<double>(calls_) * seconds_to_compare);
    return share_ * std::max(by_calls, rest / seconds_to_send);
  }

  /// Counts at least twice as many bytes as the last time, so all counts together cost little.
  template <class Count> [[nodiscard]] bool pays_to_send(double spent, double rest, const Count& count) {
    const double worth = bytes_worth(spent, rest);
    const auto known = static_cast<double>(more_than_);
    if (worth <= known) return false;
    const auto most = static_cast<std::uint64_t>(std::min(std::max(worth, 2 * known), most_counted));
    const std::uint64_t counted = count(most);
    more_than_ = std::min(counted, most);
    return static_cast<double>(counted) <= worth;
  }

  std::uint64_t more_than_ = least_bytes;  // bytes that the others lack, at least
  const double share_;
  double spent_ = 0;    // seconds, by the calls that have ended here
  double longest_ = 0;  // of them
  std::int64_t calls_ = 0;
  std::int64_t n_ = 0;    // of this call, as the rest
  std::int64_t ran_ = 0;  // iterations
  double in_call_ = 0;    // seconds
  double previous_ = 0;   // seconds of an iteration of the last part; 0: there is none
  bool is_short_ = false;
};

}  // namespace stradsap::rt
