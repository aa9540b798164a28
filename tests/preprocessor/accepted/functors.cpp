// Loop bodies that are objects of a class: an aggregate, a class with a constructor, a template, one that calls its
// own member functions, one that a wrapper function hands on.
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::dmap;
using stradsap::dvector;

struct sample {
  int64_t row;
  int64_t column;
  double value;
};

struct gradient_step {
  double rate;
  const dvector<sample>& samples;
  dvector<double>& rows;
  dvector<double>& columns;
  double& loss;

  void operator()(int64_t j) const {
    const sample& s = samples[j];
    double& r = rows[s.row];
    double& c = columns[s.column];
    const double error = s.value - r * c;
    loss += error * error;
    r += rate * error * c;
    c += rate * error * r;
  }
};

class counter {
 public:
  counter(int64_t modulus, dmap<int64_t, int64_t>& counts) : modulus_(modulus), counts_(counts) {}
  void operator()(int j) const { counts_[key_of(j)] += weight(j); }

 private:
  int64_t key_of(int64_t j) const { return j * j % modulus_; }
  static int64_t weight(int64_t j) { return j % 3; }
  const int64_t modulus_;
  dmap<int64_t, int64_t>& counts_;
};

template <class Number> struct doubling {
  dvector<Number>& values;
  void operator()(std::size_t j) const { values[j] += values[j]; }
};

template <class Body> void each(int64_t n, const Body& body) {
  stradsap::parallel_for("each", n, body, stradsap::consistency::async);
}

int main() {
  constexpr int64_t n = 6000, rows = 200, columns = 300;
  dvector<sample> samples(n);
  std::vector<double> r(rows, 1), c(columns, 1);
  dvector<double> rows_there(rows, 1), columns_there(columns, 1);
  for (int64_t j = 0; j < n; ++j) samples[j] = {j * 7 % rows, j * 11 % columns, 1.0 + static_cast<double>(j % 5)};
  double first = 0, last = 0;
  for (int pass = 0; pass < 30; ++pass) {
    double loss = 0;
    stradsap::parallel_for(n, gradient_step{0.01, samples, rows_there, columns_there, loss}, stradsap::consistency::async);
    (pass == 0 ? first : last) = loss;
  }
  if (!(last < first / 2)) return 1;

  dmap<int64_t, int64_t> counts;
  const counter count(97, counts);
  stradsap::async_for(1000, count);
  for (int64_t key = 0; key < 97; ++key) {
    int64_t expected = 0;
    for (int64_t j = 0; j < 1000; ++j) expected += j * j % 97 == key ? j % 3 : 0;
    if (counts[key] != expected) return 2;
  }

  dvector<float> floats(500, 1.5f);
  dvector<int64_t> numbers(500, 21);
  each(500, doubling<float>{floats});
  each(500, doubling<int64_t>{numbers});
  const int64_t by = 2;
  each(500, [by, &numbers](int64_t j) { numbers[j] -= by; });
  for (int64_t i = 0; i < 500; ++i) {
    if (floats[i] != 3 || numbers[i] != 40) return 3;
  }
  return 0;
}
