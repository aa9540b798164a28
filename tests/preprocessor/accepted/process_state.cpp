// Bodies on every rank see main's changes of its process:
// environment, working directory, locale, and rounding mode.
#include <stdlib.h>
#include <unistd.h>

#include <cfenv>
#include <clocale>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <locale>
#include <string>

#include <stradsap/stradsap.hpp>

static constexpr int n = 400;
static bool is_set(const char* name, const char* value) {
  const char* const found = std::getenv(name);
  return value == nullptr ? found == nullptr : found != nullptr && std::strcmp(found, value) == 0;
}
static std::string locale_name() { return std::locale().name(); }

/// The number of iterations that see the variable as main left it.
static long num_set(stradsap::dvector<int>& x, const std::string& name, const std::string& value) {
  long count = 0;
  stradsap::async_for(n, [&x, &count, name, value](int64_t j) {
    x[j] = is_set(name.c_str(), value.empty() ? nullptr : value.c_str());
    count += x[j];
  });
  return count;
}

static bool environment(stradsap::dvector<int>& x) {
  setenv("RATE_OF_STEPS", "0.25", 1);
  if (num_set(x, "RATE_OF_STEPS", "0.25") != n) return false;
  setenv("RATE_OF_STEPS", "a=b", 1);
  setenv("ANOTHER", "", 1);
  if (num_set(x, "RATE_OF_STEPS", "a=b") != n) return false;
  unsetenv("RATE_OF_STEPS");
  static char put[] = "PUT_THERE=1";
  putenv(put);
  if (num_set(x, "RATE_OF_STEPS", "") != n || num_set(x, "PUT_THERE", "1") != n) return false;
  put[std::strlen(put) - 1] = '2';  // putenv keeps the text itself
  return num_set(x, "PUT_THERE", "2") == n && num_set(x, "HOME_OF_NOBODY", "") == n;
}

static bool folder(stradsap::dvector<int>& x) {
  const std::string before = std::filesystem::current_path();
  std::filesystem::current_path("/");
  long there = 0;
  stradsap::async_for(n, [&x, &there](int64_t j) {
    x[j] = std::filesystem::current_path() == "/";
    there += x[j];
  });
  std::filesystem::current_path(before);
  return there == n;
}

static bool locales(stradsap::dvector<int>& x) {
  std::locale::global(std::locale("C.UTF-8"));
  long wide = 0;
  long named = 0;
  stradsap::async_for(n, [&x, &wide, &named](int64_t j) {
    x[j] = static_cast<int>(std::mbstowcs(nullptr, "\xc3\xa9", 0));  // one character of two bytes
    wide += x[j] == 1;
    named += locale_name() == "C.UTF-8";
  });
  std::setlocale(LC_ALL, "C");
  long plain = 0;
  stradsap::async_for(n, [&x, &plain](int64_t j) {
    x[j] = static_cast<int>(std::mbstowcs(nullptr, "\xc3\xa9", 0));
    plain += x[j] == -1;
  });
  std::locale::global(std::locale::classic());
  return wide == n && named == n && plain == n;
}

static bool rounding() {
  stradsap::dvector<float> thirds(n);
  stradsap::dvector<long double> long_thirds(n);
  volatile float one = 1;
  volatile float three = 3;
  const float nearest = one / three;
  const long double long_nearest = static_cast<long double>(one) / three;
  std::fesetround(FE_DOWNWARD);
  const float divisor = three;
  stradsap::async_for(n, [&thirds, &long_thirds, divisor](int64_t j) {
    thirds[j] = 1 / divisor;
    long_thirds[j] = 1 / static_cast<long double>(divisor);
  });
  std::fesetround(FE_TONEAREST);
  for (const float third : thirds) {
    if (!(third < nearest)) return false;
  }
  for (const long double third : long_thirds) {
    if (!(third < long_nearest)) return false;
  }
  return true;
}

int main() {
  stradsap::dvector<int> x(n);
  return !environment(x) ? 1 : !folder(x) ? 2 : !locales(x) ? 3 : !rounding() ? 4 : 0;
}
