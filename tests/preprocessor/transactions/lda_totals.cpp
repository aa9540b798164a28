// LDA with a total per topic as elements of their own: which one is touched depends on the topic just drawn.
#include <cstdint>
#include <array>

#include <stradsap/stradsap.hpp>

struct Token {
  int doc, word, topic;
};

static int draw(const std::array<int, 8>& counts, uint64_t random) {
  for (int k = 0; k < 7; ++k) {
    if (counts[k] > static_cast<int>(random % 50)) return k;
  }
  return 7;
}

int main() {
  stradsap::dvector<Token> tokens(100);
  stradsap::dvector<std::array<int, 8>> docs(10);
  stradsap::dvector<int> totals(8);
  stradsap::async_for(tokens.size(), [&](int64_t j) {
    Token& t = tokens[j];
    auto& nd = docs[t.doc];
    totals[t.topic] -= 1;  // expected-remark: which element is used here depends on data in `docs`, which this loop writes
    t.topic = draw(nd, static_cast<uint64_t>(j));
    nd[t.topic] += 1;
    totals[t.topic] += 1;  // expected-remark: which element is used here depends on data in `docs`, which this loop writes
  });
}
