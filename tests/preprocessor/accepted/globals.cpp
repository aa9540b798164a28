// Variables that a body reads without a capture travel with the loop: globals, statics, aliases of them.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

static int wrong = 0;

static void expect(const char* what, const dvector<double>& found, double each) {
  for (const double value : found) {
    if (value == each) continue;
    std::printf("%s: %g instead of %g\n", what, value, each);
    ++wrong;
    return;
  }
}

constexpr int n = 2000;

struct settings {
  double rate = 1;
  int k = 3;
};

double rate = 1;
settings config;
std::vector<double> limits;
dvector<double> weights(200);
double total = 0;
int stride = 1;

namespace deep {
namespace {
std::string name;
double table[3];
}  // namespace
inline double helper() { return rate * static_cast<double>(name.size()) + table[1]; }
}  // namespace deep

class model {
 public:
  static inline double shared = 1;
  static void set(double value) { hidden_ = value; }
  double run(dvector<double>& x) const {
    static const double at_first = shared * 2;
    async_for(n, [&x](int64_t j) { x[j] = hidden_ + shared + at_first; });
    return at_first;
  }

 private:
  static inline double hidden_ = 1;
};

static double once_for_all() {
  static const std::vector<double> made(3, 2.0);  // the same for any first caller
  return made[1];
}

static void by_name() {
  dvector<double> x(n);
  async_for(n, [&x](int64_t j) { x[j] = rate; });
  expect("a global", x, 5);
  async_for(n, [&](int64_t j) { x[j] = config.rate * config.k; });
  expect("a member of a global", x, 21);
  async_for(n, [&x](int64_t j) { x[j] = limits[j % 2] + once_for_all(); });
  expect("a vector", x, 6);
  async_for(n, [&x](int64_t j) { x[j] = deep::helper(); });
  expect("a global that a function uses", x, 29);
  const model m;
  const double at_first = m.run(x);
  expect("members of a class", x, 10 + model::shared + at_first);
}

static void by_reference() {
  dvector<double> x(n);
  const double& same_rate = rate;
  const settings& same_config = config;
  const auto& same_limits = limits;
  static settings local;
  local.rate = 9;
  const settings& same_local = local;
  async_for(n, [&](int64_t j) { x[j] = same_rate + same_config.rate + same_limits[0] + same_local.rate; });
  expect("references under [&]", x, 25);
  async_for(n, [&x](int64_t j) { x[j] = same_rate + same_config.rate; });
  expect("references without a capture", x, 12);
  async_for(n, [=, &x](int64_t j) { x[j] = same_rate * same_rate; });
  expect("references under [=]", x, 25);

  double& same_total = total;
  async_for(n, [&](int64_t) { same_total += 0.5; });
  if (total != n / 2) std::printf("a reduction through a reference: %g\n", total), ++wrong;

  auto& same_weights = weights;
  async_for(n, [&](int64_t j) { same_weights[j % 200] += 1; });
  expect("a global container through a reference", std::as_const(weights), 10);
}

static void statics(double value) {
  dvector<double> x(n);
  static const double root = std::sqrt(value);
  static const std::vector<double> powers{1, value, value * value};
  static int changing = 0;
  ++changing;
  async_for(n, [&](int64_t j) { x[j] = root + powers[2]; });
  expect("static constants under [&]", x, 4 + 256);
  async_for(n, [&x](int64_t j) { x[j] = root + changing; });
  expect("statics without a capture", x, 4 + changing);
  async_for(n, [](int64_t) {
    if (root != 4) throw 1;
  });
}

/// A global decides the place of an element: each change of it makes a new plan.
static void steering() {
  dvector<double> x(n), wanted(n);
  for (stride = 1; stride < 6; stride += 2) {
    async_for(n, [&x](int64_t j) { x[j * stride % n] = x[j * stride % n] / 2 + stride; });
    for (int64_t j = 0; j < n; ++j) wanted[j * stride % n] = wanted[j * stride % n] / 2 + stride;
  }
  for (int64_t i = 0; i < n; ++i) wrong += std::as_const(x)[i] == std::as_const(wanted)[i] ? 0 : 1;
}

int main() {
  rate = 5;
  config = {7, 3};
  limits = {4, 4};
  deep::name = "four";
  deep::table[1] = 9;
  model::shared = 2;
  model::set(10);
  by_name();
  by_reference();
  statics(16);
  statics(16);
  steering();
  return wrong == 0 ? 0 : 1;
}
