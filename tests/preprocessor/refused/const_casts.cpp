// Changes behind const: of captured values, of captured collections, in a function that takes them by reference.
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

static void sneak(const std::vector<int>& table, int at) {
  const_cast<std::vector<int>&>(table)[at] = 1;  // expected-error: the body changes `table`, which is neither a distributed container nor a reduction [SAP010]
}

static void sneak_span(std::span<const int> row) {
  const_cast<int&>(row[0]) = 1;  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010]
}

int main() {
  stradsap::dvector<int> x(10);
  int limit = 3;
  const std::vector<int> table(10);
  std::vector<int> plain(10);
  stradsap::async_for(10, [&x, limit](int64_t j) { x[j] = ++const_cast<int&>(limit); });  // expected-error: the body changes `limit`, which is neither a distributed container nor a reduction [SAP010]
  stradsap::async_for(10, [&x, &table](int64_t j) { const_cast<std::vector<int>&>(table)[j] = x[j]; });  // expected-error: the body changes `table`, which is neither a distributed container nor a reduction [SAP010]
  stradsap::async_for(10, [&table](int64_t j) { sneak(table, static_cast<int>(j)); });
  stradsap::async_for(10, [&x, &plain](int64_t j) { sneak_span(plain); x[j] = 1; });
  stradsap::async_for(10, [&x, &plain](int64_t j) { std::span<const int> row(plain.data(), 10); const_cast<int&>(row[j]) = x[j]; });  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010]
  stradsap::async_for(10, [&x, &plain](int64_t j) { const int* p = plain.data(); *(int*)p = x[j]; });  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010]
  stradsap::async_for(10, [&x, &plain](int64_t j) { const_cast<int&>(std::as_const(plain)[j]) = x[j]; });  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010]
  stradsap::async_for(10, [&x, &plain](int64_t j) { for (const int& y : std::span<const int>(plain)) const_cast<int&>(y) = x[j]; });  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010]
}
