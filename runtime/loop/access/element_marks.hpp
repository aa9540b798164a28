// A bit for each element: the search for iterations that touch a common element sets it. Thread rule: one
// thread at a time; join() may run on several threads, each with words of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stradsap::rt {

class element_marks {
 public:
  explicit element_marks(std::uint64_t num_elements) : words_((num_elements + bits - 1) / bits) {}

  [[nodiscard]] std::size_t num_words() const { return words_.size(); }
  void clear() { std::fill(words_.begin(), words_.end(), 0); }

  /// Whether any of the elements [first, first + n) is marked.
  [[nodiscard]] bool has(std::uint64_t first, std::uint64_t n) const {
    if (n == 1) return (words_[first / bits] >> first % bits & 1) != 0;
    std::uint64_t found = 0;
    each_word(first, n, [&](std::size_t at, std::uint64_t mask) { found |= words_[at] & mask; });
    return found != 0;
  }
  void add(std::uint64_t first, std::uint64_t n) {
    if (n == 1) {
      words_[first / bits] |= std::uint64_t{1} << first % bits;
    } else {
      each_word(first, n, [&](std::size_t at, std::uint64_t mask) { words_[at] |= mask; });
    }
  }

  /// Adds the marks of `other` in the words [begin, end). Returns whether both had a common mark there.
  [[nodiscard]] bool join(const element_marks& other, std::size_t begin, std::size_t end) {
    std::uint64_t common = 0;
    for (std::size_t at = begin; at < end; ++at) {
      common |= words_[at] & other.words_[at];
      words_[at] |= other.words_[at];
    }
    return common != 0;
  }

 private:
  static constexpr std::uint64_t bits = 64;

  template <class Visit> static void each_word(std::uint64_t first, std::uint64_t n, const Visit& visit) {
    const std::uint64_t end = first + n;
    while (first < end) {
      const std::uint64_t in_word = first % bits;
      const std::uint64_t count = std::min(end - first, bits - in_word);
      visit(first / bits, ~std::uint64_t{0} >> (bits - count) << in_word);
      first += count;
    }
  }

  std::vector<std::uint64_t> words_;
};

}  // namespace stradsap::rt
