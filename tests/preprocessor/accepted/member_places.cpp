// Subscripts from member functions: of captured objects, of the class around a loop, with loops of their own
// and with vectors among the members. The slice calls them; writes to elements before them are part of it.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct grid {
  int width, height;
  int at(int x, int y) const { return y * width + x; }
  bool has(int x, int y) const { return x >= 0 && y >= 0 && x < width && y < height; }
};

struct rows {
  std::vector<int> ends{2, 5, 5, 9}, columns{3, 0, 1, 2, 3, 0, 2, 4, 1};
  int begin(int i) const { return i == 0 ? 0 : ends[i - 1]; }
  int end(int i) const { return ends[i]; }
  int column(int p) const { return columns[p]; }
};

static double sweep() {
  const grid g{12, 9};
  dvector<double> u(g.width * g.height, 1.0);
  for (int pass = 0; pass < 3; ++pass) {
    async_for(g.height, [&u, g](int y) {
      for (int x = 0; x < g.width; ++x) {
        double sum = u[g.at(x, y)];
        if (g.has(x, y - 1)) sum += u[g.at(x, y - 1)];
        if (g.has(x + 1, y)) sum += u[g.at(x + 1, y)];
        u[g.at(x, y)] = sum * 0.4 + x;
      }
    });
  }
  double sum = 0;
  for (int i = 0; i < g.width * g.height; ++i) sum += u[i] * i;
  return sum;
}

static double spread() {
  const rows graph;
  dvector<double> score(5, 1.0);
  for (int pass = 0; pass < 3; ++pass) {
    async_for(4, [&](int i) {
      for (int p = graph.begin(i); p < graph.end(i); ++p) {
        score[graph.column(p)] = score[graph.column(p)] * 0.5 + i;
      }
    });
  }
  double sum = 0;
  for (int i = 0; i < 5; ++i) sum += score[i] * i;
  return sum;
}

class model {
 public:
  explicit model(int n) : n_(n), first_(n), w_(n * 3, 1.0), seen_(n) {
    for (int j = 0; j < n; ++j) first_[j] = (j * 5) % n;
  }

  void train() {
    async_for(n_, [&](int j) { w_[index(j, 2)] = w_[this->index(j * 7 % n_, 1)] * 0.5 + j; });
    async_for(n_, [this](int j) { w_[far_index(j)] = w_[far_index(j)] * 0.25 + j; });
    async_for(n_, [this](int j) { w_[counted_index(j)] = w_[counted_index(j)] * 0.75 + 1; });
    async_for(n_, [&](int j) { w_[scaled_index(j)] = w_[scaled_index(j)] * 0.5 + 2; });
    async_for(n_, [&](int j) { push(j, j % 2 == 0); });
  }
  /// An element at the loop's index is written, then a function reads it to find another.
  void follow() {
    async_for(n_, [&](int j) {
      first_[j] = (first_[j] * 7 + 3) % n_;
      w_[first_of(j)] = w_[first_of(j)] * 0.5 + j;
    });
    dvector<int>& first = first_;
    dvector<double>& w = w_;
    async_for(n_, [&](int j) {
      first[j] = (first[j] * 11 + 1) % n_;
      w[element_of(first, j)] = w[element_of(first, j)] * 0.5 + j;
    });
    async_for(n_, [&](int j) {
      first[j] = (first[j] * 13 + 5) % n_;
      change(first, w, j);
    });
    async_for(n_, [&](int j) {
      first_[j] = (first_[j] * 3 + 2) % n_;
      change_own(j);
    });
  }
  double sum() const {
    double sum = 0;
    for (int i = 0; i < n_ * 3; ++i) sum += w_[i] * i;
    for (int j = 0; j < n_; ++j) sum += seen_[j] * 0.01;
    return sum;
  }
  long calls() const { return calls_; }

 private:
  int index(int j, int k) const { return j * 3 + k; }
  int far_index(int j) const {
    int place = j;
    for (const int step : steps_) {
      if (step > 2 * j) break;
      place += step;
    }
    return place % (n_ * 3);
  }
  int counted_index(int j) {
    calls_ += 1;
    return (j * 5 + 1) % (n_ * 3);
  }
  int scaled_index(int j) const {
    const double x = j * scale_ + 0.1;
    return static_cast<int>(x * x) % (n_ * 3);
  }
  int first_of(int j) const { return first_[j]; }
  void push(int j, bool keep) {
    if (j > 0) w_[j - 1] = w_[j - 1] * 0.5 + w_[j + 1];
    w_[j] += 1;
    if (keep) seen_[j]++;
  }
  void change_own(int j) { w_[first_[j]] = w_[first_[j]] * 0.5 + j; }
  static int element_of(const dvector<int>& first, int j) { return first[j]; }
  static void change(const dvector<int>& first, dvector<double>& w, int j) {
    w[first[j]] = w[first[j]] * 0.5 + j;
  }

  int n_;
  std::vector<int> steps_{1, 4, 9, 16, 25};
  double scale_ = 0.37;
  long calls_ = 0;
  dvector<int> first_;
  dvector<double> w_;
  dvector<int> seen_;
};

int main() {
  std::printf("%.17g %.17g\n", sweep(), spread());
  model m(40);
  for (int pass = 0; pass < 3; ++pass) {
    m.train();
    m.follow();
  }
  std::printf("%.17g %ld\n", m.sum(), m.calls());
}
