// The working set of a penalty on a path: columns that are not zero, and those that the strong rules name.
// Bounds of slopes prove that most other columns stay zero; the rest are checked. For elastic_net_path, and
// for the benchmark of sparse lassos.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// Finds columns with great slopes without all products. No slope changes by more than its `reach` times the
/// norm of the residual's change.
template <class Slope> class SlopeBounds {
 public:
  /// slope(j, residual) is the slope of column j.
  SlopeBounds(const auto& residual, std::vector<float> reach, Slope slope)
      : known_at_(residual.begin(), residual.end()),
        reach_(std::move(reach)),
        bound_(reach_.size()),
        is_exact_(reach_.size()),
        slope_(std::move(slope)) {
    for (std::size_t j = 0; j < bound_.size(); ++j) find(j);
  }
  /// The greatest slope at the residual of the constructor.
  float greatest() const { return bound_.empty() ? 0 : *std::max_element(bound_.begin(), bound_.end()); }
  int64_t num_products() const { return num_products_; }

  /// The columns with a slope above `least`, which is not negative; none of the working set.
  std::vector<int64_t> above(float least, const auto& residual, const std::vector<int64_t>& working_set) {
    move_to(residual);
    for (const int64_t j : working_set) bound_[j] = 0;
    std::vector<int64_t> found;
    for (std::size_t j = 0; j < bound_.size(); ++j) {
      if (bound_[j] > least && !is_exact_[j]) find(j);
      if (bound_[j] > least) found.push_back(j);
    }
    for (const int64_t j : working_set) {  // unknown when they leave the set
      bound_[j] = std::numeric_limits<float>::max();
      is_exact_[j] = false;
    }
    return found;
  }

  /// Removes all but the `most` columns of a list that have the greatest slopes, as above() found them.
  void keep_greatest(std::vector<int64_t>& list, std::size_t most) const {
    if (list.size() <= most) return;
    std::nth_element(list.begin(), list.begin() + most, list.end(),
                     [&](int64_t a, int64_t b) { return bound_[a] > bound_[b]; });
    list.resize(most);
  }

 private:
  void find(std::size_t j) {
    bound_[j] = std::abs(slope_(j, known_at_));
    if (!std::isfinite(bound_[j])) {
      throw std::runtime_error("column " + std::to_string(j + 1) + " has values that are not finite");
    }
    is_exact_[j] = true;
    ++num_products_;
  }
  void move_to(const auto& residual) {
    double squares = 0;
    for (std::size_t i = 0; i < known_at_.size(); ++i) {
      squares += (residual[i] - known_at_[i]) * (residual[i] - known_at_[i]);
      known_at_[i] = residual[i];
    }
    if (squares == 0) return;
    const float moved = std::sqrt(squares);
    for (std::size_t j = 0; j < bound_.size(); ++j) bound_[j] += reach_[j] * moved;
    is_exact_.assign(bound_.size(), false);
  }

  std::vector<float> known_at_;  // a residual
  std::vector<float> reach_;
  std::vector<float> bound_;    // of each slope at it
  std::vector<char> is_exact_;  // whether that is the slope
  Slope slope_;
  int64_t num_products_ = 0;
};

/// Solves for penalty `l1` from the solution for `l1_before`: solve(working set, tolerance) solves for the
/// columns of the set. Returns the sum of its results, the updates.
static int64_t solve_on_working_set(auto& bounds, const auto& residual, const std::vector<float>& beta,
                                    float l1, float l1_before, double tolerance, const auto& solve) {
  int64_t updates = 0;
  std::vector<int64_t> working_set;
  for (std::size_t j = 0; j < beta.size(); ++j) {
    if (beta[j] != 0) working_set.push_back(j);
  }
  bool is_whole = false;
  // the strong rules
  std::vector<int64_t> more = bounds.above(std::max(2 * l1 - l1_before, 0.0f), residual, working_set);
  while (!is_whole || !more.empty()) {
    const std::size_t found = more.size();
    bounds.keep_greatest(more, std::max<std::size_t>(100, 4 * working_set.size()));
    is_whole = more.size() == found;
    working_set.insert(working_set.end(), more.begin(), more.end());
    updates += solve(working_set, is_whole ? tolerance : 0.1);
    more = bounds.above(l1, residual, working_set);
  }
  return updates;
}
