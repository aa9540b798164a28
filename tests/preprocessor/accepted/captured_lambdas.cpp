// Lambdas with captures of their own: called in bodies, handed to functions that call them in loops, made by functions,
// sharing containers with the body and with each other. By-value captures have the value of when they were made.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::consistency::async;

template <class Function>
static void run_all(int n, Function&& function) {
  stradsap::parallel_for(n, [&](int64_t j) { function(static_cast<int>(j)); }, async);
}
template <class Function, class Sink>
static void feed(int n, Function function, const Sink& sink) {
  stradsap::parallel_for(n, [function = std::move(function), &sink](int64_t j) { sink(j, function(j)); }, async);
}
template <class Body>
static void hand_on(int n, const Body& body) {
  stradsap::parallel_for(n, body, async);
}
static auto kernel(double gamma) {
  return [gamma](double d) { return std::exp(-gamma * d * d); };
}
static auto adder(stradsap::dvector<double>& to, double step) {
  return [step, &to](int64_t j) { to[j] += step; };
}

struct Rating {
  int user, item;
  double value;
};

static double weighted(const stradsap::dvector<double>& values) {
  double sum = 0;
  for (size_t j = 0; j < values.size(); ++j) sum += values[j] * static_cast<double>(j + 1);
  return sum;
}

static void factorize() {
  const int n = 200;
  stradsap::dvector<std::array<double, 4>> P(20), Q(30);
  stradsap::dvector<Rating> ratings(n);
  for (int i = 0; i < 20; ++i) P[i].fill(0.1 + 0.01 * i);
  for (int i = 0; i < 30; ++i) Q[i].fill(0.2 - 0.005 * i);
  for (int i = 0; i < n; ++i) ratings[i] = {i % 20, i * 11 % 30, i % 5 * 0.5};
  double rate = 0.05;
  const auto predict = [&](int user, int item) {
    double sum = 0;
    for (int k = 0; k < 4; ++k) sum += P[user][k] * Q[item][k];
    return sum;
  };
  const auto update = [&](int user, int item, double error) {
    for (int k = 0; k < 4; ++k) {
      const double p = P[user][k];
      P[user][k] += rate * error * Q[item][k];
      Q[item][k] += rate * error * p;
    }
  };
  for (int epoch = 0; epoch < 2; ++epoch) {
    int large = 0;
    stradsap::parallel_for(n, [&](int64_t j) {
      const auto& [user, item, value] = ratings[j];
      const double error = value - predict(user, item);
      if (error > 1) ++large;
      update(user, item, error);
    }, stradsap::consistency::ordered);
    rate *= 0.5;
    std::printf("%d %.9f\n", large, std::as_const(P)[3][2]);
  }
}

int main() {
  const int n = 200;
  stradsap::dvector<double> w(n), out(n);
  stradsap::async_for(n, [&](int64_t j) { w[j] = 0.01 * static_cast<double>(j); });

  std::vector<double> bias(10, 0.5);
  double scale = 2;
  const auto loss = [&w, scale, &bias](int i) { return w[i * 7 % 200] * scale + bias[i % 10]; };
  scale = 1000;
  bias[3] = 4;
  run_all(n, [&](int j) { out[j] = loss(j); });
  stradsap::parallel_for(n, [&](int64_t j) { out[j] += 2 * loss(static_cast<int>(j)); }, async);
  for (int j = 0; j < n; ++j) {
    const double one = 0.01 * (j * 7 % 200) * 2 + (j % 10 == 3 ? 4 : 0.5);
    if (std::abs(std::as_const(out)[j] - 3 * one) > 1e-9) return 1;
  }

  const std::pair<double, double> limits(0.25, 4);
  const auto cut = [&, half = limits.first * 2](int64_t j) { out[j] = out[j] / half < limits.second ? out[j] : 1; };
  stradsap::async_for(n, cut);

  const auto near = kernel(0.5);
  stradsap::async_for(n, [&out, near](int64_t j) { out[j] = near(out[j]); });
  int close = 0;
  const auto note = [&close](double v) {
    if (v > 0.5) ++close;
  };
  run_all(n, [&](int j) { note(out[j]); });
  feed(n, [&w](int64_t j) { return w[j]; }, [&out](int64_t j, double v) { out[j] += v; });
  std::printf("%d %.9f\n", close, weighted(out));

  double step = 3;
  const auto body = [&out, step](int64_t j) { out[j] -= step; };
  const auto twice = [doubled = 2 * step, &out](int64_t j) { out[j] += doubled; };
  step = 0;
  hand_on(n, body);
  stradsap::async_for(n, [&](int64_t j) { body(j); });
  stradsap::async_for(n, twice);
  stradsap::parallel_for(n, adder(out, 0.25), async);
  std::printf("%.9f\n", weighted(out));

  double table[3] = {1, 2, 3};
  const auto inner = [table, &w](auto i) { return table[i % 3] + w[i]; };
  const auto outer = [&inner, shift = scale + 1](auto i) { return inner(i) * 2 + shift; };
  table[0] = 77;
  stradsap::async_for(n, [&](int64_t j) { out[j] = outer(j); });
  if (std::abs(std::as_const(out)[4] - ((2 + 0.04) * 2 + 1001)) > 1e-9) return 2;
  std::printf("%.9f\n", weighted(out));
  factorize();

  const auto add_two = [two = 2](int64_t i) { return i + two; };
  const auto add_four = [add_two](int64_t i) { return add_two(add_two(i)); };
  stradsap::async_for(n, [&out, add_two, &add_four](int64_t j) { out[j] = add_two(j) + add_four(j); });
  for (int j = 0; j < n; ++j) {
    if (std::as_const(out)[j] != 2 * j + 6) return 3;
  }
  return 0;
}
