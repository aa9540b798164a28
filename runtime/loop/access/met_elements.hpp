// The elements that consecutive iterations touch in the containers that a loop writes at computed places, as
// long as no two iterations touch the same one. Thread rule: one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/loop/access/element_marks.hpp"

namespace stradsap::rt {

/// Thrown by met_elements::add().
struct iterations_meet {};

class met_elements {
 public:
  /// For the iterations from `first` on, of n. `sizes[c]`: the elements of capture c, if it may be touched,
  /// else 0. `work`: for each run of iterations, the elements and iterations so far. `found` is set, by any
  /// thread, once two iterations have met.
  met_elements(const std::vector<std::uint64_t>& sizes, std::int64_t first, std::int64_t n,
               std::vector<std::uint64_t>& work, std::atomic<bool>& found);

  /// The first iteration of run k of `runs`.
  [[nodiscard]] static std::int64_t begin_of_run(std::int64_t k, std::size_t runs, std::int64_t n);

  /// Forgets all iterations.
  void clear();
  /// Adds the next iterations. `ends`: the end of each set in `touches`, which may repeat elements.
  /// `units[c]`: neighbouring elements of capture c that a touch stands for. Throws iterations_meet if one of
  /// the iterations touches an element of an earlier one, or if another thread has found such a pair.
  void add(std::span<const std::uint64_t> touches, std::span<const std::uint32_t> ends,
           std::span<const std::uint64_t> units);
  [[nodiscard]] element_marks& marks() { return marks_; }

 private:
  [[nodiscard]] std::uint64_t element_of(std::uint64_t touched) const;

  const std::int64_t first_;
  const std::int64_t n_;
  std::int64_t next_;                         // iteration
  std::vector<std::uint64_t> first_element_;  // by capture
  std::vector<std::uint64_t>& work_;
  std::size_t run_ = 0;  // of the next iteration
  std::int64_t end_of_run_ = 0;
  std::atomic<bool>& found_;
  element_marks marks_;
};

}  // namespace stradsap::rt
