// A running number is an object for C's variadic functions: it is converted first.
#include <cstdio>
#include <utility>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

using loss_number = running<double>;

struct totals {
  running<double> loss;
  running<long> count = 0;
};

struct trainer {
  running<float> error;
  void tell() const {
    std::printf("%g\n", error);  // expected-error: `error` is passed as the object of a running number, not as the number [SAP084] // expected-note: convert it: `float(error)`
    std::printf("%g\n", this->error);  // expected-error: `this->error` is passed as the object [SAP084]
    std::printf("%g\n", static_cast<double>(error));
  }
};

void tell_user(const char* format, ...);

static running<double> of_last_epoch() { return 1; }

template <class Number> static void tell(const running<Number>& sum) {
  std::printf("%g\n", sum);  // expected-error: `sum` is passed as the object of a running number, not as the number [SAP084]
}

template <class Number> static void tell_number(const running<Number>& sum) {
  const Number seen = sum;
  std::printf("%g\n", seen);
}

template <class T> static void show(const T& x) { std::printf("%g\n", x); }
template <class... T> static void show_all(const char* format, const T&... x) { std::printf(format, x...); }
template <class T> static void show_converted(const T& x) { std::printf("%g\n", double(x)); }
template <class T> static void show_number(const T& format, double x) { std::printf(format, x); }

static void through_templates() {
  stradsap::running<double> loss;
  show(loss);  // expected-error: `loss` is passed as the object of a running number, not as the number [SAP084]
  show_all("%g %g\n", 1.0, loss);  // expected-error: `loss` is passed as the object [SAP084]
  show(double(loss));
  show(0.5);
  show_converted(loss);
  show_number("%g\n", loss);
}

int main() {
  through_templates();
  dvector<double> x(10, 1.0);
  running<double> loss;
  loss_number other;
  running<bool> any_negative = false;
  totals all;
  char line[80];
  int (*print)(const char*, ...) = std::printf;
  parallel_for(x.size(), [&loss, &x](int64_t j) { loss += x[j]; }, consistency::stale(1));
  std::printf("%g\n", loss);  // expected-error: `loss` is passed as the object of a running number, not as the number [SAP084] // expected-note: convert it: `double(loss)`
  std::printf("%g %g\n", double(loss), (other));  // expected-error: `other` is passed as the object [SAP084]
  std::fprintf(stderr, "%g %ld\n", all.loss, all.count);  // expected-error: `all.loss` is passed as the object [SAP084] // expected-error: `all.count` is passed as the object [SAP084]
  std::snprintf(line, sizeof line, "%g", loss += 1);  // expected-error: `loss += 1` is passed as the object [SAP084]
  std::printf("%g\n", any_negative ? loss : other);  // expected-error: is passed as the object [SAP084]
  std::printf("%d\n", any_negative);  // expected-error: `any_negative` is passed as the object of a running number, not as the number [SAP084]
  std::printf("%g\n", std::move(loss));  // expected-error: `loss` is passed as the object of a running number, not as the number [SAP084]
  std::printf("%ld\n", std::as_const(all.count));  // expected-error: `all.count` is passed as the object [SAP084]
  std::printf("%g\n", of_last_epoch());  // expected-error: `of_last_epoch()` is passed as the object [SAP084]
  const auto copy = loss;
  const auto& again = loss;
  print("%g %g\n", copy, again);  // expected-error: `copy` is passed as the object [SAP084] // expected-error: `again` is passed as the object [SAP084]
  tell_user("%g", loss);  // expected-error: `loss` is passed as the object [SAP084]
  tell(loss);
  trainer().tell();
  // numbers
  const double seen = loss;
  std::printf("%g %g %g %g %ld\n", seen, loss + 1, -loss, 1.0 * loss + other, all.count++);
  std::printf("%g %g\n", (double)loss, static_cast<double>(all.loss));
  tell_number(loss);
}
