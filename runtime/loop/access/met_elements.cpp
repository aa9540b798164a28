#include "runtime/loop/access/met_elements.hpp"

#include <bit>
#include <numeric>

#include "runtime/loop/access/touch.hpp"

namespace stradsap::rt {

std::int64_t met_elements::begin_of_run(std::int64_t k, std::size_t runs, std::int64_t n) {
  return static_cast<std::int64_t>(static_cast<__int128>(n) * k / static_cast<std::int64_t>(runs));
}

met_elements::met_elements(const std::vector<std::uint64_t>& sizes, std::int64_t first, std::int64_t n,
                           std::vector<std::uint64_t>& work, std::atomic<bool>& found)
    : first_(first),
      n_(n),
      next_(first),
      first_element_(sizes.size()),
      work_(work),
      found_(found),
      marks_(std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0})) {
  std::exclusive_scan(sizes.begin(), sizes.end(), first_element_.begin(), std::uint64_t{0});
  clear();
}

void met_elements::clear() {
  marks_.clear();
  next_ = first_;
  run_ = 0;
  while (run_ + 1 < work_.size() &&
         begin_of_run(static_cast<std::int64_t>(run_) + 1, work_.size(), n_) <= first_)
    ++run_;
  end_of_run_ = begin_of_run(static_cast<std::int64_t>(run_) + 1, work_.size(), n_);
  work_[run_] = 0;
}

std::uint64_t met_elements::element_of(std::uint64_t touched) const {
  const touch what = std::bit_cast<touch>(touched);
  return first_element_[what.capture] + what.element;
}

/// An iteration may touch an element twice, so its elements are marked after all of them have been looked up.
void met_elements::add(std::span<const std::uint64_t> touches, std::span<const std::uint32_t> ends,
                       std::span<const std::uint64_t> units) {
  if (found_.load(std::memory_order_relaxed)) throw iterations_meet{};
  std::uint32_t begin = 0;
  bool meet = false;
  for (const std::uint32_t end : ends) {
    std::uint64_t elements = 0;
    for (std::uint32_t k = begin; k < end; ++k) {
      const std::uint64_t unit = units[std::bit_cast<touch>(touches[k]).capture];
      meet = meet || marks_.has(element_of(touches[k]), unit);
      elements += unit;
    }
    for (std::uint32_t k = begin; k < end; ++k)
      marks_.add(element_of(touches[k]), units[std::bit_cast<touch>(touches[k]).capture]);
    begin = end;
    for (; next_ >= end_of_run_; work_[run_] = 0)
      end_of_run_ = begin_of_run(static_cast<std::int64_t>(++run_) + 1, work_.size(), n_);
    work_[run_] += elements + 1;
    ++next_;
  }
  if (!meet) return;
  found_ = true;
  throw iterations_meet{};
}

}  // namespace stradsap::rt
