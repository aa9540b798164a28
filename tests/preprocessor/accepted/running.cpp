// Numbers of type running<T>, in every form of a reduction, against plain numbers in the same loops.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

static int wrong = 0;

template <class T> void expect(const char* what, T found, T wanted) {
  if (found == wanted) return;
  std::printf("%s: %g instead of %g\n", what, static_cast<double>(found), static_cast<double>(wanted));
  ++wrong;
}

static int64_t value_of(int64_t j) { return (j * 7919) % 1009 - 504; }

static void operators(int64_t n, const dvector<int64_t>& values) {
  running<int64_t> sum = 5, difference{5}, steps, spelled = 5, most = -1000;
  running<unsigned> bits_and = ~0u, bits_or, bits_xor(1);
  running<double> product = 2, least = 1e300;
  running<bool> all_small = true, any_zero, found;
  parallel_for(n, [&](int64_t j) {
    const int64_t v = values[j];
    sum += v;
    difference -= v;
    if (v > 0) ++steps; else steps--;
    spelled = spelled + v;
    if (v > most) most = v;
    bits_and &= static_cast<unsigned>(v) | 1u;
    bits_or |= static_cast<unsigned>(v);
    bits_xor ^= static_cast<unsigned>(v);
    product *= v % 2 == 0 ? 2.0 : 0.5;
    if (least > static_cast<double>(v)) least = static_cast<double>(v);
    all_small &= v < 600;
    any_zero |= v == 0;
    if (v == 504) found = true;
  }, consistency::async);
  int64_t of_sum = 5, of_steps = 0;
  unsigned of_and = ~0u, of_or = 0, of_xor = 1;
  double of_product = 2;
  for (int64_t j = 0; j < n; ++j) {
    const int64_t v = value_of(j);
    of_sum += v;
    of_steps += v > 0 ? 1 : -1;
    of_and &= static_cast<unsigned>(v) | 1u;
    of_or |= static_cast<unsigned>(v);
    of_xor ^= static_cast<unsigned>(v);
    of_product *= v % 2 == 0 ? 2.0 : 0.5;
  }
  expect<int64_t>("sum", sum, of_sum);
  expect<int64_t>("difference", difference, 10 - of_sum);
  expect<int64_t>("steps", steps, of_steps);
  expect<int64_t>("spelled", spelled, of_sum);
  expect<int64_t>("most", most, 504);
  expect<unsigned>("and", bits_and, of_and);
  expect<unsigned>("or", bits_or, of_or);
  expect<unsigned>("xor", bits_xor, of_xor);
  expect<double>("product", product, of_product);
  expect<double>("least", least, -504);
  expect<bool>("all", all_small, true);
  expect<bool>("any", any_zero, true);
  expect<bool>("found", found, true);
}

/// The same bits as a plain number, in a body that interleaves iterations.
static void fractions(int64_t n) {
  constexpr int64_t width = 24;
  dvector<float> rows(static_cast<std::size_t>(n * width));
  parallel_for(n * width, [&rows](int64_t j) { rows[j] = 1.0f / static_cast<float>(j + 1); }, consistency::async);
  const std::vector<float> weights(width, 0.25f);
  running<double> later = 0.1;
  double now = 0.1;
  running<float> narrow;
  float plain = 0;
  parallel_for(n, [&rows, &weights, &later](int64_t j) {
    const float* row = &rows[j * width];
    float dot = 0;
    for (int64_t k = 0; k < width; ++k) dot += row[k] * weights[static_cast<std::size_t>(k)];
    later += dot * dot;
  }, consistency::async);
  parallel_for(n, [&rows, &weights, &now](int64_t j) {
    const float* row = &rows[j * width];
    float dot = 0;
    for (int64_t k = 0; k < width; ++k) dot += row[k] * weights[static_cast<std::size_t>(k)];
    now += dot * dot;
  }, consistency::async);
  parallel_for(n, [&rows, &narrow](int64_t j) { narrow += std::sqrt(static_cast<double>(rows[j])); },
               consistency::async);
  parallel_for(n, [&rows, &plain](int64_t j) { plain += std::sqrt(static_cast<double>(rows[j])); },
               consistency::async);
  expect<double>("later", later, now);
  expect<float>("narrow", narrow, plain);
}

static running<long> counted;

struct totals {
  dvector<double> x = dvector<double>(100, 2.0);
  running<double> sum;
  int64_t calls = 0;

  void add() {
    ++calls;
    parallel_for(x.size(), [this](int64_t j) { sum += x[j] * static_cast<double>(calls); }, consistency::async);
  }
};

/// A body of a class, with the number by reference.
class counter {
 public:
  counter(dvector<double>& x, running<long>& large) : x_(x), large_(large) {}
  void operator()(int64_t j) const {
    if (x_[j] > 1) ++large_;
  }

 private:
  dvector<double>& x_;
  running<long>& large_;
};

template <class Sum> Sum sum_of(dvector<double>& x, Sum start) {
  Sum sum = start;
  parallel_for(x.size(), [&x, &sum](int64_t j) { sum += x[j]; }, consistency::async);
  return sum;
}

static void add_to(running<long>& to, long more) { to += more; }

static void places() {
  totals all;
  for (int k = 0; k < 3; ++k) all.add();
  expect<double>("member", all.sum, 1200);
  parallel_for(100, [&x = all.x, &counted = counted](int64_t j) { counted += x[j] > 1 ? j : 0; }, consistency::async);
  expect<long>("global", counted, 4950);
  running<long> large;
  parallel_for(100, counter(all.x, large), consistency::async);
  expect<long>("functor", large, 100);
  const auto note = [&large](int64_t j) { large += j; };
  parallel_for(100, [&note, &x = all.x](int64_t j) {
    note(j);
    x[j] += 1;
  }, consistency::async);
  expect<long>("lambda", large, 5050);
  parallel_for(100, [&large](int64_t j) { add_to(large, j); }, consistency::async);
  expect<long>("function", large, 10000);
  expect<double>("template", sum_of(all.x, running<double>(1)), 301);
  expect<double>("template of a number", sum_of(all.x, 1.0), 301);
}

/// The program uses it as a number.
static void uses() {
  running<double> loss = 3;
  loss += 1;
  loss /= 2;
  loss = loss * 2 - 1;
  const running<double> copy = loss;
  running<double> other;
  other = copy;
  other -= loss;
  double number = copy;
  number += loss;
  expect<double>("copy", copy, 3);
  expect<double>("other", other, 0);
  expect<double>("number", number, 6);
  expect<bool>("comparison", loss < 4 && other == 0 && copy >= loss, true);
  running<int> count;
  count++;
  ++count;
  count--;
  --count;
  count |= 6;
  count &= 3;
  count ^= 1;
  expect<int>("bits", count, 3);
}

int main() {
  const int64_t n = 5000;
  dvector<int64_t> values(static_cast<std::size_t>(n));
  parallel_for(n, [&values](int64_t j) { values[j] = value_of(j); }, consistency::async);
  operators(n, values);
  fractions(n);
  places();
  uses();
  std::printf("%d wrong\n", wrong);
  return wrong;
}
