// Rows from functions, of lengths that only the bodies know: copies of the functions get the reach.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

class matrix {
 public:
  matrix(int rows, int columns) : rows_(rows), columns_(columns), a_(static_cast<std::size_t>(rows) * columns) {}
  float* row(int i) { return &a_[static_cast<std::size_t>(i) * columns_]; }
  const float* row(int i) const { return &a_[static_cast<std::size_t>(i) * columns_]; }
  float* data() { return a_.data(); }
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  void print(const char* name) const {
    double sum = 0;
    for (std::size_t i = 0; i < a_.size(); ++i) sum += static_cast<double>(i % 13) * a_[i];
    std::printf("%s %.4f\n", name, sum);
  }
  dvector<float>& all() { return a_; }

 private:
  int rows_, columns_;
  dvector<float> a_;
};

static float* row_of(dvector<float>& m, int i, int width) { return &m[i * width]; }

static void scale(const matrix& x, matrix& out) {
  const int d = x.columns();
  async_for(x.rows(), [&](int i) {
    float* o = out.row(i);
    const float* from = x.row(x.rows() - 1 - i);
    for (int k = 0; k < d; ++k) o[k] = 2 * from[k] + o[k] / 2;
  });
}

static void multiply(const matrix& x, const matrix& w, matrix& out) {
  async_for(x.rows(), [&](int i) {
    const float* from = x.row(i);
    float* o = out.row(i);
    for (int k = 0; k < w.columns(); ++k) o[k] = 0;
    for (int j = 0; j < x.columns(); ++j) {
      const float* by = w.row(j);
      for (int k = 0; k < w.columns(); ++k) o[k] += from[j] * by[k];
    }
  });
}

static void add(const matrix& x, matrix& sums, const std::vector<int>& group) {
  async_for(x.rows(), [&](int i) {
    const float* from = x.row(i);
    float* s = sums.row(group[i]);
    for (int k = 0; k < x.columns(); ++k) s[k] += from[k];
    s[group[i] % 3] += 1;
  });
}

int main() {
  const int n = 120, width = 6;
  matrix x(n, width), y(n, width), w(width, 4), z(n, 4), sums(7, width);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < width; ++k) x.row(i)[k] = static_cast<float>((i * 7 + k * 5) % 16);
  }
  for (int k = 0; k < width * 4; ++k) w.row(0)[k] = static_cast<float>(k % 5);
  std::vector<int> group(n);
  for (int i = 0; i < n; ++i) group[i] = i * 5 % 7;

  scale(x, y);
  y.print("scaled");
  multiply(y, w, z);
  z.print("product");
  add(z, sums, group);
  add(x, sums, group);
  sums.print("sums");

  // the function that the loops above give a reach also serves loops that need none, and other lengths
  async_for(n, [&](int i) { x.row(i)[0] = 1; });
  const int most = 3;
  async_for(n, [&](int i) {
    float* o = x.row(i);
    for (int k = most; k >= 1; --k) o[k] = o[k - 1] + static_cast<float>(i % 4);
  });
  x.print("others");
  dvector<float>& plain = x.all();
  const int rows = n / 2;
  async_for(rows, [&](int i) {
    float* o = row_of(plain, i, width);
    for (int k = 0; k < most; ++k) o[k] += 1;
  });
  x.print("halves");
  async_for(n, [&](int i) { y.data()[i * width + most] = static_cast<float>(i); });
  y.print("places");
}
