// The part of a worker: a range of pages with about as many links as any other, and a pass over them.

#pragma once

#define main sequential_main
#include "../../examples/pagerank/sequential.cpp"
#undef main

/// The links of all pages, as the original makes them.
struct Web {
  std::vector<std::vector<int>> in_links;
  std::vector<int> out_degree;

  explicit Web(const Options& options) : in_links(options.pages), out_degree(options.pages) {
    make_links(in_links, out_degree, options.links);
  }
};

/// The first page of each part, and after the last part the number of pages.
static std::vector<int> cut(const Web& web, int parts) {
  int64_t links = 0, passed = 0;
  for (const auto& row : web.in_links) links += row.size() + 1;
  std::vector<int> begin{0};
  for (int page = 0; page < static_cast<int>(web.in_links.size()); ++page) {
    if (passed >= links * static_cast<int64_t>(begin.size()) / parts) begin.push_back(page);
    passed += web.in_links[page].size() + 1;
  }
  begin.resize(parts + 1, static_cast<int>(web.in_links.size()));
  return begin;
}

struct Sums {
  double dangling = 0, change = 0;
};

class Part {
 public:
  Part(const Web& web, int begin, int end) : begin_(begin), n_(static_cast<int>(web.in_links.size())) {
    for (int page = begin; page < end; ++page) {
      source_.insert(source_.end(), web.in_links[page].begin(), web.in_links[page].end());
      first_.push_back(static_cast<int64_t>(source_.size()));
      rank_.push_back(1.0 / n_);
      per_link_.push_back(web.out_degree[page] == 0 ? 0 : 1.0 / web.out_degree[page]);
    }
  }

  /// The shares of the first ranks.
  double begin(double* share) const {
    double dangling = 0;
    for (size_t i = 0; i < rank_.size(); ++i) {
      share[begin_ + i] = rank_[i] * per_link_[i];
      if (per_link_[i] == 0) dangling += rank_[i];
    }
    return dangling;
  }

  /// New ranks of the part's pages from the shares of all pages, and their new shares.
  Sums step(const double* share, double* next_share, double dangling) {
    const double base = (1 - damping) / n_ + damping * dangling / n_;
    Sums sums;
    for (size_t i = 0; i < rank_.size(); ++i) {
      const double next = base + damping * sum_of(share, first_[i], first_[i + 1]);
      sums.change += std::abs(next - rank_[i]);
      if (per_link_[i] == 0) sums.dangling += next;
      rank_[i] = next;
      next_share[begin_ + i] = next * per_link_[i];
    }
    return sums;
  }

 private:
  /// Four sums, so that additions do not wait for each other.
  double sum_of(const double* share, int64_t first, int64_t last) const {
    const int *source = source_.data() + first, *end = source_.data() + last;
    double a = 0, b = 0, c = 0, d = 0;
    for (; end - source >= 4; source += 4) {
      a += share[source[0]];
      b += share[source[1]];
      c += share[source[2]];
      d += share[source[3]];
    }
    for (; source != end; ++source) a += share[*source];
    return (a + b) + (c + d);
  }

  int begin_, n_;
  std::vector<int64_t> first_{0};
  std::vector<int> source_;
  std::vector<double> rank_, per_link_;
};
