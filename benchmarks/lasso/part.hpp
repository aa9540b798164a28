// The work of one worker of the rivals by hand: coordinate descent over its share of the columns, with its
// own copy of the residual.
//
// A round is a small range of columns of which each worker has a part. After a round, the workers add the
// changes of their residuals, which then fit all coefficients again. Few coefficients change in a round, and
// their columns share few rows, so that the objective falls as fast as in the sequential program (Bradley et
// al.: Parallel coordinate descent for L1-regularized loss minimization, 2011).

#pragma once

#include "program.hpp"

constexpr int64_t rounds = 64;  // a pass

class Part {
 public:
  /// Sets `residual` to that of coefficients of 0.
  Part(const Options& options, int worker, int workers, std::vector<float>& residual)
      : worker_(worker), workers_(workers), threshold_(options.lambda * options.rows) {
    residual.resize(options.rows);
    make_columns(options, begin_, row_, value_, residual);
    for (int64_t part = 0; part <= rounds * workers; ++part) {
      const int64_t entry = begin_.back() * part / (rounds * workers);
      cuts_.push_back(std::lower_bound(begin_.begin(), begin_.end(), entry) - begin_.begin());
    }
    cuts_.back() = options.columns;
    beta_.resize(options.columns);
    norm_.resize(options.columns);
    for (int64_t j = 0; j < options.columns; ++j) {
      for (int64_t k = begin_[j]; k < begin_[j + 1]; ++k) norm_[j] += value_[k] * value_[k];
    }
  }

  void run_round(int64_t round, float* residual) {
    const int64_t part = round * workers_ + worker_;
    for (int64_t j = cuts_[part]; j < cuts_[part + 1]; ++j) {
      if (norm_[j] > 0) solve(j, residual);
    }
  }

  /// The coefficients; those of other workers are 0.
  const std::vector<float>& beta() const { return beta_; }

 private:
  void solve(int64_t j, float* residual) {
    const int64_t begin = begin_[j], end = begin_[j + 1];
    const int* const row = row_.data();
    const float* const value = value_.data();
    float sums[8] = {};  // so that additions do not wait for each other
    int64_t k = begin;
    for (; k + 8 <= end; k += 8) {
      for (int s = 0; s < 8; ++s) sums[s] += value[k + s] * residual[row[k + s]];
    }
    for (; k < end; ++k) sums[0] += value[k] * residual[row[k]];
    float product = norm_[j] * beta_[j];
    for (const float sum : sums) product += sum;
    const float size = std::max(std::abs(product) - threshold_, 0.0f) / norm_[j];
    const float change = std::copysign(size, product) - beta_[j];
    if (change == 0) return;
#pragma GCC ivdep  // a column has no row twice
    for (k = begin; k < end; ++k) residual[row[k]] -= change * value[k];
    beta_[j] += change;
  }

  int64_t worker_, workers_;
  float threshold_;
  std::vector<int64_t> begin_, cuts_;
  std::vector<int> row_;
  std::vector<float> value_, beta_, norm_;
};
