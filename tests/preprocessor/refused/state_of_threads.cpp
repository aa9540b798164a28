// State of a thread that one iteration leaves to the next: rounding, floating-point flags, errno.
#include <cerrno>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <xmmintrin.h>

#include <stradsap/stradsap.hpp>

static bool overflows(const char* text) {
  errno = 0;
  return std::strtol(text, nullptr, 10) == 0 && errno == ERANGE;
}

int main() {
  stradsap::dvector<int> x(10);
  stradsap::async_for(10, [&x](int64_t j) { if (j == 5) std::fesetround(FE_UPWARD); x[j] = std::lrint(0.3); });  // expected-error: `fesetround` in the body of a loop would act on one process of many [SAP043]
  stradsap::async_for(10, [&x](int64_t j) { if (j == 5) _mm_setcsr(0x3f80); x[j] = std::lrint(0.3); });  // expected-error: `_mm_setcsr` in the body of a loop would act on one process of many [SAP043]
  stradsap::async_for(10, [](int64_t j) { if (j == 5) _MM_SET_ROUNDING_MODE(_MM_ROUND_UP); });  // expected-error: `_mm_setcsr` in the body of a loop would act on one process of many [SAP043]
  stradsap::async_for(10, [](int64_t) { std::fesetenv(FE_DFL_ENV); });  // expected-error: `fesetenv` in the body of a loop would act on one process of many [SAP043]
  stradsap::async_for(10, [](int64_t) { feenableexcept(FE_DIVBYZERO); });  // expected-error: `feenableexcept` in the body of a loop would act on one process of many [SAP043]
  stradsap::async_for(10, [](int64_t) { std::feraiseexcept(FE_DIVBYZERO); });  // expected-error: `feraiseexcept` in the body of a loop would act on one process of many [SAP043]
  stradsap::async_for(10, [](int64_t) { std::feclearexcept(FE_ALL_EXCEPT); });  // expected-error: `feclearexcept` in the body of a loop would act on one process of many [SAP043]
  stradsap::async_for(10, [&x](int64_t j) { x[j] = std::fetestexcept(FE_INEXACT); });  // expected-error: `fetestexcept` has hidden state, the floating-point flags of the thread that runs the iteration [SAP042]
  stradsap::async_for(10, [&x](int64_t j) { std::strtol("99999999999999999999", nullptr, 10); x[j] = errno; });  // expected-error: `errno` has hidden state, that of the thread which runs the iteration [SAP042]
  stradsap::async_for(10, [&x](int64_t j) { x[j] = errno; errno = 0; });  // expected-error: `errno` has hidden state, that of the thread which runs the iteration [SAP042]
  stradsap::async_for(10, [&x](int64_t j) { x[j] = overflows("99") || (errno = 0, std::sqrt(j - 3) < 0) || errno != 0; });
  stradsap::async_for(10, [&x](int64_t j) { x[j] = std::fegetround(); });
}
