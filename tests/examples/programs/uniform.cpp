// A loop of iterations with equal costs that touch their own elements alone. Prints the number of wrong
// elements and how many iterations each process ran, as the loop itself recorded it.
#include <sys/syscall.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <map>

#include <stradsap/stradsap.hpp>

static double f(double y) { return std::sqrt(1 + y * y); }

int main() {
  constexpr long n = 100000;
  stradsap::dvector<double> x(n), y(n);
  stradsap::dvector<int> ran_by(n);
  for (long j = 0; j < n; ++j) y[j] = static_cast<double>(j) / 7;
  double sum = 0;
  for (int pass = 0; pass < 4; ++pass) {
    stradsap::parallel_for(
        n,
        [&x, &y, &ran_by, &sum](long j) {
          x[j] = f(y[j]);
          ran_by[j] = static_cast<int>(syscall(SYS_getpid));  // getpid() is refused: SAP042
          sum += x[j];
        },
        stradsap::consistency::async, stradsap::access(stradsap::pure(syscall)));
  }

  long wrong = 0;
  std::map<int, long> iterations;
  for (long j = 0; j < n; ++j) {
    if (x[j] != f(y[j])) ++wrong;
    ++iterations[ran_by[j]];
  }
  std::printf("wrong=%ld sum=%a\n", wrong, sum);
  for (const auto& [process, count] : iterations) std::printf("ran=%ld\n", count);
}
