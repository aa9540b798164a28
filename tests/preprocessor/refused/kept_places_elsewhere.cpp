// Places that are kept across loops in other functions, under other names, in members and in lambdas.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

struct part {
  dvector<double> weights;
};

struct net {
  part inner;
  dvector<double> weights;
  dvector<double> bias;
  double* row = nullptr;    // the constructor sets it
  double* other = nullptr;  // several functions set it
  explicit net(int n) : weights(n), bias(n) {
    row = weights.data();
    other = bias.data();
  }
  dvector<double>& all() { return weights; }
  double* place(int j) { return &weights[j]; }
  void train() {
    async_for(weights.size(), [this](int64_t j) { weights[j] += bias[j]; });
  }
  void bind() { other = bias.data(); }
  double first() const { return row[0]; }  // expected-warning: `row` was made in line 24, before a loop on `m.weights`, which may have moved the elements since [SAP086]
  double second() const { return other[0]; }
};

struct view {
  double* p;
  int n;
};

class rows {
 public:
  explicit rows(double* from) : from_(from) {}
  double at(int i) const { return from_[i]; }  // expected-warning: `from_` was made in line 155, before a loop on `x`, which may have moved the elements since [SAP086]

 private:
  double* from_;
};

struct step {
  virtual ~step() = default;
  virtual void run(dvector<double>& x) const = 0;
};
struct adding_step : step {
  void run(dvector<double>& x) const override {
    async_for(x.size(), [&x](int64_t j) { x[j] += 1; });
  }
};

template <class T> static void pass(dvector<T>& x) {
  async_for(x.size(), [&x](int64_t j) { x[j] += 1; });
}
template <class F> static void timed(const char* name, F f) {
  f();
  std::puts(name);
}
static double* row_of(dvector<double>& x, int j) { return &x[j * 2]; }

static view view_of(dvector<double>& x) { return {x.data(), 3}; }
static view view_at(double* p) { return {p, 3}; }

static double is_given(dvector<double>& x, const double& first) {
  pass(x);
  return first;  // expected-warning: `first` was made in line 226, before a loop on `x`, which may have moved the elements since [SAP086]
}

static void aliases() {
  net m(8);
  auto& X = m.weights;
  double* p = X.data();
  m.train();
  p[0] = 1;  // expected-warning: `p` was made in line 81, before a loop on `m.weights`, which may have moved the elements since [SAP086]
  double* q = m.weights.data();
  pass(X);
  q[0] = 1;  // expected-warning: `q` was made in line 84, before a loop on `m.weights`, which may have moved the elements since [SAP086]
}

static void body_in_a_variable(dvector<double>& x) {
  double* p = x.data();
  const auto body = [&](int64_t j) { x[j] += 1; };
  for (int epoch = 0; epoch < 3; ++epoch) {
    p[0] = 1;  // expected-warning: `p` was made in line 90, before a loop on `x`, which may have moved the elements since [SAP086]
    parallel_for(x.size(), body, consistency::async);
  }
}

static void loops_elsewhere(dvector<double>& x) {
  double& first = x[0];
  pass(x);
  first = 2;  // expected-warning: `first` was made in line 99, before a loop on `x`, which may have moved the elements since [SAP086]
  double* row = row_of(x, 0);
  pass(x);
  row[0] = 2;  // expected-warning: `row` was made in line 102, before a loop on `x`, which may have moved the elements since [SAP086]
  const auto epoch = [&] { async_for(x.size(), [&x](int64_t j) { x[j] += 1; }); };
  double* begin = x.data();
  epoch();
  begin[0] = 2;  // expected-warning: `begin` was made in line 106, before a loop on `x`, which may have moved the elements since [SAP086]
  double* timed_row = x.data();
  timed("pass", [&] { pass(x); });
  timed_row[0] = 2;  // expected-warning: `timed_row` was made in line 109, before a loop on `x`, which may have moved the elements since [SAP086]
}

static void members() {
  net m(8);
  double* p = m.place(0);
  m.train();
  p[0] = 2;  // expected-warning: `p` was made in line 116, before a loop on `m.weights`, which may have moved the elements since [SAP086]
  double* q = &m.all()[0];
  pass(m.all());
  q[0] = 2;  // expected-warning: `q` was made in line 119, before a loop on `m.weights`, which may have moved the elements since [SAP086]
  double* r = m.inner.weights.data();
  pass(m.inner.weights);
  r[0] = 1;  // expected-warning: `r` was made in line 122, before a loop on `m.inner.weights`, which may have moved the elements since [SAP086]
  auto owned = std::make_unique<net>(8);
  double* s = owned->weights.data();
  owned->train();
  s[0] = 1;  // expected-warning: `s` was made in line 126, before a loop on `owned.weights`, which may have moved the elements since [SAP086]
}

static void forms(dvector<double>& x) {
  double* later;
  later = x.data();
  const auto most = std::max_element(x.begin(), x.end());
  std::span<double> some(x.data(), 2);
  double* keys = x.data();
  double* third = &keys[2];
  view v{x.data(), 2};
  view w;
  w.p = x.data();
  pass(x);
  *later = 2;  // expected-warning: `later` was made in line 133, before a loop on `x`, which may have moved the elements since [SAP086]
  *most = 2;  // expected-warning: `most` was made in line 134, before a loop on `x`, which may have moved the elements since [SAP086]
  some[0] = 2;  // expected-warning: `some` was made in line 135, before a loop on `x`, which may have moved the elements since [SAP086]
  *third = 2;  // expected-warning: `third` was made in line 137, before a loop on `x`, which may have moved the elements since [SAP086]
  v.p[0] = 2;  // expected-warning: `p` was made in line 138, before a loop on `x`, which may have moved the elements since [SAP086]
  w.p[0] = 2;  // expected-warning: `p` was made in line 140, before a loop on `x`, which may have moved the elements since [SAP086]
  std::vector<int> order{1, 0};
  std::sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });  // expected-warning: `keys` was made in line 136, before a loop on `x`, which may have moved the elements since [SAP086]
}

static void made_objects(dvector<double>& x) {
  const view one = view_of(x);
  const view other = view_at(&x[2]);
  const rows by_constructor(x.data());
  std::vector<view> views(2);
  for (auto& each : views) each.p = x.data();
  pass(x);
  one.p[0] = 1;  // expected-warning: `p` was made in line 153, before a loop on `x`, which may have moved the elements since [SAP086]
  other.p[0] = 1;  // expected-warning: `p` was made in line 154, before a loop on `x`, which may have moved the elements since [SAP086]
  views[1].p[0] = by_constructor.at(1);  // expected-warning: `each` was made in line 157, before a loop on `x`, which may have moved the elements since [SAP086]
}

static void loops_behind_objects(dvector<double>& x, const step& any) {
  const std::function<void()> add = [&] { pass(x); };
  void (*add_to)(dvector<double>&) = pass<double>;
  double* p = x.data();
  add();
  p[0] = 1;  // expected-warning: `p` was made in line 167, before a loop on `x`, which may have moved the elements since [SAP086]
  double* q = x.data();
  add_to(x);
  q[0] = 1;  // expected-warning: `q` was made in line 170, before a loop on `x`, which may have moved the elements since [SAP086]
  double* r = x.data();
  any.run(x);
  r[0] = 1;  // expected-warning: `r` was made in line 173, before a loop on `x`, which may have moved the elements since [SAP086]
}

// no place, or another container, or a way on which no loop lies before the use
static void right_forms(dvector<double>& x, dvector<double>& y, std::vector<double>& v) {
  const double& sum = x[0] + x[1];
  const float& narrow = x[0];
  const auto count = x.end() - x.begin();
  double* plain = v.data();
  double* again = x.data();
  double* of_y = y.data();
  double* none = nullptr;
  again[0] = 1;
  pass(x);
  again = x.data();
  again[0] = of_y[0] + plain[0] + sum + narrow + count;
  for (int epoch = 0; epoch < 3; ++epoch) {
    again[0] = 2;
    none = x.data();
    none[0] = 2;
    pass(x);
    again = x.data();
  }
}

static void right_ways(dvector<double>& x, dvector<double>& y, bool last) {
  double* p = x.data();
  for (int epoch = 0; epoch < 3; ++epoch) {
    p[0] = 1;
    if (last) {
      pass(x);
      return;
    }
  }
  double* q = x.data();
  std::swap(x, y);
  pass(x);
  q[0] = 2;
  net m(8), o(8);
  double* r = m.weights.data();
  o.train();
  r[0] = m.second();
}

int main() {
  net m(8);
  m.train();
  m.bind();
  std::printf("%g %g\n", m.first(), m.second());
  dvector<double> x(8), y(8);
  std::vector<double> v(3);
  std::printf("%g\n", is_given(x, x[0]));
  aliases();
  body_in_a_variable(x);
  loops_elsewhere(x);
  members();
  forms(x);
  made_objects(x);
  loops_behind_objects(x, adding_step());
  right_forms(x, y, v);
  right_ways(x, y, true);
}
