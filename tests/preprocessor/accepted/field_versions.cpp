// A plan survives loops that change none of the fields in its subscripts. Topics
// are drawn and counted repeatedly. A new plan is made only after words move.
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct place {
  int doc, word;
};
struct token {
  place at;
  int topic = 0;
  std::pair<int, int> span;
  void move(int by) { at.word = (at.word + by) % 40; }
};
struct result {
  std::vector<long> counts, spans;
  bool operator==(const result&) const = default;
};

constexpr int n = 4000, words = 40;
static token start(int j) { return {{j / 50, j * 7 % words}, 0, {j % 3, j % 5}}; }

static result distributed() {
  dvector<token> tokens(n);
  dvector<long> counts(words), spans(words);
  for (int j = 0; j < n; ++j) tokens[j] = start(j);
  for (int pass = 0; pass < 6; ++pass) {
    async_for(n, [&tokens, pass](int64_t j) { tokens[j].topic = static_cast<int>((j + pass) % 9); });
    async_for(n, [&tokens, &counts](int64_t j) { counts[tokens[j].at.word] += tokens[j].topic; });
    if (pass == 2) async_for(n, [&tokens](int64_t j) { tokens[j].at.word = (tokens[j].at.word + 1) % words; });
    if (pass == 3) async_for(n, [&tokens](int64_t j) { tokens[j].move(3); });
    if (pass == 4) async_for(n, [&tokens](int64_t j) { tokens[j].at = start(static_cast<int>(j) + 1).at; });
    async_for(n, [&tokens, &spans](int64_t j) {
      const auto span = tokens[j].span;
      spans[span.first + span.second] += 1;
    });
    if (pass == 1) async_for(n, [&tokens](int64_t j) { tokens[j].span.second += 1; });
    if (pass == 5) async_for(n, [&tokens](int64_t j) { std::swap(tokens[j].span.first, tokens[j].span.second); });
  }
  return {{counts.begin(), counts.end()}, {spans.begin(), spans.end()}};
}

static result sequential() {
  std::vector<token> tokens;
  result r{std::vector<long>(words), std::vector<long>(words)};
  for (int j = 0; j < n; ++j) tokens.push_back(start(j));
  for (int pass = 0; pass < 6; ++pass) {
    for (int j = 0; j < n; ++j) tokens[j].topic = (j + pass) % 9;
    for (const token& t : tokens) r.counts[t.at.word] += t.topic;
    for (int j = 0; j < n; ++j) {
      if (pass == 2) tokens[j].move(1);
      if (pass == 3) tokens[j].move(3);
      if (pass == 4) tokens[j].at = start(j + 1).at;
      r.spans[tokens[j].span.first + tokens[j].span.second] += 1;
      if (pass == 1) tokens[j].span.second += 1;
    }
  }
  return r;
}

int main() { return distributed() == sequential() ? 0 : 1; }
