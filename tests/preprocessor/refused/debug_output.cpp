// Debug prints go through with a warning each; text that stays in the iteration without one.
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <vector>

#include <stradsap/stradsap.hpp>

bool verbose = false;

static void trace(const char* what, double value) { std::fprintf(stderr, "%s %g\n", what, value); }  // expected-warning: output in the body of a loop comes from all processes in no fixed order [SAP060]

int main() {
  stradsap::dvector<double> x(10);
  stradsap::async_for(10, [&x](int64_t j) {
    if (verbose) std::printf("%f\n", x[j]);  // expected-warning: output in the body of a loop comes from all processes in no fixed order [SAP060]
    x[j] += 1;
  });
  stradsap::async_for(10, [&x](int64_t j) {
    if (j % 1000 == 0) std::cerr << "iteration " << j << std::endl;  // expected-warning: output in the body of a loop comes from all processes in no fixed order [SAP060]
    x[j] += 1;
  });
  stradsap::async_for(10, [&x](int64_t j) { if (verbose) trace("x", x[j]); });
  stradsap::async_for(10, [&x](int64_t j) {
    std::ostringstream text;
    text << j;
    char line[32];
    std::snprintf(line, sizeof line, "%zu", text.str().size());
    x[j] += line[0] - '0';
  });
}
