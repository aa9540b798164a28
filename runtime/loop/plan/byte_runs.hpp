// Runs of an array's elements, read as one stream of bytes. Thread rule: one thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stradsap::rt {

class byte_runs {
 public:
  explicit byte_runs(std::size_t element_size) : element_size_(element_size) {}

  /// Appends elements [first, first + count).
  void add(std::size_t first, std::size_t count) {
    if (count == 0) return;
    const std::size_t begin = first * element_size_;
    if (runs_.empty() || runs_.back().end != begin) runs_.push_back({begin, begin});
    runs_.back().end += count * element_size_;
    size_ += count * element_size_;
  }
  /// Bytes of all runs, including those taken.
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// Takes the next `length` bytes. Calls visit(offset in the array, length) for each contiguous piece.
  /// Requires that so many bytes are left.
  template <class Visit> void take(std::size_t length, const Visit& visit) {
    while (length > 0) {
      const std::size_t left = runs_[run_].end - runs_[run_].begin;
      const std::size_t now = std::min(length, left);
      visit(runs_[run_].begin, now);
      runs_[run_].begin += now;
      length -= now;
      if (now == left) ++run_;
    }
  }

 private:
  struct run {
    std::size_t begin;
    std::size_t end;
  };
  std::size_t element_size_;
  std::vector<run> runs_;
  std::size_t run_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace stradsap::rt
