// A vector of which each thread has a copy. From time to time the changes of all copies are added.

#pragma once

#include <cstdint>
#include <vector>

class copies {
 public:
  copies(const std::vector<float>& first, int threads) : sum_(first), copies_(threads, first) {}

  /// The copy of a thread.
  float* of(int64_t thread) { return copies_[thread].data(); }

  /// The vector as of the last merge.
  const std::vector<float>& merged() const { return sum_; }

  /// Adds the changes of the elements that belong to a thread, each multiplied by scale(element), and makes
  /// all copies equal. Call it on all threads, between two barriers.
  void merge(int64_t thread, const auto& scale) {
    const int64_t threads = copies_.size(), n = sum_.size();
    const int64_t first = n * thread / threads, last = n * (thread + 1) / threads;
    float* const sum = sum_.data();
    if (threads == 2) {
      float *const a = copies_[0].data(), *const b = copies_[1].data();
#pragma GCC ivdep
      for (int64_t i = first; i < last; ++i) {
        sum[i] += scale(i) * ((a[i] - sum[i]) + (b[i] - sum[i]));
        a[i] = b[i] = sum[i];
      }
      return;
    }
    for (int64_t i = first; i < last; ++i) {
      float change = 0;
      for (const auto& copy : copies_) change += copy[i] - sum[i];
      sum[i] += scale(i) * change;
      for (auto& copy : copies_) copy[i] = sum[i];
    }
  }

 private:
  std::vector<float> sum_;
  std::vector<std::vector<float>> copies_;
};
