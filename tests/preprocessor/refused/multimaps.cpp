// Operations that a body cannot apply to a multimap.
#include <cstdint>
#include <utility>

#include <stradsap/stradsap.hpp>

int main() {
  stradsap::dvector<int> x(10), y(10);
  stradsap::dmultimap<int, int> table;
  stradsap::async_for(10, [&table, &x](int64_t j) { x[j] = static_cast<int>(table.size()); });  // expected-error: `size` of a dmultimap cannot be used in the body of a loop [SAP050]  // expected-note: take it before the loop
  stradsap::async_for(10, [&table, &x](int64_t j) { x[j] = table.empty(); });  // expected-error: `empty` of a dmultimap cannot be used in the body of a loop [SAP050]
  stradsap::async_for(10, [&table](int64_t j) { table.erase(static_cast<int>(j)); });  // expected-error: `erase` of a dmultimap cannot be used in the body of a loop [SAP050]
  stradsap::async_for(10, [&table](int64_t) { table.clear(); });  // expected-error: `clear` of a dmultimap cannot be used in the body of a loop [SAP050]
  stradsap::async_for(10, [&table, &x](int64_t j) { for (const auto& [key, value] : table) x[j] += key * value; });  // expected-error: `begin` of a dmultimap cannot be used in the body of a loop [SAP050] // expected-error: `end` of a dmultimap cannot be used in the body of a loop [SAP050]
  stradsap::async_for(10, [&table, &x](int64_t j) { if (table.begin() != table.end()) x[j] = 1; });  // expected-error: `begin` of a dmultimap cannot be used in the body of a loop [SAP050] // expected-error: `end` of a dmultimap cannot be used in the body of a loop [SAP050]
  stradsap::async_for(10, [table, &x](int64_t j) { x[j] = static_cast<int>(table.count(1)); });  // expected-error: container `table` is captured by value [SAP003]
  stradsap::async_for(10, [&table](int64_t j) { table.insert({static_cast<int>(table.count(static_cast<int>(j))), 1}); });  // expected-remark: which element is used here depends on data in `table`, which this loop writes
  stradsap::async_for(10, [&table, &y](int64_t j) {
    const auto [first, last] = table.equal_range(static_cast<int>(j));
    for (auto at = first; at != last; ++at) y[at->second] += 1;  // expected-remark: which element is used here depends on data in `table`, which this loop writes
    table.insert({static_cast<int>(j), 1});
  });
  stradsap::dmultimap<int, const char*> names;  // expected-error: elements of `names` cannot be sent to other processes: `const char *` is a raw pointer [SAP020]
}
