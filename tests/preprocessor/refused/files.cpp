// Streams that are captured: a file of the driver is none of other processes.
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <stradsap/stradsap.hpp>

int main() {
  stradsap::dvector<double> x(10);
  std::ofstream log("/dev/null");
  std::ifstream in("/dev/null");
  std::FILE* file = nullptr;
  stradsap::async_for(10, [&x, &log](int64_t j) { log << x[j]; });  // expected-error: `log` cannot be sent to other processes: `log` is a std::ofstream [SAP004] // expected-error: the body changes `log`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(10, [&x, &in](int64_t j) { in >> x[j]; });  // expected-error: `in` cannot be sent to other processes: `in` is a std::ifstream [SAP004] // expected-error: the body changes `in`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(10, [&x, file](int64_t j) { std::fprintf(file, "%g", x[j]); });  // expected-error: `file` is a raw pointer, which means nothing in another process [SAP001]
}
