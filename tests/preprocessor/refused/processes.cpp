// Calls that end, copy or start processes, or threads of one's own.
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <unistd.h>

#include <stradsap/stradsap.hpp>

int main() {
  stradsap::dvector<int> x(10);
  stradsap::async_for(10, [](int64_t) { (void)!std::system("date"); });  // expected-error: `system` in the body of a loop would act on one process of many [SAP043]
  stradsap::async_for(10, [&x](int64_t j) { x[j] = fork(); });  // expected-error: `fork` in the body of a loop would act on one process of many [SAP043]
  stradsap::async_for(10, [&x](int64_t j) { if (x[j] < 0) std::exit(1); });  // expected-error: `exit` in the body of a loop would act on one process of many [SAP043]
  stradsap::async_for(10, [&x](int64_t j) { if (x[j] < 0) std::_Exit(1); });  // expected-error: `_Exit` in the body of a loop would act on one process of many [SAP043]
  stradsap::async_for(10, [&x](int64_t j) { if (x[j] < 0) std::quick_exit(1); });  // expected-error: `quick_exit` in the body of a loop would act on one process of many [SAP043]
  stradsap::async_for(10, [](int64_t) { execl("/bin/true", "true", nullptr); });  // expected-error: `execl` in the body of a loop would act on one process of many [SAP043]
}
