// Operations of bodies on a map: insert, find, at, contains, count, references to values and to new entries.
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include <stradsap/stradsap.hpp>

int main() {
  const int n = 900;
  stradsap::dmap<int, std::string> names;
  stradsap::dmap<std::string, long> totals;
  for (int i = 0; i < 30; ++i) names[i] = std::string(1, static_cast<char>('a' + i % 26));
  long missing = 0;
  stradsap::async_for(n, [&, limit = 40](int64_t j) {
    const int key = static_cast<int>(j % limit);
    const auto& known = std::as_const(names);
    if (!known.contains(key)) {
      ++missing;
      totals["unknown"] += 1;
      return;
    }
    const auto it = known.find(key);
    long& total = totals[it->second + known.at(key)];
    total += static_cast<long>(known.count(key + 1)) + 1;
  });
  stradsap::dmap<int, int> first;
  stradsap::async_for(n, [&first](int64_t j) {
    const int key = static_cast<int>(j % 100);
    auto [entry, fresh] = first.insert({key, 0});
    if (fresh) entry->second = 1000;
    entry->second += 1;
  });

  // an iteration meets a key twice, and first tests whether it is present
  stradsap::dmap<int, int> met;
  stradsap::async_for(24, [&met](int64_t b) {
    for (int64_t j = b * 50; j < (b + 1) * 50; ++j) {
      const int key = static_cast<int>(j * 7919 % 29);
      if (met.contains(key)) {
        met.at(key) -= 5;
      } else {
        met[key] = 5;
      }
    }
  });
  int balance = 0;
  for (const auto& [key, value] : std::as_const(met)) balance += value;
  if (balance != 5 * 29 - 5 * (1200 - 29)) return 4;

  std::map<std::string, long> wanted;
  long wanted_missing = 0;
  for (int j = 0; j < n; ++j) {
    const int key = j % 40;
    if (key >= 30) {
      ++wanted["unknown"], ++wanted_missing;
      continue;
    }
    wanted[std::string(2, static_cast<char>('a' + key % 26))] += (key + 1 < 30 ? 1 : 0) + 1;
  }
  for (const auto& [key, total] : std::as_const(totals)) {
    if (wanted.at(key) != total) return 1;
  }
  for (const auto& [key, count] : std::as_const(first)) {
    if (count != 1000 + n / 100) return 2;
  }
  return missing == wanted_missing && totals.size() == wanted.size() && first.size() == 100 ? 0 : 3;
}
