// The order in which copies of a container on one rank are folded into its elements: the binary tree of
// element_deltas, with subtrees of four leaves in one step. A step leaves the copies that it adds neutral.
// Thread rule: immutable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stradsap/abi/abi.hpp>

namespace stradsap::rt {

class fold_steps {
 public:
  fold_steps() = default;
  /// `used`: by leaf, of which there are a power of two. `by_fours`: the fold has drain_four.
  fold_steps(const std::vector<bool>& used, bool by_fours);

  [[nodiscard]] bool is_empty() const { return steps_.empty(); }
  /// Folds `n` elements. `place(leaf)`: their first one in a copy. How far slices reach changes no bit.
  template <class Place>
  void run(const abi::accumulation& how, std::byte* elements, const Place& place, std::uint64_t n) const {
    for (const step& one : steps_) {
      std::array<void*, 4> parts{};
      for (std::size_t k = 0; k < one.count; ++k) parts[k] = place(one.leaves[k]);
      if (one.count == 4) {
        how.drain_four(one.is_last ? elements : nullptr, parts.data(), n);
      } else {
        how.drain(one.is_last ? elements : parts[0], one.is_last ? parts[0] : parts[1], n);
      }
    }
  }

 private:
  /// Adds four copies, the second of two to the first, or one to the elements (`is_last`).
  struct step {
    std::array<std::uint32_t, 4> leaves{};
    std::size_t count = 0;
    bool is_last = false;
  };

  std::vector<step> steps_;
};

}  // namespace stradsap::rt
