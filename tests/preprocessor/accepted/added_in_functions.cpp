// Additions in functions that get an element, its address or a row of elements, and in methods and operators
// of the element: private copies, as for additions in the body. Near misses: functions that also read. All
// numbers are exact, so any order leaves the same bits.
#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

constexpr int K = 7, D = 4;

struct Point {
  double x = 0, y = 0;
  Point& operator+=(const Point& other) {
    x += other.x;
    this->y += other.y;
    return *this;
  }
  friend Point& operator-=(Point& to, const Point& other) {
    to.x -= other.x;
    to.y -= other.y;
    return to;
  }
};

class Moments {
 public:
  void add(double value) {
    count(1);
    sum_ += value;
    square_ += value * value;
  }
  void add_twice(double value) {
    add(value);
    this->add(value);
  }
  double sum() const { return sum_; }
  double square() const { return square_; }
  long number() const { return number_; }

 private:
  void count(int times) { number_ += times; }
  double sum_ = 0, square_ = 0;
  long number_ = 0;
};

struct Mean {
  double mean = 0;
  long number = 0;
  void add(double value) {
    ++number;
    mean += (value - mean) / static_cast<double>(number);
  }
};

static void add(double& to, double value) { to += value; }
static void add_more(double& to, double value) {
  if (value > 2) add(to, value);
  to = to + 1;
}
static void add_row(double scale, const double* from, double* to) {
  for (int k = 0; k < D; ++k) to[k] += scale * from[k];
}
static void add_span(std::span<double> to, const double* from) {
  for (std::size_t k = 0; k < to.size(); ++k) to[k] -= from[k];
}
static double add_and_read(double& to) {
  to += 1;
  return to;
}

struct Plain {
  std::vector<double> number = std::vector<double>(K), more = number, row = std::vector<double>(K * D), span = row;
  std::vector<Point> plus = std::vector<Point>(K), minus = plus;
  std::vector<Moments> moments = std::vector<Moments>(K);
};

/// An iteration of the loop below, on vectors.
static void add_plainly(Plain& to, int i, const std::vector<double>& values) {
  const int c = i * 31 % K;
  const double value = values[i * D];
  add(to.number[c], value + 0.5);
  add_more(to.more[c], value);
  add_row(2, &values[i * D], &to.row[c * D]);
  add_row(0.25, &values[i * D], &to.row[(c + 1) % K * D]);
  add_span({&to.span[c * D], D}, &values[i * D]);
  to.plus[c] += Point{value, 1};
  to.plus[(c + 2) % K] += {0.5, value};
  to.minus[c] -= Point{value, 1};
  to.moments[c].add(value);
  to.moments[c].add_twice(0.5);
}

static bool are_right(int n) {
  dvector<double> x(n * D), number(K), more(K), row(K * D), span(K * D), read(K), last(n);
  dvector<Point> plus(K), minus(K);
  dvector<Moments> moments(K);
  dvector<Mean> means(K);
  for (int i = 0; i < n * D; ++i) x[i] = i * 37 % 101 / 8.0;
  const std::vector<double> values(x.begin(), x.end());
  const auto add_to = [](auto& to, double value) { to += value; };
  async_for(n, [&](int i) {
    const int c = i * 31 % K;
    const double value = x[i * D];
    add(number[c], value);
    add_to(number[c], 0.5);
    double& m = more[c];
    add_more(m, value);
    add_row(2, &values[i * D], &row[c * D]);
    double* to = &row[(c + 1) % K * D];
    add_row(0.25, &values[i * D], to);
    add_span(span.span(c * D, D), &values[i * D]);
    plus[c] += Point{value, 1};
    plus[(c + 2) % K] += {0.5, value};
    minus[c] -= Point{value, 1};
    moments[c].add(value);
    moments[c].add_twice(0.5);
  });
  async_for(n, [&](int i) {
    const int c = i * 31 % K;
    last[i] = add_and_read(read[c]);
    means[c].add(3);
  });
  Plain plain;
  std::array<int, K> times{};
  for (int i = 0; i < n; ++i) {
    ++times[i * 31 % K];
    add_plainly(plain, i, values);
  }
  bool right = true;
  for (int c = 0; c < K; ++c) {
    const Moments &one = moments[c], &other = plain.moments[c];
    right = right && number[c] == plain.number[c] && more[c] == plain.more[c] && plus[c].x == plain.plus[c].x &&
            plus[c].y == plain.plus[c].y && minus[c].x == plain.minus[c].x && minus[c].y == plain.minus[c].y &&
            one.sum() == other.sum() && one.square() == other.square() && one.number() == other.number();
    right = right && read[c] == times[c] && means[c].number == times[c] && (times[c] == 0 || means[c].mean == 3);
  }
  for (int k = 0; k < K * D; ++k) right = right && row[k] == plain.row[k] && span[k] == plain.span[k];
  for (int i = 0; i < n; ++i) right = right && last[i] >= 1 && last[i] <= times[i * 31 % K];
  return right;
}

int main() {
  const bool right = are_right(0) && are_right(1) && are_right(100) && are_right(4000);
  std::printf("added_in_functions %s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
