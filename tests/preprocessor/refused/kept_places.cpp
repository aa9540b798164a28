// Places of elements that main or another function keeps across a loop: pointers, references, iterators, views.
#include <cstdio>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

struct record {
  int user = 0;
  std::vector<double> weights;
};

struct net {
  dvector<double> weights;
  void train(int n) {
    double* row = &weights[2];
    for (int epoch = 0; epoch < 3; ++epoch) {
      row[0] *= 2;  // expected-warning: `row` was made in line 17, before a loop on `weights`, which may have moved the elements since [SAP086] // expected-note: make it again after the loop, by `&weights[2]`; or name `weights` itself
      async_for(n, [this](int64_t j) { weights[j] += 1; });
    }
  }
};

struct model {
  dvector<double> weights, biases;
  void fold(int j) { weights[j] = 0.5 * weights[j]; }
};

static void is_a_range(dvector<double>& x, dvector<double>& y) {
  for (const double one : std::as_const(x)) {  // expected-warning: `one` was made in line 31, before a loop on `x`, which may have moved the elements since [SAP086] // expected-note: make it again after the loop, by `std::as_const(x)`; or name `x` itself
    async_for(10, [&x, one](int64_t j) { x[j] += one; });
  }
  for (const double one : x) {
    async_for(10, [&y, one](int64_t j) { y[j] += one; });
  }
  for (const double one : x) {
    if (one > 3) {
      async_for(10, [&x, one](int64_t j) { x[j] += one; });
      break;
    }
  }
}

static void is_of_another_object(model& one, model& other) {
  double* first = one.weights.data();
  async_for(10, [&other](int64_t j) { other.fold(j); });
  async_for(10, [&one](int64_t j) { one.biases[j] += 1; });
  first[0] = 2;
}

static void makes_it_in_each_pass(dvector<double>& x) {
  for (int epoch = 0; epoch < 3; ++epoch) {
    double* first = x.data();
    first[0] = epoch;
    async_for(x.size(), [&x](int64_t j) { x[j] += 1; });
  }
}

static void makes_it_again(dvector<double>& x) {
  double* first = x.data();
  first[0] = 1;
  async_for(x.size(), [&x](int64_t j) { x[j] += 1; });
  first = x.data();
  first[0] = 2;
}

static void is_of_another_container(dvector<double>& x, dvector<double>& y) {
  double* first = x.data();
  for (int epoch = 0; epoch < 3; ++epoch) {
    async_for(x.size(), [&y](int64_t j) { y[j] += 1; });
    first[0] = 2;
  }
}

static double is_another_branch(dvector<double>& x, bool trains) {
  const double& first = x[0];
  if (trains) {
    async_for(x.size(), [&x](int64_t j) { x[j] += 1; });
  } else {
    return first;
  }
  return 0;
}

static void is_the_same_branch(dvector<double>& x, bool trains) {
  double* last = &x[9];
  if (trains) {
    async_for(x.size(), [&x](int64_t j) { x[j] += 1; });
    last[0] = 1;  // expected-warning: `last` was made in line 87, before a loop on `x`, which may have moved the elements since [SAP086]
  } else {
    last[0] = 2;
  }
}

static double is_a_copy(dvector<double>& x) {
  const double first = x[0];
  async_for(x.size(), [&x](int64_t j) { x[j] += 1; });
  return first;
}

int main() {
  dvector<record> records(10);
  dvector<double> x(10), y(10);
  const record& third = records[3];
  auto begin = x.begin();
  auto some = x.span(0, 4);
  const double* inner = records[2].weights.data();
  const auto& weights = records[1].weights;
  for (auto& one : x) one = 1;
  async_for(10, [&records, &x](int64_t j) { x[j] += records[j].user; });
  std::printf("%d\n", third.user);            // expected-warning: `third` was made in line 105, before a loop on `records`, which may have moved the elements since [SAP086]
  std::printf("%g\n", *begin);                // expected-warning: `begin` was made in line 106, before a loop on `x`, which may have moved the elements since [SAP086]
  std::printf("%g\n", some[0]);               // expected-warning: `some` was made in line 107, before a loop on `x`, which may have moved the elements since [SAP086]
  std::printf("%p\n", (const void*)inner);    // expected-warning: `inner` was made in line 108, before a loop on `records`, which may have moved the elements since [SAP086]
  std::printf("%zu\n", weights.size());       // expected-warning: `weights` was made in line 109, before a loop on `records`, which may have moved the elements since [SAP086]
  model both{dvector<double>(10), dvector<double>(10)};
  double* bias = both.biases.data();
  double* weight = both.weights.data();
  async_for(10, [&both](int64_t j) { both.fold(j); });
  bias[0] = 1;
  weight[0] = 1;  // expected-warning: `weight` was made in line 119, before a loop on `both.weights`, which may have moved the elements since [SAP086]
  is_of_another_object(both, both);
  net{dvector<double>(10)}.train(10);
  makes_it_in_each_pass(x);
  makes_it_again(x);
  is_the_same_branch(x, true);
  is_of_another_container(x, y);
  return is_another_branch(x, true) > 0 && is_a_copy(x) > 0;
}
