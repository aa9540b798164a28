// Mistakes with the dynamic scheduler, and rare ends of its loops: dynamic KIND.
#include <stradsap/stradsap.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

using namespace stradsap;

static const auto limited = schedule::dynamic().passes(10);

using consistency::approximate;

static void run(const char* kind, int64_t n) {
  dvector<double> X(n);
  dvector<double> Y(2 * n);
  const auto is = [kind](const char* name) { return std::strcmp(kind, name) == 0; };
  if (is("nan") || is("infinite")) {
    const double bad = is("nan") ? std::numeric_limits<double>::quiet_NaN() : HUGE_VAL;
    const auto body = [&X, bad](int64_t j) { X[j] = j == 70 ? bad : 1; };
    parallel_for(n, body, approximate, limited);  // bad
  }
  if (is("throws")) {
    const auto body = [&X](int64_t j) {
      if (j == 70 && X[j] > 2) throw std::domain_error("above two");
      X[j] += 1;
    };
    parallel_for(n, body, approximate, limited);  // above two
  }
  if (is("unchanged")) {
    parallel_for(n, [&Y](int64_t j) { Y[2 * j] += 1; }, approximate, limited);  // no element
  }
  if (is("beyond")) {
    parallel_for(2 * n, [&X](int64_t j) { X[j] += 1; }, approximate, limited);  // too short
  }
  if (is("sync")) parallel_for(n, [&X](int64_t j) { X[j] += 1; }, consistency::sync(8), limited);
  if (is("static")) parallel_for(n, [&X](int64_t j) { X[j] += 1; }, approximate, schedule::static_());
  if (is("nothing")) std::printf("%d\n", static_cast<int>(limited.num_updates(0)));
  if (is("passes")) (void)schedule::dynamic().passes(0);
  if (is("tolerance")) (void)schedule::dynamic().until(std::numeric_limits<double>::quiet_NaN());
  if (is("endless")) parallel_for(n, [&X](int64_t j) { X[j] += 1; }, approximate);
  if (is("alternating")) {  // each element flips its sign for ever
    parallel_for(n, [&X](int64_t j) { X[j] = X[j] > 0 ? -1 : 1; }, approximate);  // flips
  }
  if (is("large")) {  // changes that double precision loses
    dvector<int64_t> I(n, int64_t{1} << 60);
    const auto ten = [&I](int64_t j) { I[j] += I[j] < (int64_t{1} << 60) + 10 ? 1 : 0; };
    parallel_for(n, ten, approximate, schedule::dynamic().until(0));
    const auto tiny = [&X](int64_t j) { X[j] += X[j] < 1e-169 ? 1e-170 : 0; };
    parallel_for(n, tiny, approximate, schedule::dynamic().until(0));
    const bool grew = X[5] >= 1e-169;
    for (double& x : X) x = 1e200;
    parallel_for(n, [&X](int64_t j) { X[j] *= 0.5; }, approximate, limited);
    std::printf("%d %d %d\n", static_cast<int>(I[5] - (int64_t{1} << 60)), grew ? 1 : 0,
                X[5] == 1e200 / 1024 ? 1 : 0);
    return;
  }
  double sum = 0;
  for (const double x : X) sum += x;
  std::printf("sum=%g\n", sum);
}

int main(int, char** argv) {
  try {
    run(argv[1], 100);
  } catch (const error& failure) {
    std::printf("%d: %s\n", static_cast<int>(failure.code()), failure.what());
  }
  return 0;
}
