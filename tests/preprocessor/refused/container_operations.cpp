// Operations on whole containers that are valid between loops only.
#include <cstdint>
#include <algorithm>
#include <numeric>
#include <vector>

#include <stradsap/stradsap.hpp>

static int first_of(const std::vector<int>& values) { return values[0]; }

static stradsap::dvector<int>& either(stradsap::dvector<int>& a, stradsap::dvector<int>& b) { return a.size() > b.size() ? a : b; }

int main() {
  stradsap::dvector<int> x(10), y(10);
  stradsap::dmap<int, int> table;
  stradsap::async_for(10, [&x](int64_t) { x.push_back(1); });  // expected-error: `push_back` of a dvector cannot be used in the body of a loop [SAP050]
  stradsap::async_for(10, [&x](int64_t) { x.clear(); });  // expected-error: `clear` of a dvector cannot be used in the body of a loop [SAP050]
  stradsap::async_for(10, [&x](int64_t) { x.assign(3, 1); });  // expected-error: `assign` of a dvector cannot be used in the body of a loop [SAP050]
  stradsap::dmultimap<int, int> lists;
  stradsap::async_for(10, [&lists](int64_t j) { lists.erase(static_cast<int>(j)); });  // expected-error: `erase` of a dmultimap cannot be used in the body of a loop [SAP050]
  stradsap::async_for(10, [&table, &y](int64_t j) { for (const auto& [key, value] : table) y[j] += key * value; });  // expected-error: `begin` of a dmap cannot be used in the body of a loop [SAP050]
  stradsap::async_for(10, [&x, &y](int64_t j) { for (const int& one : x) y[j] += one; });  // expected-error: `begin` of a dvector cannot be used in the body of a loop [SAP050] // expected-note: loop over a span of all elements, `for (... : x.span(0, x.size()))`
  stradsap::async_for(10, [&table](int64_t) { table.clear(); });  // expected-error: `clear` of a dmap cannot be used in the body of a loop [SAP050]
  stradsap::async_for(10, [&x, &y](int64_t) { x = y; });  // expected-error: `operator=` of a dvector cannot be used in the body of a loop [SAP050] // expected-error: a distributed container is made in the body of a loop [SAP052]
  stradsap::async_for(10, [&x, &y](int64_t j) { const std::vector<int> copy = x; y[j] = copy[0]; });  // expected-error: `operator vector` of a dvector cannot be used in the body of a loop [SAP050]
  stradsap::async_for(10, [&x, &y](int64_t j) { y[j] = std::vector<int>(x)[0]; });  // expected-error: `operator vector` of a dvector cannot be used in the body of a loop [SAP050]
  stradsap::async_for(10, [&x, &y](int64_t j) { y[j] = first_of(x); });  // expected-error: `operator vector` of a dvector cannot be used in the body of a loop [SAP050]
  stradsap::async_for(10, [&x, &y](int64_t) { x.swap(y); });  // expected-error: `swap` of a dvector cannot be used in the body of a loop [SAP050] // expected-error: this use of the container `y` is not understood [SAP051]
  stradsap::async_for(10, [&x, &y](int64_t) { std::swap(either(x, y), y); });  // expected-error: this use of the container `either(x, y)` is not understood [SAP051] // expected-error: this use of the container `y` is not understood [SAP051]
}
