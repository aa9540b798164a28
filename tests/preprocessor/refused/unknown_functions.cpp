// Functions known by name alone: a warning for each, once for a
// loop, except for trusted functions and those stated to be pure.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <locale>
#include <string>
#include <unistd.h>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::parallel_for;
using stradsap::consistency::async;

double rate_now();
double scaled(double x);
[[gnu::const]] double square(double x);
[[gnu::pure]] double norm(const double* x, int n);
extern "C" float cblas_sdot(int n, const float* x, int dx, const float* y, int dy);
extern "C" int of_c_code(int x);
struct model {
  explicit model(double rate);  // expected-note: if it depends on its arguments alone, write its text in the header
  double predict(double x) const;  // expected-note: say `access(pure(&model::predict))` at the loop
  static double bias();
  double rate;
};
static double inner(double x) { return scaled(x) + scaled(x + 1); }  // expected-warning: only the name of `scaled` is known: data that it reads or keeps besides its arguments belong to one process [SAP049]

int main() {
  stradsap::dvector<double> x(100);
  stradsap::dvector<int> id(100);
  async_for(100, [&x](int64_t j) { x[j] = rate_now() + rate_now(); });  // expected-warning: only the name of `rate_now` is known
  async_for(100, [&x, r = rate_now()](int64_t j) { x[j] = r; });  // expected-warning: only the name of `rate_now` is known
  async_for(100, [&x](int64_t j) { x[j] = inner(x[j]); });
  async_for(100, [&x](int64_t j) { x[j] = inner(x[j]) * 2; });
  async_for(100, [&x](int64_t j) { x[j] = model(2).predict(x[j]) + model::bias(); });  // expected-warning: only the name of `model::model` is known // expected-warning: only the name of `model::predict` is known // expected-warning: only the name of `model::bias` is known
  async_for(100, [&x](int64_t j) {
    std::vector<double> v{x[j], 2};
    std::transform(v.begin(), v.end(), v.begin(), scaled);  // expected-warning: only the name of `scaled` is known
    x[j] = v[0];
  });
  async_for(100, [&id](int64_t j) { id[j] = of_c_code(3); });  // expected-warning: only the name of `of_c_code` is known
  // stated to be pure, once more without a warning
  parallel_for(100, [&x](int64_t j) { x[j] = scaled(x[j]) + inner(2); }, async, stradsap::access(stradsap::pure(scaled)));
  parallel_for(100, [&x](int64_t j) { x[j] = model::bias() + rate_now(); }, async,
               stradsap::access(stradsap::writes(x), stradsap::pure(&model::bias, rate_now)));
  parallel_for(100, [&id](int64_t j) { id[id[j]] = of_c_code(2); }, async, stradsap::access(stradsap::pure(of_c_code)));  // expected-remark: depends on data in `id`, which this loop writes
  // known
  async_for(100, [&x](int64_t j) {
    float a[4] = {1, 2, 3, 4};
    double b[2] = {1, 2};
    char text[32];
    std::snprintf(text, sizeof text, "%g", x[j]);
    x[j] = square(2) + norm(b, 2) + cblas_sdot(4, a, 1, a, 1) + std::strtod(text, nullptr) + std::lgamma(2.5) + j0(2) +
           std::stod("2.5") + static_cast<double>(std::string("abc").find('b')) + std::hypot(1, 2, 3) + std::strlen(text) +
           static_cast<double>(std::clock()) + (std::getenv("HOME") != nullptr) + std::isalpha('a');
    std::sort(a, a + 4);
  });
  // changes of the process in a body
  async_for(100, [&x](int64_t j) { setenv("A", "1", 1); x[j] = 1; });  // expected-error: `setenv` in the body of a loop would act on one process of many [SAP043]
  async_for(100, [&x](int64_t j) { x[j] = chdir("/"); });  // expected-error: `chdir` in the body of a loop would act on one process of many [SAP043]
  async_for(100, [&x](int64_t j) { std::filesystem::current_path("/"); x[j] = 1; });  // expected-error: in the body of a loop would act on one process of many [SAP043]
  async_for(100, [&x](int64_t j) { std::locale::global(std::locale("C")); x[j] = 1; });  // expected-error: `std::locale::global` in the body of a loop would act on one process of many [SAP043]
}
