// Look-ups by the iterators of maps that are not const: only read, or written.
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dmap;
using stradsap::dvector;

struct sample {
  int hits = 0;
  std::vector<int> marks;
  int size() const { return hits; }
};

static double value_of(dmap<int, double>& table, int key) {
  auto it = table.find(key);
  return it == table.end() ? 0 : it->second;
}

int main() {
  const int n = 300;
  dmap<int, double> table;
  dmap<int, sample> samples, changed;
  for (int i = 0; i < 50; ++i) {
    table[i * 3] = i;
    samples[i].hits = i;
    changed[i].hits = i;
  }
  dvector<double> out(n), few(n);
  // only read
  async_for(n, [&table, &out, &few](int j) {
    double sum = 0;
    for (int k = 0; k < 10; ++k) {
      const auto it = table.find(j + k);
      if (it != table.end()) sum += it->second;
      if (auto other = table.find(k * 3); other != table.end()) sum += (*other).second;
      if (table.contains(k)) sum += table.at(k) + static_cast<double>(table.count(k + 1));
    }
    const auto first = table.find(0);
    auto same = first;
    sum += same->second + table.find(3)->second + value_of(table, j);
    out[j] = sum;
    if (same != table.end() && table.find(6) != table.end()) few[(j * 7) % n] += 1;
  });
  // read by const members, references and copies
  async_for(n, [&samples, &out](int j) {
    const auto it = samples.find(j % 50);
    const sample copy = it->second;
    const auto& [key, value] = *it;
    out[j] += it->second.size() + copy.hits + value.hits + key;
  });
  // written
  async_for(50, [&changed](int j) {
    auto it = changed.find(49 - j);
    if (it == changed.end()) return;
    it->second.hits += 1;
    auto& [key, value] = *it;
    value.marks.push_back(key);
  });
  double sum = 0;
  for (const double x : std::as_const(out)) sum += x;
  double wanted = 0;
  const auto at = [](int key) { return key % 3 == 0 && key < 150 ? key / 3 : 0; };
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < 10; ++k) wanted += at(j + k) + k + at(k);
    wanted += 1 + at(j) + 4 * (j % 50);
  }
  if (sum != wanted) return 1;
  for (const auto& [key, value] : std::as_const(changed)) {
    if (value.hits != key + 1 || value.marks != std::vector<int>{key}) return 2;
  }
  for (const double x : std::as_const(few)) {
    if (x != 1) return 3;
  }
  return 0;
}
