// Subscripts from one field of an element, writes to another: known beforehand, and the plan stays good.
#include <array>
#include <cstdint>
#include <cstdio>
#include <random>
#include <utility>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

constexpr int topics = 8;
using row = std::array<int, topics>;

struct place {
  int doc = 0;
  int word = 0;
};
struct token {
  place at;
  int topic = 0;
  int visits[2] = {0, 0};
};

static int draw(std::mt19937& engine, const row& d, const row& w) {
  double weights[topics];
  double sum = 0;
  for (int k = 0; k < topics; ++k) weights[k] = sum += (d[k] + 0.1) * (w[k] + 0.01);
  const double u = std::uniform_real_distribution<double>(0, sum)(engine);
  int k = 0;
  while (k < topics - 1 && weights[k] < u) ++k;
  return k;
}

int main() {
  const int64_t n = 6000;
  const int docs = 90, words = 70;
  dvector<token> tokens(n);
  dvector<int> order(n);
  dvector<row> by_doc(docs), by_word(words);
  for (int64_t j = 0; j < n; ++j) {
    tokens[j] = {{static_cast<int>(j * 31 % docs), static_cast<int>(j * 17 % words)}, static_cast<int>(j % topics), {0, 0}};
    order[j] = static_cast<int>(j * 7 % n);
    ++by_doc[tokens[j].at.doc][tokens[j].topic];
    ++by_word[tokens[j].at.word][tokens[j].topic];
  }
  long visits = 0;
  for (int pass = 0; pass < 3; ++pass) {
    async_for(n, [&](int64_t j) {  // a token of the iteration's own
      token& t = tokens[j];
      row& d = by_doc[t.at.doc];
      row& w = by_word[t.at.word];
      --d[t.topic];
      --w[t.topic];
      std::mt19937 engine(static_cast<unsigned>(j * 977 + pass));
      const int k = draw(engine, d, w);
      t.topic = k;
      t.visits[0] += 1;
      ++d[k];
      ++w[k];
    });
    async_for(n, [&](int64_t j) {  // a token somewhere, through a pointer
      token* t = &tokens[order[j]];
      by_doc[t->at.doc][t->topic] -= 1;
      tokens[order[j]].visits[pass % 2] += 1;
      by_doc[t->at.doc][t->topic] += 1;
    });
  }
  row doc_totals{}, word_totals{}, token_totals{};
  for (const row& r : std::as_const(by_doc)) for (int k = 0; k < topics; ++k) doc_totals[k] += r[k];
  for (const row& r : std::as_const(by_word)) for (int k = 0; k < topics; ++k) word_totals[k] += r[k];
  for (const token& t : std::as_const(tokens)) {
    ++token_totals[t.topic];
    visits += t.visits[0] + t.visits[1];
  }
  return doc_totals == token_totals && word_totals == token_totals && visits == 6 * n ? 0 : 1;
}
