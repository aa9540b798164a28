// Bodies that walk through hash tables see the driver's order of entries on every rank.
#include <cstdint>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dmap;
using stradsap::dvector;

/// Not associative: tells orders apart.
template <class Table> static double walk(const Table& table) {
  double h = 0;
  for (const auto& [key, value] : table) h = h * 0.9 + value;
  return h;
}

int main() {
  const int64_t n = 1000;
  dmap<int, std::unordered_map<int, double>> rows;
  std::unordered_map<int, double> captured;
  std::unordered_set<std::string> words;
  words.reserve(5000);
  for (int i = 0; i < 60; ++i) {
    rows[3][i * 37 % 1000] = captured[i * 53 % 701] = 1.0 / (i + 1);
    words.insert("word " + std::to_string(i));
    if (i % 7 == 0) captured.erase(i * 53 % 701);
  }
  std::string first_words;
  for (const std::string& word : words) first_words += word;

  dvector<double> found(n);
  dvector<int> wrong(n);
  async_for(n, [&rows, &found, &wrong, captured, words, first_words](int64_t j) {
    std::string here;
    for (const std::string& word : words) here += word;
    wrong[j] = here != first_words;
    found[j] = walk(std::as_const(rows).at(3)) + walk(captured);
  });
  const double wanted = walk(std::as_const(rows).at(3)) + walk(captured);
  for (int64_t j = 0; j < n; ++j) {
    if (std::as_const(found)[j] != wanted || std::as_const(wrong)[j] != 0) return 1;
  }

  // elements that bodies grow, and that travel between the calls
  dvector<std::unordered_map<int, double>> grown(50);
  std::unordered_map<int, double> plain;
  double total = 0, wanted_total = 0;
  for (int64_t pass = 0; pass < 3; ++pass) {
    async_for(500, [&grown, pass](int64_t j) {
      auto& row = grown[(j * 7 + pass) % 50];
      const int key = static_cast<int>((pass * 10 + j / 50) * 31 % 997);
      row.insert({key, 1.0 / (1 + key)});
    });
  }
  for (int64_t pass = 0; pass < 3; ++pass) {
    for (int64_t j = 0; j < 10; ++j) {
      const int key = static_cast<int>((pass * 10 + j) * 31 % 997);
      plain.insert({key, 1.0 / (1 + key)});
    }
  }
  for (int64_t i = 0; i < 50; ++i) total += static_cast<double>(std::as_const(grown)[i].size());
  wanted_total = 50.0 * static_cast<double>(plain.size());
  if (total != wanted_total) std::printf("%g entries instead of %g\n", total, wanted_total);
  return total == wanted_total ? 0 : 2;
}
