// Rows from functions that move a pointer before they return it, of lengths that only the bodies know.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

class matrix {
 public:
  matrix(int rows, int columns) : columns_(columns), a_(static_cast<std::size_t>(rows) * columns, 1.0f) {}
  float* row(int i) { return a_.data() + static_cast<std::size_t>(i) * columns_; }
  const float* row(int i) const { return a_.data() + static_cast<std::size_t>(i) * columns_; }
  float* before(int i) { return a_.data() + static_cast<std::size_t>(i) * columns_ - columns_; }
  float* behind(int i) {
    const std::size_t at = static_cast<std::size_t>(i) * columns_;
    return (&a_[columns_] + at);
  }
  void print(const char* name) const {
    double sum = 0;
    for (std::size_t i = 0; i < a_.size(); ++i) sum += static_cast<double>(i % 13) * a_[i];
    std::printf("%s %.4f\n", name, sum);
  }

 private:
  int columns_;
  dvector<float> a_;
};

static float* row_of(dvector<float>& m, int i, int width) { return m.data() + i * width; }

int main() {
  const int n = 2000, width = 50, rounds = 40;
  matrix x(n, width), y(n, width);
  dvector<float> plain(n * width, 2.0f);
  std::vector<int> id(n);
  for (int i = 0; i < n; ++i) id[i] = i * 37 % width;

  async_for(n, [&](int i) {  // one element of each row, at a place that data decide
    for (int k = 0; k < rounds; ++k) x.row(i)[id[i]] = 0.5f * x.row(i)[id[i]] + static_cast<float>(k * i % 7);
  });
  x.print("elements");
  const matrix& all = x;
  async_for(n, [&](int i) {
    float* to = y.row(i);
    const float* from = all.row(n - 1 - i);
    for (int k = 0; k < width; ++k) to[k] = to[k] / 2 + from[k];
  });
  y.print("rows");
  async_for(n - 1, [&](int i) { x.before(i + 1)[id[i]] = 0.5f * x.behind(i)[id[i]] + 1; });
  x.print("neighbours");
  async_for(n, [&](int i) {
    for (int k = 0; k < rounds; ++k) row_of(plain, i, width)[id[i]] += row_of(plain, i, width)[0] / 8;
  });
  double sum = row_of(plain, 1, width)[0];
  for (int k = 0; k < n * width; ++k) sum += k % 11 * plain[k];
  std::printf("plain %.4f\n", sum);
}
