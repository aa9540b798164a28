// Standard containers that a body fills: every process would fill its own.
#include <cstdint>
#include <vector>
#include <map>
#include <string>
#include <set>

#include <stradsap/stradsap.hpp>

int main() {
  stradsap::dvector<int> x(10);
  std::vector<int> hits, counts(10);
  std::map<int, int> histogram;
  std::set<int> unique;
  std::string text;
  stradsap::async_for(10, [&x, &hits](int64_t j) { if (x[j] > 0) hits.push_back(x[j]); });  // expected-error: the body changes `hits`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(10, [&x, &counts](int64_t j) { counts[x[j]]++; });  // expected-error: the body changes `counts`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(10, [&x, &histogram](int64_t j) { histogram[x[j]] += 1; });  // expected-error: the body changes `histogram`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(10, [&x, &unique](int64_t j) { unique.insert(x[j]); });  // expected-error: the body changes `unique`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(10, [&x, &text](int64_t j) { text += static_cast<char>(x[j]); });  // expected-error: the body changes `text`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(10, [&](int64_t j) { hits.at(0) = x[j]; });  // expected-error: the body changes `hits`, or may change it, and every process has a copy of its own [SAP016]
}
