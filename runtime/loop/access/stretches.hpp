// The elements that consecutive iterations touch, by container, as long as each iteration touches only
// elements behind those of all iterations before: rows of a sparse matrix, or blocks of an array. Such
// iterations do not conflict. Thread rule: values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace stradsap::rt {

/// The elements [begin, end) of a container. Some of them may be untouched.
struct stretch {
  std::uint64_t begin = ~std::uint64_t{0};
  std::uint64_t end = 0;

  [[nodiscard]] bool is_empty() const { return begin >= end; }
  void add(std::uint64_t first, std::uint64_t last) {
    begin = std::min(begin, first);
    end = std::max(end, last);
  }
};

/// The stretches of one iteration, or of consecutive ones.
struct stretch_run {
  explicit stretch_run(std::size_t captures) : by_capture(captures) {}

  std::vector<stretch> by_capture;
  std::uint64_t touches = 0;  // elements, as often as the inspector names them

  void touch(std::size_t capture, std::uint64_t first, std::uint64_t last) {
    by_capture[capture].add(first, last);
    touches += last - first;
  }
  /// Joins the iterations that follow. Returns false if one of their elements is not behind all others here.
  [[nodiscard]] bool append(const stretch_run& next) {
    for (std::size_t c = 0; c < by_capture.size(); ++c) {
      const stretch& more = next.by_capture[c];
      if (more.is_empty()) continue;
      if (more.begin < by_capture[c].end) return false;
      by_capture[c].add(more.begin, more.end);
    }
    touches += next.touches;
    return true;
  }
  void clear() {
    by_capture.assign(by_capture.size(), {});
    touches = 0;
  }
};

}  // namespace stradsap::rt
